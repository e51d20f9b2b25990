"""Serial numbers: from 1, each once, even for concurrent requests."""

from collections.abc import Callable
from itertools import chain
from itertools import count as numbers_from
from threading import Barrier, Condition

import pytest

from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.objects.serials import SerialName
from stratabase.messages import verbatim
from stratabase.store.engine.port import Batch, Engine, ExpectationFailed, OutcomeUnknown, Patch
from stratabase.store.write.serials import SerialCounters
from tests.contract.engine.engine_calls import run_concurrently
from tests.contract.engine.reference import ReferenceEngine
from tests.models import model
from tests.soak import count
from tests.store.graphs import Objects, class_with
from tests.store.watched_engine import WatchedEngine

_numbers = numbers_from(1)
THREADS = 4
TIMES = count(5, 100)


@pytest.fixture
def name() -> SerialName:
    """An attribute without assigned numbers."""
    return SerialName(f"Numbered{next(_numbers)}", "badge")


def taken(serials: SerialCounters, name: SerialName, number: int) -> list[int]:
    """Take new serial numbers."""
    return [*serials.next({name: number})[name]]


def test_numbers_start_at_one_and_increase(engine: Engine, name: SerialName) -> None:
    serials = SerialCounters(engine)
    assert taken(serials, name, 1) == [1]
    assert taken(serials, name, 3) == [2, 3, 4]
    assert taken(SerialCounters(engine), name, 1) == [5]
    assert taken(serials, name, 1) == [6]


def test_a_process_that_assigned_numbers_does_not_read_the_last_again(name: SerialName) -> None:
    engine = WatchedEngine()
    serials, other = SerialCounters(engine), SerialName("Other", "badge")
    serials.next({name: 1, other: 2})
    engine.keys_got.clear()

    assert serials.next({name: 1, other: 2}) == {name: range(2, 3), other: range(3, 5)}

    assert engine.keys_got == []
    assert len(engine.commits) == 2


def test_each_attribute_has_its_own_numbers(engine: Engine, name: SerialName) -> None:
    other = SerialName(name.class_name, "other")
    objects = Objects(engine, model(class_with("A")))
    assert objects.entities.next_serials({name: 2, other: 1}) == {name: range(1, 3), other: range(1, 2)}
    assert objects.entities.next_serials({other: 1}) == {other: range(2, 3)}


@pytest.mark.soak
def test_no_number_is_assigned_twice(engine: Engine, name: SerialName) -> None:
    def take() -> list[int]:
        serials = SerialCounters(engine)
        return [*chain.from_iterable(taken(serials, name, size) for size in [1, 2] * TIMES)]

    value = run_concurrently(*[take] * THREADS)
    assert sorted(chain.from_iterable(value)) == [*range(1, THREADS * TIMES * 3 + 1)]
    assert all(each == sorted(each) for each in value)


class DoubtfulEngine(ReferenceEngine):
    """An engine that sends its first commit twice, and cannot tell why the second was refused."""

    def __init__(self) -> None:
        super().__init__()
        self._first = True

    def commit(self, batch: Batch) -> None:
        super().commit(batch)
        if self._first:
            self._first = False
            try:
                super().commit(batch)
            except ExpectationFailed as refusal:
                raise OutcomeUnknown(refusal.failures) from refusal


def test_numbers_with_unknown_outcome_are_skipped(name: SerialName) -> None:
    """Gaps are allowed, duplicates are not."""
    assert taken(SerialCounters(DoubtfulEngine()), name, 1) == [2]


class OvertakenEngine(ReferenceEngine):
    """An engine in which another process always commits first."""

    def __init__(self) -> None:
        super().__init__()
        self._theirs = False

    def commit(self, batch: Batch) -> None:
        if not self._theirs:
            (action,) = batch.actions
            assert isinstance(action, Patch)
            self._theirs = True
            taken(SerialCounters(self), SerialName(*action.key.partition.removeprefix("N#").split(".")), 1)
            self._theirs = False
        super().commit(batch)


def test_a_counter_gives_up_after_repeated_conflicts(name: SerialName) -> None:
    with pytest.raises(
        Unavailable, match=rf"Concurrent writes took the next numbers for {name.class_name}.badge"
    ):
        taken(SerialCounters(OvertakenEngine()), name, 1)


class SimultaneousEngine(ReferenceEngine):
    """An engine that commits when a number of callers wait, in the order of their numbers."""

    def __init__(self, parties: int) -> None:
        super().__init__()
        self._all_there = Barrier(parties)
        self._turn = Condition()
        self._waiting: list[int] = []

    def commit(self, batch: Batch) -> None:
        (action,) = batch.actions
        assert isinstance(action, Patch)
        number = int(str(action.set["last"]))
        self._waiting.append(number)
        self._all_there.wait(10)
        with self._turn:
            self._turn.wait_for(lambda: min(self._waiting) == number, 10)
            super().commit(batch)
            self._waiting.remove(number)
            self._turn.notify_all()


def test_concurrent_requests_of_a_process_take_successive_numbers_in_one_commit_each(
    name: SerialName,
) -> None:
    """Each request takes the numbers after those that are being reserved, so no commit fails."""
    serials = SerialCounters(SimultaneousEngine(8))

    value = run_concurrently(*[lambda: taken(serials, name, 1)] * 8)

    assert sorted(chain.from_iterable(value)) == [*range(1, 9)]


class OvertakingEngine(ReferenceEngine):
    """An engine in which others take numbers during the first commit."""

    def __init__(self) -> None:
        super().__init__()
        self.under_way: list[Callable[[], object]] = []

    def commit(self, batch: Batch) -> None:
        others, self.under_way = self.under_way, []
        for other in others:
            other()
        super().commit(batch)


@pytest.mark.parametrize("own_first", [True, False])
def test_a_process_continues_after_the_numbers_of_another(name: SerialName, *, own_first: bool) -> None:
    engine = OvertakingEngine()
    serials, others = SerialCounters(engine), SerialCounters(engine)
    value: list[list[int]] = [taken(serials, name, 1)]
    under_way: list[Callable[[], object]] = [
        lambda: value.append(taken(serials, name, 2)),
        lambda: value.append(taken(others, name, 1)),
    ]
    engine.under_way = under_way if own_first else under_way[::-1]

    value += [taken(serials, name, 1), taken(serials, name, 1)]

    assert sorted(chain.from_iterable(value)) == [1, 2, 3, 4, 5, 6]


def test_a_failed_reservation_does_not_block_later_ones(name: SerialName) -> None:
    """A refused commit reserves nothing. Later requests read the last number again."""
    engine = RefusingEngine()
    serials = SerialCounters(engine)
    assert taken(serials, name, 1) == [1]
    engine.refuses = True
    for _ in range(3):
        with pytest.raises(Unavailable):
            taken(serials, name, 1)
    engine.refuses = False

    assert [taken(serials, name, 1) for _ in range(2)] == [[2], [3]]


class RefusingEngine(ReferenceEngine):
    """An engine that can be set to refuse commits."""

    refuses = False

    def commit(self, batch: Batch) -> None:
        if self.refuses:
            raise Unavailable(verbatim("not now"))
        super().commit(batch)
