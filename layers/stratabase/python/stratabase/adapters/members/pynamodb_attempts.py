"""Attempts to sign in, in the table of the members: one record for each key, with a set of attempts."""

import secrets
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial

from pynamodb.attributes import UnicodeSetAttribute
from pynamodb.exceptions import DoesNotExist
from pynamodb.expressions.update import Action

from stratabase.adapters.members.pynamodb_table import PynamoRecord, PynamoTable
from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.members.attempts import MAX_ATTEMPTS_KEPT, RecordedAttempt
from stratabase.domain.objects.instant import Instant
from stratabase.messages import _
from stratabase.store.dynamodb.retry import PermanentRejection

_EXPIRY_MARGIN = 3_600_000
"""Milliseconds that a record stays after its last attempt has left the window, for clocks that differ."""
_MIN_OUTDATED = 16
"""So many attempts that have left the window are removed together."""


class AttemptRecord(PynamoRecord):
    """The attempts of one key. Each is its instant and random digits: adding it twice adds it once."""

    attempts = UnicodeSetAttribute(null=True)


class PynamoAttempts:
    """Attempts by PynamoDB: one request adds an attempt to a set, and returns the whole set."""

    def __init__(self, table: PynamoTable) -> None:
        self._table = table
        self._record_class = table.bind(AttemptRecord)

    def note(self, key: str, now: Instant, since: Instant) -> RecordedAttempt:
        """Note one more attempt, and return it with all of that key since an instant, in one atomic step."""
        attempt = f"{now}.{secrets.token_hex(6)}"
        record = self._record(key)
        expires = datetime.fromtimestamp((2 * now - since + _EXPIRY_MARGIN) // 1000, UTC)
        update: list[Action] = [
            self._record_class.attempts.add({attempt}),
            self._record_class.expires.set(expires),
        ]
        self._write(partial(record.update, update))
        attempts = record.attempts or set()
        recent = {other for other in attempts if _instant(other) >= since}
        self._remove_surplus(key, {attempt} if len(recent) > MAX_ATTEMPTS_KEPT else set(), attempts - recent)
        return RecordedAttempt(attempt, tuple(sorted(map(_instant, recent))))

    def withdraw(self, key: str, attempt: str) -> None:
        """Take a noted attempt back."""
        # A record that has expired must not come back empty, and without an expiry.
        exists = self._record_class.attempts.contains(attempt)
        update: list[Action] = [self._record_class.attempts.delete({attempt})]
        self._write(partial(self._record(key).update, update, exists))

    def count(self, key: str, since: Instant) -> int:
        """Return how many are noted of a key since an instant."""
        record = self._record(key)
        try:
            self._table.read(partial(record.refresh, consistent_read=True))
        except DoesNotExist:
            return 0
        return sum(_instant(attempt) >= since for attempt in record.attempts or ())

    def _record(self, key: str) -> AttemptRecord:
        return self._record_class(f"A#{key}", "A")

    def _remove_surplus(self, key: str, surplus: set[str], outdated: set[str]) -> None:
        """Remove attempts that need not be there; one that stays does no harm."""
        removed = surplus | (outdated if len(outdated) >= _MIN_OUTDATED else set())
        if removed:
            with suppress(Unavailable):
                self._write(partial(self._record(key).update, [self._record_class.attempts.delete(removed)]))

    def _write(self, work: Callable[[], object]) -> None:
        """Write, perhaps twice with the same result. A failed condition is no error. Raises Unavailable."""
        try:
            self._table.write(work)
        except PermanentRejection as error:
            if error.rejected.code != "ConditionalCheckFailedException":
                raise Unavailable(_("The store is temporarily unavailable. Try again later."), 5) from error


def _instant(attempt: str) -> Instant:
    return int(attempt.partition(".")[0])
