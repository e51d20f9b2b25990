"""What a change of a member's record reports: it follows from the record before and after."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from stratabase.core.domain.objects.instant import Instant
from stratabase.members.audit_entry import NAME, AuditKind
from stratabase.members.credentials import ApiKey, Session
from stratabase.members.member import Member, reset_links
from stratabase.members.sessions import SessionTerms, living_sessions

NO_DETAIL: Mapping[str, str] = {}


class ReportedChange(NamedTuple):
    """A kind of change, and what the entry says in addition."""

    kind: AuditKind
    detail: Mapping[str, str] = NO_DETAIL
    session: Session | None = None
    """The session that began with it."""


def reported_changes(
    before: Member | None, after: Member | None, now: Instant, terms: SessionTerms
) -> Iterator[ReportedChange]:
    """Yield what happened to a member. None: the member does not exist before, or after."""
    if before is None or after is None:
        if after is not None:
            yield ReportedChange(
                AuditKind.MEMBER_CREATED, {"profile": after.profile, "memberKind": after.kind.value}
            )
        if before is not None:
            yield ReportedChange(AuditKind.MEMBER_DELETED, {"profile": before.profile})
        return
    yield from _changed_fields(before, after)
    yield from _changed_keys(before, after, now)
    yield from _changed_links(before, after)
    yield from _changed_sessions(before, after, now, terms)


def _changed_fields(before: Member, after: Member) -> Iterator[ReportedChange]:
    """Yield the changes of fields, without values that identify a person."""
    if before.profile != after.profile:
        yield ReportedChange(AuditKind.PROFILE_CHANGED, {"from": before.profile, "to": after.profile})
    if before.disabled != after.disabled:
        yield ReportedChange(AuditKind.MEMBER_DISABLED if after.disabled else AuditKind.MEMBER_ENABLED)
    if before.username != after.username:
        yield ReportedChange(AuditKind.USERNAME_CHANGED)
    if before.email != after.email:
        yield ReportedChange(AuditKind.EMAIL_CHANGED)
    if before.password != after.password:
        yield ReportedChange(AuditKind.PASSWORD_CHANGED)
    if {link.hash for link in reset_links(after)} - {link.hash for link in reset_links(before)}:
        yield ReportedChange(AuditKind.PASSWORD_LINK_MADE)


def _changed_keys(before: Member, after: Member, now: Instant) -> Iterator[ReportedChange]:
    former, present = ({key.id: key for key in each.keys} for each in (before, after))
    for id_, key in present.items():
        if id_ not in former:
            yield ReportedChange(AuditKind.KEY_CREATED, _key_detail(key))
    for id_, key in former.items():
        has_expired = key.until is not None and key.until <= now
        if id_ not in present and not has_expired:
            yield ReportedChange(AuditKind.KEY_ENDED, _key_detail(key))


def _key_detail(key: ApiKey) -> Mapping[str, str]:
    return {"key": key.id, NAME: key.name, **({"profile": key.profile} if key.profile else {})}


def _changed_links(before: Member, after: Member) -> Iterator[ReportedChange]:
    former, present = (
        {(each.issuer, each.subject): each for each in member.links} for member in (before, after)
    )
    for account, link in present.items():
        if account not in former:
            yield ReportedChange(AuditKind.LINK_CREATED, {"provider": link.provider})
    for account, link in former.items():
        if account not in present:
            yield ReportedChange(AuditKind.LINK_REMOVED, {"provider": link.provider})


def _changed_sessions(
    before: Member, after: Member, now: Instant, terms: SessionTerms
) -> Iterator[ReportedChange]:
    former, present = ({session.id: session for session in each.sessions} for each in (before, after))
    for id_, session in present.items():
        if id_ not in former:
            yield ReportedChange(AuditKind.SIGNED_IN, {"session": id_}, session)
    # A new password, and disabling a member, end all sessions, and are reported themselves.
    if (before.password, before.disabled) != (after.password, after.disabled):
        return
    ended = [each.id for each in living_sessions(before, now, terms) if each.id not in present]
    if ended:
        one = {"session": ended[0]} if len(ended) == 1 else {"sessions": str(len(ended))}
        yield ReportedChange(AuditKind.SESSION_ENDED, one)
