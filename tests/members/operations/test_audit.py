"""Reading the audit trail: who may, for how long entries are shown, and with which names."""

from dataclasses import replace

import pytest

from stratabase.core.domain.caller import CONSOLE
from stratabase.core.domain.issues.refusals import Forbidden
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.members.audit_entry import DAY, AuditEntry, AuditKind
from stratabase.members.operations.audit import ReadAuditTrail
from tests.fakes import NOON, FrozenClock
from tests.in_memory_members import InMemoryMembers
from tests.members.operations.member_operations import ANNA, BEA, BOSS, HERSELF


def entry(at: int, member: str = "a", actor: str = "b") -> AuditEntry:
    return AuditEntry(TimeOrderedIds(lambda: at).new(), at, AuditKind.PASSWORD_CHANGED, member, actor)


@pytest.fixture
def members() -> InMemoryMembers:
    return InMemoryMembers(ANNA, BOSS)


def reader(members: InMemoryMembers, clock: FrozenClock, days: int = 90) -> ReadAuditTrail:
    return ReadAuditTrail(members.trail, members, clock, days)


def test_only_administrators_read_it(members: InMemoryMembers) -> None:
    members.trail.append([entry(NOON)])
    read = reader(members, FrozenClock())
    with pytest.raises(Forbidden):
        read(HERSELF)
    assert members.trail.calls == ["append"]
    assert len(read(BEA).page.entries) == len(read(CONSOLE).page.entries) == 1


def test_what_is_too_old_by_the_clock_is_not_shown(members: InMemoryMembers) -> None:
    """Stores delete it later."""
    old, kept = entry(NOON), entry(NOON + 1)
    members.trail.append([old, kept])
    clock = FrozenClock(NOON + 90 * DAY)
    assert list(reader(members, clock)(BEA).page.entries) == [kept, old]
    clock.instant += 1
    assert list(reader(members, clock)(BEA).page.entries) == [kept]
    assert list(reader(members, clock, 365)(BEA).page.entries) == [kept, old]
    assert list(reader(members, clock, 1)(BEA).page.entries) == []


def test_names_are_those_of_now_and_deleted_members_have_none(members: InMemoryMembers) -> None:
    members.trail.append([entry(NOON), entry(NOON + 1, member="", actor=""), entry(NOON + 2, member="gone")])
    read = reader(members, FrozenClock())
    assert read(BEA).usernames == {"a": "Anna", "b": "Bea"}
    stored = members.by_id("a")
    assert stored is not None
    members.change(stored, replace(stored, username="Anne"))
    before = members.reads
    assert read(BEA).usernames == {"a": "Anne", "b": "Bea"}
    assert members.reads == before + 1
