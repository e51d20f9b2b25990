"""Who may see which members."""

import pytest

from stratabase.domain.issues.refusals import Forbidden
from stratabase.domain.members.member import Member
from stratabase.domain.members.refusals import NoSuchMember
from stratabase.operations.members.rules import CONSOLE
from tests.operations.members.office import ANNA, BEA, BOSS, HERSELF, BusyMembers, Office


def test_an_administrator_lists_all_members_by_their_names() -> None:
    members = BusyMembers(BOSS, ANNA, Member("c", "bert", "bert@example.com", "Gone"))
    assert [member.username for member in Office(members).list(BEA)] == ["Anna", "Bea", "bert"]


def test_other_members_cannot_list_members(office: Office) -> None:
    with pytest.raises(Forbidden, match=r"^Only administrators can list the members\.$"):
        office.list(HERSELF)


def test_an_administrator_reads_any_member(office: Office) -> None:
    assert office.read(BEA, "a") == office.read.named(BEA, "ANNA") == ANNA
    assert office.read(CONSOLE, "b") == BOSS


def test_every_member_reads_themselves(office: Office) -> None:
    assert office.read(HERSELF, "a") == office.read.current(HERSELF) == ANNA


@pytest.mark.parametrize("id_", ["b", "nobody", ""])
def test_other_members_cannot_probe_for_members(id_: str, office: Office) -> None:
    with pytest.raises(Forbidden, match="Only administrators can see other members"):
        office.read(HERSELF, id_)
    with pytest.raises(Forbidden):
        office.read.named(HERSELF, "Bea")
    assert office.members.reads == 0


def test_an_unknown_member_is_reported(office: Office) -> None:
    with pytest.raises(NoSuchMember, match="does not exist"):
        office.read(BEA, "nobody")
    with pytest.raises(NoSuchMember):
        office.read.named(BEA, "Nobody")
