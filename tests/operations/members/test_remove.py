"""The end of members."""

import pytest

from stratabase.domain.issues.refusals import Forbidden, Unavailable
from stratabase.domain.members.member import Member
from stratabase.domain.members.refusals import LastAdministrator, NoSuchMember
from tests.operations.members.office import BEA, BOSS, HERSELF, BusyMembers, Office

CARL = Member("c", "Carl", "carl@example.com", "Chief")


def test_an_administrator_removes_members(office: Office) -> None:
    office.remove(BEA, "a")
    assert office.list(BEA) == (BOSS,)
    with pytest.raises(NoSuchMember):
        office.remove(BEA, "a")


@pytest.mark.parametrize("id_", ["a", "b", "nobody"])
def test_other_members_remove_nobody_not_even_themselves(id_: str, office: Office) -> None:
    with pytest.raises(Forbidden, match="Only administrators can delete members"):
        office.remove(HERSELF, id_)
    assert office.members.writes == 0


def test_the_last_administrator_cannot_be_removed(office: Office) -> None:
    with pytest.raises(LastAdministrator):
        office.remove(BEA, "b")
    assert office.stored("b") == BOSS


def test_an_administrator_can_be_removed_if_another_remains() -> None:
    office = Office(BusyMembers(BOSS, CARL))
    office.remove(BEA, "b")
    with pytest.raises(LastAdministrator):
        office.remove(BEA, "c")


def test_a_disabled_administrator_can_be_removed(office: Office) -> None:
    office.members.add(Member("c", "Carl", "carl@example.com", "Chief", disabled=True))
    office.remove(BEA, "c")
    assert office.members.by_id("c") is None


def test_a_concurrent_change_does_not_prevent_a_removal(office: Office) -> None:
    def once() -> None:
        office.members.before_write = lambda: None
        office.change("a", notes="not yet")

    office.members.before_write = once
    office.remove(BEA, "a")
    assert office.members.by_id("a") is None


def test_a_member_who_becomes_the_last_administrator_is_not_removed() -> None:
    office = Office(BusyMembers(BOSS, CARL))

    def once() -> None:
        office.members.before_write = lambda: None
        office.remove(BEA, "c")

    office.members.before_write = once
    with pytest.raises(LastAdministrator):
        office.remove(BEA, "b")


def test_a_removal_gives_up_after_repeated_conflicts(office: Office) -> None:
    numbers = iter(range(10_000))
    office.members.before_write = lambda: office.change("a", notes=f"theirs {next(numbers)}")
    with pytest.raises(Unavailable, match="Concurrent changes of members prevented this change"):
        office.remove(BEA, "a")
