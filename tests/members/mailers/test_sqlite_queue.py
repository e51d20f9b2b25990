"""The queue of requests in a SQLite file. `tests/contract/jobs` has what it shares with other queues."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.members.mail import ForgottenPassword
from stratabase.members.mailers import sqlite_queue as sqlite
from stratabase.members.mailers.sqlite_queue import FIRST_DELAY, SqliteMailQueue
from tests.fakes import FrozenClock

ANNA, BERT, CARL = (ForgottenPassword(name, "https://example.com") for name in ("anna", "bert", "carl"))


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "mail-queue.db"


@pytest.fixture
def queue(path: Path, clock: FrozenClock) -> Iterator[SqliteMailQueue]:
    opened = SqliteMailQueue(path, clock.now, (0, 0))
    yield opened
    opened.close()


def names(queue: SqliteMailQueue, now: int) -> list[str]:
    """Return the names of the requests that are due."""
    return [job.content.name for job in queue.due(now)]


def test_requests_are_due_in_their_order(queue: SqliteMailQueue, clock: FrozenClock) -> None:
    queue.put(ANNA)
    clock.instant += 1
    queue.put(BERT)
    queue.put(CARL)
    assert names(queue, clock.instant - 1) == ["anna"]
    first, *_ = queue.due(clock.instant)
    assert (first.content, first.attempts) == (ANNA, 0)
    queue.finish(first)
    assert names(queue, clock.instant) == ["bert", "carl"]


def test_a_new_request_waits_a_random_while(path: Path, clock: FrozenClock) -> None:
    queue = SqliteMailQueue(path, clock.now)
    dues = set()
    for _ in range(20):
        queue.put(ANNA)
        assert names(queue, clock.instant) == []
        due = queue.next_due(clock.instant)
        assert due is not None
        assert FIRST_DELAY[0] <= due - clock.instant <= FIRST_DELAY[1]
        clock.instant = due
        (job,) = queue.due(due)
        queue.finish(job)
        dues.add(due)
    assert len({later - before for before, later in pairwise(sorted(dues))}) > 1
    queue.close()


def test_a_request_that_an_earlier_version_has_tried_to_mail_goes_on(
    queue: SqliteMailQueue, clock: FrozenClock
) -> None:
    """It has counted failures where attempts are counted now, and leased requests in the same way."""
    queue.put(ANNA)
    with queue._file.transaction() as connection:
        connection.execute("UPDATE requests SET failures = 3, due = ?", (clock.instant + 60_000,))
    assert names(queue, clock.instant) == []
    (job,) = queue.due(clock.instant + 60_000)
    assert (job.content, job.attempts) == (ANNA, 3)


def test_too_many_waiting_requests_are_refused(
    queue: SqliteMailQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "MAX_WAITING", 2)
    queue.put(ANNA)
    queue.put(ANNA)
    with pytest.raises(Unavailable, match="Too many emails are waiting"):
        queue.put(BERT)


def test_only_the_owner_can_read_the_file(queue: SqliteMailQueue, path: Path) -> None:
    queue.put(ANNA)
    assert all(file.stat().st_mode & 0o077 == 0 for file in path.parent.iterdir())
