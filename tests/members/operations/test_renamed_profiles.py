"""Members who are stored with the former name of a profile have the renamed profile."""

from dataclasses import replace

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.model.model import Class, Model, Profile
from stratabase.members.credentials import ApiKey, ProviderLink
from stratabase.members.member import Member
from stratabase.members.operations.first_administrator import FirstAdministrator, NoAdministrator
from stratabase.members.operations.members import RemoveMember
from stratabase.members.operations.renamed_profiles import with_present_profiles
from stratabase.members.refusals import LastAdministrator
from stratabase.members.sign_in.callers import CallerFactory
from tests.fakes import CountedIds
from tests.in_memory_members import InMemoryMembers, PlainPasswords

PROFILES = {
    "Director": Profile("Director", administrator=True, renamed_from="Boss"),
    "Clerk": Profile("Clerk"),
}
BEA = Member("b", "Bea", "bea@example.com", "Boss", password="hash of whatever")
ANNA = Member("a", "Anna", "anna@example.com", "Clerk", password="hash of old")
ADMINISTRATOR = Caller("b", "Bea", "Director", administrator=True)


def check(profiles: dict[str, Profile], *members: Member) -> None:
    model = Model("Hr", {"Team": Class("Team")}, profiles=profiles)
    stored = with_present_profiles(InMemoryMembers(*members), profiles)
    FirstAdministrator(stored, PlainPasswords(), CountedIds(), model).check()


def test_a_member_with_the_former_name_acts_under_the_new_one() -> None:
    members = with_present_profiles(InMemoryMembers(BEA, ANNA), PROFILES)
    found = [members.by_id("b"), members.by_username("bea"), members.by_email("bea@example.com")]
    assert [each.profile for each in found if each] == ["Director"] * 3
    assert {each.profile for each in members.roster().members} == {"Director", "Clerk"}
    assert found[0] is not None
    caller = CallerFactory(PROFILES)(found[0])
    assert (caller.profile, caller.administrator) == ("Director", True)


def test_a_key_with_the_former_name_has_the_new_one() -> None:
    link = ProviderLink("https://id.example", "7", "entra", 1)
    keys = (ApiKey("1", "a", "hash", 1, profile="Boss"), ApiKey("2", "b", "hash", 1, profile="Clerk"))
    members = with_present_profiles(InMemoryMembers(replace(ANNA, keys=keys, links=(link,))), PROFILES)
    anna = members.by_link(link.issuer, link.subject)
    assert anna is not None
    assert [key.profile for key in anna.keys] == ["Director", "Clerk"]
    assert anna.profile == "Clerk"


def test_a_change_stores_the_new_name() -> None:
    stored = InMemoryMembers(BEA)
    members = with_present_profiles(stored, PROFILES)
    bea = members.by_id("b")
    assert bea is not None
    members.change(bea, replace(bea, notes="new"))
    found = stored.by_id("b")
    assert found is not None
    assert (found.profile, found.notes) == ("Director", "new")


def test_the_last_administrator_stays_one_under_the_former_name() -> None:
    members = with_present_profiles(InMemoryMembers(BEA, ANNA), PROFILES)
    with pytest.raises(LastAdministrator):
        RemoveMember(members, PROFILES)(ADMINISTRATOR, "b")


def test_members_of_a_model_without_renamed_profiles_are_passed_on() -> None:
    members = InMemoryMembers(BEA)
    assert with_present_profiles(members, {"Boss": Profile("Boss", administrator=True)}) is members


def test_a_model_that_leaves_an_administrator_is_served() -> None:
    check(PROFILES, BEA, ANNA)
    check(PROFILES)


def test_a_model_that_leaves_no_administrator_is_refused_with_the_profiles_that_members_have() -> None:
    with pytest.raises(NoAdministrator) as refusal:
        check({"Director": Profile("Director", administrator=True), "Clerk": Profile("Clerk")}, BEA, ANNA)
    text = str(refusal.value)
    assert "Boss (1 member, not in the model), Clerk (1 member)" in text
    assert 'from: "FORMER NAME"' in text
    assert "stratabase members set-profile USERNAME PROFILE" in text


def test_a_disabled_administrator_is_not_enough() -> None:
    with pytest.raises(NoAdministrator, match="all members are disabled"):
        check(PROFILES, replace(BEA, disabled=True))
