"""The first administrator is created once, and only if no member exists."""

from dataclasses import replace

import pytest

from stratabase.core.model.model import Class, Model, Profile
from stratabase.members.member import Member
from stratabase.members.operations.first_administrator import (
    AdministratorState,
    FirstAdministrator,
    NewAdministrator,
    PasswordMismatch,
)
from stratabase.members.password import PasswordPolicy
from stratabase.members.refusals import BadMember
from tests.fakes import CountedIds
from tests.in_memory_members import COMMON, InMemoryMembers, PlainPasswords
from tests.rows import each_row

PROFILES = {"Clerk": Profile("Clerk"), "Boss": Profile("Boss", administrator=True)}
MODEL = Model("Hr", {"Team": Class("Team")}, profiles=PROFILES)


def make(members: InMemoryMembers, password: str | None = None) -> NewAdministrator | None:
    return FirstAdministrator(members, PlainPasswords(), CountedIds(), MODEL)(password)


def test_the_member_has_the_first_administrator_profile_and_the_given_password() -> None:
    members = InMemoryMembers()
    assert make(members, "given password") == NewAdministrator("admin", "given password", is_generated=False)
    assert members.members["admin"] == Member(
        "id1", "admin", "admin@localhost", "Boss", password="hash of given password"
    )


def test_without_a_password_the_administrator_gets_a_random_one() -> None:
    created = [make(InMemoryMembers()) for _ in range(300)]
    passwords = {new.password for new in created if new and new.is_generated}
    assert len(passwords) == 300
    assert min(map(len, passwords)) >= 20
    # One in 64 random texts begins with "-", which commands take for an option.
    assert all(password[0].isalpha() for password in passwords)


def test_the_password_is_normalized_before_hashing() -> None:
    members = InMemoryMembers()
    make(members, "the way to the caf" + "e\u0301")
    assert members.members["admin"].password == "hash of the way to the caf\u00e9"


@each_row("password", ["short", "x" * 129, COMMON.upper(), "ADMIN@localhost", "a\nb" * 5])
def test_a_weak_password_is_refused(password: str) -> None:
    members = InMemoryMembers()
    with pytest.raises(BadMember, match=r'^The member "admin" can.t use this password'):
        make(members, password)
    assert not members.any()


def test_the_minimum_length_of_the_policy_applies() -> None:
    passwords = PlainPasswords()
    policy = PasswordPolicy(passwords.is_common, 8)
    FirstAdministrator(InMemoryMembers(), passwords, CountedIds(), MODEL, policy)("8 chars!")
    with pytest.raises(BadMember, match="at least 8 characters"):
        FirstAdministrator(InMemoryMembers(), passwords, CountedIds(), MODEL, policy)("7 chars")


def test_no_administrator_is_created_if_a_member_exists() -> None:
    members = InMemoryMembers(Member("1", "anna", "anna@example.com", "Clerk"))
    assert make(members, "given password") is None
    assert list(members.members) == ["anna"]


def test_one_of_two_concurrent_starts_creates_the_administrator() -> None:
    class Late(InMemoryMembers):
        """Members that do not yet show an administrator whom another process has just added."""

        def any(self) -> bool:
            return False

    members = Late(Member("1", "ADMIN", "admin@localhost", "Boss", password="hash of theirs"))
    assert make(members) is None
    assert members.members["admin"].password == "hash of theirs"


def test_the_repr_shows_no_password() -> None:
    assert "given password" not in repr(make(InMemoryMembers(), "given password"))


ADMIN = Member("1", "admin", "admin@localhost", "Boss", password="hash of right")
BOB = Member("2", "bob", "bob@example.com", "Boss", password="hash of his")
OTHERS = (
    Member("3", "Ada", "ada@example.com", "Boss", password="hash of hers", disabled=True),
    Member("4", "amy", "amy@example.com", "Boss"),
    Member("5", "ann", "ann@example.com", "Clerk", password="hash of hers"),
    Member("6", "art", "art@example.com", "Gone", password="hash of his"),
    BOB,
)


@each_row(
    ("admin", "password", "expected"),
    [
        (ADMIN, "right", AdministratorState("admin", None)),
        (ADMIN, None, AdministratorState("admin", None)),
        (ADMIN, "wrong", AdministratorState("admin", PasswordMismatch.OTHER_PASSWORD)),
        (replace(ADMIN, username="Admin"), "right", AdministratorState("admin", None)),
        (replace(ADMIN, password=None), "right", AdministratorState("bob", PasswordMismatch.NO_PASSWORD)),
        (replace(ADMIN, disabled=True), "right", AdministratorState("bob", PasswordMismatch.DISABLED)),
        (None, "right", AdministratorState("bob", PasswordMismatch.NO_MEMBER)),
        (None, None, AdministratorState("bob", None)),
    ],
)
def test_a_later_start_reports_which_administrator_can_sign_in(
    admin: Member | None, password: str | None, expected: AdministratorState
) -> None:
    """It also reports whether the given password is that of `admin`."""
    members = InMemoryMembers(*OTHERS, *([admin] if admin else []))
    assert FirstAdministrator(members, PlainPasswords(), CountedIds(), MODEL).state(password) == expected


def test_a_password_is_compared_after_normalization() -> None:
    members = InMemoryMembers()
    make(members, "the way to the caf" + "e\u0301")
    present = FirstAdministrator(members, PlainPasswords(), CountedIds(), MODEL).state
    assert present("the way to the caf\u00e9") == AdministratorState("admin", None)
