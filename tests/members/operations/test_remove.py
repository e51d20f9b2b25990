"""Removal of members."""

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.members.member import Member
from stratabase.members.refusals import LastAdministrator
from tests.members.operations.member_operations import BEA, BOSS, ContendedMembers, MemberOperations

CARL = Member("c", "Carl", "carl@example.com", "Chief")


def test_an_administrator_can_be_removed_if_another_remains() -> None:
    operations = MemberOperations(ContendedMembers(BOSS, CARL))
    operations.remove(BEA, "b")
    with pytest.raises(LastAdministrator):
        operations.remove(BEA, "c")


def test_a_disabled_administrator_can_be_removed(operations: MemberOperations) -> None:
    operations.members.add(Member("c", "Carl", "carl@example.com", "Chief", disabled=True))
    operations.remove(BEA, "c")
    assert operations.members.by_id("c") is None


def test_a_concurrent_change_does_not_prevent_a_removal(operations: MemberOperations) -> None:
    def once() -> None:
        operations.members.before_write = lambda: None
        operations.change("a", notes="not yet")

    operations.members.before_write = once
    operations.remove(BEA, "a")
    assert operations.members.by_id("a") is None


def test_a_member_who_becomes_the_last_administrator_is_not_removed() -> None:
    operations = MemberOperations(ContendedMembers(BOSS, CARL))

    def once() -> None:
        operations.members.before_write = lambda: None
        operations.remove(BEA, "c")

    operations.members.before_write = once
    with pytest.raises(LastAdministrator):
        operations.remove(BEA, "b")


def test_a_removal_gives_up_after_repeated_conflicts(operations: MemberOperations) -> None:
    numbers = iter(range(10_000))
    operations.members.before_write = lambda: operations.change("a", notes=f"theirs {next(numbers)}")
    with pytest.raises(Unavailable, match="Concurrent changes to members prevented this change"):
        operations.remove(BEA, "a")
