"""Permissions to read members."""

import pytest

from stratabase.core.domain.issues.refusals import Forbidden
from stratabase.members.member import Member
from stratabase.members.operations.rules import CONSOLE
from stratabase.members.refusals import NoSuchMember
from tests.members.operations.member_operations import (
    ANNA,
    BEA,
    BOSS,
    HERSELF,
    ContendedMembers,
    MemberOperations,
)


def test_an_administrator_lists_all_members_by_their_names() -> None:
    members = ContendedMembers(BOSS, ANNA, Member("c", "bert", "bert@example.com", "Gone"))
    assert [member.username for member in MemberOperations(members).list(BEA)] == ["Anna", "Bea", "bert"]


def test_other_members_cannot_list_members(operations: MemberOperations) -> None:
    with pytest.raises(Forbidden, match=r"^Only administrators can list the members\.$"):
        operations.list(HERSELF)


def test_an_administrator_reads_any_member(operations: MemberOperations) -> None:
    assert operations.read(BEA, "a") == operations.read.by_username(BEA, "ANNA") == ANNA
    assert operations.read(CONSOLE, "b") == BOSS


def test_every_member_reads_themselves(operations: MemberOperations) -> None:
    assert operations.read(HERSELF, "a") == operations.read.current(HERSELF) == ANNA


@pytest.mark.parametrize("id_", ["b", "nobody", ""])
def test_other_members_cannot_probe_for_members(id_: str, operations: MemberOperations) -> None:
    with pytest.raises(Forbidden, match="Only administrators can see other members"):
        operations.read(HERSELF, id_)
    with pytest.raises(Forbidden):
        operations.read.by_username(HERSELF, "Bea")
    assert operations.members.reads == 0


def test_an_unknown_member_is_reported(operations: MemberOperations) -> None:
    with pytest.raises(NoSuchMember, match="does not exist"):
        operations.read(BEA, "nobody")
    with pytest.raises(NoSuchMember):
        operations.read.by_username(BEA, "Nobody")
