"""Parallel work, sequentially or in threads: results, context and round trips."""

from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from threading import Barrier, Lock, current_thread

import pytest

from stratabase.core import waiting
from stratabase.core.store.engine.parallel import (
    ParallelMap,
    ThreadedMap,
    add_round_trips,
    count_round_trips,
    sequential_map,
)


@pytest.fixture(params=["one by one", "threads"])
def parallel_map(request: pytest.FixtureRequest) -> Iterator[ParallelMap]:
    """Each implementation of the map."""
    threads = ThreadedMap(4)
    yield sequential_map if request.param == "one by one" else threads
    threads.close()


def test_results_are_in_the_order_of_the_inputs(parallel_map: ParallelMap) -> None:
    assert parallel_map(lambda number: number * 2, range(50)) == [number * 2 for number in range(50)]
    assert parallel_map(str, [1]) == ["1"]
    assert parallel_map(str, []) == []


def test_errors_of_the_work_are_raised(parallel_map: ParallelMap) -> None:
    with pytest.raises(ZeroDivisionError):
        parallel_map(lambda number: 1 // number, [1, 0, 2])


def test_the_work_has_the_context_of_its_caller(parallel_map: ParallelMap) -> None:
    """Work in other threads counts for the same request."""
    request: ContextVar[str] = ContextVar("request")
    request.set("mine")
    assert parallel_map(lambda _: request.get("nobody's"), range(3)) == ["mine"] * 3


def test_the_number_of_parallel_threads_is_limited() -> None:
    threads, all_there = ThreadedMap(3), Barrier(3)
    door, busy, most = Lock(), list[int](), list[int]()

    def work(number: int) -> str:
        all_there.wait(10)
        with door:
            busy.append(number)
            most.append(len(busy))
        with door:
            busy.remove(number)
        return current_thread().name

    assert len({*threads(work, range(9))}) <= 3
    assert max(most) <= 3
    threads.close()


def test_a_single_input_needs_no_thread() -> None:
    threads = ThreadedMap(3)
    assert threads(lambda _: current_thread(), [1]) == [current_thread()]
    threads.close()


def test_waiting_for_threads_uses_the_waiting_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the local server, other requests run in the meantime."""

    class Waiting(waiting.Blocking):
        waited = 0

        def until(self, future):  # type: ignore[no-untyped-def]
            Waiting.waited += 1
            return super().until(future)

    monkeypatch.setattr(waiting, "_installed", Waiting())
    threads = ThreadedMap(2)
    assert threads(str, [1, 2, 3]) == ["1", "2", "3"]
    assert Waiting.waited == 3
    threads.close()


def make_round_trips(numbers: Sequence[int]) -> list[int]:
    """Make so many round trips each time, one after another; return how many came before each."""
    return [add_round_trips(number) for number in numbers]


def test_each_round_trip_counts_the_earlier_ones() -> None:
    with count_round_trips():
        assert make_round_trips([1, 3, 1]) == [0, 1, 4]
    with count_round_trips():
        assert add_round_trips(1) == 0


def test_round_trips_of_parallel_work_begin_at_the_same_time(parallel_map: ParallelMap) -> None:
    with count_round_trips():
        add_round_trips(1)
        assert parallel_map(make_round_trips, [[1], [2, 1], [1, 1]]) == [[1], [1, 3], [1, 2]]
        assert add_round_trips(1) == 4
        assert parallel_map(make_round_trips, []) == []
        assert parallel_map(make_round_trips, [[1]]) == [[5]]
        assert add_round_trips(1) == 6


def test_round_trips_of_nested_parallel_work_begin_at_the_same_time(parallel_map: ParallelMap) -> None:
    def work(number: int) -> list[list[int]]:
        add_round_trips(number)
        return sequential_map(make_round_trips, [[1, 1], [5]])

    with count_round_trips():
        assert parallel_map(work, [1, 2]) == [[[1, 2], [1]], [[2, 3], [2]]]
        assert add_round_trips(1) == 2 + 5


def test_failed_work_counts_its_round_trips(parallel_map: ParallelMap) -> None:
    def work(number: int) -> None:
        add_round_trips(number)
        raise ZeroDivisionError

    with count_round_trips():
        with pytest.raises(ZeroDivisionError):
            parallel_map(work, [3])
        assert add_round_trips(1) == 3


def test_round_trips_are_not_counted_outside_of_the_block(parallel_map: ParallelMap) -> None:
    assert parallel_map(make_round_trips, [[1, 1], [1]]) == [[0, 0], [0]]
    assert add_round_trips(1) == 0
