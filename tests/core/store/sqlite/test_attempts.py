"""Attempts in a SQLite file: shared by processes, private to the owner, and soon deleted."""

import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from stratabase.core import waiting
from stratabase.core.domain.attempts import MAX_WINDOW
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.store.sqlite import attempts as sqlite_attempts
from stratabase.core.store.sqlite.attempts import SqliteAttempts
from stratabase.core.unusable_store import UnusableStore
from stratabase.members.attempts import FAILURE_WINDOW
from stratabase.members.stores.sqlite_members import SqliteMembers
from tests.fakes import NOON
from tests.rivals import in_processes
from tests.soak import count

SINCE = NOON - FAILURE_WINDOW
RIVALS = 3
TIMES = count(30, 1000)


def note_each(wait: Callable[[], object], path: Path) -> list[int]:
    """Note an attempt of each key, and return how many it has then."""
    with closing(SqliteAttempts(path)) as attempts:
        wait()
        return [len(attempts.note(str(number), NOON, 0).instants) for number in range(TIMES)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "attempts.db"


@pytest.mark.soak
def test_processes_share_their_counts(path: Path) -> None:
    """For each key, each of the three processes has one attempt, and they count to three."""
    counts = in_processes(note_each, *[(path,)] * RIVALS)
    assert [sorted(numbers) for numbers in zip(*counts, strict=True)] == [[1, 2, 3]] * TIMES


def test_recorded_attempts_survive_a_restart(path: Path) -> None:
    with closing(SqliteAttempts(path)) as first:
        first.note("key", NOON, SINCE)
    with closing(SqliteAttempts(path)) as second:
        assert second.count("key", SINCE) == 1


def test_outdated_attempts_of_all_keys_are_deleted(path: Path) -> None:
    """Otherwise names that are tried only once would stay in the store."""
    with closing(SqliteAttempts(path)) as attempts:
        for number in range(1, 100):
            attempts.note(f"name{number}", NOON - MAX_WINDOW - number, 0)
        attempts.note("key", NOON, SINCE)
        (rows,) = attempts._file._connection.execute("SELECT count(*) FROM attempts").fetchone()
    assert rows == 1


def test_deleting_outdated_attempts_reads_no_others(path: Path) -> None:
    with closing(SqliteAttempts(path)) as attempts:
        plan = attempts._file._connection.execute("EXPLAIN QUERY PLAN DELETE FROM attempts WHERE instant < 1")
        assert ["USING INDEX age" in row[3] or "USING COVERING INDEX age" in row[3] for row in plan] == [True]


def test_only_the_owner_may_read_the_file(path: Path) -> None:
    with closing(SqliteAttempts(path)) as attempts:
        attempts.note("key", NOON, SINCE)
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == {"attempts.db": 0o600, "attempts.db-shm": 0o600, "attempts.db-wal": 0o600}


def test_recording_an_attempt_does_not_wait_for_the_disk(path: Path) -> None:
    with closing(SqliteAttempts(path)) as attempts:
        pragmas = [
            attempts._file._connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous")
        ]
    assert pragmas == ["wal", 1]


def test_a_file_that_stays_locked_is_unavailable(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_attempts, "BUSY_TIMEOUT", 0.01)
    with closing(SqliteAttempts(path)) as attempts, closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable, match="busy"):
            attempts.note("key", NOON, SINCE)
        with pytest.raises(Unavailable, match="busy"):
            attempts.withdraw("key", "attempt")
        assert attempts.count("key", SINCE) == 0
        other.rollback()
        assert len(attempts.note("key", NOON, SINCE).instants) == 1


def test_calls_after_close_are_unavailable(path: Path) -> None:
    attempts = SqliteAttempts(path)
    attempts.close()
    with pytest.raises(Unavailable):
        attempts.note("key", NOON, SINCE)
    with pytest.raises(Unavailable):
        attempts.count("key", SINCE)


def test_every_call_is_offloaded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call may have to wait for another process."""
    offloaded: list[str] = []

    class Noting(waiting.Blocking):
        def offload(self, work, *arguments):  # type: ignore[no-untyped-def]
            offloaded.append(work.__name__)
            return super().offload(work, *arguments)

    with closing(SqliteAttempts(path)) as attempts:
        monkeypatch.setattr(waiting, "_installed", Noting())
        attempts.withdraw("key", attempts.note("key", NOON, SINCE).attempt)
        attempts.count("key", SINCE)
    assert offloaded == ["_note", "_withdraw", "_count"]


def test_a_members_file_is_refused_as_an_attempts_file(path: Path) -> None:
    SqliteMembers(path).close()
    with pytest.raises(UnusableStore, match="is a database of another program or kind"):
        SqliteAttempts(path)
