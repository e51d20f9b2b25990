"""The queue of requests in a SQLite file: leases, retries, and what survives a killed process."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.members.forgotten_password import ForgottenPassword
from stratabase.members.mailers import sqlite_queue as sqlite
from stratabase.members.mailers.sqlite_queue import FIRST_DELAY, MAIL_LEASE, RETRY_DELAYS, SqliteMailQueue
from tests.contract.engine.engine_calls import run_concurrently
from tests.fakes import FrozenClock
from tests.repository import ROOT

ANNA, BERT = (ForgottenPassword(name, "https://example.com") for name in ("anna", "bert"))


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


def test_requests_leave_in_order_when_they_are_finished(queue: SqliteMailQueue, clock: FrozenClock) -> None:
    queue.put(ANNA)
    clock.instant += 1
    queue.put(BERT)
    for expected in (ANNA, BERT):
        taken = queue.take()
        assert taken is not None
        assert (taken.request, taken.failures) == (expected, 0)
        queue.finish(taken)
    assert (queue.take(), queue.next_due()) == (None, None)


def test_a_request_is_taken_by_one_process_at_a_time(
    queue: SqliteMailQueue, path: Path, clock: FrozenClock
) -> None:
    other = SqliteMailQueue(path, clock.now)
    queue.put(ANNA)
    assert queue.take() is not None
    assert other.take() is None
    clock.instant += MAIL_LEASE
    again = other.take()
    assert again is not None, "the process that had it counts as killed"
    assert again.request == ANNA
    other.close()


def test_threads_share_the_requests(queue: SqliteMailQueue) -> None:
    for number in range(40):
        queue.put(ForgottenPassword(f"name {number}", ""))

    def take_all() -> list[str]:
        names: list[str] = []
        while (taken := queue.take()) is not None:
            names.append(taken.request.name)
            queue.finish(taken)
        return names

    taken = [name for names in run_concurrently(*[take_all] * 4) for name in names]
    assert sorted(taken) == sorted(f"name {number}" for number in range(40))


def test_a_new_request_waits_a_random_while(path: Path, clock: FrozenClock) -> None:
    queue = SqliteMailQueue(path, clock.now)
    dues = set()
    for _ in range(20):
        queue.put(ANNA)
        assert queue.take() is None
        due = queue.next_due()
        assert due is not None
        assert FIRST_DELAY[0] <= due - clock.instant <= FIRST_DELAY[1]
        clock.instant = due
        taken = queue.take()
        assert taken is not None
        queue.finish(taken)
        dues.add(due)
    assert len({later - before for before, later in pairwise(sorted(dues))}) > 1
    queue.close()


def test_a_failed_request_is_repeated_later_and_later_and_then_dropped(
    queue: SqliteMailQueue, clock: FrozenClock
) -> None:
    queue.put(ANNA)
    for failures, delay in enumerate(RETRY_DELAYS):
        taken = queue.take()
        assert taken is not None
        assert taken.failures == failures
        assert queue.postpone(taken)
        assert queue.next_due() == clock.instant + delay
        clock.instant += delay - 1
        assert queue.take() is None
        clock.instant += 1
    last = queue.take()
    assert last is not None
    assert not queue.postpone(last)
    assert queue.next_due() is None


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


KILLED = """
import os, signal, sys
from pathlib import Path
from stratabase.members.mailers.sqlite_queue import SqliteMailQueue
from stratabase.members.forgotten_password import ForgottenPassword

queue = SqliteMailQueue(Path(sys.argv[1]), lambda: 0, (0, 0))
queue.put(ForgottenPassword("anna", "https://example.com"))
assert queue.take() is not None
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_request_survives_the_process_that_mails_it(path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(path)]
    assert subprocess.run(command, cwd=ROOT, env=os.environ, check=False).returncode == -signal.SIGKILL
    queue = SqliteMailQueue(path, lambda: MAIL_LEASE)
    taken = queue.take()
    assert taken is not None
    assert taken.request == ANNA
    queue.close()
