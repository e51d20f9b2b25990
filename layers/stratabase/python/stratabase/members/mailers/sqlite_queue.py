"""The requests that wait for their mail, in one SQLite file that the processes of a machine share."""

from collections.abc import Callable
from pathlib import Path
from random import randint
from typing import NamedTuple

from stratabase.core import waiting
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.store.sqlite.exclusive_connection import ExclusiveConnection
from stratabase.core.store.sqlite.file import Layout, open_for_writing
from stratabase.members.forgotten_password import ForgottenPassword
from stratabase.values.messages import _

BUSY_TIMEOUT = 5.0
"""The seconds to wait while another process writes."""
MAX_WAITING = 10_000
"""The maximum number of requests that wait. Further ones are refused, so that the disk does not fill."""
MAIL_LEASE = 120_000
"""The milliseconds that a process has for one mail. Then it counts as killed, and another one takes over."""
FIRST_DELAY = (500, 2_000)
"""The milliseconds for which a new request waits, at least and at most.

A mail is work of this process. If it began at once, it would slow down the response to its own request. The
response would then tell that a member has the name.
"""
RETRY_DELAYS = (5_000, 30_000, 120_000, 600_000, 1_800_000)
"""The milliseconds until each further attempt. After the last one fails, the request is dropped."""

_TABLE = """
CREATE TABLE requests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  due INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  name TEXT NOT NULL,
  base_url TEXT NOT NULL
) STRICT
"""
MAIL_QUEUE_LAYOUT = Layout(b"StrQ", 1, (_TABLE, "CREATE INDEX due ON requests (due)"))
_NEXT = "SELECT id, failures, name, base_url FROM requests WHERE due <= ? ORDER BY due, id LIMIT 1"


class TakenRequest(NamedTuple):
    """A request that this process mails now, and how many attempts have failed."""

    id: int
    failures: int
    request: ForgottenPassword


class SqliteMailQueue:
    """A queue in a file that only its owner can read. Raises UnusableStore if the file cannot be opened.

    A request leaves the file when its mail was sent, or when all attempts have failed.
    """

    def __init__(
        self, path: Path, now: Callable[[], Instant], first_delay: tuple[int, int] = FIRST_DELAY
    ) -> None:
        """`now` returns the present instant."""
        self._first_delay = first_delay
        self._now = now
        connection = open_for_writing(path, BUSY_TIMEOUT, MAIL_QUEUE_LAYOUT)
        self._file = ExclusiveConnection(path, connection, BUSY_TIMEOUT)
        self._announce: Callable[[], None] = lambda: None

    def on_put(self, announce: Callable[[], None]) -> None:
        """Call `announce()` from now on when this process has added a request."""
        self._announce = announce

    def put(self, request: ForgottenPassword) -> None:
        """Add a request. Raises Unavailable."""
        waiting.offload(self._put, request)
        self._announce()

    def take(self) -> TakenRequest | None:
        """Return a request that is due, for MAIL_LEASE to this caller alone, or None. Raises Unavailable."""
        now = self._now()
        with self._file.transaction() as connection:
            row = connection.execute(_NEXT, (now,)).fetchone()
            if row is None:
                return None
            id_, failures, name, base_url = row
            connection.execute("UPDATE requests SET due = ? WHERE id = ?", (now + MAIL_LEASE, id_))
        return TakenRequest(id_, failures, ForgottenPassword(name, base_url))

    def finish(self, taken: TakenRequest) -> None:
        """Remove a request whose mail was sent. Raises Unavailable."""
        with self._file.transaction() as connection:
            connection.execute("DELETE FROM requests WHERE id = ?", (taken.id,))

    def postpone(self, taken: TakenRequest) -> bool:
        """Make a failed request due again after a while. Return False if it was dropped instead.

        Raises Unavailable.
        """
        if taken.failures >= len(RETRY_DELAYS):
            self.finish(taken)
            return False
        due = self._now() + RETRY_DELAYS[taken.failures]
        with self._file.transaction() as connection:
            statement = "UPDATE requests SET due = ?, failures = ? WHERE id = ?"
            connection.execute(statement, (due, taken.failures + 1, taken.id))
        return True

    def next_due(self) -> Instant | None:
        """Return when the next request is due, None if none waits. Raises Unavailable."""
        with self._file.use() as connection:
            due: Instant | None = connection.execute("SELECT min(due) FROM requests").fetchone()[0]
        return due

    def close(self) -> None:
        """Close the file. Later calls raise Unavailable."""
        self._file.close()

    def _put(self, request: ForgottenPassword) -> None:
        now = self._now()
        with self._file.transaction() as connection:
            (waiting_requests,) = connection.execute("SELECT count(*) FROM requests").fetchone()
            if waiting_requests >= MAX_WAITING:
                raise Unavailable(_("Too many emails are waiting to be sent. Try again later."), 60)
            statement = "INSERT INTO requests (due, failures, name, base_url) VALUES (?, 0, ?, ?)"
            due = now + randint(*self._first_delay)  # noqa: S311 - no secret
            connection.execute(statement, (due, request.name, request.base_url))
