"""Changes of members: permissions, validation, and what they invalidate."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from stratabase.core.domain.caller import CONSOLE
from stratabase.core.domain.issues.refusals import Forbidden, Unavailable
from stratabase.members.member import LINK_USED, MailedLink, Member
from stratabase.members.refusals import BadMember, LastAdministrator, MemberTaken, NoSuchMember
from stratabase.values.formats.preferences import Formats
from tests.in_memory_members import COMMON, PlainPasswords
from tests.members.operations.member_operations import (
    ANNA,
    BEA,
    BOSS,
    HERSELF,
    ContendedMembers,
    MemberOperations,
)
from tests.rows import each_row

LINK = MailedLink("ab" * 32, 1)
NEW = "a new way in"
"""A password of 12 characters."""


@each_row("data", [{"username": "Anne"}, {"profile": "Boss"}, {"disabled": True}])
def test_only_administrators_change_some_fields(
    data: Mapping[str, Any], operations: MemberOperations
) -> None:
    with pytest.raises(Forbidden, match=f"Only administrators can change {next(iter(data))}"):
        operations.update(HERSELF, "a", {**data, "notes": "mine"})
    assert operations.stored("a") == ANNA


def test_putting_a_member_back_unchanged_changes_nothing(operations: MemberOperations) -> None:
    same = {"username": "Anna", "profile": "Clerk", "disabled": False, "email": "anna@example.com"}
    assert operations.update(HERSELF, "a", {**same, "notes": "some notes", "language": "en"}) == ANNA
    assert operations.members.writes == 0
    assert operations.update(HERSELF, "a", {**same, "notes": "new"}).notes == "new"


def test_an_empty_change_writes_nothing(operations: MemberOperations) -> None:
    assert operations.update(HERSELF, "a", {}) == ANNA
    assert operations.members.writes == 0


def test_a_week_based_year_is_refused_with_the_likely_pattern(operations: MemberOperations) -> None:
    for value, reason in (
        ({"dateFormat": "YYYY-MM-DD"}, 'Use "yyyy-MM-dd".'),
        ({"dateFormat": "dd bb"}, 'unsupported letter "b" at character 4'),
        ({"timeFormat": "HH:mm YYYY"}, 'The letter "Y" represents part of a date.'),
    ):
        with pytest.raises(BadMember, match=re.escape(reason)):
            operations.update(HERSELF, "a", value)


@each_row("field", ["username", "email", "profile", "disabled", "password"])
def test_null_is_refused_in_required_fields(field: str, operations: MemberOperations) -> None:
    with pytest.raises(BadMember, match=f'"{field}" must be'):
        operations.update(BEA, "a", {field: None})


def test_all_errors_are_reported_together_and_nothing_is_changed(operations: MemberOperations) -> None:
    value = {"id": "x", "username": "a:b", "timeZone": "Rome", "password": "short", "notes": "good"}
    with pytest.raises(BadMember) as refusal:
        operations.update(BEA, "a", value)
    assert [mistake.field for mistake in refusal.value.mistakes] == ["id", "username", "timeZone", "password"]
    assert operations.stored("a") == ANNA


@each_row(
    ("password", "result"),
    [
        ("eleven char", "is too short. Use at least 12 characters"),
        ("x" * 129, "is too long. Use at most 128 characters"),
        (COMMON.upper(), "This password is too common"),
        ("Anna Berghain", "must not be the username or the email address"),
        ("ANNA@example.com", "must not be the username or the email address"),
        ("twelve chars\ud800", "contains an unsupported character"),
        (123456789012, "must be a string"),
    ],
)
def test_a_password_follows_the_policy(password: Any, result: str, operations: MemberOperations) -> None:
    operations.change("a", username="anna BERGHAIN")
    with pytest.raises(BadMember, match=result) as refusal:
        operations.update(HERSELF, "a", {"password": password})
    assert str(password) not in str(refusal.value)
    assert operations.stored("a").password == "hash of old"


def test_a_password_equal_to_the_name_in_the_same_request_is_refused(operations: MemberOperations) -> None:
    value = {"username": "Anna Berghain", "password": "ANNA BERGHAIN"}
    with pytest.raises(BadMember, match="must not be the username"):
        operations.update(BEA, "a", value)
    operations.update(BEA, "a", {"password": "Anna Berghain"})


def test_a_password_is_normalized_before_hashing(operations: MemberOperations) -> None:
    after = operations.update(HERSELF, "a", {"password": "the way to the cafe\u0301"})
    assert after.password == "hash of the way to the caf\u00e9"


def linked() -> MemberOperations:
    return MemberOperations(ContendedMembers(BOSS, replace(ANNA, reset=LINK, generation=5)))


@each_row("data", [{"password": NEW}, {"disabled": True}])
def test_a_new_password_and_disabling_invalidate_tokens_and_the_link(data: Mapping[str, Any]) -> None:
    after = linked().update(BEA, "a", data)
    assert (after.generation, after.reset) == (6, replace(LINK, until=LINK_USED))


def test_setting_the_same_password_invalidates_tokens() -> None:
    operations = linked()
    operations.update(BEA, "a", {"password": NEW})
    assert operations.update(BEA, "a", {"password": NEW}).generation == 7


def test_a_change_of_address_invalidates_the_link() -> None:
    after = linked().update(BEA, "a", {"email": "anne@example.com"})
    assert (after.generation, after.reset) == (5, replace(LINK, until=LINK_USED))


def test_other_changes_invalidate_nothing() -> None:
    after = linked().update(BEA, "a", {"notes": "x", "username": "Anne", "profile": "Boss"})
    assert (after.generation, after.reset) == (5, LINK)


def test_tokens_stay_invalid_after_a_member_is_enabled_again(operations: MemberOperations) -> None:
    operations.update(BEA, "a", {"disabled": True})
    after = operations.update(BEA, "a", {"disabled": False})
    assert (after.disabled, after.generation) == (False, 1)


@each_row(
    ("data", "fields"),
    [
        ({"username": "BEA"}, ["username"]),
        ({"email": "BEA@example.com"}, ["email"]),
        ({"username": "bea", "email": "bea@example.com"}, ["username", "email"]),
    ],
)
def test_names_of_other_members_are_refused(
    data: dict[str, str], fields: list[str], operations: MemberOperations
) -> None:
    with pytest.raises(MemberTaken) as refusal:
        operations.update(BEA, "a", data)
    assert [mistake.field for mistake in refusal.value.mistakes] == fields
    assert operations.stored("a") == ANNA


def test_a_name_may_change_only_its_case(operations: MemberOperations) -> None:
    after = operations.update(BEA, "a", {"username": "ANNA", "email": "Anna@Example.com"})
    assert (after.username, after.email) == ("ANNA", "Anna@Example.com")
    assert operations.stored("a") == after


def test_a_member_with_an_unknown_profile_can_be_repaired() -> None:
    operations = MemberOperations(ContendedMembers(BOSS, replace(ANNA, profile="Gone")))
    assert operations.update(BEA, "a", {"notes": "x", "profile": "Gone"}).profile == "Gone"
    assert operations.update(BEA, "a", {"profile": "Clerk"}).profile == "Clerk"
    with pytest.raises(
        BadMember, match=r"must be a profile of the model, not .Gone.. Use Boss, Clerk, or Chief"
    ):
        operations.update(BEA, "a", {"profile": "Gone"})


def test_a_write_only_format_may_stay_but_cannot_be_set(operations: MemberOperations) -> None:
    operations.change("a", formats=Formats("dd MMM", "hh:mm"))
    kept = operations.update(HERSELF, "a", {"dateFormat": "dd MMM", "timeFormat": "hh:mm", "notes": "mine"})
    assert (kept.notes, kept.formats) == ("mine", Formats("dd MMM", "hh:mm"))
    with pytest.raises(BadMember, match=r'"dateFormat" is not valid'):
        operations.update(HERSELF, "a", {"dateFormat": "d MMM"})


def test_a_value_stored_under_other_rules_may_stay(operations: MemberOperations) -> None:
    operations.change("b", email="admin@localhost")
    assert operations.update(BEA, "b", {"email": "admin@localhost", "notes": "x"}).notes == "x"


@each_row("data", [{"profile": "Clerk"}, {"disabled": True}])
@each_row("caller", [BEA, CONSOLE])
def test_the_last_administrator_cannot_be_demoted(
    caller: Any, data: Mapping[str, Any], operations: MemberOperations
) -> None:
    with pytest.raises(LastAdministrator, match='"Bea" is the only active administrator'):
        operations.update(caller, "b", {**data, "notes": "x"})
    assert operations.stored("b") == BOSS


@each_row(
    "other",
    [
        Member("c", "Carl", "carl@example.com", "Boss", disabled=True),
        Member("c", "Carl", "carl@example.com", "Gone"),
        Member("c", "Carl", "carl@example.com", "Clerk"),
    ],
)
def test_a_member_who_cannot_act_as_administrator_does_not_count_as_one(other: Member) -> None:
    operations = MemberOperations(ContendedMembers(BOSS, other))
    with pytest.raises(LastAdministrator):
        operations.update(BEA, "b", {"disabled": True})


def test_one_of_two_administrators_can_be_demoted() -> None:
    operations = MemberOperations(ContendedMembers(BOSS, Member("c", "Carl", "carl@example.com", "Chief")))
    assert operations.update(BEA, "b", {"profile": "Clerk"}).profile == "Clerk"
    with pytest.raises(LastAdministrator):
        operations.update(CONSOLE, "c", {"disabled": True})


def test_an_administrator_can_change_to_another_administrator_profile(operations: MemberOperations) -> None:
    assert operations.update(BEA, "b", {"profile": "Chief"}).profile == "Chief"


def test_a_disabled_administrator_does_not_count_as_the_last(operations: MemberOperations) -> None:
    operations.change("b", disabled=True)
    assert operations.update(CONSOLE, "b", {"profile": "Clerk"}).profile == "Clerk"


def test_a_concurrent_change_is_kept(operations: MemberOperations) -> None:
    def once() -> None:
        operations.members.before_write = lambda: None
        operations.change("a", email="anne@example.com")

    operations.members.before_write = once
    after = operations.update(HERSELF, "a", {"notes": "mine"})
    assert (after.email, after.notes) == ("anne@example.com", "mine")
    assert operations.members.writes == 2


def test_a_concurrent_change_is_validated_again(operations: MemberOperations) -> None:
    def once() -> None:
        operations.members.before_write = lambda: None
        operations.change("a", username="the new way in")

    operations.members.before_write = once
    with pytest.raises(BadMember, match="must not be the username"):
        operations.update(HERSELF, "a", {"password": "THE new way in"})


def test_a_concurrent_removal_is_reported(operations: MemberOperations) -> None:
    def once() -> None:
        operations.members.before_write = lambda: None
        operations.remove(BEA, "a")

    operations.members.before_write = once
    with pytest.raises(NoSuchMember):
        operations.update(HERSELF, "a", {"notes": "mine"})


def test_an_administrator_who_becomes_the_last_cannot_be_demoted(operations: MemberOperations) -> None:
    operations.members.add(Member("c", "Carl", "carl@example.com", "Boss"))

    def once() -> None:
        operations.members.before_write = lambda: None
        operations.update(BEA, "c", {"profile": "Clerk"})

    operations.members.before_write = once
    with pytest.raises(LastAdministrator):
        operations.update(BEA, "b", {"profile": "Clerk"})


def test_an_update_gives_up_after_repeated_conflicts(operations: MemberOperations) -> None:
    numbers = iter(range(10_000))
    operations.members.before_write = lambda: operations.change("a", notes=f"theirs {next(numbers)}")
    with pytest.raises(Unavailable, match="Concurrent changes to members"):
        operations.update(HERSELF, "a", {"email": "anne@example.com"})
    assert operations.members.writes < 1000


def test_a_password_is_hashed_once_despite_repeated_conflicts() -> None:
    class Slow(PlainPasswords):
        hashed = 0

        def hash(self, password: str) -> str:
            self.hashed += 1
            return super().hash(password)

    passwords = Slow()
    operations = MemberOperations(passwords=passwords)
    numbers = iter(range(5))

    def some_times() -> None:
        for number in numbers:
            operations.change("a", notes=f"theirs {number}")
            break

    operations.members.before_write = some_times
    operations.update(HERSELF, "a", {"password": NEW})
    assert (operations.members.writes, passwords.hashed) == (6, 1)


def test_an_address_is_stored_in_nfc(operations: MemberOperations) -> None:
    assert operations.update(BEA, "a", {"email": "e\u0301@example.com"}).email == "é@example.com"
    operations.update(HERSELF, "a", {"email": "a\u0301@example.com"})
    assert operations.stored("a").pending_email == "á@example.com"
    member = operations.create(BEA, username="Cleo", email="o\u0301@example.com", profile="Clerk")
    assert member.email == "ó@example.com"


def test_members_with_names_from_before_these_checks_stay_usable(operations: MemberOperations) -> None:
    """A PUT of what GET returned changes nothing. Only another name is checked."""
    operations.change("a", username="An\u200bna", email="e\u0301\u200b@example.com")
    before = operations.stored("a")
    read = {"username": before.username, "email": before.email}
    for caller in (BEA, HERSELF):
        after = operations.update(caller, "a", {**read, "notes": caller.username})
        assert after == replace(before, notes=caller.username)
    with pytest.raises(BadMember, match=r"U\+200B"):
        operations.update(BEA, "a", {"username": "An\u200bne"})


@each_row("email", ["bea@xn--bcher-kva.example", "BEA@BÜCHER.example"])
def test_an_address_is_taken_in_both_forms_of_its_domain(email: str, operations: MemberOperations) -> None:
    operations.change("b", email="bea@bücher.example")
    for caller in (BEA, HERSELF):
        with pytest.raises(MemberTaken):
            operations.update(caller, "a", {"email": email})
