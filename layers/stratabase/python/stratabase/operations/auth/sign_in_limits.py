"""Protection against guessing passwords: a delay per username, and a limit per username and address."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from random import uniform

from stratabase.domain.issues.refusals import TooManyFailures, Unauthenticated, Unavailable
from stratabase.domain.members.attempts import FAILURE_WINDOW, username_key
from stratabase.domain.objects.instant import Instant
from stratabase.operations.auth.cache import BoundedCache
from stratabase.operations.ports import Attempts, Clock

FAILURES_WITHOUT_DELAY = 10
"""Failures within the window that delay nobody."""
SHORTEST_DELAY, LONGEST_DELAY = 0.25, 4.0
"""Seconds; it doubles with each failure."""
MAX_COUNTED_FAILURES = 20
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
        key = username_key(username)
        failures = self._attempts.count(key, self._clock.now() - FAILURE_WINDOW)
        if failures >= FAILURES_WITHOUT_DELAY:
            self._pause(_delay(failures - FAILURES_WITHOUT_DELAY))
        try:
            yield
        except Unauthenticated:
            if failures < MAX_COUNTED_FAILURES:
                self._note(key)
            raise

    def _note(self, key: str) -> None:
        now = self._clock.now()
        self._attempts.note(key, now, now - FAILURE_WINDOW)


def _delay(doublings: int) -> float:
    return float(min(LONGEST_DELAY, SHORTEST_DELAY * 2 ** min(doublings, MAX_COUNTED_FAILURES)))


MAX_FAILURES = 10
"""Failures within the window; while there are so many, nothing is verified."""
LONGEST_ATTEMPT = 2_000
"""Milliseconds that an attempt of another process may be under way: one from longer ago has failed."""
_LOOKS = (0, 0.1, 0.2, 0.4, 0.8, 1.6)
"""Seconds to wait at most before each look whether those under way were right."""
_SHORTEST = 0.7
"""What is waited at least, as a part of that: in all it is still longer than LONGEST_ATTEMPT."""
_MOST_REMEMBERED = 10_000


class FailureLimit:
    """Admits attempts while fewer than MAX_FAILURES have failed, however many come at the same time.

    Each is noted before the password is verified, and withdrawn unless that was wrong. So those under way
    count too: one that finds too many of them waits for what becomes of them, since they may all be right.
    """

    def __init__(self, attempts: Attempts, clock: Clock, pause: Callable[[float], None]) -> None:
        self._attempts = attempts
        self._clock = clock
        self._pause = pause
        self._blocked: BoundedCache[str, Instant] = BoundedCache(_MOST_REMEMBERED)
        self._failed: BoundedCache[str, tuple[Instant, ...]] = BoundedCache(_MOST_REMEMBERED)

    def check(self, key: str) -> None:
        """Raise TooManyFailures where this process knows that already."""
        until = self._blocked.get(key)
        # A clock that was put back makes nobody wait longer than the window.
        if until is not None and 0 < (left := until - self._clock.now()) <= FAILURE_WINDOW:
            raise _too_many(left)

    @contextmanager
    def attempt(self, key: str) -> Iterator[None]:
        """Admit what is done within; it counts as a failure when it raises Unauthenticated.

        Raises TooManyFailures, Unavailable.
        """
        attempt, now = self._admitted(key)
        try:
            yield
        except Unauthenticated:
            failed = (*self._failures(key), now)
            self._failed.put(key, failed[-MAX_FAILURES:])
            raise
        except BaseException:
            self._withdraw(key, attempt)
            raise
        self._withdraw(key, attempt)

    def _admitted(self, key: str) -> tuple[str, Instant]:
        """Note an attempt, and return its name and its instant."""
        for wait in _LOOKS:
            if wait:  # not for the same time as all others who wait
                self._pause(wait * uniform(_SHORTEST, 1))  # noqa: S311 - no secret
            now = self._clock.now()
            noted = self._attempts.note(key, now, now - FAILURE_WINDOW)
            # Nothing counts for longer than the window, though a clock that was wrong said otherwise.
            counted = [instant for instant in noted.instants if instant <= now + FAILURE_WINDOW]
            if len(counted) <= MAX_FAILURES:
                return noted.attempt, now
            self._withdraw(key, noted.attempt)
            self._refuse_if_sure(key, counted, now)
        raise TooManyFailures(1)

    def _refuse_if_sure(self, key: str, instants: Sequence[Instant], now: Instant) -> None:
        own = self._failures(key)
        failed = [instant for instant in instants if instant in own or now - instant > LONGEST_ATTEMPT]
        if len(failed) >= MAX_FAILURES:
            until = failed[-MAX_FAILURES] + FAILURE_WINDOW
            self._blocked.put(key, until)
            raise _too_many(until - now)

    def _failures(self, key: str) -> tuple[Instant, ...]:
        """Return when this process saw attempts fail."""
        return self._failed.get(key) or ()

    def _withdraw(self, key: str, attempt: str) -> None:
        # What cannot be taken back counts as a failure; that is no reason to refuse who was right.
        with suppress(Unavailable):
            self._attempts.withdraw(key, attempt)


def _too_many(left: int) -> TooManyFailures:
    """Return the refusal, with the time that is left in milliseconds."""
    return TooManyFailures(max(1, -(-left // 1000)))
