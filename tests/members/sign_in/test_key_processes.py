"""Four processes over one store: all of them refuse a key that was ended within 3 seconds, or has expired."""

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.auth_rows import AuthStack, with_key
from stratabase.core.domain.caller import Caller, SentPassword
from stratabase.core.http.base.messages import Request
from stratabase.core.http.base.refusals import InvalidCredentials
from stratabase.core.store.sqlite.attempts import SqliteAttempts
from stratabase.core.waiting import SystemClock
from stratabase.members.api_keys import with_key as add_key
from stratabase.members.credentials import ApiKey
from stratabase.members.key_text import key_hash, new_key_text
from stratabase.members.member import Member, MemberKind
from stratabase.members.operations.member_keys import EndKey
from stratabase.members.stores.sqlite_audit import SqliteAuditTrail
from stratabase.members.stores.sqlite_members import SqliteMembers
from tests.rivals import in_processes
from tests.soak import count

PROCESSES = 4
ROUNDS = count(1, 20)
LIMIT = 3.05
"""Seconds: what is promised, and a little because the service reads another clock than this test."""
LIFE = 2_000
"""The milliseconds for which the key that expires is valid."""
ADMINISTRATOR = Caller("b", "bea", "Administrator", administrator=True, proof=SentPassword())


@pytest.mark.soak
def test_an_ended_key_is_refused_everywhere_within_seconds(tmp_path: Path) -> None:
    texts = [new_key_text("r") for _ in range(ROUNDS)]
    _add_robot(tmp_path, [ApiKey(f"k{n}", f"key {n}", key_hash(text), 0) for n, text in enumerate(texts)])
    outcomes = in_processes(_use_until_ended, *((tmp_path, n, texts) for n in range(PROCESSES)))
    for round_, (end, _) in enumerate(outcomes[0]):
        last = [outcome[round_][1] for outcome in outcomes]
        assert max(last) < end + LIMIT, [instant - end for instant in last]


def test_an_expired_key_is_refused_everywhere_at_once(tmp_path: Path) -> None:
    """All processes read one clock, so the last call that works begins before the end."""
    text = new_key_text("r")
    _add_robot(tmp_path, [])
    outcomes = in_processes(_use_until_expired, *((tmp_path, n, text) for n in range(PROCESSES)))
    with closing(SqliteMembers(tmp_path / "members.db")) as members:
        (robot,) = members.roster().members
    until = robot.keys[0].until or 0
    assert any(last for last, _ in outcomes)
    assert all(last <= until for last, _ in outcomes), (until, outcomes)
    assert all(refused >= until for _, refused in outcomes), (until, outcomes)


def _add_robot(folder: Path, keys: Sequence[ApiKey]) -> None:
    with closing(SqliteMembers(folder / "members.db")) as members:
        members.add(Member("r", "robot", "", "Administrator", kind=MemberKind.PROGRAM, keys=tuple(keys)))


def _use_until_ended(
    wait: Callable[[], object], folder: Path, number: int, texts: Sequence[str]
) -> list[tuple[float, float]]:
    """Return, for each key, when the first process ended it, and when the last call began that worked."""
    found = []
    with (
        closing(SqliteMembers(folder / "members.db")) as members,
        closing(SqliteAttempts(folder / "attempts.db")) as attempts,
    ):
        stack = AuthStack(folder, members, attempts, SqliteAuditTrail(members.file))
        end = EndKey(members, SystemClock())
        for index, text in enumerate(texts):
            request = with_key(text)
            assert stack.authentication.caller(request).username == "robot"
            wait()
            ended, admitted = 0.0, time.monotonic()
            if not number:
                end(ADMINISTRATOR, "r", f"k{index}")
                ended = time.monotonic()
            began = admitted
            while _is_admitted(stack, request):
                admitted, began = began, time.monotonic()
            found.append((ended, admitted))
            wait()
    return found


def _use_until_expired(wait: Callable[[], object], folder: Path, number: int, text: str) -> tuple[int, int]:
    """Return when the last call began that worked, 0 if none did, and when the refused one ended."""
    clock = SystemClock()
    with (
        closing(SqliteMembers(folder / "members.db")) as members,
        closing(SqliteAttempts(folder / "attempts.db")) as attempts,
    ):
        stack = AuthStack(folder, members, attempts, SqliteAuditTrail(members.file))
        request = with_key(text)
        wait()
        if not number:
            (robot,) = members.roster().members
            key = ApiKey("k", "key", key_hash(text), 0, clock.now() + LIFE)
            members.change(robot, add_key(robot, key))
        wait()
        last, began = 0, clock.now()
        while _is_admitted(stack, request):
            last, began = began, clock.now()
        return last, clock.now()


def _is_admitted(stack: AuthStack, request: Request) -> bool:
    try:
        stack.authentication.caller(request)
    except InvalidCredentials:
        return False
    return True
