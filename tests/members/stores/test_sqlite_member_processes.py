"""Several processes that share the members file."""

from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from stratabase.core.domain.caller import CONSOLE
from stratabase.core.model.model import Profile
from stratabase.core.store.ids import least_id
from stratabase.members.audit_entry import AuditKind, hourly_entry
from stratabase.members.member import Member, NamesTaken, administrates
from stratabase.members.operations.update import UpdateMember
from stratabase.members.password import PasswordPolicy
from stratabase.members.ports import Members
from stratabase.members.refusals import LastAdministrator
from stratabase.members.stores.sqlite_audit import SqliteAuditTrail
from stratabase.members.stores.sqlite_members import SqliteMembers
from tests.fakes import NOON, FrozenClock
from tests.in_memory_members import PlainPasswords, nobody_signs_in
from tests.recording_mailer import email_change
from tests.rivals import in_processes
from tests.soak import count

pytestmark = pytest.mark.soak

TIMES = count(20, 500)
COUNTING = 4
"""Processes that count at the same time."""
PROFILES = {"Boss": Profile("Boss", administrator=True), "Clerk": Profile("Clerk")}


def add(members: Members, number: int, turn: int) -> bool:
    """Try to get a username that others want too; return whether that succeeded."""
    try:
        members.add(Member(f"{turn}-{number}", f"anna{turn}", f"{turn}-{number}@example.com", "Clerk"))
    except NamesTaken:
        return False
    return True


def demote(members: Members, number: int, turn: int) -> bool:
    """Demote the other one of two administrators, check that one is left, and restore the profile."""
    passwords = PlainPasswords()
    policy = PasswordPolicy(passwords.is_common)
    update = UpdateMember(
        members, passwords, policy, PROFILES, email_change(members), nobody_signs_in, FrozenClock()
    )
    other = str(1 - number)
    demoted = False
    with suppress(LastAdministrator):
        update(CONSOLE, other, {"profile": "Clerk"})
        demoted = True
    if not any(administrates(member, PROFILES) for member in members.roster().members):
        raise AssertionError(f"nobody is an administrator any more in turn {turn}")
    update(CONSOLE, other, {"profile": "Boss"})
    return demoted


def change_field(members: Members, number: int, turn: int) -> bool:
    """Change one field of a member whose other fields others change."""
    passwords = PlainPasswords()
    policy = PasswordPolicy(passwords.is_common)
    update = UpdateMember(
        members, passwords, policy, PROFILES, email_change(members), nobody_signs_in, FrozenClock()
    )
    value = {"notes": f"{turn}"} if number else {"email": f"anna{turn}@example.com"}
    update(CONSOLE, "0", value)
    return True


Action = Callable[[Members, int, int], bool]


def take_turns(wait: Callable[[], object], path: Path, action: Action, number: int) -> list[int]:
    """Do an action in each turn, and return the turns in which it succeeded."""
    with closing(SqliteMembers(path)) as members:
        wait()
        return [turn for turn in range(TIMES) if action(members, number, turn)]


def compete(path: Path, action: Action) -> list[list[int]]:
    """Let two processes do an action at once; return the turns that each of them won."""
    return in_processes(take_turns, (path, action, 0), (path, action, 1))


def test_one_of_several_processes_wins_a_username(tmp_path: Path) -> None:
    path = tmp_path / "members.db"
    won = compete(path, add)
    assert sorted([*won[0], *won[1]]) == list(range(TIMES))
    with closing(SqliteMembers(path)) as members:
        assert len(members.roster().members) == TIMES


def test_concurrent_processes_never_remove_the_last_administrator(tmp_path: Path) -> None:
    path = tmp_path / "members.db"
    with closing(SqliteMembers(path)) as members:
        for id_ in ("0", "1"):
            members.add(Member(id_, f"boss{id_}", f"{id_}@example.com", "Boss"))
    demoted = compete(path, demote)
    assert demoted[0] + demoted[1]


def test_concurrent_changes_of_a_member_by_processes_are_all_kept(tmp_path: Path) -> None:
    path = tmp_path / "members.db"
    with closing(SqliteMembers(path)) as members:
        members.add(Member("0", "anna", "anna@example.com", "Clerk"))
        compete(path, change_field)
        member = members.by_id("0")
    assert member is not None
    assert (member.email, member.notes) == (f"anna{TIMES - 1}@example.com", f"{TIMES - 1}")
    assert member.revision == 2 * TIMES + 1


def test_no_count_of_several_processes_is_lost(tmp_path: Path) -> None:
    """Each worker of a server counts refusals in the same file."""
    path, times = tmp_path / "members.db", count(30, 400)
    SqliteMembers(path).close()
    in_processes(_count_refusals, *[(path, times)] * COUNTING)
    with closing(SqliteMembers(path)) as members:
        (entry,) = SqliteAuditTrail(members.file).page(least_id(0)).entries
    assert entry.count == times * COUNTING


def _count_refusals(wait: Callable[[], object], path: Path, times: int) -> None:
    with closing(SqliteMembers(path)) as members:
        trail = SqliteAuditTrail(members.file)
        wait()
        for _refusal in range(times):
            trail.count(hourly_entry(AuditKind.SIGN_IN_REFUSED, NOON))
