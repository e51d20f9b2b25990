"""A deleted whole comes back with more parts than one commit holds: unseen until all of it is there."""

import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from stratabase.domain.issues.issue import IssueType, Level
from stratabase.domain.issues.refusals import Refused, Unavailable
from stratabase.domain.objects.entity import Reference
from stratabase.domain.objects.instant import Instant
from stratabase.domain.write import restore
from stratabase.messages import verbatim
from stratabase.model.model import Unique
from stratabase.operations.locks.lock import lock
from stratabase.operations.write.services import delete, save
from stratabase.store.engine.port import Batch, Key
from stratabase.store.layout import keys
from stratabase.store.layout.guards import guard_holder
from stratabase.store.repository import Repository
from stratabase.store.sqlite.engine import SqliteEngine
from stratabase.store.write import cleanup, staged_restoration
from tests.contract.engine.reference import ReferenceEngine
from tests.fakes import ADMINISTRATOR, FrozenClock
from tests.graphs.commands import add, change, create, end, make, point
from tests.models import model
from tests.operations.write.interfering_engine import InterferingEngine
from tests.operations.write.large_orders import LINES, MINUTE, MODEL, Inquirer, Shop, Told
from tests.soak import count

FOR_EVER = 1000
"""More commits than there are."""


class Scene:
    """An order that was there with many lines, and is not any more; and a process that is to restore it."""

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
        self.full = self.told()
        self.ended = self.shop.delete(self.order)
        self.clock.instant += MINUTE
        self.deleted = self.told()
        self.engine = InterferingEngine(self.store)
        self.process = Shop(self.engine, self.clock)
        self.process.entities.unbuilt()
        self.engine.commits = 0

    def told(self) -> Told:
        """Return what readers are told."""
        return Inquirer(self.store, self.clock).told(self.order, self.ids, self.product)

    def restore(self) -> None:
        """Bring the order back."""
        self.process.restore(self.order, self.there)

    def starts(self) -> set[Instant | None]:
        """Return since when the order and its lines are as they are; None for what is not there."""
        references = [self.order, *(Reference("Line", id_) for id_ in self.ids)]
        found = self.shop.entities.read(references)
        return {None if entity is None else entity.start for entity in found}

    def ledgers(self) -> list[Key]:
        """Return what is noted of what is still to be done."""
        return [key for key in self.store._items if key.partition.startswith(keys.PURGES)]

    def sweep(self) -> None:
        """End what is left, when nothing is believed to run any more."""
        self.clock.instant += staged_restoration.LEASE
        Shop(self.store, self.clock).entities.sweep()
        assert self.ledgers() == []

    def tombs(self) -> Sequence[object]:
        """Return what is remembered of the lines, but for which commit wrote that."""
        gone = self.shop.entities.tombstones([Reference("Line", id_) for id_ in self.ids])
        return [each and each[:3] for each in gone]

    def check_deleted(self) -> None:
        """Make sure that all is as if nobody had tried to restore it, and that it can be."""
        assert self.told() == self.deleted
        assert {(each and each[1]) for each in self.tombs()} == {self.ended}  # type: ignore[index]
        line = Reference("Line", self.ids[0])
        assert [version.end for version in self.shop.entities.versions(line)][-1] == self.ended
        self.clock.instant += MINUTE
        self.shop.restore(self.order, self.there)
        self.check_back()

    def check_back(self) -> None:
        """Make sure that all is back."""
        told = self.told()
        versions = -2
        assert [*told[:versions], told[-1]] == [*self.full[:versions], self.full[-1]]
        assert len(self.starts()) == 1
        assert self.shop.lines(self.order) == self.ids
        assert self.ledgers() == []
        again = save(self.shop.services, change("Order", self.order.id, name="again"), ADMINISTRATOR)
        assert again.state["name"] == "again"


@pytest.mark.parametrize("chained", [False, True])
def test_all_parts_come_back_at_one_instant_and_nobody_sees_one_before_its_whole(*, chained: bool) -> None:
    """Also where the parts lead to one another, so that none of them can be the first."""
    scene = Scene(chained=chained)
    seen = list[Told]()
    scene.engine.before = lambda _: seen.append(scene.told())
    scene.restore()
    seen.append(scene.told())
    first_new = next(number for number, told in enumerate(seen) if told != scene.deleted)
    assert first_new >= 3
    assert len({str(told) for told in seen}) == 2
    (start,) = scene.starts()
    assert start == scene.clock.instant
    assert scene.ledgers() == []
    scene.check_back()
    if chained:
        (line,) = scene.shop.entities.read([Reference("Line", scene.ids[0])])
        assert line is not None
        assert line.state["next"] == scene.ids[len(scene.ids) // 2]


@pytest.mark.parametrize("does_it", [False, True], ids=["before the commit", "after the commit"])
def test_a_process_that_dies_at_any_commit_leaves_all_or_after_a_sweep_nothing(*, does_it: bool) -> None:
    met = list[bool]()
    scene = Scene()
    items = dict(scene.store._items)
    while True:
        scene.store._items = dict(items)
        call = len(met) + 1
        if not scene.engine.dies(scene.restore, call, does_it=does_it):
            break
        told = scene.told()
        met.append(told != scene.deleted)
        scene.sweep()
        assert (scene.told() == scene.deleted) == (not met[-1])
        if met[-1]:
            scene.check_back()
        else:
            scene.check_deleted()
    assert len(met) >= 4
    assert met == sorted(met)
    assert met[-1]


def test_who_asks_again_at_once_waits_for_the_lease_and_then_brings_it_back() -> None:
    scene = Scene()
    assert scene.engine.dies(scene.restore, 2, does_it=True)
    with pytest.raises(Unavailable, match="Another request is restoring"):
        scene.shop.restore(scene.order, scene.there)
    scene.shop.entities.sweep()
    assert scene.ledgers() != []
    scene.clock.instant += staged_restoration.LEASE
    scene.shop.restore(scene.order, scene.there)
    scene.check_back()


def test_what_went_through_without_an_answer_is_done_when_it_is_asked_again() -> None:
    scene = Scene()

    def lose(_: int) -> None:
        if scene.shop.found(scene.order) is not None:
            scene.engine.calm()
            raise Unavailable(verbatim("The answer was lost."))

    scene.engine.after = lose
    scene.restore()  # what is noted tells that it was done
    scene.check_back()


def test_of_two_concurrent_restorations_one_is_done_and_the_other_refused() -> None:
    scene = Scene()
    refused = list[str]()

    def meddle(number: int) -> None:
        if number in {2, 3}:
            with pytest.raises(Unavailable) as refusal:
                scene.shop.restore(scene.order, scene.there)
            refused.append(str(refusal.value))

    scene.engine.before = meddle
    scene.restore()
    assert len(refused) == 2
    scene.engine.calm()
    scene.check_back()


@pytest.mark.parametrize("call", [2, 3, 4, 5])
def test_a_restoration_that_a_sweep_overtakes_at_any_time_begins_again(call: int) -> None:
    scene = Scene()
    tombs, sweeping = scene.tombs(), FrozenClock(scene.clock.instant + staged_restoration.LEASE)

    def overtake(number: int) -> None:
        if number == call:
            Shop(scene.store, sweeping).entities.sweep()
            assert scene.ledgers() == []
            assert scene.told() == scene.deleted
            assert scene.tombs() == tombs

    scene.engine.before = overtake
    scene.restore()
    scene.check_back()


@pytest.mark.parametrize("call", [3, 4, FOR_EVER])
def test_a_slow_sweep_of_an_earlier_one_takes_nothing_from_it(call: int) -> None:
    """Whether the new one is done by then, or under way."""
    scene = Scene()
    assert scene.engine.dies(scene.restore, 4, does_it=False)
    scene.clock.instant += staged_restoration.LEASE
    slow = Shop(scene.store, scene.clock).entities.sweep_steps()
    next(slow)
    scene.shop.entities.sweep()
    assert scene.told() == scene.deleted

    def go_on(number: int) -> None:
        if number == call:
            assert [*slow]

    scene.engine.commits = 0
    scene.engine.before = go_on
    scene.restore()
    assert bool([*slow]) == (call == FOR_EVER)
    scene.check_back()


def test_one_that_takes_too_long_gives_up_and_leaves_nothing() -> None:
    scene = Scene()

    def tarry(_: int) -> None:
        scene.clock.instant += staged_restoration.LONGEST

    scene.engine.before = tarry
    with pytest.raises(Unavailable, match="longer than 15 seconds"):
        scene.restore()
    assert scene.ledgers() == []
    scene.check_deleted()


def test_where_another_brings_the_whole_back_meanwhile_all_begins_again() -> None:
    """Now of a whole that is there, and without parts."""
    scene = Scene()
    first = scene.shop.entities.versions(scene.order)
    empty = next(iter(first)).start
    assert empty is not None

    def meddle(number: int) -> None:
        if number == 3:
            scene.engine.calm()
            scene.shop.restore(scene.order, empty)

    scene.engine.before = meddle
    scene.restore()  # once more, now of a whole that is there
    scene.clock.instant += MINUTE
    scene.check_back()


def test_a_value_that_another_takes_meanwhile_is_told_and_nothing_comes_back() -> None:
    scene = Scene()
    taken = scene.ids[-1]

    def take(number: int) -> None:
        if number == 2:
            other = scene.shop.order(scene.product, 0)
            line = make("Line", code=f"c{LINES - 1}", product=point(scene.product.id))
            save(scene.shop.services, change("Order", other.id, lines=create(line)), ADMINISTRATOR)

    scene.engine.before = take
    with pytest.raises(Refused) as refusal:
        scene.restore()
    assert [issue.type for issue in refusal.value.issues] == [IssueType.ENTITY_UNIQUE]
    assert refusal.value.issues[0].entity_id == taken
    assert scene.ledgers() == []
    assert scene.shop.found(Reference("Line", scene.ids[0])) is None
    assert {(each and each[1]) for each in scene.tombs()} == {scene.ended}  # type: ignore[index]


def test_values_are_taken_while_their_objects_come_back_and_free_when_they_do_not() -> None:
    scene = Scene()
    other = scene.shop.order(scene.product, 0)

    def take() -> None:
        line = make("Line", code="c0", product=point(scene.product.id))
        save(scene.shop.services, change("Order", other.id, lines=create(line)), ADMINISTRATOR)

    assert scene.engine.dies(scene.restore, 2, does_it=True)
    with pytest.raises(Refused) as refusal:
        take()
    assert [issue.type for issue in refusal.value.issues] == [IssueType.ENTITY_UNIQUE]
    scene.sweep()
    take()


def test_what_comes_back_is_not_locked_before_its_whole_is_there() -> None:
    scene = Scene()
    assert scene.engine.dies(scene.restore, 2, does_it=True)
    line = Reference("Line", scene.ids[0])
    assert scene.shop.found(line) is not None
    with pytest.raises(Refused) as refusal:
        lock(scene.shop.services, [line], 5, ADMINISTRATOR)
    assert [issue.type for issue in refusal.value.issues] == [IssueType.ENTITY_NOT_FOUND]


def test_a_part_of_which_nothing_tells_why_no_whole_lists_it_counts_as_gone() -> None:
    scene = Scene()
    assert scene.engine.dies(scene.restore, 2, does_it=True)
    for key in scene.ledgers():
        del scene.store._items[key]
    with pytest.raises(Refused) as refusal:
        scene.shop.restore(scene.order, scene.there)
    assert {issue.level for issue in refusal.value.issues} == {Level.WARNING}
    scene.shop.restore(scene.order, scene.there, force=True)
    left_out = len(refusal.value.issues)
    assert len(scene.shop.lines(scene.order)) == LINES - left_out


def test_what_a_part_needs_is_not_deleted_while_it_comes_back() -> None:
    scene = Scene()
    assert scene.engine.dies(scene.restore, 2, does_it=True)
    with pytest.raises(Refused) as refusal:
        delete(scene.shop.services, end("Product", scene.product.id), ADMINISTRATOR)
    assert [issue.type for issue in refusal.value.issues] == [IssueType.ROLE_CARDINALITY]
    scene.sweep()
    assert delete(scene.shop.services, end("Product", scene.product.id), ADMINISTRATOR)


def test_a_part_that_is_written_unseen_ends_all_the_same() -> None:
    scene = Scene()
    assert scene.engine.dies(scene.restore, 2, does_it=True)
    line = Reference("Line", scene.ids[0])
    other = scene.shop.product()
    scene.clock.instant += 1
    save(scene.shop.services, change("Product", other.id, lines=add(line.id)), ADMINISTRATOR)
    scene.sweep()
    assert scene.shop.found(line) is None
    assert scene.told()[:-2] == scene.deleted[:-2]
    scene.shop.restore(scene.order, scene.there)
    assert len(scene.starts()) == 1


def test_more_than_a_request_restores_is_refused_with_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene()
    monkeypatch.setattr(restore, "MAX_PARTS_PER_RESTORATION", LINES + LINES // 10 - 1)
    with pytest.raises(Refused) as refusal:
        scene.restore()
    (issue,) = refusal.value.issues
    assert issue.type is IssueType.MALFORMED_REQUEST
    assert f"{LINES + LINES // 10 - 1:,}" in issue.message
    monkeypatch.setattr(restore, "MAX_PARTS_PER_RESTORATION", LINES + LINES // 10)
    scene.restore()


def test_what_a_large_deletion_has_left_is_ended_before_it_comes_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And no part of it counts as gone for good."""
    scene = Scene()
    scene.restore()
    monkeypatch.setattr(cleanup, "MOST_STEPS", 1)
    scene.clock.instant += MINUTE
    assert delete(scene.shop.services, end("Order", scene.order.id), ADMINISTRATOR)
    assert scene.ledgers() != []
    scene.clock.instant += MINUTE
    scene.shop.restore(scene.order, scene.there)
    monkeypatch.undo()
    scene.shop.entities.sweep()
    scene.check_back()


class Unfenced(InterferingEngine):
    """Judges no fences, as an engine that many machines share."""

    def commit(self, batch: Batch) -> None:
        super().commit(replace(batch, fence=None))


def test_what_comes_back_is_written_by_the_rules_of_the_time_when_it_does() -> None:
    """A constraint that is listed while parts come back is kept for the object that comes back last."""
    scene = Scene()
    engine = Unfenced(scene.store)
    process = Shop(engine, scene.clock)
    process.entities.unbuilt()
    order = MODEL.classes["Order"]
    coming = model(*{**MODEL.classes, "Order": replace(order, uniques=(Unique(("name",)),))}.values())

    def list_constraint(number: int) -> None:
        if number == 2:
            Repository(scene.store, coming).unbuilt()
            process.entities._slots.invalidate()  # as it does every few seconds

    engine.commits, engine.before = 0, list_constraint
    process.restore(scene.order, scene.there)
    engine.calm()
    scene.check_back()
    key = keys.guard("Order", Unique(("name",)), {"name": "a"})
    assert key is not None
    assert [guard_holder(guard) for guard in scene.store.get([key])] == [scene.order.id]


def test_a_small_restoration_is_still_one_commit() -> None:
    scene = Scene(lines=20)
    scene.restore()
    assert scene.engine.commits == 1


@pytest.mark.parametrize("call", range(count(3, 1), count(4, 7)))
def test_a_process_that_is_killed_leaves_nothing_that_a_sweep_does_not_end(tmp_path: Path, call: int) -> None:
    path = tmp_path / "store.db"
    engine = SqliteEngine(path)
    shop = Shop(engine)
    product = shop.product()
    order = shop.order(product)
    ids, there = shop.lines(order), shop.clock.instant
    shop.clock.instant += MINUTE
    shop.delete(order)
    reader = Inquirer(engine, shop.clock)
    shop.clock.instant += MINUTE
    deleted = reader.told(order, ids, product)
    last = call > 5  # there are five commits

    arguments = [path, order.id, there, shop.clock.instant, call]
    process = subprocess.run(
        [sys.executable, "-m", "tests.operations.write.killed_restoration", *map(str, arguments)],
        cwd=Path(__file__).parents[3],
        check=False,
    )

    assert process.returncode == (0 if last else -signal.SIGKILL)
    is_back = reader.told(order, ids, product) != deleted
    assert is_back == (call > 4)
    shop.clock.instant += staged_restoration.LEASE
    shop.entities.sweep()
    assert not any(engine.range(keys.LISTING, keys.PURGES))
    shop.clock.instant += MINUTE
    if not is_back:
        assert reader.told(order, ids, product) == deleted
        shop.restore(order, there)
    assert shop.lines(order) == ids
    assert shop.entities.read([Reference("Line", ids[-1])]) != [None]
    engine.close()
