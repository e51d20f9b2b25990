"""More parts than one commit holds are cleared or restored through their existing whole."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.issue import IssueType
from stratabase.core.domain.issues.refusals import Refused, Unavailable
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.write.commands import PartsCommand
from stratabase.core.operations.locks.services import lock
from stratabase.core.operations.write.services import save
from stratabase.core.store.layout import keys
from stratabase.core.store.write import cleanup, staged_restoration
from tests.contract.engine.reference import ReferenceEngine
from tests.core.operations.write.interfering_engine import InterferingEngine
from tests.core.operations.write.large_orders import CALLS, LINES, MINUTE, PartReader, Shop, VisibleParts
from tests.fakes import ADMINISTRATOR, FrozenClock
from tests.graphs.commands import create_command, point, update_command
from tests.soak import count

RIVAL = Caller("m2", "bob", "Administrator", administrator=True)


class OrderScenario:
    """An order with many lines, and a process that changes it."""

    def __init__(self) -> None:
        self.store = ReferenceEngine()
        self.clock = FrozenClock()
        self.shop = Shop(self.store, self.clock)
        self.product = self.shop.product()
        self.order = self.shop.order(self.product)
        self.old = self.shop.lines(self.order)
        self.clock.instant += MINUTE
        self.full = self.clock.instant
        self.engine = InterferingEngine(self.store)
        self.process = Shop(self.engine, self.clock)
        self.process.entities.unbuilt()
        self.clock.instant += MINUTE
        self.before = self.visible_parts()

    def visible_parts(self) -> VisibleParts:
        """Return what readers see of the original lines."""
        return PartReader(self.store, self.clock).read_all(self.order, self.old, self.product)

    def clear(self) -> None:
        """Delete all lines."""
        self.process.clear(self.order)

    def restore(self) -> None:
        """Restore the original lines."""
        self.process.restore(self.order, self.full)

    def replace(self, prefix: str = "d") -> list[str]:
        """Replace the lines by the same number of new ones."""
        self.shop.clear(self.order)
        self.shop.add_lines(self.order, self.product, LINES, prefix)
        self.clock.instant += MINUTE
        return self.shop.lines(self.order)

    def left(self) -> Sequence[object]:
        """Return the ledgers of the work that is left."""
        return [key for key in self.store._items if key.partition.startswith(keys.PURGES)]

    def sweep(self) -> None:
        """Finish the work that is left, as if no cleanup were running."""
        self.clock.instant += staged_restoration.LEASE
        self.shop.entities.sweep()
        assert self.left() == []

    def there(self, ids: Sequence[str]) -> int:
        """Return how many lines have a head."""
        return sum(start is not None for start in self.starts(ids))

    def starts(self, ids: Sequence[str]) -> list[Instant | None]:
        """Return the start of each existing line's present version."""
        lines = self.shop.entities.read([Reference("Line", id_) for id_ in ids])
        return [None if line is None else line.start for line in lines]


NOTHING = [True, *[0] * 11, True, 0]
"""What `visible_parts` returns for an order without lines, except for its last two values."""


@pytest.fixture
def nothing_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave all parts of a deletion to the sweep."""
    monkeypatch.setattr(cleanup, "MAX_CLEANUP_STEPS", 0)


@pytest.mark.usefixtures("nothing_at_once")
def test_cleared_parts_disappear_immediately_and_are_purged_later() -> None:
    scenario = OrderScenario()
    cleared = scenario.clock.instant
    scenario.clear()
    assert scenario.engine.commits == 1
    assert scenario.there(scenario.old) == LINES
    assert scenario.visible_parts()[:-2] == NOTHING
    scenario.clock.instant += MINUTE
    scenario.sweep()
    assert scenario.there(scenario.old) == 0
    assert scenario.visible_parts()[:-2] == NOTHING
    gone = scenario.shop.entities.tombstones([Reference("Line", id_) for id_ in scenario.old])
    assert {each and each.last_end for each in gone} == {cleared}
    assert [each.start for each in scenario.shop.entities.versions(scenario.order)][-1] == cleared


def test_cleared_parts_are_purged_before_the_response_if_time_allows() -> None:
    scenario = OrderScenario()
    scenario.clear()
    assert (scenario.there(scenario.old), scenario.left()) == (0, [])


@pytest.mark.soak
@pytest.mark.parametrize("does_it", [False, True], ids=["before the commit", "after the commit"])
def test_a_crash_at_any_commit_leaves_all_or_no_parts_cleared(*, does_it: bool) -> None:
    scenario, met = OrderScenario(), list[bool]()
    items = dict(scenario.store._items)
    for call in CALLS:
        scenario.store._items = dict(items)
        if not scenario.engine.dies(scenario.clear, call, does_it=does_it):
            break
        is_old = scenario.visible_parts() == scenario.before
        assert is_old or scenario.visible_parts()[:-2] == NOTHING
        met.append(not is_old)
        scenario.sweep()
        assert (scenario.there(scenario.old) == LINES) is is_old
        assert is_old or scenario.visible_parts()[:-2] == NOTHING
    assert len(met) > count(1, 2)
    assert met == [does_it, *[True] * (len(met) - 1)]


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_cleared_parts_are_restored_whether_purged_or_not(
    monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    scenario = OrderScenario()
    monkeypatch.setattr(cleanup, "MAX_CLEANUP_STEPS", steps)
    scenario.clear()
    scenario.clock.instant += MINUTE
    monkeypatch.setattr(cleanup, "MAX_CLEANUP_STEPS", max(steps, 1))
    scenario.restore()
    monkeypatch.undo()
    scenario.sweep()
    assert scenario.visible_parts()[:-2] == scenario.before[:-2]
    assert scenario.shop.lines(scenario.order) == scenario.old
    assert scenario.there(scenario.old) == LINES


@pytest.mark.usefixtures("nothing_at_once")
def test_repeated_clearing_leaves_several_ledgers() -> None:
    scenario = OrderScenario()
    new = scenario.replace()
    assert scenario.there([*scenario.old, *new]) == 2 * LINES
    scenario.clear()
    assert len(scenario.left()) == 2
    scenario.sweep()
    assert scenario.there([*scenario.old, *new]) == 0


@pytest.mark.usefixtures("nothing_at_once")
def test_parts_whose_unique_values_are_reused_are_deleted_in_the_commit() -> None:
    scenario = OrderScenario()
    created = [
        create_command("Line", code=f"c{number}", product=point(scenario.product.id)) for number in range(5)
    ]
    scenario.clock.instant += 1
    command = update_command("Order", scenario.order.id, lines=PartsCommand(create=created, delete_all=True))
    save(scenario.shop.services, command, ADMINISTRATOR)
    assert scenario.there(scenario.old) == LINES - 5
    assert len(scenario.shop.lines(scenario.order)) == 5


def test_a_concurrent_lock_on_a_part_prevents_clearing() -> None:
    scenario = OrderScenario()
    line = Reference("Line", scenario.old[-3])

    def take(_: int) -> None:
        scenario.engine.calm()
        lock(scenario.shop.services, [line], 5, RIVAL)

    scenario.engine.before = take
    with pytest.raises(Refused) as refusal:
        scenario.clear()
    assert {issue.type for issue in refusal.value.issues} == {IssueType.ENTITY_LOCK_PERSIST}
    assert scenario.visible_parts() == scenario.before


Act = Callable[[OrderScenario], Any]


@pytest.mark.parametrize(
    "end", [OrderScenario.clear, lambda scenario: scenario.shop.delete_at_once(scenario.order)]
)
def test_a_slow_purge_deletes_no_restored_parts(monkeypatch: pytest.MonkeyPatch, end: Act) -> None:
    """Another process has finished the purge, and the parts were restored since."""
    scenario = OrderScenario()
    monkeypatch.setattr(cleanup, "MAX_CLEANUP_STEPS", 0)
    end(scenario)
    slow = scenario.process.entities.sweep_steps()
    next(slow)
    monkeypatch.undo()
    scenario.clock.instant += MINUTE
    scenario.shop.entities.sweep()
    scenario.restore()
    assert len([*slow]) < LINES
    assert scenario.there(scenario.old) == LINES
    assert scenario.visible_parts()[:-2] == scenario.before[:-2]


@pytest.mark.parametrize("shared", [0, 5])
def test_a_restoration_of_an_existing_whole_replaces_its_parts(shared: int) -> None:
    """Old and new parts may have the same unique values."""
    scenario = OrderScenario()
    scenario.shop.clear(scenario.order)
    for prefix, number in (("c", shared), ("d", LINES)):
        scenario.shop.add_lines(scenario.order, scenario.product, number, prefix)
    scenario.clock.instant += MINUTE
    new, seen = scenario.shop.lines(scenario.order), list[VisibleParts]()
    result = PartReader(scenario.store, scenario.clock).read_all
    scenario.engine.before = lambda _: seen.append(
        result(scenario.order, scenario.old, scenario.product)[:-2]
    )
    scenario.restore()
    seen.append(result(scenario.order, scenario.old, scenario.product)[:-2])
    assert seen[0] == [
        True,
        0,
        *[LINES + shared] * 6,
        *[LINES // 10 + (shared > 0)] * 3,
        LINES + shared,
        True,
        0,
    ]
    assert seen[-1] == scenario.before[:-2]
    assert len({str(each) for each in seen}) == 2
    assert scenario.there(new) == 0
    assert scenario.left() == []
    assert {*scenario.starts(scenario.old)} == {scenario.clock.instant}


@pytest.mark.soak
@pytest.mark.parametrize("does_it", [False, True], ids=["before the commit", "after the commit"])
def test_a_crash_during_a_restoration_leaves_the_old_or_the_new_parts(*, does_it: bool) -> None:
    scenario = OrderScenario()
    new = scenario.replace()
    items, met, before = dict(scenario.store._items), list[bool](), scenario.visible_parts()
    for call in CALLS:
        scenario.store._items = dict(items)
        if not scenario.engine.dies(scenario.restore, call, does_it=does_it):
            break
        is_old = scenario.visible_parts() == before
        assert is_old or scenario.visible_parts()[:-2] == scenario.before[:-2]
        met.append(not is_old)
        scenario.sweep()
        assert (scenario.there(scenario.old), scenario.there(new)) == ((0, LINES) if is_old else (LINES, 0))
        assert scenario.shop.lines(scenario.order) == (new if is_old else scenario.old)
    assert met == sorted(met)
    assert len(met) > count(2, 4)
    assert met[-1]


def test_a_concurrent_change_of_the_whole_restarts_the_restoration() -> None:
    scenario = OrderScenario()
    scenario.replace()

    def change_it(number: int) -> None:
        if number == 3:
            scenario.clock.instant += 1
            save(
                scenario.shop.services,
                update_command("Order", scenario.order.id, name="other"),
                ADMINISTRATOR,
            )

    scenario.engine.before = change_it
    scenario.restore()
    scenario.clock.instant += MINUTE
    assert scenario.visible_parts()[:-2] == scenario.before[:-2]
    names = [each.state["name"] for each in scenario.shop.entities.versions(scenario.order)]
    assert names[-3:] == ["a", "other", "a"]


def test_concurrent_restorations_of_an_existing_whole_are_serialized() -> None:
    scenario = OrderScenario()
    scenario.replace()

    def meddle(number: int) -> None:
        if number == 3:
            with pytest.raises(Unavailable, match="Another request is restoring"):
                scenario.shop.restore(scenario.order, scenario.full)

    scenario.engine.before = meddle
    scenario.restore()
    assert scenario.visible_parts()[:-2] == scenario.before[:-2]
