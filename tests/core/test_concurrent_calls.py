"""Concurrent calls run together up to a limit, and the first error ends them."""

from collections.abc import Callable, Iterator

import pytest

from stratabase.core import waiting
from stratabase.core.concurrent_calls import ConcurrentCalls


def test_calls_that_wait_run_at_the_same_time_up_to_the_limit() -> None:
    running, most, done = 0, 0, 0

    def work() -> None:
        nonlocal running, most, done
        running += 1
        most = max(most, running)
        waiting.offload(int)
        running -= 1
        done += 1

    ConcurrentCalls(3, threads=4)(work for _ in range(50))
    assert (most, done) == (3, 50)


def test_no_call_starts_after_an_error_and_those_that_run_end() -> None:
    ended: list[int] = []

    def works() -> Iterator[Callable[[], None]]:
        for number in range(100):

            def work(number: int = number) -> None:
                waiting.offload(int)
                if number == 5:
                    raise KeyError(number)
                ended.append(number)

            yield work

    with pytest.raises(KeyError):
        ConcurrentCalls(4, threads=2)(works())
    assert set(range(5)) <= set(ended)
    assert len(ended) < 20


def test_waiting_blocks_again_afterwards() -> None:
    ConcurrentCalls(2, threads=1)([lambda: None])
    assert waiting.offload(lambda: 7) == 7
