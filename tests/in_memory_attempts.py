"""An in-memory store of sign-in attempts."""

from itertools import count
from threading import Lock

from stratabase.core.domain.attempts import MAX_ATTEMPTS_KEPT, RecordedAttempt
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.instant import Instant
from stratabase.values.messages import verbatim

UNREACHED = verbatim("the attempts cannot be reached")


class InMemoryAttempts:
    """An in-memory store of attempts that follows the port; calls named in `fails` raise Unavailable."""

    def __init__(self) -> None:
        self.noted: dict[str, dict[str, Instant]] = {}
        self.calls: list[str] = []
        self.fails: set[str] = set()
        self._numbers = count(1)
        self._lock = Lock()

    def note(self, key: str, now: Instant, since: Instant) -> RecordedAttempt:
        with self._called("note"):
            attempt = f"attempt{next(self._numbers)}"
            kept = {name: instant for name, instant in self.noted.get(key, {}).items() if instant >= since}
            self.noted[key] = {**kept, attempt: now} if len(kept) < MAX_ATTEMPTS_KEPT else kept
            return RecordedAttempt(attempt, tuple(sorted([*kept.values(), now])))

    def withdraw(self, key: str, attempt: str) -> None:
        with self._called("withdraw"):
            self.noted.get(key, {}).pop(attempt, None)

    def count(self, key: str, since: Instant) -> int:
        with self._called("count"):
            return sum(instant >= since for instant in self.noted.get(key, {}).values())

    def close(self) -> None:
        """Do nothing."""

    def failures(self, key: str) -> int:
        """Return the number of failures that are recorded for a key."""
        return len(self.noted.get(key, {}))

    def _called(self, name: str) -> Lock:
        self.calls.append(name)
        if name in self.fails:
            raise Unavailable(UNREACHED)
        return self._lock
