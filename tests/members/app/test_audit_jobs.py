"""The job of the audit trail: what is too old goes, and deleted members are forgotten in the end."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.app.app import App
from stratabase.core.domain.caller import CONSOLE
from stratabase.core.jobs.job import Job
from stratabase.core.settings import Settings
from stratabase.core.store.ids import TimeOrderedIds, least_id
from stratabase.members.app.audit_jobs import FORGOTTEN_AFTER, jobs_of_audit
from stratabase.members.app.auth_services import AuthServices
from stratabase.members.app.member_services import MemberServices
from stratabase.members.audit_entry import DAY, AuditEntry, AuditKind
from tests.fakes import FUTURE_NOON as NOON
from tests.fakes import FrozenClock
from tests.repository import ROOT


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
def app(tmp_path: Path, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    settings = Settings(home=tmp_path, model=ROOT / "layers/model/model.graphql")
    app = App(settings)
    monkeypatch.setattr(app, "clock", clock)
    yield app
    app.close()


def run(app: App, steps: int | None = None) -> None:
    """Run the job, or only its first steps, as if the process was killed then."""
    (kind,) = jobs_of_audit(app)
    work: Any = kind.run(Job("round", None))
    for _step in islice(iter(work), steps):
        pass


def entries(app: App) -> list[AuditEntry]:
    found, after = list[AuditEntry](), None
    while True:
        page = app.part(AuthServices).audit_trail.page(least_id(0), after=after)
        found += page.entries
        after = page.next
        if after is None:
            return found


def written(app: App, number: int, at: int, **fields: Any) -> None:
    ids = TimeOrderedIds(lambda: at)
    made = [AuditEntry(ids.new(), at, AuditKind.SIGNED_IN, **fields) for _ in range(number)]
    app.part(AuthServices).audit_trail.append(made)


def test_entries_go_when_they_are_too_old(app: App, clock: FrozenClock) -> None:
    written(app, 1200, NOON - 90 * DAY - 1, member="m")
    written(app, 3, NOON - 90 * DAY, member="m")
    run(app)
    assert [each.at for each in entries(app)] == [NOON - 90 * DAY] * 3
    clock.instant += 1
    run(app)
    assert entries(app) == []


def deleted_member(app: App) -> str:
    """Return the ID of a member who was deleted, and of whom a process wrote entries after that."""
    services = app.part(MemberServices)
    fields = {"username": "rosa", "email": "rosa@example.com", "profile": "Member"}
    member = services.create_silently(CONSOLE, fields)
    services.remove(CONSOLE, member.id)
    written(app, 1100, NOON, member=member.id, actor=member.id, address="192.0.2.1", device="curl")
    return member.id


@pytest.mark.parametrize("killed_after", [0, 1, 2, 3])
def test_a_deleted_member_is_forgotten_although_processes_end(
    killed_after: int, app: App, clock: FrozenClock
) -> None:
    id_ = deleted_member(app)
    run(app)
    assert any(each.address for each in entries(app)), "a process can still have the member in its cache"
    clock.instant += FORGOTTEN_AFTER + 1
    run(app, killed_after)
    run(app)
    own = [each for each in entries(app) if each.actor == id_]
    assert own
    assert {(each.address, each.device) for each in own} == {("", "")}
    assert list(app.part(AuthServices).audit_trail.to_forget(clock.instant)) == []


def test_others_are_not_forgotten(app: App, clock: FrozenClock) -> None:
    deleted_member(app)
    written(app, 1, NOON, member="x", actor="y", address="192.0.2.9")
    clock.instant += FORGOTTEN_AFTER + 1
    run(app)
    (kept,) = [each for each in entries(app) if each.address]
    assert kept.actor == "y"
