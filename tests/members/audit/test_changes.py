"""What a change of a member's record reports."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from stratabase.core.domain.objects.instant import Instant
from stratabase.members.audit.changes import reported_changes
from stratabase.members.audit_entry import AuditKind
from stratabase.members.credentials import ApiKey, ExchangeCode, ProviderLink, Session
from stratabase.members.member import (
    MailedLink,
    Member,
    MemberKind,
    with_confirmed_email,
    with_disabled,
    with_password,
    with_pending_email,
    with_reset_link,
    without_reset_link,
)
from stratabase.members.sessions import (
    MAX_SESSIONS,
    SessionTerms,
    with_renewed_session,
    with_session,
    without_sessions,
)
from tests.fakes import NOON
from tests.rows import each_row

TERMS = SessionTerms(12 * 3_600_000, 30 * 60_000)
HOME = Session("s1", NOON - 1000, NOON - 1000, "password", "Firefox on Linux", "192.0.2.1")
OFFICE = Session("s2", NOON - 900, NOON - 900, "google", "Edge on Windows", "192.0.2.2")
LATER = Session("s3", NOON, NOON, "password")
KEY = ApiKey("k1", "Laptop", "hash", NOON - 1000)
EXPIRED = ApiKey("k2", "Old", "hash", NOON - 1000, until=NOON)
GOOGLE = ProviderLink("https://accounts.google.com", "123", "google", NOON)
LINK, OTHER_LINK = MailedLink("a" * 64, NOON + 1), MailedLink("b" * 64, NOON + 1)
ANNA = Member(
    "anna", "Anna", "anna@example.com", "Clerk", password="hash", sessions=(HOME, OFFICE), keys=(KEY, EXPIRED)
)

Reported = tuple[AuditKind, Mapping[str, str]]


def reported(before: Member | None, after: Member | None, now: Instant = NOON) -> list[Reported]:
    return [(each.kind, each.detail) for each in reported_changes(before, after, now, TERMS)]


CHANGES: list[tuple[Member, list[Reported]]] = [
    (replace(ANNA, profile="Boss"), [(AuditKind.PROFILE_CHANGED, {"from": "Clerk", "to": "Boss"})]),
    (replace(ANNA, username="Anne"), [(AuditKind.USERNAME_CHANGED, {})]),
    (replace(ANNA, email="anne@example.com"), [(AuditKind.EMAIL_CHANGED, {})]),
    (with_password(ANNA, "other"), [(AuditKind.PASSWORD_CHANGED, {})]),
    (with_disabled(ANNA, True), [(AuditKind.MEMBER_DISABLED, {})]),
    (with_reset_link(ANNA, LINK, NOON), [(AuditKind.PASSWORD_LINK_MADE, {})]),
    (with_session(ANNA, LATER, NOON, TERMS), [(AuditKind.SIGNED_IN, {"session": "s3"})]),
    (without_sessions(ANNA, ["s1"]), [(AuditKind.SESSION_ENDED, {"session": "s1"})]),
    (without_sessions(ANNA), [(AuditKind.SESSION_ENDED, {"sessions": "2"})]),
    (
        replace(ANNA, keys=(*ANNA.keys, replace(KEY, id="k3", profile="Reporter"))),
        [(AuditKind.KEY_CREATED, {"key": "k3", "name": "Laptop", "profile": "Reporter"})],
    ),
    (replace(ANNA, keys=(EXPIRED,)), [(AuditKind.KEY_ENDED, {"key": "k1", "name": "Laptop"})]),
    (replace(ANNA, links=(GOOGLE,)), [(AuditKind.LINK_CREATED, {"provider": "google"})]),
    (
        replace(with_disabled(replace(ANNA, profile="Boss"), True), email="anne@example.com"),
        [
            (AuditKind.PROFILE_CHANGED, {"from": "Clerk", "to": "Boss"}),
            (AuditKind.MEMBER_DISABLED, {}),
            (AuditKind.EMAIL_CHANGED, {}),
        ],
    ),
]


@each_row(("after", "expected"), CHANGES)
def test_a_change_reports_what_happened(after: Member, expected: list[Reported]) -> None:
    assert reported(ANNA, after) == expected


UNREPORTED = [
    ANNA,
    replace(ANNA, notes="x"),
    replace(ANNA, keys=(KEY,)),  # an expired key has ended before
    replace(ANNA, codes=(ExchangeCode("hash", "challenge", NOON, "google"),)),
    with_renewed_session(ANNA, "s1", NOON, TERMS),
    with_pending_email(ANNA, "anne@example.com", LINK),
]


@each_row("after", UNREPORTED)
def test_what_is_no_event_reports_nothing(after: Member) -> None:
    assert reported(ANNA, after) == []


def test_sessions_that_ended_by_themselves_are_not_reported() -> None:
    late = NOON + TERMS.validity
    signed_in = with_session(ANNA, replace(LATER, since=late, renewed=late), late, TERMS)
    assert reported(ANNA, signed_in, late) == [(AuditKind.SIGNED_IN, {"session": "s3"})]
    renewed = with_renewed_session(ANNA, "s2", late - 950, TERMS)
    assert [each.id for each in renewed.sessions] == ["s2"]
    assert reported(ANNA, renewed, late - 950) == []
    assert reported(ANNA, without_sessions(ANNA), late - 950) == [
        (AuditKind.SESSION_ENDED, {"session": "s2"})
    ]


def test_a_session_that_another_sign_in_displaces_is_reported() -> None:
    many = [replace(HOME, id=f"d{number}", renewed=NOON + number) for number in range(MAX_SESSIONS)]
    member = replace(ANNA, sessions=tuple(many))
    assert reported(member, with_session(member, LATER, NOON, TERMS)) == [
        (AuditKind.SIGNED_IN, {"session": "s3"}),
        (AuditKind.SESSION_ENDED, {"session": "d0"}),
    ]


def test_a_removed_link_and_an_enabled_member_are_reported() -> None:
    linked = replace(with_disabled(ANNA, True), links=(GOOGLE,))
    assert reported(linked, replace(linked, links=())) == [(AuditKind.LINK_REMOVED, {"provider": "google"})]
    assert reported(linked, with_disabled(linked, False)) == [(AuditKind.MEMBER_ENABLED, {})]


def test_a_confirmed_address_is_reported_when_it_takes_effect() -> None:
    waiting = with_pending_email(ANNA, "anne@example.com", LINK)
    assert reported(waiting, with_confirmed_email(waiting)) == [(AuditKind.EMAIL_CHANGED, {})]


def test_a_link_that_nobody_got_is_taken_back_silently() -> None:
    first = with_reset_link(ANNA, LINK, NOON)
    second = with_reset_link(first, OTHER_LINK, NOON)
    assert reported(first, second) == [(AuditKind.PASSWORD_LINK_MADE, {})]
    assert reported(second, without_reset_link(second, OTHER_LINK)) == []


def test_a_new_and_a_deleted_member_are_one_entry_each() -> None:
    program = Member("p", "nightly", "", "Robot", kind=MemberKind.PROGRAM)
    assert reported(None, program) == [
        (AuditKind.MEMBER_CREATED, {"profile": "Robot", "memberKind": "program"})
    ]
    assert reported(ANNA, None) == [(AuditKind.MEMBER_DELETED, {"profile": "Clerk"})]


@pytest.mark.parametrize("after", [each for each, _ in CHANGES])
def test_a_report_has_no_username_address_or_secret(after: Member) -> None:
    texts = [text for _kind, detail in reported(ANNA, after) for text in detail.values()]
    assert not {"Anna", "Anne", "anna@example.com", "anne@example.com", "hash", "other", LINK.hash} & {*texts}
