"""The deadline of a request."""

from contextvars import copy_context
from math import inf

from stratabase.core.waiting import deadline_after, remaining_seconds


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_without_a_deadline_there_is_always_time() -> None:
    assert remaining_seconds() == inf


def test_time_passes_until_the_deadline_and_beyond() -> None:
    clock = Clock()
    with deadline_after(27, clock):
        assert remaining_seconds() == 27
        clock.now += 30
        assert remaining_seconds() == -3
    assert remaining_seconds() == inf


def test_an_inner_deadline_is_never_later() -> None:
    clock = Clock()
    with deadline_after(10, clock):
        with deadline_after(20, clock):
            assert remaining_seconds() == 10
        with deadline_after(5, clock):
            assert remaining_seconds() == 5
        assert remaining_seconds() == 10


def test_a_copied_context_has_the_deadline() -> None:
    with deadline_after(10, Clock()):
        context = copy_context()
    assert context.run(remaining_seconds) == 10
