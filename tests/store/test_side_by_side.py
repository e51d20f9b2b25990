"""Doing the same to several things at once: in order, bounded, and as one request."""

from collections.abc import Iterator
from contextvars import ContextVar
from threading import Barrier, Lock, current_thread

import pytest

from stratabase import waiting
from stratabase.store.engine.parallel import ParallelMap, ThreadedMap, sequential_map


@pytest.fixture(params=["one by one", "threads"])
def together(request: pytest.FixtureRequest) -> Iterator[ParallelMap]:
    """Either way."""
    threads = ThreadedMap(4)
    yield sequential_map if request.param == "one by one" else threads
    threads.close()


def test_results_are_in_the_order_of_what_was_asked(together: ParallelMap) -> None:
    assert together(lambda number: number * 2, range(50)) == [number * 2 for number in range(50)]
    assert together(str, [1]) == ["1"]
    assert together(str, []) == []


def test_what_goes_wrong_is_raised(together: ParallelMap) -> None:
    with pytest.raises(ZeroDivisionError):
        together(lambda number: 1 // number, [1, 0, 2])


def test_each_belongs_to_the_request_that_asks(together: ParallelMap) -> None:
    """What is noted of a request is noted of all that is done for it."""
    request: ContextVar[str] = ContextVar("request")
    request.set("mine")
    assert together(lambda _: request.get("nobody's"), range(3)) == ["mine"] * 3


def test_threads_do_several_at_the_same_time_and_no_more_than_they_may() -> None:
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


def test_one_by_itself_needs_no_thread() -> None:
    threads = ThreadedMap(3)
    assert threads(lambda _: current_thread(), [1]) == [current_thread()]
    threads.close()


def test_whoever_waits_does_so_as_the_process_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the local server, that lets others go on meanwhile."""

    class Waiting(waiting.Blocking):
        waited = 0

        def until(self, future):  # type: ignore[no-untyped-def]
            Waiting.waited += 1
            return super().until(future)

    monkeypatch.setattr(waiting, "_way", Waiting())
    threads = ThreadedMap(2)
    assert threads(str, [1, 2, 3]) == ["1", "2", "3"]
    assert Waiting.waited == 3
    threads.close()
