"""A request of a member whose last one was just before: the calls to the stores, and the functions it runs.

The limits are the figures of the version before tokens had sessions, so that sessions cost a request nothing.
A key may cost what a token does.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from operator import le
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple
from weakref import ref

import pytest

from benchmarks.auth_rows import AuthStack, new_member, with_key, with_password
from stratabase.core.http.base.messages import Request
from stratabase.core.store.sqlite.attempts import SqliteAttempts
from stratabase.core.waiting import SystemClock
from stratabase.members.key_text import new_key_text
from stratabase.members.member import Member
from stratabase.members.sign_in.callers import MEMBER_FRESHNESS
from stratabase.members.stores.sqlite_audit import SqliteAuditTrail
from stratabase.members.stores.sqlite_members import SqliteMembers


class Cost(NamedTuple):
    """What authenticating one request takes."""

    store_calls: int
    functions: int


LIMITS: Mapping[str, Cost] = {"password": Cost(0, 10), "token": Cost(0, 20), "key": Cost(0, 20)}
"""The limits of a request right after another one."""
READS: Mapping[str, list[str]] = {"password": ["by_id"], "token": ["by_id"], "key": ["by_id"]}
"""The calls to the stores of a request when the member was read some seconds ago."""


class Recording:
    """Passes all calls to a store, and notes their names."""

    def __init__(self, store: Any, calls: list[str]) -> None:
        self._store = store
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        self._calls.append(name)
        return getattr(self._store, name)


class WarmService:
    """The components of authentication, with the requests of one member by their proof."""

    def __init__(self, folder: Path, members: Any, attempts: Any) -> None:
        self.calls: list[str] = []
        key = new_key_text("1")
        member = new_member("1", key)
        members.add(member)
        trail = SqliteAuditTrail(members.file)
        stack = AuthStack(folder, *(Recording(each, self.calls) for each in (members, attempts, trail)))
        self.requests = {
            "password": with_password(member),
            "token": stack.with_token(member),
            "key": with_key(key),
        }
        self.authenticate = stack.authentication.caller

    def warm_up(self, request: Request) -> None:
        """Send a request twice, to load what later ones use."""
        assert self.authenticate(request) == self.authenticate(request)
        self.calls.clear()

    def functions(self, request: Request) -> int:
        """Return how many functions of Python a request calls."""
        monitoring = sys.monitoring  # type: ignore[attr-defined]  # mypy checks for 3.11, which lacks it
        called = 0

        def count(_code: CodeType, _offset: int) -> None:
            nonlocal called
            called += 1

        tool, event = monitoring.PROFILER_ID, monitoring.events.PY_START
        monitoring.use_tool_id(tool, "count")
        monitoring.register_callback(tool, event, count)
        monitoring.set_events(tool, event)
        try:
            self.authenticate(request)
        finally:
            monitoring.set_events(tool, 0)
            monitoring.free_tool_id(tool)
        return called


@pytest.fixture
def service(tmp_path: Path) -> Iterator[WarmService]:
    with (
        closing(SqliteMembers(tmp_path / "members.db")) as members,
        closing(SqliteAttempts(tmp_path / "attempts.db")) as attempts,
    ):
        yield WarmService(tmp_path, members, attempts)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.11 has no sys.monitoring")
@pytest.mark.parametrize("proof", LIMITS)
def test_a_request_right_after_another_takes_no_more_than_before(proof: str, service: WarmService) -> None:
    request = service.requests[proof]
    service.warm_up(request)
    functions = service.functions(request)
    cost = Cost(len(service.calls), functions)
    assert all(map(le, cost, LIMITS[proof])), cost


@pytest.mark.parametrize("proof", READS)
def test_a_request_some_seconds_later_reads_the_member_once(
    proof: str, service: WarmService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a changed password or an ended session counts within seconds, and costs no other read."""
    request = service.requests[proof]
    service.warm_up(request)
    later = SystemClock().now() + MEMBER_FRESHNESS + 1
    monkeypatch.setattr(SystemClock, "now", lambda _self: later)
    service.authenticate(request)
    assert service.calls == READS[proof]
    service.authenticate(request)
    assert service.calls == READS[proof]


@pytest.mark.parametrize("proof", READS)
def test_a_proof_does_not_keep_the_member_as_it_was(
    proof: str, service: WarmService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A member with its sessions is large, and each of thousands of cached proofs has seen another state."""
    read, by_id = [], SqliteMembers.by_id

    def noted(members: SqliteMembers, id_: str) -> Member | None:
        member = by_id(members, id_)
        assert member is not None
        read.append(ref(member))
        return member

    request, other = service.requests[proof], service.requests["key" if proof == "token" else "token"]
    service.warm_up(request)
    monkeypatch.setattr(SqliteMembers, "by_id", noted)
    now = SystemClock().now()
    for later, sent in enumerate((request, other), 1):
        instant = now + later * (MEMBER_FRESHNESS + 1)
        monkeypatch.setattr(SystemClock, "now", lambda _self, instant=instant: instant)
        service.authenticate(sent)
    former, present = read
    assert former() is None
    assert present() is not None
