"""Who does what the audit trail reports."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from stratabase.core.domain.caller import CONSOLE, Caller
from stratabase.core.http.base.messages import present_request
from stratabase.members.member import Member


class Actor(NamedTuple):
    """Who did something: the ID of a member, and how that was proved. Without an ID, the way says who."""

    id: str = ""
    way: str = ""


def by(caller: Caller) -> Actor:
    """Return the actor that a caller is."""
    return Actor(caller.id, "" if caller.proof is None else caller.proof.means)


def by_mailed_link(member: Member) -> Actor:
    """Return the actor that a member is who opened a mailed link."""
    return Actor(member.id, "link")


FORGOTTEN_PASSWORD = Actor(way="forgottenPassword")
"""Somebody who requested a link for a forgotten password."""


def by_provider(name: str) -> Actor:
    """Return the actor that an identity provider is."""
    return Actor(way=name)


_acting: ContextVar[Actor | None] = ContextVar("actor", default=None)


@contextmanager
def acting(actor: Actor) -> Iterator[None]:
    """Let somebody other than the caller be the actor of the code inside the `with` block."""
    token = _acting.set(actor)
    try:
        yield
    finally:
        _acting.reset(token)


def present_actor() -> Actor:
    """Return who acts: the caller of the present request, or outside of requests, a command."""
    actor, present = _acting.get(), present_request()
    if actor is not None:
        return actor
    if present is None:
        return by(CONSOLE)
    return Actor() if present.caller is None else by(present.caller)
