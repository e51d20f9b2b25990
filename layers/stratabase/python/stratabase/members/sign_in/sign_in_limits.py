"""Protection against guessing passwords: a delay per username, and a limit per username and address.

A server can let attempts wait. On Lambda, each attempt that waits would occupy a process of its own, and some
hundred attempts a second all processes of the account. There nothing waits: a password is verified at once. A
right one passes, and a wrong one is refused with TooManyFailures instead of Unauthenticated.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from math import ceil
from random import uniform

from stratabase.core.domain.issues.refusals import Unauthenticated, Unavailable
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.operations.ports import Attempts, Clock
from stratabase.members.attempts import FAILURE_WINDOW, username_key
from stratabase.members.refusals import TooManyFailures
from stratabase.members.sign_in.cache import FifoCache

FAILURES_WITHOUT_DELAY = 10
"""Failures within the window that cause no delay yet."""
SHORTEST_DELAY, LONGEST_DELAY = 0.25, 4.0
"""In seconds. The delay doubles with each failure."""
MAX_COUNTED_FAILURES = 20
"""Failures that are recorded. More would not make the delay longer, but would load the store."""


Pause = Callable[[float], None]
"""Waits for some seconds."""


class FailureDelay:
    """Slows down guessing from many addresses. A right password is never refused."""

    def __init__(self, attempts: Attempts, clock: Clock, pause: Pause | None) -> None:
        """Without `pause`, attempts do not wait, and a wrong password is refused with the time to wait."""
        self._attempts = attempts
        self._clock = clock
        self._pause = pause

    @contextmanager
    def attempt(self, username: str) -> Iterator[None]:
        """Wait as long as earlier failures require, then run the body.

        The attempt is recorded as a failure if the body raises Unauthenticated. If it should have waited and
        may not, raises TooManyFailures instead. Raises Unavailable.
        """
        key = username_key(username)
        failures = self._attempts.count(key, self._clock.now() - FAILURE_WINDOW)
        delay = _delay(failures - FAILURES_WITHOUT_DELAY) if failures >= FAILURES_WITHOUT_DELAY else 0.0
        if delay and self._pause is not None:
            self._pause(delay)
        try:
            yield
        except (Unauthenticated, TooManyFailures) as refusal:
            # FailureLimit refuses some passwords without verifying them. These are not failures.
            is_wrong = isinstance(refusal, Unauthenticated) or isinstance(refusal.__cause__, Unauthenticated)
            if is_wrong and failures < MAX_COUNTED_FAILURES:
                self._note(key)
            if is_wrong and delay and self._pause is None:
                raise TooManyFailures(ceil(delay)) from refusal
            raise

    def _note(self, key: str) -> None:
        now = self._clock.now()
        self._attempts.note(key, now, now - FAILURE_WINDOW)


def _delay(doublings: int) -> float:
    return float(min(LONGEST_DELAY, SHORTEST_DELAY * 2 ** min(doublings, MAX_COUNTED_FAILURES)))


MAX_FAILURES = 10
"""Failures within the window. While there are so many, no password is verified."""
MAX_ATTEMPT_DURATION = 2_000
"""Milliseconds for which an attempt of another process may still be running. An older one counts as
failed."""
_RETRY_WAITS = (0, 0.1, 0.2, 0.4, 0.8, 1.6)
"""Seconds to wait at most before each look at whether the running attempts have succeeded."""
_MIN_JITTER = 0.7
"""The shortest wait, as a fraction of the longest. Even so, all waits exceed MAX_ATTEMPT_DURATION."""
_MAX_KEYS = 10_000


class FailureLimit:
    """Admits attempts while fewer than MAX_FAILURES have failed, however many arrive at the same time.

    An attempt is recorded before its password is verified, and withdrawn unless the password was wrong. So
    running attempts count too. An attempt that finds too many of them waits for their outcome, because they
    may all succeed.
    """

    def __init__(self, attempts: Attempts, clock: Clock, pause: Pause | None) -> None:
        """Without `pause`, no attempt waits for the outcome of others. A wrong one is refused instead."""
        self._attempts = attempts
        self._clock = clock
        self._pause = pause
        self._blocked: FifoCache[str, Instant] = FifoCache(_MAX_KEYS)
        """By key: until when this process refuses all attempts."""
        self._failed: FifoCache[str, tuple[Instant, ...]] = FifoCache(_MAX_KEYS)
        """By key: the instants of the attempts that failed in this process."""

    def check(self, key: str) -> None:
        """Raise TooManyFailures if this process already knows that the key is blocked."""
        until = self._blocked.get(key)
        # If the clock was set back, nobody waits longer than the window.
        if until is not None and 0 < (remaining := until - self._clock.now()) <= FAILURE_WINDOW:
            raise _too_many(remaining)

    @contextmanager
    def attempt(self, key: str) -> Iterator[None]:
        """Run the body if the limit admits it. It counts as a failure if it raises Unauthenticated.

        Raises TooManyFailures, Unavailable.
        """
        attempt, now, is_doubtful = self._admit(key)
        try:
            yield
        except Unauthenticated as refusal:
            failed = (*self._failures(key), now)
            self._failed.put(key, failed[-MAX_FAILURES:])
            if is_doubtful:
                raise TooManyFailures(1) from refusal
            raise
        except BaseException:
            self._withdraw(key, attempt)
            raise
        self._withdraw(key, attempt)

    def _admit(self, key: str) -> tuple[str, Instant, bool]:
        """Record an attempt. Return its id, its instant, and whether too many others are running.

        Raises TooManyFailures, Unavailable.
        """
        for wait in _RETRY_WAITS:
            if (
                wait and self._pause is not None
            ):  # a random part of it, so that waiting attempts don't all look at the same time
                self._pause(wait * uniform(_MIN_JITTER, 1))  # noqa: S311 - no secret
            now = self._clock.now()
            noted = self._attempts.note(key, now, now - FAILURE_WINDOW)
            # Ignore instants that lie further ahead than the window: the clock that noted them was wrong.
            counted = [instant for instant in noted.instants if instant <= now + FAILURE_WINDOW]
            if len(counted) <= MAX_FAILURES:
                return noted.attempt, now, False
            try:
                self._refuse_if_sure(key, counted, now)
            except TooManyFailures:
                self._withdraw(key, noted.attempt)
                raise
            if self._pause is None:
                return noted.attempt, now, True
            self._withdraw(key, noted.attempt)
        raise TooManyFailures(1)

    def _refuse_if_sure(self, key: str, instants: Sequence[Instant], now: Instant) -> None:
        """Raise TooManyFailures if enough of the attempts have certainly failed.

        These are the attempts that failed in this process, or are older than MAX_ATTEMPT_DURATION.
        """
        own = self._failures(key)
        failed = [instant for instant in instants if instant in own or now - instant > MAX_ATTEMPT_DURATION]
        if len(failed) >= MAX_FAILURES:
            until = failed[-MAX_FAILURES] + FAILURE_WINDOW
            self._blocked.put(key, until)
            raise _too_many(until - now)

    def _failures(self, key: str) -> tuple[Instant, ...]:
        """Return the instants of the attempts that failed in this process."""
        return self._failed.get(key) or ()

    def _withdraw(self, key: str, attempt: str) -> None:
        # If the store cannot withdraw it, the attempt counts as a failure. The right password still gets in.
        with suppress(Unavailable):
            self._attempts.withdraw(key, attempt)


class FailureCount:
    """Refuses attempts of a key for which MAX_FAILURES have failed within the window.

    Running attempts don't count, so any number can run at the same time. It is for attempts that wait for
    another service, and whose secrets nobody can guess.
    """

    def __init__(self, attempts: Attempts, clock: Clock) -> None:
        self._attempts = attempts
        self._clock = clock

    @contextmanager
    def attempt(self, key: str) -> Iterator[None]:
        """Run the body unless too many attempts have failed. It has failed if it raises Unauthenticated.

        Raises TooManyFailures, Unavailable.
        """
        now = self._clock.now()
        if self._attempts.count(key, now - FAILURE_WINDOW) >= MAX_FAILURES:
            raise _too_many(self._remaining(key, now))
        try:
            yield
        except Unauthenticated:
            now = self._clock.now()
            self._attempts.note(key, now, now - FAILURE_WINDOW)
            raise

    def _remaining(self, key: str, now: Instant) -> int:
        """Return the milliseconds until fewer than MAX_FAILURES failures are within the window."""
        noted = self._attempts.note(key, now, now - FAILURE_WINDOW)
        self._attempts.withdraw(key, noted.attempt)
        failed = [instant for instant in noted.instants if instant <= now][:-1]
        return failed[-MAX_FAILURES] + FAILURE_WINDOW - now if len(failed) >= MAX_FAILURES else 0


def _too_many(remaining: int) -> TooManyFailures:
    """Return the refusal, with the remaining time: milliseconds in, whole seconds in the refusal."""
    return TooManyFailures(max(1, -(-remaining // 1000)))
