"""Serial numbers: from 1, each once, even for concurrent requests and processes."""

from collections.abc import Callable
from itertools import chain, pairwise
from itertools import count as numbers_from
from pathlib import Path
from threading import Event, Lock

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.entity import SerialName
from stratabase.core.store.engine.port import (
    Batch,
    Condition,
    ConditionOperator,
    Engine,
    Expectation,
    ExpectationFailed,
    Key,
    OutcomeUnknown,
    Patch,
)
from stratabase.core.store.engine.wrappers import DelegatingEngine
from stratabase.core.store.layout import keys
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.core.store.write.serials import BLOCKS_PER_SECOND, SerialCounters, raise_counter
from stratabase.values.messages import verbatim
from tests.contract.engine.engine_calls import run_concurrently
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.graphs import Objects, class_with
from tests.models import model
from tests.rivals import in_processes
from tests.soak import count

_numbers = numbers_from(1)
THREADS = 4
TIMES = count(5, 100)


@pytest.fixture
def name() -> SerialName:
    """An attribute without assigned numbers."""
    return SerialName(f"Numbered{next(_numbers)}", "badge")


def taken(serials: SerialCounters, name: SerialName, number: int = 1) -> list[int]:
    """Take new serial numbers."""
    return [*serials.next({name: number})[name]]


class Incremented(ReferenceEngine):
    """An engine that records the sizes of the blocks that are taken from its counters."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[int] = []

    def increment(self, key: Key, attribute: str, by: int) -> int:
        self.sizes.append(by)
        return super().increment(key, attribute, by)


class Clock:
    """A clock that goes a fixed step with each look at it."""

    def __init__(self, step: float = 0.0) -> None:
        self.now, self.step = 1000.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def test_numbers_start_at_one_and_increase(engine: Engine, name: SerialName) -> None:
    serials = SerialCounters(engine)
    assert taken(serials, name) == [1]
    assert taken(serials, name, 3) == [2, 3, 4]
    assert taken(SerialCounters(engine), name) == [5]
    assert taken(serials, name) == [6]


def test_a_counter_is_incremented_and_never_read(name: SerialName) -> None:
    engine, other = Incremented(), SerialName("Other", "badge")
    serials = SerialCounters(engine)

    assert [*map(list, serials.next({name: 1, other: 2}).values())] == [[1], [1, 2]]
    assert [*map(list, serials.next({name: 1, other: 2}).values())] == [[2], [3, 4]]

    assert engine.sizes == [1, 2, 1, 2]


def test_each_attribute_has_its_own_numbers(engine: Engine, name: SerialName) -> None:
    other = SerialName(name.class_name, "other")
    objects = Objects(engine, model(class_with("A")))
    assert objects.entities.next_serials({name: 2, other: 1}) == {name: [1, 2], other: [1]}
    assert objects.entities.next_serials({other: 1}) == {other: [2]}
    assert objects.entities.next_serials({}) == {}


# Blocks.


def fleet(engine: Engine, name: SerialName, clock: Clock, processes: int, per_second: float) -> list[int]:
    """Let processes take one number each in turn for 20 seconds. Return the numbers in order."""
    serials = [SerialCounters(engine, clock=clock) for _ in range(processes)]
    numbers = []
    for turn in range(int(20 * per_second)):
        clock.now += 1 / per_second
        numbers += taken(serials[turn % processes], name)
    return numbers


@pytest.mark.parametrize("processes", [1, 10])
def test_a_counter_that_is_not_used_fast_has_no_gaps(name: SerialName, processes: int) -> None:
    """Also if several requests come at the same instant."""
    engine, clock = Incremented(), Clock()
    numbers = fleet(engine, name, clock, processes, BLOCKS_PER_SECOND / 2)
    clock.now += 3600
    serials = SerialCounters(engine, clock=clock)
    numbers += [*chain.from_iterable(taken(serials, name) for _ in range(BLOCKS_PER_SECOND))]
    assert numbers == [*range(1, len(numbers) + 1)]
    assert {*engine.sizes} == {1}


@pytest.mark.parametrize(("processes", "per_second"), [(1, 2000), (10, 2000), (1000, 3000)])
def test_a_counter_that_is_used_fast_gives_blocks(name: SerialName, processes: int, per_second: int) -> None:
    engine = Incremented()
    numbers = fleet(engine, name, Clock(), processes, per_second)
    assert len({*numbers}) == len(numbers)
    for one in range(processes):
        assert all(earlier < later for earlier, later in pairwise(numbers[one::processes]))
    # In the first two seconds, the processes do not know yet how fast the numbers are used.
    late = engine.sizes[len(engine.sizes) // 2 :]
    assert max(late) <= 2 * per_second / BLOCKS_PER_SECOND
    lasts_10_seconds = 10 * per_second / processes
    assert sum(late) / len(late) > min(per_second / BLOCKS_PER_SECOND, lasts_10_seconds) / 2


def test_a_process_that_needs_few_numbers_takes_few_at_a_time(name: SerialName) -> None:
    """However fast the others use them."""
    engine, clock = Incremented(), Clock()
    busy, calm = (SerialCounters(engine, clock=clock) for _ in range(2))
    sizes = []
    for turn in range(40_000):
        clock.now += 1 / 2000
        taken(busy, name)
        if not turn % 20_000:
            taken(calm, name)
            sizes.append(engine.sizes[-1])
    assert sizes == [1, 1]
    assert max(engine.sizes) > 1


def test_the_rest_of_a_block_lapses(name: SerialName) -> None:
    """So a process that was idle does not assign numbers that are long out of order."""
    engine, clock = Incremented(), Clock()
    serials = SerialCounters(engine, clock=clock)
    for _ in range(1000):
        clock.now += 1 / 2000
        (last,) = taken(serials, name)
    reserved = sum(engine.sizes)
    assert reserved > last
    clock.now += 61
    assert taken(serials, name) == [reserved + 1]
    assert engine.sizes[-1] == 1


def test_the_rest_of_a_block_lapses_while_lambda_freezes_the_process(name: SerialName) -> None:
    engine, clock, wall_clock = Incremented(), Clock(), Clock()
    serials = SerialCounters(engine, clock=clock, wall_clock=wall_clock)
    for _ in range(1000):
        clock.now += 1 / 2000
        taken(serials, name)
    reserved = sum(engine.sizes)
    wall_clock.now += 61
    assert taken(serials, name) == [reserved + 1]


def test_a_request_uses_the_rest_of_a_block_first(name: SerialName) -> None:
    engine, clock = Incremented(), Clock()
    serials = SerialCounters(engine, clock=clock)
    for _ in range(1000):
        clock.now += 1 / 2000
        (last,) = taken(serials, name)
    assert taken(serials, name, 500) == [*range(last + 1, last + 501)]


# Concurrent requests and processes.


@pytest.mark.soak
def test_no_number_is_assigned_twice(engine: Engine, name: SerialName) -> None:
    """By several processes, here one for each thread, if numbers are wanted slowly and fast."""

    def take(clock: Clock) -> list[int]:
        serials = SerialCounters(engine, clock=clock)
        return [*chain.from_iterable(taken(serials, name, size) for size in [1, 2] * TIMES)]

    clocks = [Clock(step) for step in (0.1, 0.1, 0.001, 0.00001)]
    value = run_concurrently(*[lambda clock=clock: take(clock) for clock in clocks])
    assert len({*chain.from_iterable(value)}) == THREADS * TIMES * 3
    assert all(each == sorted(each) for each in value)


@pytest.mark.soak
def test_concurrent_requests_of_a_process_get_different_numbers(engine: Engine, name: SerialName) -> None:
    serials = SerialCounters(engine, clock=Clock(0.0001))

    def take() -> list[int]:
        return [*chain.from_iterable(taken(serials, name, size) for size in [1, 2] * TIMES)]

    value = run_concurrently(*[take] * THREADS)
    assert len({*chain.from_iterable(value)}) == THREADS * TIMES * 3
    assert all(each == sorted(each) for each in value)


def take_in_a_process(wait: Callable[[], object], path: Path, number: int) -> list[int]:
    """Take numbers one by one from a file that other processes use too."""
    engine = SqliteEngine(path)
    try:
        wait()
        serials = SerialCounters(engine)
        return [*chain.from_iterable(taken(serials, SerialName("A", "b")) for _ in range(number))]
    finally:
        engine.close()


@pytest.mark.soak
def test_no_number_is_assigned_twice_by_several_processes(tmp_path: Path) -> None:
    SqliteEngine(tmp_path / "store.db").close()
    number, processes = count(50, 5000), 3
    value = in_processes(take_in_a_process, *[(tmp_path / "store.db", number)] * processes)
    assert len({*chain.from_iterable(value)}) == number * processes
    assert all(each == sorted(each) for each in value)


class EarlierRelease:
    """Takes numbers as releases did that know no increments: by a conditional write of the last number."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def take(self, name: SerialName) -> int:
        while True:
            (counter,) = self._engine.get([keys.counter(name)])
            last = int(str(counter.attributes["last"])) if counter else 0
            condition = (
                Condition("last", ConditionOperator.EQUALS, last)
                if counter
                else Condition("last", ConditionOperator.ABSENT)
            )
            patch = Patch(keys.counter(name), Expectation(conditions=(condition,)), set={"last": last + 1})
            try:
                self._engine.commit(Batch(f"earlier{next(_numbers)}", (patch,)))
            except (ExpectationFailed, OutcomeUnknown):
                continue
            return last + 1


@pytest.mark.soak
def test_an_earlier_release_may_take_numbers_at_the_same_time(engine: Engine, name: SerialName) -> None:
    earlier, serials = EarlierRelease(engine), SerialCounters(engine, clock=Clock(0.0001))
    value = run_concurrently(
        lambda: [earlier.take(name) for _ in range(2 * TIMES)],
        lambda: [*chain.from_iterable(taken(serials, name) for _ in range(2 * TIMES))],
        lambda: [*chain.from_iterable(taken(serials, name, 2) for _ in range(TIMES))],
    )
    assert len({*chain.from_iterable(value)}) == 6 * TIMES
    assert all(each == sorted(each) for each in value)


class HangingEngine(Incremented):
    """An engine whose first increment waits until it is released."""

    def __init__(self) -> None:
        super().__init__()
        self.waits, self.released = Event(), Event()
        self._guard = Lock()

    def increment(self, key: Key, attribute: str, by: int) -> int:
        with self._guard:
            self.waits.set()
            assert self.released.wait(60)
            return super().increment(key, attribute, by)


def test_requests_that_wait_together_share_one_increment(name: SerialName) -> None:
    engine = HangingEngine()
    serials = SerialCounters(engine)

    def release() -> list[int]:
        assert engine.waits.wait(60)
        counter = serials._counter(name)
        while counter._missing < 8:
            pass
        engine.released.set()
        return []

    value = run_concurrently(release, *[lambda: taken(serials, name)] * 8)

    assert sorted(chain.from_iterable(value)) == [*range(1, 9)]
    assert len(engine.sizes) == 2


# Failures.


class RefusingEngine(DelegatingEngine):
    """An engine that can be set to refuse increments, before or after they take effect."""

    refuses, takes_effect = False, False

    def increment(self, key: Key, attribute: str, by: int) -> int:
        if self.refuses:
            if self.takes_effect:
                self._engine.increment(key, attribute, by)
            raise Unavailable(verbatim("not now"))
        return self._engine.increment(key, attribute, by)


@pytest.mark.parametrize("takes_effect", [False, True])
def test_a_failed_increment_does_not_block_later_ones(name: SerialName, *, takes_effect: bool) -> None:
    """Numbers that may have been taken are skipped."""
    engine = RefusingEngine(ReferenceEngine())
    serials = SerialCounters(engine)
    assert taken(serials, name) == [1]
    engine.refuses, engine.takes_effect = True, takes_effect
    for _ in range(3):
        with pytest.raises(Unavailable):
            taken(serials, name)
    engine.refuses = False

    first = 5 if takes_effect else 2
    assert [taken(serials, name) for _ in range(2)] == [[first], [first + 1]]


def test_a_raised_counter_never_goes_back(engine: Engine, name: SerialName) -> None:
    raise_counter(engine, name, 10)
    raise_counter(engine, name, 7)
    assert taken(SerialCounters(engine), name) == [11]
