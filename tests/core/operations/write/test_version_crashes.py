"""A crash at any call of a versioned write leaves the old or the new state, and a retry completes it."""

from contextlib import suppress

from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.commands import Command, Create, Delete, PartsCommand, Update
from stratabase.core.operations.context import Services
from stratabase.core.operations.write.services import delete, save
from stratabase.core.store.engine.port import Batch, Engine, Item, Key
from stratabase.core.store.engine.wrappers import DelegatingEngine
from stratabase.core.store.repository import Repository
from tests.contract.engine.reference import ReferenceEngine
from tests.contract.versions.models import COMPANY
from tests.fakes import ADMINISTRATOR, NOON, CountedIds, FrozenClock, unlimited_budget
from tests.graphs.commands import point
from tests.rows import each_row

RED, BLUE, ADA = Reference("Team", "id1"), Reference("Team", "id3"), Reference("Employee", "id5")


class Killed(BaseException):
    """The process has crashed."""


class MortalEngine(DelegatingEngine):
    """An engine that crashes its process at one of its calls, before or after the call."""

    def __init__(self, items: dict[Key, Item], last: int, *, does_it: bool) -> None:
        self._store = ReferenceEngine()
        self._store.show(items)
        super().__init__(self._store)
        self._left = last
        self._does_it = does_it

    def commit(self, batch: Batch) -> None:
        if self._left == 1 and self._does_it:
            self._store.commit(batch)
        super().commit(batch)

    @property
    def items(self) -> dict[Key, Item]:
        """All items of the store."""
        return self._store._items

    def _before_read(self) -> None:
        """Count a call, and crash if its turn has come."""
        self._left -= 1
        if self._left == 0:
            raise Killed

    def _before_write(self) -> None:
        self._before_read()


FOR_EVER = 10**9


class Process:
    """A new process, one hour after the objects were created."""

    def __init__(self, engine: Engine, first_id: int = 100, instant: int = NOON + 3_600_000) -> None:
        self.entities = Repository(engine, COMPANY)
        ids = CountedIds()
        for _ in range(first_id):
            ids.new()
        self.services = Services(COMPANY, self.entities, FrozenClock(instant), ids, unlimited_budget)

    def write(self, command: Command) -> None:
        """Run a command."""
        if isinstance(command, Delete):
            delete(self.services, command, ADMINISTRATOR)
        else:
            save(self.services, command, ADMINISTRATOR)

    def read_all(self) -> list[object]:
        """Return everything that readers can see of the objects."""
        references = [RED, BLUE, ADA, Reference("Address", "id6"), Reference("Address", "id7")]
        entities = self.entities
        return [
            *(entity and entity.state for entity in entities.read(references)),
            *(gone and gone.last_end for gone in entities.tombstones(references)),
            *([each.state for each in entities.versions(reference)] for reference in references),
        ]


def prepared() -> dict[Key, Item]:
    """Return the initial objects: two teams, and Ada in one of them, with two addresses."""
    engine = MortalEngine({}, FOR_EVER, does_it=False)
    process = Process(engine, 0, NOON)
    process.entities.unbuilt()
    for name in ("red", "blue"):
        process.write(Create("Team", {"name": name}))
    streets = PartsCommand(create=[Create("Address", {"name": name}) for name in ("1st", "2nd")])
    process.write(Create("Employee", {"name": "Ada"}, roles={"team": point(RED.id), "addresses": streets}))
    return engine.items


COMMANDS: dict[str, Command] = {
    "changed": Update(ADA, {"name": "Eva"}),
    "moved": Update(ADA, {}, roles={"team": point(BLUE.id)}),
    "a part ended": Update(ADA, {}, roles={"addresses": PartsCommand(delete=["id6"])}),
    "a part changed": Update(
        ADA,
        {},
        roles={"addresses": PartsCommand(update=[Update(Reference("Address", "id7"), {"name": "3rd"})])},
    ),
    "deleted": Delete(ADA),
    "a team deleted": Delete(RED),
}


def died(items: dict[Key, Item], command: Command, call: int, *, does_it: bool) -> MortalEngine | None:
    """Return an engine whose process crashed at a call, or None if the process finished before it."""
    engine = MortalEngine(items, call, does_it=does_it)
    try:
        Process(engine).write(command)
    except Killed:
        return MortalEngine(engine.items, FOR_EVER, does_it=False)
    return None


@each_row("does_it", [False, True])
@each_row("command", COMMANDS.values())
def test_a_crash_leaves_the_old_or_the_new_state_and_a_retry_completes_it(
    command: Command, does_it: bool
) -> None:
    before = prepared()
    whole = MortalEngine(before, FOR_EVER, does_it=False)
    Process(whole).write(command)
    after, expected = whole.items, Process(whole).read_all()
    assert before != after
    met = list[bool]()
    while (engine := died(before, command, len(met) + 1, does_it=does_it)) is not None:
        assert engine.items in (before, after)
        met.append(engine.items == after)
        with suppress(Refused):  # the part that is named has ended already
            Process(engine).write(command)
        assert Process(engine).read_all() == expected
    assert len(met) >= 2
    assert any(met) == does_it


def test_a_later_retry_creates_no_second_version() -> None:
    """A write that changes nothing creates no version."""
    engine = MortalEngine(prepared(), FOR_EVER, does_it=False)
    for hour in range(1, 4):
        Process(engine, 100 * hour, NOON + hour * 3_600_000).write(COMMANDS["changed"])
    (first, second) = Process(engine).entities.versions(ADA)
    assert (first.end, second.start, second.end) == (NOON + 3_600_000, NOON + 3_600_000, None)
