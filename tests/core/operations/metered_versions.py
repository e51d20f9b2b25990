"""A company with many versions of one object, and the storage costs of work on it."""

from collections.abc import Callable
from dataclasses import replace

from stratabase.core.domain.objects.change import Change, Restoration
from stratabase.core.domain.objects.entity import Entity, Moment, Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.read_budget import Consumption
from stratabase.core.domain.write.commands import Create, Delete, RoleCommand, Update
from stratabase.core.operations.context import Services
from stratabase.core.operations.write.services import delete, save
from stratabase.core.store.engine.port import Batch, Item, Patch, Put, Value
from stratabase.core.store.engine.wrappers import MeteredEngine
from stratabase.core.store.layout import keys
from stratabase.core.store.repository import Repository
from tests.contract.engine.reference import ReferenceEngine
from tests.contract.versions.models import COMPANY
from tests.core.store.cost import Cost, cost_of
from tests.fakes import ADMINISTRATOR, NOON, CountedIds, FrozenClock, unlimited_budget
from tests.graphs.commands import point

STEP = 1000
"""Milliseconds between the versions of an object."""


class MeteredVersions:
    """A company in which Ada has several versions, and the storage costs of operations on it."""

    def __init__(self, versions: int = 2) -> None:
        self.engine = ReferenceEngine()
        self._told: list[Consumption] = []
        metered = MeteredEngine(self.engine, lambda: self._told.append)
        self.entities = Repository(metered, COMPANY)
        self.clock = FrozenClock()
        self.services = Services(COMPANY, self.entities, self.clock, CountedIds(), unlimited_budget)
        self.red, self.blue, self.desk, self.other_desk, self.room = (
            self._made(name) for name in ("Team", "Team", "Desk", "Desk", "Room")
        )
        self.ada = self._made(
            "Employee", team=point(self.red.id), desk=point(self.desk.id), room=point(self.room.id)
        )
        self._remember(versions)
        self.clock.instant = self.last + STEP

    @property
    def last(self) -> Instant:
        """The instant at which the last version of Ada began."""
        found = self.entities.read([self.ada])[0]
        assert found is not None
        assert found.start is not None
        return found.start

    def cost(self, work: Callable[["MeteredVersions"], object]) -> Cost:
        """Return the cost of an operation."""
        self.entities.read([Reference("Employee", "none")])
        self._told.clear()
        work(self)
        return cost_of(self._told)

    def update(self, name: str | None = None, **roles: RoleCommand) -> None:
        value = {} if name is None else {"name": name}
        save(self.services, Update(self.ada, value, roles=roles), ADMINISTRATOR)

    def at(self, instant: Instant) -> Entity | None:
        """Return Ada's state at an instant."""
        return self.entities.as_of([Moment(self.ada, instant)])[0]

    def delete(self) -> None:
        delete(self.services, Delete(self.ada), ADMINISTRATOR)

    def restore(self) -> None:
        (gone,) = self.entities.tombstones([self.ada])
        assert gone is not None
        back = Restoration(gone, Entity(self.ada, {"_id": self.ada.id, "name": "x"}))
        self.entities.commit(Change("back", gone.last_end + STEP, (back,)))

    def _made(self, class_name: str, **roles: RoleCommand) -> Reference:
        command = Create(class_name, {"name": "x" * 200}, roles=roles)
        return save(self.services, command, ADMINISTRATOR).reference

    def _remember(self, number: int) -> None:
        """Write closed versions of Ada, as if she had been changed that often."""
        (head,) = self.engine.get([keys.head(self.ada)])
        assert head is not None
        last = NOON + number * STEP
        for first in range(0, number, 100):
            starts = range(NOON + first * STEP, min(NOON + (first + 100) * STEP, last), STEP)
            puts = (Put(_closed(head, start)) for start in starts)
            self.engine.commit(Batch(f"{first}", tuple(puts)))
        times = {"versionStart": last, **({"previousStart": last - STEP} if number else {})}
        self.engine.commit(Batch("head", (Patch(head.key, set=times),)))


def _closed(head: Item, start: Instant) -> Item:
    before = {"previousStart": start - STEP} if start > NOON else {}
    attributes: dict[str, Value] = {"start": start, "end": start + STEP, "commitIds": ["c"], **before}
    return replace(
        head, key=keys.version(keys.reference_of(head.key), start), attributes=attributes, places={}
    )


S = 1
"""Index slots of an object."""
