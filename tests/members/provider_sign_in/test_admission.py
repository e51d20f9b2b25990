"""Which member an account at a provider belongs to, and who becomes a member."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from io import StringIO
from threading import Barrier, Thread
from typing import Any

import pytest

from stratabase.core.model.model import Profile
from stratabase.core.observe import Log
from stratabase.members.audit.audited_members import AuditedMembers
from stratabase.members.audit.recorder import AuditRecorder
from stratabase.members.audit_entry import AuditKind
from stratabase.members.credentials import ExchangeCode, ProviderLink, Session
from stratabase.members.member import Member, MemberKind
from stratabase.members.provider_sign_in.admission import (
    Admission,
    AdmissionReason,
    NotAdmitted,
    signed_in_at,
)
from stratabase.members.providers.provider import Identity, ProfileTable, Provider
from stratabase.members.sign_in.tokens import TokenTerms
from stratabase.values.formats.preferences import Formats
from tests.fakes import NOON, CountedIds, FrozenClock
from tests.in_memory_members import InMemoryMembers
from tests.members.operations.member_operations import ContendedMembers
from tests.rows import each_row

ISSUER = "https://id.example.com"
PROFILES = {"Boss": Profile("Boss", administrator=True), "Clerk": Profile("Clerk"), "Guest": Profile("Guest")}
TABLE = ProfileTable(("groups",), (("admins", "Boss"), ("staff", "Clerk")))
PROVIDER = Provider("id", "Example", ISSUER, "hr", "secret", profiles=TABLE, creates_members=True)
CLAIMS: dict[str, Any] = {
    "preferred_username": "rosa",
    "email": "rosa@example.com",
    "email_verified": True,
    "groups": ["staff"],
}
LINK = ProviderLink(ISSUER, "1", "id", NOON)
SESSION = Session("s", NOON, NOON, "id")
ROSA = Member("r", "Rosa", "rosa@example.org", "Clerk", links=(LINK,), sessions=(SESSION,))
BOSS = Member("b", "Bea", "bea@example.com", "Boss", password="hash of whatever")


def identity(subject: str = "1", **claims: Any) -> Identity:
    return Identity(ISSUER, subject, {**CLAIMS, **claims})


class Entrance:
    """An admission over in-memory members."""

    def __init__(self, *members: Member) -> None:
        self.members = ContendedMembers(*(members or (BOSS, ROSA)))
        self.clock = FrozenClock()
        self.formats = Formats(language="it")
        log, terms = Log(stream=StringIO()), TokenTerms("Hr").sessions
        recorder = AuditRecorder(lambda: self.members.trail, self.clock, log, 90, terms)
        audited = AuditedMembers(self.members, recorder)
        self.admission = Admission(audited, PROFILES, self.clock, CountedIds(), self.formats)
        self.changed: list[str] = []

    def sign_in(self, given: Identity | None = None, **options: Any) -> Member:
        """Sign in. The change marks the member in the notes."""
        return self.admission.sign_in(replace(PROVIDER, **options), given or identity(), self._mark)

    def exchange(self, given: Identity | None = None, **options: Any) -> Member:
        return self.admission.exchange(replace(PROVIDER, **options), given or identity(), self._mark)

    def stored(self, id_: str = "r") -> Member:
        member = InMemoryMembers.by_id(self.members, id_)
        assert member is not None
        return member

    def _mark(self, member: Member) -> Member:
        self.changed.append(member.id)
        return replace(member, notes="was here")


def refusal(work: Callable[[], object]) -> AdmissionReason:
    """Return why somebody is not admitted."""
    with pytest.raises(NotAdmitted) as raised:
        work()
    in_log = f"({raised.value.reason.value})"
    assert in_log in str(raised.value)
    assert in_log not in str(raised.value.message)
    return raised.value.reason


# --- who it is ---


def test_a_member_is_found_by_issuer_and_subject() -> None:
    entrance = Entrance()
    member = entrance.sign_in(identity(preferred_username="other", email="other@example.com"))
    assert (member.id, member.username, member.email) == ("r", "Rosa", "rosa@example.org")
    assert entrance.stored() == member
    assert member.notes == "was here"


def test_nothing_else_finds_a_member() -> None:
    """Not an email address, not a username, and not the subject of another issuer."""
    same_names = {"preferred_username": "Rosa", "email": "rosa@example.org"}
    for given in (
        identity("2", **same_names),
        replace(identity(**same_names), issuer="https://evil.example"),
        identity("1 ", **same_names),
    ):
        entrance = Entrance()
        assert refusal(partial(entrance.sign_in, given)) is AdmissionReason.TAKEN
        unknown = partial(entrance.sign_in, given, creates_members=False)
        assert refusal(unknown) is AdmissionReason.UNKNOWN
        assert entrance.stored() == ROSA
        assert entrance.members.reads > 0


def test_a_disabled_member_is_refused() -> None:
    entrance = Entrance(BOSS, replace(ROSA, disabled=True))
    assert refusal(entrance.sign_in) is AdmissionReason.DISABLED
    assert refusal(entrance.exchange) is AdmissionReason.DISABLED
    assert entrance.changed == []


def test_a_program_does_not_sign_in_with_a_browser() -> None:
    program = Member("p", "robot", "", "Clerk", kind=MemberKind.PROGRAM, links=(LINK,))
    entrance = Entrance(BOSS, program)
    assert refusal(entrance.sign_in) is AdmissionReason.PROGRAM
    assert entrance.exchange().id == "p"


# --- profiles ---


def test_the_profile_is_mapped_anew_at_each_sign_in() -> None:
    entrance = Entrance()
    assert entrance.sign_in(identity(groups=["admins", "staff"])).profile == "Boss"
    reported = entrance.members.trail.only(AuditKind.PROFILE_CHANGED)
    assert (reported.actor, reported.way, reported.detail) == ("", "id", {"from": "Clerk", "to": "Boss"})
    assert entrance.sign_in(identity(groups="staff")).profile == "Clerk"
    assert (
        entrance.sign_in(identity(groups=["none"]), profiles=replace(TABLE, default="Guest")).profile
        == "Guest"
    )
    assert entrance.sign_in(identity(groups=["admins"]), profiles=None).profile == "Guest", "it stays"


@each_row("groups", [[], ["other"], None, "", {"staff": True}, [["staff"]], 7])
def test_without_a_profile_the_sessions_end(groups: object) -> None:
    code = ExchangeCode("h", "c", NOON + 1, "id")
    entrance = Entrance(BOSS, replace(ROSA, codes=(code,)))
    assert refusal(lambda: entrance.sign_in(identity(groups=groups))) is AdmissionReason.PROFILE
    stored = entrance.stored()
    assert (stored.sessions, stored.codes) == ((), ())
    assert (stored.profile, stored.links, stored.notes) == ("Clerk", (LINK,), None)


def test_a_profile_that_the_model_lacks_is_none() -> None:
    table = ProfileTable(("groups",), (("staff", "Gone"),))
    entrance = Entrance()
    assert refusal(lambda: entrance.sign_in(profiles=table)) is AdmissionReason.PROFILE
    assert refusal(lambda: entrance.sign_in(identity("2"), profiles=table)) is AdmissionReason.PROFILE
    assert entrance.stored().sessions == ()


def test_the_last_administrator_is_not_demoted() -> None:
    entrance = Entrance(replace(ROSA, profile="Boss"), replace(BOSS, profile="Clerk"))
    assert refusal(entrance.sign_in) is AdmissionReason.LAST_ADMINISTRATOR
    stored = entrance.stored()
    assert (stored.profile, stored.sessions) == ("Boss", ())
    assert entrance.sign_in(identity(groups=["admins"])).profile == "Boss"


def test_an_administrator_among_others_is_demoted() -> None:
    entrance = Entrance(replace(ROSA, profile="Boss"), BOSS)
    assert entrance.sign_in().profile == "Clerk"


def test_two_administrators_do_not_demote_each_other() -> None:
    """Both sign in at the same time, and the provider makes neither of them an administrator any longer."""
    other = replace(LINK, subject="2")
    entrance = Entrance(replace(ROSA, profile="Boss"), replace(BOSS, links=(other,), sessions=(SESSION,)))
    entrance.members.before_write = lambda: _once(entrance, lambda: entrance.sign_in(identity("2")))
    assert refusal(entrance.sign_in) is AdmissionReason.LAST_ADMINISTRATOR
    assert [entrance.stored("r").profile, entrance.stored("b").profile] == ["Boss", "Clerk"]


def _once(entrance: Entrance, work: Callable[[], object]) -> None:
    entrance.members.before_write = lambda: None
    work()


# --- new members ---


def test_an_unknown_person_becomes_a_member() -> None:
    entrance = Entrance(BOSS)
    member = entrance.sign_in()
    assert (member.username, member.email, member.profile) == ("rosa", "rosa@example.com", "Clerk")
    assert member.links == (replace(LINK, since=entrance.clock.instant),)
    assert (member.password, member.formats, member.notes) == (None, entrance.formats, "was here")
    assert entrance.stored(member.id) == member
    assert entrance.sign_in().id == member.id


def test_names_count_once() -> None:
    entrance = Entrance(BOSS)
    first = entrance.sign_in()
    again = entrance.sign_in(identity(preferred_username="rose", email="rose@example.com"))
    assert (again.id, again.username, again.email) == (first.id, "rosa", "rosa@example.com")


@each_row(
    ("claims", "reason"),
    [
        ({"preferred_username": None}, AdmissionReason.USERNAME),
        ({"preferred_username": ""}, AdmissionReason.USERNAME),
        ({"preferred_username": 7}, AdmissionReason.USERNAME),
        ({"preferred_username": ["rosa"]}, AdmissionReason.USERNAME),
        ({"preferred_username": "a:b"}, AdmissionReason.USERNAME),
        ({"preferred_username": "ro\u200bsa"}, AdmissionReason.USERNAME),
        ({"preferred_username": " rosa"}, AdmissionReason.USERNAME),
        ({"preferred_username": "r" * 65}, AdmissionReason.USERNAME),
        ({"email": None}, AdmissionReason.EMAIL),
        ({"email": "rosa"}, AdmissionReason.EMAIL),
        ({"email": ["rosa@example.com"]}, AdmissionReason.EMAIL),
        ({"email_verified": None}, AdmissionReason.EMAIL),
        ({"email_verified": False}, AdmissionReason.EMAIL),
        ({"email_verified": "false"}, AdmissionReason.EMAIL),
        ({"email_verified": 1}, AdmissionReason.EMAIL),
        ({"groups": []}, AdmissionReason.PROFILE),
        ({"preferred_username": "BEA"}, AdmissionReason.TAKEN),
        ({"email": "Bea@example.com"}, AdmissionReason.TAKEN),
    ],
)
def test_an_account_that_can_make_no_member_is_refused(
    claims: Mapping[str, Any], reason: AdmissionReason
) -> None:
    entrance = Entrance(BOSS)
    assert refusal(lambda: entrance.sign_in(identity(**claims))) is reason
    assert entrance.members.roster().members == (BOSS,)


def test_taken_names_are_not_told_apart() -> None:
    entrance = Entrance(BOSS)
    messages = set()
    for claims in ({"preferred_username": "bea"}, {"email": "bea@example.com"}):
        with pytest.raises(NotAdmitted) as raised:
            entrance.sign_in(identity(**claims))
        messages.add(str(raised.value.message))
    assert len(messages) == 1


def test_an_email_address_counts_if_the_provider_has_verified_it() -> None:
    """Some providers write the claim as a text, and some leave it out although they verify addresses."""
    assert Entrance(BOSS).sign_in(identity(email_verified="true")).email == "rosa@example.com"
    trusted = Entrance(BOSS).sign_in(identity(email_verified=None), trusts_email=True)
    assert trusted.email == "rosa@example.com"
    entrance = Entrance(BOSS)
    given = identity(email=None)
    assert refusal(lambda: entrance.sign_in(given, trusts_email=True)) is AdmissionReason.EMAIL


def test_two_first_sign_ins_at_the_same_time_make_one_member() -> None:
    entrance, barrier, found = Entrance(BOSS), Barrier(8), list[str]()

    def enter() -> None:
        barrier.wait()
        found.append(entrance.sign_in().id)

    threads = [Thread(target=enter) for _number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1
    assert len(entrance.members.roster().members) == 2


def test_a_first_sign_in_that_comes_second_finds_the_member() -> None:
    entrance = Entrance(BOSS)
    entrance.members.before_write = lambda: _once(entrance, entrance.sign_in)
    member = entrance.sign_in()
    assert len(entrance.members.roster().members) == 2
    assert entrance.stored(member.id) == member


# --- access tokens ---


def test_an_access_token_makes_nobody_a_member() -> None:
    entrance = Entrance(BOSS)
    assert refusal(entrance.exchange) is AdmissionReason.UNKNOWN


def test_an_access_token_without_the_claim_leaves_the_profile() -> None:
    entrance = Entrance(BOSS, replace(ROSA, profile="Guest"))
    member = entrance.exchange(Identity(ISSUER, "1", {"scope": "x"}))
    assert (member.profile, member.sessions) == ("Guest", (SESSION,))
    assert entrance.exchange().profile == "Clerk", "with the claim, it is mapped"
    assert refusal(lambda: entrance.exchange(identity(groups=["other"]))) is AdmissionReason.PROFILE
    assert entrance.stored().sessions == ()


def test_the_profile_of_a_program_is_that_of_its_record() -> None:
    program = Member("p", "robot", "", "Guest", kind=MemberKind.PROGRAM, links=(LINK,))
    assert Entrance(BOSS, program).exchange().profile == "Guest"


# --- when somebody signed in ---


def test_a_sign_in_is_as_old_as_the_provider_says() -> None:
    def since(authenticated: int | None, *, is_new: bool = True) -> int:
        return signed_in_at(Identity(ISSUER, "1", {}, authenticated), NOON, is_new=is_new)

    seconds, stale = NOON // 1000, NOON - 601_000
    assert since(seconds - 5) == NOON - 5000
    assert since(seconds - 5, is_new=False) == NOON - 5000
    assert since(seconds - 86_400) == stale, "the session begins now, but is no fresh sign-in"
    assert since(seconds + 60) == NOON, "clocks differ"
    assert since(None) == NOON
    assert since(None, is_new=False) == stale
