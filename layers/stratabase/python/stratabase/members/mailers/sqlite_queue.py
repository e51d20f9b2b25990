"""The requests that wait for their mail, in one SQLite file that the processes of a machine share."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import randint
from typing import Any

from stratabase.core import waiting
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.jobs.job import Job, JobKind
from stratabase.core.store.sqlite.file import ExclusiveConnection, Layout, open_for_writing
from stratabase.members.mail import ForgottenPassword
from stratabase.values.messages import _

BUSY_TIMEOUT = 5.0
"""The seconds to wait while another process writes."""
MAX_WAITING = 10_000
"""The maximum number of requests that wait. Further ones are refused, so that the disk does not fill."""
_LEASE = 120_000
"""The milliseconds that a process has for one mail. Then it counts as killed, and another one takes over."""
FIRST_DELAY = (500, 2_000)
"""The milliseconds for which a new request waits, at least and at most.

A mail is work of this process. If it began at once, it would slow down the response to its own request. The
response would then tell that a member has the name.
"""
RETRY_DELAYS = (5_000, 30_000, 120_000, 600_000, 1_800_000)
"""The milliseconds until each further attempt. After the last one fails, the request is dropped."""
_PERIOD = 60.0
"""The seconds after which a process looks for requests of processes that ended."""

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
_ALL = "SELECT id, due, failures, name, base_url FROM requests"
_BY_ID = f"{_ALL} WHERE id = ?"
_NEXT = f"{_ALL} WHERE due <= ? AND (due, id) > (?, ?) ORDER BY due, id LIMIT 1"


class SqliteMailQueue:
    """A queue in a file that only its owner can read. Raises UnusableStore if the file cannot be opened.

    Implements `core.jobs.job.JobQueue`. The key of a job is the number of its row.
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

    def due(self, now: Instant) -> Iterator[Job[ForgottenPassword]]:
        """Yield requests that are due at an instant."""
        last = (-1, -1)
        while True:
            with self._file.use() as connection:
                row = connection.execute(_NEXT, (now, *last)).fetchone()
            if row is None:
                return
            job = _job(row)
            yield job
            last = (job.due, int(job.key))

    def read(self, key: str) -> Job[ForgottenPassword] | None:
        """Return a request as it is now, None if it has left the file."""
        with self._file.use() as connection:
            row = connection.execute(_BY_ID, (int(key),)).fetchone()
        return None if row is None else _job(row)

    def move(self, job: Job[Any], due: Instant, attempts: int) -> Job[ForgottenPassword] | None:
        """Set when a request is due, and its number of attempts. Return None if it has changed."""
        with self._file.transaction() as connection:
            statement = "UPDATE requests SET due = ?, failures = ? WHERE id = ? AND due = ? AND failures = ?"
            values = (due, attempts, int(job.key), job.due, job.attempts)
            is_moved = connection.execute(statement, values).rowcount
        return job._replace(due=due, attempts=attempts) if is_moved else None

    def finish(self, job: Job[Any]) -> None:
        """Remove a request."""
        with self._file.transaction() as connection:
            connection.execute("DELETE FROM requests WHERE id = ?", (int(job.key),))

    def next_due(self, after: Instant) -> Instant | None:
        """Return when the next request is due that is due after an instant, None if there is none."""
        with self._file.use() as connection:
            statement = "SELECT min(due) FROM requests WHERE due > ?"
            due: Instant | None = connection.execute(statement, (after,)).fetchone()[0]
        return due

    def set_aside(self) -> Iterator[Job[ForgottenPassword]]:
        """Yield nothing: after the last attempt, a request is removed."""
        return iter(())

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


def _job(row: tuple[int, Instant, int, str, str]) -> Job[ForgottenPassword]:
    id_, due, failures, name, base_url = row
    return Job(str(id_), ForgottenPassword(name, base_url), due, failures)


def mail_jobs(
    queue: SqliteMailQueue, send: Callable[[ForgottenPassword], None]
) -> JobKind[ForgottenPassword]:
    """Return the kind of job that mails the links of queued requests.

    A request is removed after its last attempt. It has a name that somebody typed, and that may be anything,
    even a password, so it is not kept longer. For the same reason, it is never logged.
    """

    def run(job: Job[ForgottenPassword]) -> Iterator[None]:
        send(job.content)
        yield

    return JobKind(
        "forgotten password",
        queue,
        run,
        lease=_LEASE,
        pauses=RETRY_DELAYS,
        keeps=False,
        counts_outages=True,
        period=_PERIOD,
        on_added=queue.on_put,
    )
