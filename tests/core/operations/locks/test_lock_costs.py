"""Costs of locks: round trips and DynamoDB capacity units (objects of at most 1 KB)."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.query.read_budget import Consumption
from stratabase.core.domain.write.commands import Command, Delete
from stratabase.core.operations.context import Services
from stratabase.core.operations.locks.services import lock, unlock
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.write.services import delete, save
from stratabase.core.store.engine.wrappers import MeteredEngine
from stratabase.core.store.repository import Repository
from tests.core.store.cost import Cost, cost_of
from tests.core.store.watched_engine import WatchedEngine
from tests.fakes import ADMINISTRATOR, CountedIds, FrozenClock, request_of, unlimited_budget
from tests.graphs.commands import create, create_command, update, update_command
from tests.graphs.company import COMPANY
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("lasting_registry")

ADA, BOB = Caller("a", "ada", "Member"), Caller("b", "bob", "Member")


class MeteredServices:
    """Services over a customer with an address, a room and labels, with their storage costs."""

    def __init__(self) -> None:
        self.engine = WatchedEngine()
        self._told: list[Consumption] = []
        metered = MeteredEngine(self.engine, lambda: self._told.append)
        entities = Repository(metered, COMPANY)
        self.services = Services(COMPANY, entities, FrozenClock(), CountedIds(), unlimited_budget)
        whole = create_command(
            "Customer",
            name="Acme",
            addresses=create(
                create_command("Address", street="1st", rooms=create(create_command("Room", name="hall")))
            ),
        )
        save(self.services, whole, ADMINISTRATOR)
        self.customer, self.address, self.room = (
            Reference(name, f"id{number}")
            for number, name in enumerate(("Customer", "Address", "Room"), start=1)
        )
        self.labels = [self._label(name) for name in "abc"]

    def cost(self, work: Callable[["MeteredServices"], object]) -> Cost:
        """Return the cost of an operation, which may be refused."""
        entities = self.services.entities
        entities.read([Reference("Label", "none")])
        self._told.clear()
        with suppress(Refused):
            work(self)
        return cost_of(self._told)

    def lock(self, *references: Reference, by: Caller = ADA) -> None:
        lock(self.services, references, 10, by)

    def unlock(self, *references: Reference, by: Caller = ADA) -> None:
        unlock(self.services, references, by)

    def write(self, command: Command, by: Caller = ADA) -> None:
        """Run a command."""
        if isinstance(command, Delete):
            delete(self.services, command, by)
        else:
            save(self.services, command, by)

    def late(self, command: Command) -> None:
        """Run a command while another member locks its object after the object was read."""
        unmetered = replace(self.services, entities=Repository(self.engine, COMPANY))
        self.engine.before_commit = lambda: lock(unmetered, self.labels[:1], 10, BOB)
        self.write(command)

    @property
    def renamed(self) -> Command:
        """The command that changes the first label."""
        return update_command(*self.labels[0], name="new")

    @property
    def ended(self) -> Command:
        """The command that deletes the first label."""
        return Delete(self.labels[0])

    def _label(self, name: str) -> Reference:
        return save(self.services, create_command("Label", name=name), ADMINISTRATOR).reference


STREET = update_command("Customer", "id1", addresses=update(update_command("Address", "id2", street="2nd")))

COSTS: dict[str, tuple[Callable[[MeteredServices], object], Cost]] = {
    "lock one": (lambda meter: meter.lock(meter.labels[0]), Cost(1, 0, 1)),
    "lock three": (lambda meter: meter.lock(*meter.labels), Cost(1, 0, 6)),
    "lock a part": (lambda meter: meter.lock(meter.address), Cost(2, 1, 4)),
    "lock a part of a part": (lambda meter: meter.lock(meter.room), Cost(3, 2, 6)),
    "lock a part with its whole": (
        lambda meter: meter.lock(meter.address, meter.customer),
        Cost(2, 1, 4),
    ),
    "unlock one": (lambda meter: meter.unlock(meter.labels[0]), Cost(1, 0, 1)),
    "unlock three": (lambda meter: meter.unlock(*meter.labels), Cost(1, 0, 6)),
    "unlock a part": (lambda meter: meter.unlock(meter.address), Cost(1, 0, 1)),
    "read one": (
        lambda meter: Reader(request_of(meter.services.model, meter.services.entities)).get(meter.labels[0]),
        Cost(1, 1, 0),
    ),
    "write one": (lambda meter: meter.write(meter.renamed), Cost(2, 1, 2)),
    "write a part through its whole": (
        lambda meter: meter.write(STREET),
        Cost(2, 2, 2 + 1 + 2),
    ),
    "refused in the commit": (
        lambda meter: meter.late(meter.renamed),
        Cost(2, 1, 1),
    ),
    "a deletion refused in the commit": (
        lambda meter: meter.late(meter.ended),
        Cost(2, 1, 2),
    ),
}

LOCKED: dict[str, tuple[Callable[[MeteredServices], object], Cost]] = {
    "locked again": (lambda meter: meter.lock(meter.labels[0]), Cost(1, 0, 1)),
    "refused to another": (
        lambda meter: meter.lock(*meter.labels[:2], by=BOB),
        Cost(1, 0, 4),
    ),
    "written by its member": (
        lambda meter: meter.write(meter.renamed),
        Cost(2, 1, 2),
    ),
    "a write of another": (
        lambda meter: meter.write(meter.renamed, BOB),
        Cost(1, 1, 0),
    ),
    "a deletion of another": (
        lambda meter: meter.write(meter.ended, BOB),
        Cost(1, 1, 0),
    ),
    "a write of another through the whole": (
        lambda meter: meter.write(STREET, BOB),
        Cost(1, 2, 0),
    ),
    "taken away": (
        lambda meter: meter.unlock(meter.labels[0], by=ADMINISTRATOR),
        Cost(2, 0, 2),
    ),
}


@each_row(("work", "cost"), COSTS.values())
def test_costs_without_locks(work: Callable[[MeteredServices], object], cost: Cost) -> None:
    assert MeteredServices().cost(work) == cost


@each_row(("work", "cost"), LOCKED.values())
def test_costs_with_two_locked_objects(work: Callable[[MeteredServices], object], cost: Cost) -> None:
    meter = MeteredServices()
    meter.lock(meter.labels[0], meter.address)
    assert meter.cost(work) == cost
