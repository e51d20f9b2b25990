"""Four processes over one store: the token of an ended session is refused by all of them within 3 seconds."""

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.auth_rows import TERMS, AuthStack
from stratabase.core.domain.caller import Caller, SentPassword
from stratabase.core.http.base.messages import Request
from stratabase.core.http.base.refusals import InvalidCredentials
from stratabase.core.store.sqlite.attempts import SqliteAttempts
from stratabase.core.waiting import SystemClock
from stratabase.members.member import Member
from stratabase.members.operations.sessions import EndSessions
from stratabase.members.stores.sqlite_audit import SqliteAuditTrail
from stratabase.members.stores.sqlite_members import SqliteMembers
from tests.rivals import in_processes
from tests.soak import count

PROCESSES = 4
ROUNDS = count(1, 20)
LIMIT = 3.05
"""Seconds: what is promised, and a little because the service reads another clock than this test."""
MEMBER = Member("1", "ines", "ines@example.com", "Administrator")
HERSELF = Caller("1", "ines", "Administrator", proof=SentPassword())


@pytest.mark.soak
def test_the_token_of_an_ended_session_is_refused_everywhere_within_seconds(tmp_path: Path) -> None:
    with closing(SqliteMembers(tmp_path / "members.db")) as members:
        members.add(MEMBER)
        with closing(SqliteAttempts(tmp_path / "attempts.db")) as attempts:
            stack = AuthStack(tmp_path, members, attempts, SqliteAuditTrail(members.file))
            requests = [stack.with_token(MEMBER) for _ in range(ROUNDS)]
        (member,) = members.roster().members
        sessions = [each.id for each in member.sessions]
    tokens = [each.headers["authorization"][0] for each in requests]
    outcomes = in_processes(_take_part, *((tmp_path, n, tokens, sessions) for n in range(PROCESSES)))
    ended = [instant for instant, _ in outcomes[0]]
    for round_, end in enumerate(ended):
        last = [outcome[round_][1] for outcome in outcomes]
        assert max(last) < end + LIMIT, [instant - end for instant in last]


def _take_part(
    wait: Callable[[], object], folder: Path, number: int, tokens: list[str], sessions: list[str]
) -> list[tuple[float, float]]:
    """Return, for each token, when its session was ended by the first process, and the last time it worked.

    The instants are those at which the last calls began that were admitted.
    """
    found = []
    with (
        closing(SqliteMembers(folder / "members.db")) as members,
        closing(SqliteAttempts(folder / "attempts.db")) as attempts,
    ):
        stack = AuthStack(folder, members, attempts, SqliteAuditTrail(members.file))
        end = EndSessions(members, SystemClock(), TERMS.sessions)
        for token, session in zip(tokens, sessions, strict=True):
            request = Request("GET", "/auth/x", "/auth/x", headers={"authorization": (token,)})
            assert stack.authentication.caller(request).id == MEMBER.id
            wait()
            ended, admitted = 0.0, time.monotonic()
            if not number:
                end.one(HERSELF, MEMBER.id, session)
                ended = time.monotonic()
            while (began := _admitted(stack, request)) is not None:
                admitted = began
            found.append((ended, admitted))
            wait()
    return found


def _admitted(stack: AuthStack, request: Request) -> float | None:
    """Return when a request began that is admitted, None if it is refused."""
    began = time.monotonic()
    try:
        stack.authentication.caller(request)
    except InvalidCredentials:
        return None
    return began
