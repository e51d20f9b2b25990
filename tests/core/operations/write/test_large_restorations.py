"""Staged restoration of a deleted whole with more parts than one commit holds."""

import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from stratabase.core.domain.issues.issue import IssueType, Level
from stratabase.core.domain.issues.refusals import Refused, Unavailable
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.write import restore
from stratabase.core.model.model import Unique
from stratabase.core.operations.locks.services import lock
from stratabase.core.operations.write.services import delete, save
from stratabase.core.store.engine.port import Batch, Key
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.object_items import guard_holder
from stratabase.core.store.repository import Repository
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.core.store.write import cleanup, staged_restoration
from stratabase.values.messages import verbatim
from tests.contract.engine.reference import ReferenceEngine
from tests.core.operations.write.interfering_engine import InterferingEngine
from tests.core.operations.write.large_orders import (
    CALLS,
    LINES,
    MINUTE,
    MODEL,
    PartReader,
    Shop,
    VisibleParts,
)
from tests.fakes import ADMINISTRATOR, FrozenClock
from tests.graphs.commands import add, create, create_command, delete_command, point, update_command
from tests.models import model
from tests.repository import ROOT
from tests.soak import count

FOR_EVER = 1000
"""More commits than there are."""


class OrderScenario:
    """A deleted order with many lines, and a process that restores it."""

    def __init__(self, lines: int = LINES, *, chained: bool = False) -> None:
        self.store = ReferenceEngine()
        self.clock = FrozenClock()
        self.shop = Shop(self.store, self.clock)
        self.product = self.shop.product()
        self.order = self.shop.order(self.product, lines)
        self.ids = self.shop.lines(self.order)
        if chained:
            self.shop.chain(self.ids)
        self.clock.instant += MINUTE
        self.there: Instant = self.clock.instant
        self.full = self.visible_parts()
        self.ended = self.shop.delete(self.order)
        self.clock.instant += MINUTE
        self.deleted = self.visible_parts()
        self.engine = InterferingEngine(self.store)
        self.process = Shop(self.engine, self.clock)
        self.process.entities.unbuilt()
        self.engine.commits = 0

    def visible_parts(self) -> VisibleParts:
        """Return the parts that readers see."""
        return PartReader(self.store, self.clock).read_all(self.order, self.ids, self.product)

    def restore(self) -> None:
        self.process.restore(self.order, self.there)

    def starts(self) -> set[Instant | None]:
        """Return the starts of the present versions of the order and its lines, or None if missing."""
        references = [self.order, *(Reference("Line", id_) for id_ in self.ids)]
        found = self.shop.entities.read(references)
        return {None if entity is None else entity.start for entity in found}

    def ledgers(self) -> list[Key]:
        """Return the ledgers of the work that is left."""
        return [key for key in self.store._items if key.partition.startswith(keys.PURGES)]

    def sweep(self) -> None:
        """Finish the work that is left, as if no cleanup were running."""
        self.clock.instant += staged_restoration.LEASE
        Shop(self.store, self.clock).entities.sweep()
        assert self.ledgers() == []

    def tombs(self) -> Sequence[object]:
        """Return the tombstones of the lines, without the ids of commits."""
        gone = self.shop.entities.tombstones([Reference("Line", id_) for id_ in self.ids])
        return [each and each[:3] for each in gone]

    def check_deleted(self) -> None:
        """Assert that the order is deleted as if no restoration had begun, and can be restored."""
        assert self.visible_parts() == self.deleted
        assert {(each and each[1]) for each in self.tombs()} == {self.ended}  # type: ignore[index]
        line = Reference("Line", self.ids[0])
        assert [version.end for version in self.shop.entities.versions(line)][-1] == self.ended
        self.clock.instant += MINUTE
        self.shop.restore(self.order, self.there)
        self.check_back()

    def check_back(self) -> None:
        """Assert that the order and all its lines are restored."""
        result = self.visible_parts()
        versions = -2
        assert [*result[:versions], result[-1]] == [*self.full[:versions], self.full[-1]]
        assert len(self.starts()) == 1
        assert self.shop.lines(self.order) == self.ids
        assert self.ledgers() == []
        again = save(self.shop.services, update_command("Order", self.order.id, name="again"), ADMINISTRATOR)
        assert again.state["name"] == "again"


@pytest.mark.parametrize("chained", [False, True])
def test_all_parts_are_restored_at_one_instant_and_invisible_before_their_whole(*, chained: bool) -> None:
    """This also holds if the parts refer to one another, so that none of them can be first."""
    scenario = OrderScenario(chained=chained)
    seen = list[VisibleParts]()
    scenario.engine.before = lambda _: seen.append(scenario.visible_parts())
    scenario.restore()
    seen.append(scenario.visible_parts())
    first_new = next(number for number, result in enumerate(seen) if result != scenario.deleted)
    assert first_new >= 3
    assert len({str(result) for result in seen}) == 2
    (start,) = scenario.starts()
    assert start == scenario.clock.instant
    assert scenario.ledgers() == []
    scenario.check_back()
    if chained:
        (line,) = scenario.shop.entities.read([Reference("Line", scenario.ids[0])])
        assert line is not None
        assert line.state["next"] == scenario.ids[len(scenario.ids) // 2]


@pytest.mark.soak
@pytest.mark.parametrize("does_it", [False, True], ids=["before the commit", "after the commit"])
def test_a_crash_at_any_commit_leaves_all_or_after_a_sweep_nothing(*, does_it: bool) -> None:
    met = list[bool]()
    scenario = OrderScenario()
    items = dict(scenario.store._items)
    for call in CALLS:
        scenario.store._items = dict(items)
        if not scenario.engine.dies(scenario.restore, call, does_it=does_it):
            break
        result = scenario.visible_parts()
        met.append(result != scenario.deleted)
        scenario.sweep()
        assert (scenario.visible_parts() == scenario.deleted) == (not met[-1])
        if met[-1]:
            scenario.check_back()
        else:
            scenario.check_deleted()
    assert len(met) >= count(2, 4)
    assert met == sorted(met)
    assert met[-1]


def test_a_retry_waits_for_the_lease_and_then_restores() -> None:
    scenario = OrderScenario()
    assert scenario.engine.dies(scenario.restore, 2, does_it=True)
    with pytest.raises(Unavailable, match="Another request is restoring"):
        scenario.shop.restore(scenario.order, scenario.there)
    scenario.shop.entities.sweep()
    assert scenario.ledgers() != []
    scenario.clock.instant += staged_restoration.LEASE
    scenario.shop.restore(scenario.order, scenario.there)
    scenario.check_back()


def test_a_restoration_whose_response_was_lost_succeeds_when_retried() -> None:
    scenario = OrderScenario()

    def lose(_: int) -> None:
        if scenario.shop.found(scenario.order) is not None:
            scenario.engine.calm()
            raise Unavailable(verbatim("The answer was lost."))

    scenario.engine.after = lose
    scenario.restore()  # what is noted tells that it was done
    scenario.check_back()


def test_one_of_two_concurrent_restorations_succeeds_and_the_other_is_refused() -> None:
    scenario = OrderScenario()
    refused = list[str]()

    def meddle(number: int) -> None:
        if number in {2, 3}:
            with pytest.raises(Unavailable) as refusal:
                scenario.shop.restore(scenario.order, scenario.there)
            refused.append(str(refusal.value))

    scenario.engine.before = meddle
    scenario.restore()
    assert len(refused) == 2
    scenario.engine.calm()
    scenario.check_back()


@pytest.mark.parametrize("call", [2, 3, 4, 5])
def test_a_restoration_interrupted_by_a_sweep_restarts(call: int) -> None:
    scenario = OrderScenario()
    tombs, sweeping = scenario.tombs(), FrozenClock(scenario.clock.instant + staged_restoration.LEASE)

    def overtake(number: int) -> None:
        if number == call:
            Shop(scenario.store, sweeping).entities.sweep()
            assert scenario.ledgers() == []
            assert scenario.visible_parts() == scenario.deleted
            assert scenario.tombs() == tombs

    scenario.engine.before = overtake
    scenario.restore()
    scenario.check_back()


@pytest.mark.parametrize("call", [3, 4, FOR_EVER])
def test_a_slow_sweep_of_an_earlier_restoration_deletes_nothing(call: int) -> None:
    """The new restoration may be complete or in progress."""
    scenario = OrderScenario()
    assert scenario.engine.dies(scenario.restore, 4, does_it=False)
    scenario.clock.instant += staged_restoration.LEASE
    slow = Shop(scenario.store, scenario.clock).entities.sweep_steps()
    next(slow)
    scenario.shop.entities.sweep()
    assert scenario.visible_parts() == scenario.deleted

    def go_on(number: int) -> None:
        if number == call:
            assert [*slow]

    scenario.engine.commits = 0
    scenario.engine.before = go_on
    scenario.restore()
    assert bool([*slow]) == (call == FOR_EVER)
    scenario.check_back()


def test_a_restoration_that_takes_too_long_is_abandoned_without_remains() -> None:
    scenario = OrderScenario()

    def tarry(_: int) -> None:
        scenario.clock.instant += staged_restoration.MAX_STAGED_DURATION

    scenario.engine.before = tarry
    with pytest.raises(Unavailable, match="longer than 15 seconds"):
        scenario.restore()
    assert scenario.ledgers() == []
    scenario.check_deleted()


def test_a_concurrent_restoration_of_the_whole_restarts_the_restoration() -> None:
    """The whole now exists, and has no parts."""
    scenario = OrderScenario()
    first = scenario.shop.entities.versions(scenario.order)
    empty = next(iter(first)).start
    assert empty is not None

    def meddle(number: int) -> None:
        if number == 3:
            scenario.engine.calm()
            scenario.shop.restore(scenario.order, empty)

    scenario.engine.before = meddle
    scenario.restore()  # once more, now of a whole that is there
    scenario.clock.instant += MINUTE
    scenario.check_back()


def test_a_unique_value_taken_meanwhile_is_reported_and_nothing_is_restored() -> None:
    scenario = OrderScenario()
    taken = scenario.ids[-1]

    def take(number: int) -> None:
        if number == 2:
            other = scenario.shop.order(scenario.product, 0)
            line = create_command("Line", code=f"c{LINES - 1}", product=point(scenario.product.id))
            save(scenario.shop.services, update_command("Order", other.id, lines=create(line)), ADMINISTRATOR)

    scenario.engine.before = take
    with pytest.raises(Refused) as refusal:
        scenario.restore()
    assert [issue.type for issue in refusal.value.issues] == [IssueType.ENTITY_UNIQUE]
    assert refusal.value.issues[0].entity_id == taken
    assert scenario.ledgers() == []
    assert scenario.shop.found(Reference("Line", scenario.ids[0])) is None
    assert {(each and each[1]) for each in scenario.tombs()} == {scenario.ended}  # type: ignore[index]


def test_unique_values_are_reserved_during_a_restoration_and_released_after_failure() -> None:
    scenario = OrderScenario()
    other = scenario.shop.order(scenario.product, 0)

    def take() -> None:
        line = create_command("Line", code="c0", product=point(scenario.product.id))
        save(scenario.shop.services, update_command("Order", other.id, lines=create(line)), ADMINISTRATOR)

    assert scenario.engine.dies(scenario.restore, 2, does_it=True)
    with pytest.raises(Refused) as refusal:
        take()
    assert [issue.type for issue in refusal.value.issues] == [IssueType.ENTITY_UNIQUE]
    scenario.sweep()
    take()


def test_a_part_cannot_be_locked_before_its_whole_is_restored() -> None:
    scenario = OrderScenario()
    assert scenario.engine.dies(scenario.restore, 2, does_it=True)
    line = Reference("Line", scenario.ids[0])
    assert scenario.shop.found(line) is not None
    with pytest.raises(Refused) as refusal:
        lock(scenario.shop.services, [line], 5, ADMINISTRATOR)
    assert [issue.type for issue in refusal.value.issues] == [IssueType.ENTITY_NOT_FOUND]


def test_a_staged_part_without_a_ledger_counts_as_missing() -> None:
    scenario = OrderScenario()
    assert scenario.engine.dies(scenario.restore, 2, does_it=True)
    for key in scenario.ledgers():
        del scenario.store._items[key]
    with pytest.raises(Refused) as refusal:
        scenario.shop.restore(scenario.order, scenario.there)
    assert {issue.level for issue in refusal.value.issues} == {Level.WARNING}
    scenario.shop.restore(scenario.order, scenario.there, force=True)
    left_out = len(refusal.value.issues)
    assert len(scenario.shop.lines(scenario.order)) == LINES - left_out


def test_an_object_required_by_a_part_is_not_deleted_during_its_restoration() -> None:
    scenario = OrderScenario()
    assert scenario.engine.dies(scenario.restore, 2, does_it=True)
    with pytest.raises(Refused) as refusal:
        delete(scenario.shop.services, delete_command("Product", scenario.product.id), ADMINISTRATOR)
    assert [issue.type for issue in refusal.value.issues] == [IssueType.ROLE_CARDINALITY]
    scenario.sweep()
    assert delete(scenario.shop.services, delete_command("Product", scenario.product.id), ADMINISTRATOR)


def test_a_staged_part_that_is_written_is_still_purged() -> None:
    scenario = OrderScenario()
    assert scenario.engine.dies(scenario.restore, 2, does_it=True)
    line = Reference("Line", scenario.ids[0])
    other = scenario.shop.product()
    scenario.clock.instant += 1
    save(scenario.shop.services, update_command("Product", other.id, lines=add(line.id)), ADMINISTRATOR)
    scenario.sweep()
    assert scenario.shop.found(line) is None
    assert scenario.visible_parts()[:-2] == scenario.deleted[:-2]
    scenario.shop.restore(scenario.order, scenario.there)
    assert len(scenario.starts()) == 1


def test_a_too_large_restoration_is_refused_with_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = OrderScenario()
    monkeypatch.setattr(restore, "MAX_PARTS_PER_RESTORATION", LINES + LINES // 10 - 1)
    with pytest.raises(Refused) as refusal:
        scenario.restore()
    (issue,) = refusal.value.issues
    assert issue.type is IssueType.MALFORMED_REQUEST
    assert f"{LINES + LINES // 10 - 1:,}" in issue.message
    monkeypatch.setattr(restore, "MAX_PARTS_PER_RESTORATION", LINES + LINES // 10)
    scenario.restore()


def test_remains_of_a_large_deletion_are_purged_before_the_restoration(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No part of it counts as permanently deleted."""
    scenario = OrderScenario()
    scenario.restore()
    monkeypatch.setattr(cleanup, "MAX_CLEANUP_STEPS", 1)
    scenario.clock.instant += MINUTE
    assert delete(scenario.shop.services, delete_command("Order", scenario.order.id), ADMINISTRATOR)
    assert scenario.ledgers() != []
    scenario.clock.instant += MINUTE
    scenario.shop.restore(scenario.order, scenario.there)
    monkeypatch.undo()
    scenario.shop.entities.sweep()
    scenario.check_back()


class UnfencedEngine(InterferingEngine):
    """An engine that checks no fences."""

    def commit(self, batch: Batch) -> None:
        super().commit(replace(batch, fence=None))


def test_a_restoration_uses_the_registry_at_its_commit() -> None:
    """A constraint that is listed while parts come back is kept for the object that comes back last."""
    scenario = OrderScenario()
    engine = UnfencedEngine(scenario.store)
    process = Shop(engine, scenario.clock)
    process.entities.unbuilt()
    order = MODEL.classes["Order"]
    coming = model(*{**MODEL.classes, "Order": replace(order, uniques=(Unique(("name",)),))}.values())

    def list_constraint(number: int) -> None:
        if number == 2:
            Repository(scenario.store, coming).unbuilt()
            process.entities._store.registry.invalidate()  # as it does every few seconds

    engine.commits, engine.before = 0, list_constraint
    process.restore(scenario.order, scenario.there)
    engine.calm()
    scenario.check_back()
    key = keys.guard("Order", Unique(("name",)), {"name": "a"})
    assert key is not None
    assert [guard_holder(guard) for guard in scenario.store.get([key])] == [scenario.order.id]


def test_a_small_restoration_is_one_commit() -> None:
    scenario = OrderScenario(lines=20)
    scenario.restore()
    assert scenario.engine.commits == 1


@pytest.mark.parametrize("call", range(count(3, 1), count(4, 7)))
def test_a_sweep_deletes_all_remains_of_a_killed_restoration(tmp_path: Path, call: int) -> None:
    path = tmp_path / "store.db"
    engine = SqliteEngine(path)
    shop = Shop(engine)
    product = shop.product()
    order = shop.order(product)
    ids, there = shop.lines(order), shop.clock.instant
    shop.clock.instant += MINUTE
    shop.delete(order)
    reader = PartReader(engine, shop.clock)
    shop.clock.instant += MINUTE
    deleted = reader.read_all(order, ids, product)
    last = call > 5  # there are five commits

    arguments = [path, order.id, there, shop.clock.instant, call]
    process = subprocess.run(
        [sys.executable, "-m", "tests.core.operations.write.killed_restoration", *map(str, arguments)],
        cwd=ROOT,
        check=False,
    )

    assert process.returncode == (0 if last else -signal.SIGKILL)
    is_back = reader.read_all(order, ids, product) != deleted
    assert is_back == (call > 4)
    shop.clock.instant += staged_restoration.LEASE
    shop.entities.sweep()
    assert not any(engine.range(keys.LISTING, keys.PURGES))
    shop.clock.instant += MINUTE
    if not is_back:
        assert reader.read_all(order, ids, product) == deleted
        shop.restore(order, there)
    assert shop.lines(order) == ids
    assert shop.entities.read([Reference("Line", ids[-1])]) != [None]
    engine.close()
