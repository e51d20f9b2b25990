"""Cleanup after a deletion: a short one is done immediately, the rest is left to a runner."""

import math
from collections.abc import Iterable, Iterator
from itertools import count

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.store.engine.port import Key
from stratabase.core.store.layout import keys
from stratabase.core.store.write import cleanup
from stratabase.core.store.write.cleanup import Cleanup, CleanupSteps
from stratabase.values.messages import verbatim

LEFT = [keys.purge(Reference("Order", "o"))]


class CountedPurging:
    """Purges in a number of steps, and perhaps fails then."""

    def __init__(self, number: float, *, fails: bool = False) -> None:
        self.done = 0
        self._number = number
        self._fails = fails

    def steps(self, ledgers: Iterable[Key]) -> CleanupSteps:
        assert [*ledgers] == LEFT
        while self.done < self._number:
            self.done += 1
            yield
        if self._fails:
            self._fails = False
            raise Unavailable(verbatim("The store does not answer."))


def announced(purging: CountedPurging, clock: Iterator[float]) -> int:
    """Clean up, with a clock that goes on whenever it is asked. Return how often more work is announced."""
    announcements: list[str] = []
    after = Cleanup(purging, lambda: next(clock))  # type: ignore[arg-type]
    after.on_left(lambda: announcements.append("left"))
    after.run(LEFT)
    return len(announcements)


@pytest.fixture(autouse=True)
def _three_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cleanup, "MAX_CLEANUP_SECONDS", 3.0)


def test_a_short_cleanup_is_done_immediately() -> None:
    purging = CountedPurging(50)
    assert announced(purging, count(0, 0.05)) == 0
    assert purging.done == 50


def test_a_long_cleanup_is_left_to_a_runner() -> None:
    purging = CountedPurging(50)
    assert announced(purging, count(0.0, 0.25)) == 1
    assert purging.done == 11


def test_the_number_of_steps_is_limited_even_if_the_clock_stands_still() -> None:
    purging = CountedPurging(math.inf)
    assert announced(purging, count(0, 0)) == 1
    assert purging.done == cleanup.MAX_CLEANUP_STEPS


def test_a_failed_cleanup_is_left_to_a_runner() -> None:
    """The deletion itself is done, and is not refused any more."""
    purging = CountedPurging(5, fails=True)
    assert announced(purging, count(0, 0)) == 1


def test_without_a_runner_in_this_process_the_rest_waits_for_another() -> None:
    purging = CountedPurging(50)
    clock = count(0.0, 1.0)
    Cleanup(purging, lambda: next(clock)).run(LEFT)  # type: ignore[arg-type]
    assert purging.done == 2
