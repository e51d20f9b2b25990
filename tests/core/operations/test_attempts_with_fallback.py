"""While the store of attempts records nothing, right passwords pass, and wrong ones are limited in memory."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.operations.attempts_with_fallback import AttemptsWithFallback, MemoryAttempts
from stratabase.core.store.sqlite.attempts import SqliteAttempts
from stratabase.members.attempts import FAILURE_WINDOW, username_key
from stratabase.members.refusals import TooManyFailures
from stratabase.members.sign_in.sign_in import CREDENTIALS_FRESHNESS
from stratabase.members.sign_in.sign_in_limits import MAX_FAILURES
from tests.core.operations.sign_in_service import ELSEWHERE, HOME, SignInService
from tests.fakes import NOON
from tests.in_memory_attempts import UNREACHED, InMemoryAttempts

SINCE = NOON - FAILURE_WINDOW
ALL_CALLS = {"note", "withdraw", "count"}


class Fixture:
    """A service whose store of attempts can fail."""

    def __init__(self) -> None:
        self.reports: list[str] = []
        self.store = InMemoryAttempts()
        self.attempts = AttemptsWithFallback(self.store, self.reports.append)
        self.service = SignInService(attempts=self.attempts)  # type: ignore[arg-type]

    def outcome(self, password: str, username: str = "Anna", address: str = HOME) -> int:
        """Return the status of a sign-in."""
        try:
            self.service.sign_in(username, password, address)
        except Unauthenticated:
            return 401
        except TooManyFailures:
            return 429
        return 200


@pytest.fixture
def fixture() -> Fixture:
    return Fixture()


@pytest.mark.parametrize("failing", [{"note"}, {"note", "withdraw"}, ALL_CALLS], ids=len)
def test_right_passwords_pass_each_minute(failing: set[str], fixture: Fixture) -> None:
    fixture.store.fails = failing
    for _ in range(3 * MAX_FAILURES):
        assert fixture.outcome("right") == 200
        fixture.service.clock.instant += CREDENTIALS_FRESHNESS
    assert len(fixture.service.passwords.verified) == 3 * MAX_FAILURES


@pytest.mark.parametrize("username", ["Anna", "nobody"])
def test_wrong_passwords_are_limited(username: str, fixture: Fixture) -> None:
    fixture.store.fails = ALL_CALLS
    assert [fixture.outcome("wrong", username) for _ in range(12)] == [*[401] * 10, 429, 429]
    assert fixture.outcome("right", username) == 429
    assert fixture.outcome("right", address=ELSEWHERE) == 200


def test_wrong_passwords_for_a_name_are_delayed(fixture: Fixture) -> None:
    fixture.store.fails = ALL_CALLS
    for number in range(14):
        fixture.outcome("wrong", address=f"2001:db8:0:{number:x}::1")
    assert fixture.service.pauses == [0.25, 0.5, 1, 2]
    assert fixture.attempts.count(username_key("Anna"), 0) == 14


def test_failures_in_memory_count_after_the_store_has_recovered(fixture: Fixture) -> None:
    for fails, times in (set(), 4), (ALL_CALLS, 3), (set(), 3):
        fixture.store.fails = fails
        assert [fixture.outcome("wrong") for _ in range(times)] == [401] * times
    assert fixture.outcome("right") == 429
    fixture.service.clock.instant += FAILURE_WINDOW
    assert fixture.outcome("right") == 200


def test_each_outage_is_reported_once(fixture: Fixture) -> None:
    for fails in ({"note"}, set(), {"note"}):
        fixture.store.fails = fails
        for _ in range(3):
            fixture.attempts.note("key", NOON, SINCE)
    assert fixture.reports == [str(UNREACHED)] * 2


@pytest.fixture
def full(tmp_path: Path) -> Iterator[SqliteAttempts]:
    """Attempts in a file that cannot grow, in which there is no room."""
    with closing(SqliteAttempts(tmp_path / "attempts.db")) as attempts:
        connection: sqlite3.Connection = attempts._file._connection
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(sqlite3.OperationalError, match="full"):
            connection.executemany(
                "INSERT INTO attempts VALUES ('other', ?, ?)", ((NOON + n, "") for n in range(9999))
            )
        yield attempts


def test_a_full_disk_stops_neither_sign_ins_nor_the_limit(full: SqliteAttempts) -> None:
    fixture = Fixture()
    fixture.service = SignInService(
        attempts=AttemptsWithFallback(full, fixture.reports.append)  # type: ignore[arg-type]
    )
    assert fixture.outcome("right", address=ELSEWHERE) == 200
    assert [fixture.outcome("wrong") for _ in range(12)] == [*[401] * 10, 429, 429]
    (report,) = fixture.reports
    assert "attempts.db: database or disk is full" in report


def test_memory_is_bounded_and_the_keys_noted_longest_ago_go_first() -> None:
    memory = MemoryAttempts(max_size=6)
    for number in range(3):
        memory.note("first", NOON + number, SINCE)
    withdrawn = memory.note("second", NOON, SINCE).attempt
    assert memory.remove("second", withdrawn)
    for number in range(100):
        memory.note("first", NOON, SINCE)
        memory.note(f"flood {number}", NOON, SINCE)
        assert sum(map(len, memory._by_key.values())) == memory._size <= 6
    assert not memory.instants("flood 0", SINCE)
    assert memory.instants("flood 99", SINCE)


def test_an_attempt_that_is_not_in_memory_is_not_removed() -> None:
    memory = MemoryAttempts()
    assert not memory.remove("key", "unknown")
    memory.note("key", NOON, SINCE)
    assert not memory.remove("key", "unknown")
    assert len(memory.instants("key", SINCE)) == 1
