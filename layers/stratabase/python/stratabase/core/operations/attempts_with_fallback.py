"""Attempts that a process counts in memory while their store cannot record them, such as on a full disk."""

import secrets
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from stratabase.core.domain.attempts import MAX_ATTEMPTS_KEPT, RecordedAttempt
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.store_mark import StoreRefused
from stratabase.core.operations.ports import Attempts

MAX_IN_MEMORY = 20_000
"""The number of attempts that a process keeps, about 4 MB. The keys that were noted longest ago go first."""


class AttemptsWithFallback:
    """Attempts in a store, and in memory those that the store did not record.

    So a right password passes although nothing can be written, and wrong ones are limited. The limits then
    hold for each process. Attempts in memory still count when the store records again.
    """

    def __init__(self, store: Attempts, report: Callable[[str], None]) -> None:
        """`report` receives the reason when the process begins to count in memory."""
        self._store = store
        self._report = report
        self._memory = MemoryAttempts()
        self._is_store_available = True

    def note(self, key: str, now: Instant, since: Instant) -> RecordedAttempt:
        """Record an attempt, and return it with all attempts of the key since an instant."""
        try:
            noted = self._store.note(key, now, since)
        except StoreRefused:  # the members are in the same store, so nobody can sign in
            raise
        except Unavailable as error:
            if self._is_store_available:
                self._report(str(error))
            self._is_store_available = False
            return self._memory.note(key, now, since)
        self._is_store_available = True
        in_memory = self._memory.instants(key, since)
        return noted._replace(instants=tuple(sorted([*noted.instants, *in_memory]))) if in_memory else noted

    def withdraw(self, key: str, attempt: str) -> None:
        """Remove a recorded attempt. Raises Unavailable."""
        if not self._memory.remove(key, attempt):
            self._store.withdraw(key, attempt)

    def count(self, key: str, since: Instant) -> int:
        """Return the number of attempts of a key since an instant. Those that cannot be read don't count."""
        in_memory = len(self._memory.instants(key, since))
        try:
            return in_memory + self._store.count(key, since)
        except Unavailable:
            return in_memory


class MemoryAttempts:
    """The attempts of one process, of which it keeps at most `max_size`."""

    def __init__(self, max_size: int = MAX_IN_MEMORY) -> None:
        self._max_size = max_size
        self._size = 0
        self._by_key: OrderedDict[str, dict[str, Instant]] = OrderedDict()
        """By key, and by ID of the attempt. The key that was noted last is the last one."""
        self._lock = Lock()

    def note(self, key: str, now: Instant, since: Instant) -> RecordedAttempt:
        """Record an attempt, and return it with all attempts of the key since an instant."""
        attempt = secrets.token_hex(8)
        with self._lock:
            earlier = self._take(key)
            recent = {other: instant for other, instant in earlier.items() if instant >= since}
            kept = {**recent, attempt: now} if len(recent) < MAX_ATTEMPTS_KEPT else recent
            self._by_key[key] = kept
            self._size += len(kept)
            while self._size > self._max_size:
                self._take(next(iter(self._by_key)))
        return RecordedAttempt(attempt, tuple(sorted([*recent.values(), now])))

    def remove(self, key: str, attempt: str) -> bool:
        """Remove an attempt. Return whether it was recorded here."""
        with self._lock:
            attempts = self._take(key)
            was_here = attempts.pop(attempt, None) is not None
            if attempts:
                self._by_key[key] = attempts
                self._size += len(attempts)
        return was_here

    def instants(self, key: str, since: Instant) -> tuple[Instant, ...]:
        """Return the instants of a key's attempts since an instant."""
        with self._lock:
            return tuple(instant for instant in self._by_key.get(key, {}).values() if instant >= since)

    def _take(self, key: str) -> dict[str, Instant]:
        """Remove a key, and return its attempts."""
        attempts = self._by_key.pop(key, {})
        self._size -= len(attempts)
        return attempts
