"""What comes after a write that has left something: as much as may be done while somebody waits."""

from collections.abc import Callable, Iterator, Sequence
from time import monotonic

from stratabase.domain.refusal import Unavailable
from stratabase.store.engine.port import Key
from stratabase.store.purging import Purging

Steps = Iterator[None]
"""Pieces of work, each done as it is asked for."""

SECONDS = 3.0
MOST_STEPS = 2000

_ENDED = object()


class Aftermath:
    """Ends what writes have left, for a while; the rest is for whoever takes it, or for a sweep."""

    def __init__(self, purging: Purging, clock: Callable[[], float] = monotonic) -> None:
        """`clock`: seconds."""
        self._purging = purging
        self._clock = clock
        self._take: Callable[[Steps], None] = _leave

    def leave_to(self, take: Callable[[Steps], None]) -> None:
        """Have `take` get what is not ended in time. Until then it is left to the next sweep."""
        self._take = take

    def sweeping(self) -> Steps:
        """Return what ends all that writes have left, here and elsewhere. Its steps raise Unavailable."""
        return self._purging.steps(self._purging.waiting())

    def end(self, left: Sequence[Key]) -> None:
        """End what ledgers tell of. The write that has left them is done, and nothing of this can undo it."""
        try:
            self._begin(self._purging.steps(left))
        except Unavailable:
            self._take(self.sweeping())

    def _begin(self, steps: Steps) -> None:
        end = self._clock() + SECONDS
        for _ in range(MOST_STEPS):
            if self._clock() >= end:
                break
            if next(steps, _ENDED) is _ENDED:
                return
        self._take(steps)


def _leave(_steps: Steps) -> None:
    """Leave what is left to its ledgers, which a sweep finds."""
