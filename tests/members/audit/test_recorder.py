"""Who did what from where, and what happens if the store of the audit trail fails."""

import io
from dataclasses import replace
from functools import partial
from uuid import uuid4

import pytest

from stratabase.core.domain.caller import CONSOLE, Caller, SentKey, SentPassword, SentToken
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.http.base.messages import Request, answering, authenticated
from stratabase.core.observe import Log
from stratabase.core.waiting import deadline_after
from stratabase.members.audit.actor import Actor, acting, by, by_mailed_link, by_provider, present_actor
from stratabase.members.audit.audited_members import AuditedMembers
from stratabase.members.audit.recorder import AuditRecorder
from stratabase.members.audit_entry import DAY, HOUR, AuditEntry, AuditKind
from stratabase.members.credentials import Session
from stratabase.members.member import Member
from stratabase.members.sign_in.tokens import TokenTerms
from tests.fakes import NOON, FrozenClock
from tests.in_memory_audit import InMemoryAuditTrail
from tests.in_memory_members import InMemoryMembers
from tests.rows import each_row

ANNA = Member("anna", "Anna", "anna@example.com", "Clerk", password="hash")
ADA = Caller("ada", "Ada", "Boss", administrator=True, proof=SentToken(NOON))
REQUEST = Request("PUT", "/x", "/x", headers={"user-agent": ("curl/8",)}, source_address="192.0.2.1")


class Office:
    """Members with an audit trail in memory."""

    def __init__(self) -> None:
        self.clock = FrozenClock()
        self.logged = io.StringIO()
        self.stored = InMemoryMembers(ANNA)
        self.trail: InMemoryAuditTrail = self.stored.trail
        log = Log("DEBUG", self.logged, service=f"office{uuid4()}")
        self.recorder = AuditRecorder(lambda: self.trail, self.clock, log, 90, TokenTerms("Hr").sessions)
        self.members = AuditedMembers(self.stored, self.recorder)

    def entries(self) -> list[AuditEntry]:
        return [self.trail.entries[id_] for id_ in sorted(self.trail.entries)]


@pytest.fixture
def office() -> Office:
    return Office()


def test_the_actor_of_a_change_is_the_caller_of_the_request(office: Office) -> None:
    with answering(REQUEST):
        authenticated(ADA)
        office.members.change(ANNA, replace(ANNA, profile="Boss"))
    (entry,) = office.entries()
    assert (entry.kind, entry.at, entry.member) == (AuditKind.PROFILE_CHANGED, NOON, "anna")
    assert (entry.actor, entry.way, entry.detail) == ("ada", "token", {"from": "Clerk", "to": "Boss"})
    assert (entry.address, entry.device, entry.count) == ("192.0.2.1", "curl", 1)
    assert entry.until == NOON + 90 * DAY


@each_row(
    ("caller", "actor"),
    [
        (ADA, Actor("ada", "token")),
        (replace(ADA, proof=SentKey("k1")), Actor("ada", "key")),
        (replace(ADA, proof=SentPassword()), Actor("ada", "password")),
        (replace(ADA, proof=None), Actor("ada", "")),
        (CONSOLE, Actor("", "command")),
    ],
)
def test_the_way_is_what_the_caller_proved(caller: Caller, actor: Actor) -> None:
    assert by(caller) == actor


def test_outside_of_requests_a_command_acts() -> None:
    assert present_actor() == Actor("", "command")


def test_a_request_without_a_caller_has_no_actor_unless_it_says_one() -> None:
    with answering(REQUEST):
        assert present_actor() == Actor("", "")
        with acting(by_mailed_link(ANNA)):
            assert present_actor() == Actor("anna", "link")
        with acting(by_provider("google")):
            assert present_actor() == Actor("", "google")
        assert present_actor() == Actor("", "")


def test_an_actor_without_an_id_has_no_address(office: Office) -> None:
    with answering(REQUEST), acting(by_provider("google")):
        office.members.change(ANNA, replace(ANNA, profile="Boss"))
    (entry,) = office.entries()
    assert (entry.actor, entry.way, entry.address, entry.device) == ("", "google", "", "")


def test_a_session_is_begun_by_the_member_in_its_own_way(office: Office) -> None:
    session = Session("s1", NOON, NOON, "google")
    with answering(REQUEST):
        office.members.change(ANNA, replace(ANNA, sessions=(session,)))
    (entry,) = office.entries()
    assert (entry.kind, entry.actor, entry.way) == (AuditKind.SIGNED_IN, "anna", "google")
    assert entry.address == "192.0.2.1"


def test_a_member_is_reported_from_the_creation_to_the_deletion(office: Office) -> None:
    bert = Member("bert", "Bert", "bert@example.com", "Clerk")
    office.members.add(bert)
    stored = office.members.by_id("bert")
    assert stored is not None
    office.members.remove(stored)
    kinds = [AuditKind.MEMBER_CREATED, AuditKind.MEMBER_DELETED]
    assert office.trail.kinds("bert") == kinds
    assert [each.way for each in office.entries()] == ["command", "command"]
    assert office.trail.removed == {"bert": NOON}


def test_a_deleted_member_is_forgotten_at_once_and_later_again(office: Office) -> None:
    with answering(REQUEST):
        authenticated(Caller("anna", "Anna", "Clerk", proof=SentPassword()))
        office.members.change(ANNA, replace(ANNA, password="other"))
    assert office.entries()[0].address == "192.0.2.1"
    stored = office.members.by_id("anna")
    assert stored is not None
    office.members.remove(stored)
    assert {each.address for each in office.entries()} == {""}
    # What a process that had the member in its cache writes meanwhile is forgotten by the job.
    assert "anna" in office.trail.removed


def test_forgetting_stops_at_the_deadline(office: Office) -> None:
    stored = office.members.by_id("anna")
    assert stored is not None
    with deadline_after(-1):
        office.members.remove(stored)
    assert office.trail.removed == {"anna": NOON}


def test_a_change_fails_with_its_entries(office: Office) -> None:
    office.trail.is_down = True
    with pytest.raises(Unavailable):
        office.members.change(ANNA, replace(ANNA, profile="Boss"))


def test_what_belongs_to_no_commit_is_best_effort_and_logged_without_names(office: Office) -> None:
    office.trail.is_down = True
    anna = Caller("anna", "Anna", "Clerk", proof=SentPassword())
    for record in (
        partial(office.recorder.refuse, AuditKind.SIGN_IN_REFUSED, "anna"),
        partial(office.recorder.note_basic, anna),
        partial(office.recorder.note_key_use, "anna", "k1", NOON),
        partial(office.recorder.forget, "anna"),
    ):
        record()
    lines = office.logged.getvalue().splitlines()
    assert len(lines) == 4
    assert all("Anna" not in line and "192.0.2" not in line for line in lines)


def test_refusals_are_counted_by_member_and_hour(office: Office) -> None:
    for _number in range(3):
        office.recorder.refuse(AuditKind.SIGN_IN_REFUSED, "anna")
        office.recorder.refuse(AuditKind.SIGN_IN_REFUSED)
    office.clock.instant += HOUR
    office.recorder.refuse(AuditKind.SIGN_IN_REFUSED)
    found = sorted((each.member, each.at, each.count) for each in office.entries())
    assert found == [("", NOON, 3), ("", NOON + HOUR, 1), ("anna", NOON, 3)]
    assert {(each.actor, each.address, each.detail.get("name")) for each in office.entries()} == {
        ("", "", None)
    }


def test_the_use_of_basic_is_written_once_an_hour(office: Office) -> None:
    anna = Caller("anna", "Anna", "Clerk", proof=SentPassword())
    for _request in range(3):
        for caller in (anna, replace(anna, id="bert")):
            office.recorder.note_basic(caller)
    assert office.trail.calls == ["count", "count"]
    office.clock.instant += HOUR
    office.recorder.note_basic(anna)
    assert office.trail.calls == ["count"] * 3
    assert office.trail.kinds() == [AuditKind.USED_BASIC] * 3
