"""Members that are programs: they have no email address and no password, and get no mail."""

from dataclasses import replace
from typing import Any

import pytest

from stratabase.core.domain.caller import Proof, SentKey, SentToken
from stratabase.core.domain.issues.refusals import Forbidden
from stratabase.members.member import Member, MemberKind
from stratabase.members.refusals import BadMember, LastAdministrator
from tests.members.operations.member_operations import BEA, BOSS, MemberOperations
from tests.rows import each_row

ROBOT = {"username": "robot", "profile": "Clerk", "kind": "program"}
STORED = Member("r", "robot", "", "Clerk", kind=MemberKind.PROGRAM)
ITSELF = replace(BEA, id="r", username="robot", profile="Clerk", administrator=False, proof=SentKey("k"))


@pytest.fixture
def with_robot(operations: MemberOperations) -> MemberOperations:
    operations.members.add(STORED)
    return operations


def test_a_program_is_created_without_a_mail(operations: MemberOperations) -> None:
    member = operations.create(BEA, **ROBOT, language="it")
    assert (member.kind, member.email, member.password) == (MemberKind.PROGRAM, "", None)
    assert member.formats.language == "it"
    assert operations.invited == []
    assert operations.stored(member.id) == member


def test_two_programs_have_no_address_in_common(operations: MemberOperations) -> None:
    operations.create(BEA, **ROBOT)
    operations.create(BEA, **ROBOT | {"username": "another", "email": ""})
    assert operations.members.by_email("") is None


@each_row(
    ("fields", "message"),
    [
        (ROBOT | {"email": "robot@example.com"}, '^"email": a program has none. Remove it.$'),
        (ROBOT | {"email": "nowhere"}, '^"email": a program has none. Remove it.$'),
        (ROBOT | {"email": 7}, '^"email": a program has none. Remove it.$'),
        (ROBOT | {"kind": "robot"}, '"kind" must be person or program, not "robot".'),
        (ROBOT | {"kind": None}, '"kind" must be a string.'),
        (ROBOT | {"kind": "person"}, '^"email" is required.$'),
        ({"username": "robot", "profile": "Clerk"}, '^"email" is required.$'),
        ({"kind": "program", "profile": "Clerk"}, '^"username" is required.$'),
    ],
)
def test_a_new_program_needs_a_name_and_a_profile_only(fields: dict[str, Any], message: str) -> None:
    operations = MemberOperations()
    with pytest.raises(BadMember, match=message):
        operations.create(BEA, **fields)
    assert operations.members.by_username("robot") is None


@each_row(
    ("fields", "message"),
    [
        ({"password": "correct horse battery"}, '^"password": a program has none. Make an API key for it.$'),
        ({"email": "robot@example.com"}, '^"email": a program has none. Remove it.$'),
        ({"kind": "person"}, '^"kind" can\'t be changed. Create another member instead.$'),
        ({"kind": "robot"}, '^"kind" can\'t be changed.'),
        ({"username": ""}, '^"username" must not be empty.$'),
    ],
)
@each_row("caller", [BEA])
def test_a_program_stays_one(fields: dict[str, Any], message: str, caller: Any) -> None:
    operations = MemberOperations()
    operations.members.add(STORED)
    with pytest.raises(BadMember, match=message):
        operations.update(caller, "r", fields)
    assert operations.stored("r") == STORED


def test_a_person_does_not_become_a_program(operations: MemberOperations) -> None:
    with pytest.raises(BadMember, match='"kind" can\'t be changed'):
        operations.update(BEA, "a", {"kind": "program"})


def test_a_program_can_have_another_name_and_other_formats(with_robot: MemberOperations) -> None:
    changes = {"username": "bot", "email": "", "kind": "program", "notes": "x", "disabled": True}
    after = with_robot.update(BEA, "r", changes)
    assert (after.username, after.notes, after.disabled, after.email) == ("bot", "x", True, "")


def test_a_program_can_change_its_own_formats(with_robot: MemberOperations) -> None:
    assert with_robot.update(ITSELF, "r", {"dateFormat": "yyyy-MM-dd"}).formats.date_format == "yyyy-MM-dd"


def test_a_program_never_counts_as_an_administrator(operations: MemberOperations) -> None:
    operations.members.add(replace(STORED, profile="Boss"))
    with pytest.raises(LastAdministrator):
        operations.remove(BEA, BOSS.id)
    with pytest.raises(LastAdministrator):
        operations.update(BEA, BOSS.id, {"profile": "Clerk"})
    operations.remove(BEA, "r")
    assert operations.members.by_id("r") is None


@pytest.mark.parametrize("proof", [SentKey("k"), SentToken(), None])
def test_a_key_of_an_administrator_makes_no_administrator(
    proof: Proof | None, operations: MemberOperations
) -> None:
    """So who gets hold of it can't make it last."""
    by_key = replace(BEA, proof=proof)
    for profile in ("Boss", "Chief"):
        with pytest.raises(Forbidden, match="API keys and tokens of other services"):
            operations.create(by_key, **ROBOT | {"profile": profile})
        with pytest.raises(Forbidden, match="API keys and tokens of other services"):
            operations.update(by_key, "a", {"profile": profile})
    made = operations.create(by_key, **ROBOT)
    assert operations.update(by_key, made.id, {"disabled": True}).disabled
    assert operations.update(by_key, "b", {"profile": "Boss", "notes": "x"}).notes == "x"
    operations.remove(by_key, made.id)
    assert operations.update(BEA, "a", {"profile": "Chief"}).profile == "Chief"
