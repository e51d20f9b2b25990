"""The delay of sign-ins for a username that many wrong passwords have come for, from whatever address."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from stratabase.domain.attempt import WINDOW, name_key
from stratabase.domain.refusal import Unauthenticated
from stratabase.operations.ports import Attempts, Clock

FREE = 10
"""Failures within the window that delay nobody."""
LEAST, MOST = 0.25, 4.0
"""Seconds; it doubles with each failure."""
ENOUGH = 20
"""Failures that are noted: more would delay no longer, and only keep the store busy."""


class FailureDelay:
    """Slows down guessing from many addresses; nobody is refused by it."""

    def __init__(self, attempts: Attempts, clock: Clock, pause: Callable[[float], None]) -> None:
        self._attempts = attempts
        self._clock = clock
        self._pause = pause

    @contextmanager
    def attempt(self, username: str) -> Iterator[None]:
        """Wait, then let be done what is within; it is a failure when it raises Unauthenticated.

        Raises Unavailable.
        """
        key = name_key(username)
        failures = self._attempts.count(key, self._clock.now() - WINDOW)
        if failures >= FREE:
            self._pause(_delay(failures - FREE))
        try:
            yield
        except Unauthenticated:
            if failures < ENOUGH:
                self._note(key)
            raise

    def _note(self, key: str) -> None:
        now = self._clock.now()
        self._attempts.note(key, now, now - WINDOW)


def _delay(doublings: int) -> float:
    return float(min(MOST, LEAST * 2 ** min(doublings, ENOUGH)))
