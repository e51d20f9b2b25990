"""Sign-in attempts in the DynamoDB table of the members: one record per key, with a set of attempts."""

import secrets
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial

from pynamodb.attributes import UnicodeSetAttribute
from pynamodb.exceptions import DoesNotExist
from pynamodb.expressions.update import Action

from stratabase.core.domain.attempts import MAX_ATTEMPTS_KEPT, RecordedAttempt
from stratabase.core.domain.issues.refusals import Unavailable, store_unavailable
from stratabase.core.domain.objects.instant import Instant
from stratabase_aws.dynamodb.errors import CONDITION_EXCEPTION
from stratabase_aws.dynamodb.retry import PermanentRejection
from stratabase_aws.members.pynamodb_table import PynamoRecord, PynamoTable

_EXPIRY_MARGIN = 3_600_000
"""The milliseconds that a record stays after its last attempt has left the window, as clocks can differ."""
_MIN_OUTDATED = 16
"""The minimum number of attempts outside the window that are worth a request to remove them."""


class AttemptRecord(PynamoRecord):
    """The attempts of one key, each as its instant and random digits. Adding an attempt is idempotent."""

    attempts = UnicodeSetAttribute(null=True)


class PynamoAttempts:
    """Sign-in attempts in DynamoDB. One request adds an attempt to a set and returns the whole set."""

    def __init__(self, table: PynamoTable) -> None:
        self._table = table
        self._record_class = table.bind(AttemptRecord)

    def note(self, key: str, now: Instant, since: Instant) -> RecordedAttempt:
        """Record an attempt, and return it with all attempts of the key since an instant, atomically."""
        attempt = f"{now}.{secrets.token_hex(6)}"
        record = self._record(key)
        # `now - since` is the window: the record expires a window and a margin from now.
        expires = datetime.fromtimestamp((2 * now - since + _EXPIRY_MARGIN) // 1000, UTC)
        update: list[Action] = [
            self._record_class.attempts.add({attempt}),
            self._record_class.expires.set(expires),
        ]
        self._write(partial(record.update, update))
        attempts = record.attempts or set()
        recent = {other for other in attempts if _instant(other) >= since}
        # Above the limit, remove the new attempt, so that a flood of attempts does not displace the oldest.
        self._remove_surplus(key, {attempt} if len(recent) > MAX_ATTEMPTS_KEPT else set(), attempts - recent)
        return RecordedAttempt(attempt, tuple(sorted(map(_instant, recent))))

    def withdraw(self, key: str, attempt: str) -> None:
        """Remove a recorded attempt."""
        # Without this condition, the update would create an expired record again, without an expiry.
        exists = self._record_class.attempts.contains(attempt)
        update: list[Action] = [self._record_class.attempts.delete({attempt})]
        self._write(partial(self._record(key).update, update, exists))

    def count(self, key: str, since: Instant) -> int:
        """Return the number of attempts of a key since an instant."""
        record = self._record(key)
        try:
            self._table.read(partial(record.refresh, consistent_read=True))
        except DoesNotExist:
            return 0
        return sum(_instant(attempt) >= since for attempt in record.attempts or ())

    def _record(self, key: str) -> AttemptRecord:
        return self._record_class(f"A#{key}", "A")

    def _remove_surplus(self, key: str, surplus: set[str], outdated: set[str]) -> None:
        """Remove attempts that are no longer needed. Failures are ignored, because leftovers do no harm."""
        removed = surplus | (outdated if len(outdated) >= _MIN_OUTDATED else set())
        if removed:
            with suppress(Unavailable):
                self._write(partial(self._record(key).update, [self._record_class.attempts.delete(removed)]))

    def _write(self, work: Callable[[], object]) -> None:
        """Run an idempotent write, perhaps twice. A failed condition is not an error. Raises Unavailable."""
        try:
            self._table.write(work)
        except PermanentRejection as error:
            if error.rejected.code != CONDITION_EXCEPTION:
                raise store_unavailable() from error


def _instant(attempt: str) -> Instant:
    return int(attempt.partition(".")[0])
