"""The records of a member: the member itself, a guard for each of its names, and the roster's revision."""

from dataclasses import asdict
from hashlib import sha256
from typing import Any

from pynamodb.attributes import BooleanAttribute, NumberAttribute, UnicodeAttribute

from stratabase.domain.members.member import MailedLink, Member, fold_name
from stratabase.formats.preferences import Formats
from stratabase.store.pynamodb.record import Record

PARTITIONS = tuple(f"M#{number}" for number in range(8))
"""Over which members are spread, so that no partition is asked for all; must never change."""
LONGEST_ID = 1024
"""Bytes."""

_PLAIN = ("username", "email", "profile", "notes", "password", "disabled", "generation", "pending_email")
"""What a record holds as the member does."""


class MemberRecord(Record):
    """A member, under one of the PARTITIONS and its id."""

    username = UnicodeAttribute()
    email = UnicodeAttribute()
    profile = UnicodeAttribute()
    notes = UnicodeAttribute(null=True)
    date_format = UnicodeAttribute()
    time_format = UnicodeAttribute()
    time_zone = UnicodeAttribute()
    language = UnicodeAttribute()
    password = UnicodeAttribute(null=True)
    disabled = BooleanAttribute()
    generation = NumberAttribute()
    reset_hash = UnicodeAttribute(null=True)
    reset_until = NumberAttribute(null=True)
    """An instant. Not `expires`, which would delete the member."""
    pending_email = UnicodeAttribute(null=True)
    confirmation_hash = UnicodeAttribute(null=True)
    confirmation_until = NumberAttribute(null=True)
    revision = NumberAttribute()


class GuardRecord(Record):
    """Who has a username or an e-mail address."""

    member = UnicodeAttribute()


class RosterRecord(Record):
    """How often members were changed on the strength of a roster."""

    revision = NumberAttribute()


ROSTER = ("ROSTER", "R")
"""The key of the one RosterRecord."""


def key_of_member(id_: str) -> tuple[str, str]:
    """Return where a member is."""
    return PARTITIONS[int(_hash(id_), 16) % len(PARTITIONS)], id_


def key_of_username(username: str) -> tuple[str, str]:
    """Return where the guard of a username is. Of any text: it is asked for what people type."""
    return f"U#{_hash(fold_name(username))}", "U"


def key_of_email(email: str) -> tuple[str, str]:
    """Return where the guard of an e-mail address is."""
    return f"E#{_hash(fold_name(email))}", "E"


def is_possible(id_: str) -> bool:
    """Return whether something may be under an id. DynamoDB refuses to look under others."""
    try:
        return 0 < len(id_.encode()) <= LONGEST_ID
    except UnicodeEncodeError:
        return False


def fields_of(member: Member) -> dict[str, Any]:
    """Return what a member's record holds besides its key and its revision."""
    links = {"reset": member.reset, "confirmation": member.confirmation}
    return {
        **{name: getattr(member, name) for name in _PLAIN},
        **asdict(member.formats),
        **{f"{name}_hash": link and link.hash for name, link in links.items()},
        **{f"{name}_until": link and link.until for name, link in links.items()},
    }


def member_of(record: MemberRecord) -> Member:
    """Return the member that a record holds."""
    return Member(
        id=record.sk,
        formats=Formats(record.date_format, record.time_format, record.time_zone, record.language),
        reset=_link(record.reset_hash, record.reset_until),
        confirmation=_link(record.confirmation_hash, record.confirmation_until),
        revision=int(record.revision),
        **{name: getattr(record, name) for name in _PLAIN},
    )


def _link(hashed: str | None, until: float | None) -> MailedLink | None:
    return None if until is None else MailedLink(str(hashed), int(until))


def _hash(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()
