"""Attempts to sign in, in the table of the members: one record for each key, with a set of attempts."""

import secrets
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial

from pynamodb.attributes import UnicodeSetAttribute
from pynamodb.exceptions import DoesNotExist
from pynamodb.expressions.update import Action

from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.members.attempts import MAX_ATTEMPTS_KEPT, RecordedAttempt
from stratabase.domain.objects.instant import Instant
from stratabase.store.dynamodb.retry import PermanentRejection
from stratabase.store.pynamodb.record import Record
from stratabase.store.pynamodb.table import Table

_GRACE = 3_600_000
"""Milliseconds that a record stays after its last attempt has ceased to count, for clocks that differ."""
_MANY_STALE = 16
"""Attempts that count no more, and are taken out together."""


class AttemptRecord(Record):
    """The attempts of one key. Each is its instant and random digits, so that adding it twice is once."""

    attempts = UnicodeSetAttribute(null=True)


class PynamoAttempts:
    """Attempts by PynamoDB: a set grows by one in a single request, which answers the whole of it."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._kind = table.kind(AttemptRecord)

    def note(self, key: str, now: Instant, since: Instant) -> RecordedAttempt:
        """Note one more attempt, and return it with all of that key since an instant, in one atomic step."""
        attempt = f"{now}.{secrets.token_hex(6)}"
        record = self._record(key)
        expires = datetime.fromtimestamp((2 * now - since + _GRACE) // 1000, UTC)
        adding: list[Action] = [self._kind.attempts.add({attempt}), self._kind.expires.set(expires)]
        self._write(partial(record.update, adding))
        noted = record.attempts or set()
        recent = {other for other in noted if _instant(other) >= since}
        self._tidy(key, {attempt} if len(recent) > MAX_ATTEMPTS_KEPT else set(), noted - recent)
        return RecordedAttempt(attempt, tuple(sorted(map(_instant, recent))))

    def withdraw(self, key: str, attempt: str) -> None:
        """Take a noted attempt back."""
        # A record that has gone must not come back empty, and without an end.
        there = self._kind.attempts.contains(attempt)
        taking: list[Action] = [self._kind.attempts.delete({attempt})]
        self._write(partial(self._record(key).update, taking, there))

    def count(self, key: str, since: Instant) -> int:
        """Return how many are noted of a key since an instant."""
        record = self._record(key)
        try:
            self._table.read(partial(record.refresh, consistent_read=True))
        except DoesNotExist:
            return 0
        return sum(_instant(attempt) >= since for attempt in record.attempts or ())

    def close(self) -> None:
        """Let go of the connections."""
        self._table.close()

    def _record(self, key: str) -> AttemptRecord:
        return self._kind(f"A#{key}", "A")

    def _tidy(self, key: str, surplus: set[str], stale: set[str]) -> None:
        """Take out what need not be there; it does no harm if it stays."""
        taken = surplus | (stale if len(stale) >= _MANY_STALE else set())
        if taken:
            with suppress(Unavailable):
                self._write(partial(self._record(key).update, [self._kind.attempts.delete(taken)]))

    def _write(self, work: Callable[[], object]) -> None:
        """Write, which may well be done twice. What a condition forbids need not be done."""
        try:
            self._table.write(work)
        except PermanentRejection as refused:
            if refused.rejected.code != "ConditionalCheckFailedException":
                raise Unavailable("The store cannot be written just now; try again later.", 5) from refused


def _instant(attempt: str) -> Instant:
    return int(attempt.partition(".")[0])
