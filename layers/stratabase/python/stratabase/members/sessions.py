"""The sessions of a member: which ones live, and how a sign-in, a renewal and an end change them."""

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from stratabase.core.domain.objects.instant import Instant
from stratabase.members.credentials import Session
from stratabase.members.member import Member
from stratabase.members.request_source import request_source

MAX_SESSIONS = 50
"""The maximum number of sessions of a member. Another sign-in ends the one that was renewed longest ago."""


class SessionTerms(NamedTuple):
    """How long a session lasts, in milliseconds."""

    lifetime: int
    """After the sign-in, for which tokens can be renewed."""
    validity: int
    """After a renewal, for which the token is valid."""


def session_of_request(id_: str, since: Instant, now: Instant, way: str) -> Session:
    """Return a session that begins with the request that is being answered: with its device and address.

    `since`: when the member signed in. `way`: PASSWORD_WAY, or the name of a provider.
    """
    source = request_source()
    return Session(id_, since, now, way, source.device, source.address)


def living_sessions(member: Member, now: Instant, terms: SessionTerms) -> tuple[Session, ...]:
    """Return the sessions of a member that have a valid token, in the order of their sign-ins.

    A session ends with its last token, which can be shortly after its tokens can no longer be renewed.
    """
    return tuple(each for each in member.sessions if now < each.renewed + terms.validity)


def find_session(member: Member, id_: str) -> Session | None:
    """Return the session of a member with an ID, or None."""
    return next((each for each in member.sessions if each.id == id_), None)


def can_renew(session: Session, now: Instant, terms: SessionTerms) -> bool:
    """Return whether a session can have another token."""
    return now < session.since + terms.lifetime


def with_session(member: Member, session: Session, now: Instant, terms: SessionTerms) -> Member:
    """Return a member with another session. If there are MAX_SESSIONS, the one renewed longest ago ends.

    Sessions whose tokens have expired go.
    """
    others = [each for each in living_sessions(member, now, terms) if each.id != session.id]
    if len(others) >= MAX_SESSIONS:
        newest = sorted(others, key=lambda each: each.renewed)[-(MAX_SESSIONS - 1) :]
        others = [each for each in others if each in newest]
    return replace(member, sessions=(*others, session))


def with_renewed_session(member: Member, id_: str, now: Instant, terms: SessionTerms) -> Member:
    """Return a member whose session has a new token. Sessions whose tokens have expired go."""
    living = living_sessions(member, now, terms)
    # The clocks of two processes differ: an instant never goes back.
    renewed = (replace(each, renewed=max(now, each.renewed)) if each.id == id_ else each for each in living)
    return replace(member, sessions=tuple(renewed))


def without_sessions(member: Member, ids: Collection[str] | None = None) -> Member:
    """Return a member without some sessions, or without all if `ids` is None. Their tokens end."""
    kept = () if ids is None else tuple(each for each in member.sessions if each.id not in ids)
    return replace(member, sessions=kept)
