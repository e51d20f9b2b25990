"""The stored member, the caller of a request, and how a change of a member ends its tokens and links."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from stratabase.domain.objects.instant import Instant
from stratabase.formats.preferences import DEFAULT_FORMATS, Formats
from stratabase.model.model import Profile

LINK_USED: Instant = 0
"""The end of a link that was used, or that something else has ended. Only its bearer is told whose it was."""


@dataclass(frozen=True, slots=True)
class MailedLink:
    """The last link of its kind that a member was mailed: the SHA-256 of its secret in hex, and its end."""

    hash: str = field(repr=False)
    until: Instant
    """From then on it opens nothing; USED when that came early."""


@dataclass(frozen=True, slots=True)
class Member:
    """A stored member (service.md section 2.4). `password` is an argon2id hash in PHC spelling, or None."""

    id: str
    username: str
    email: str
    profile: str
    notes: str | None = None
    formats: Formats = DEFAULT_FORMATS
    password: str | None = field(default=None, repr=False)
    disabled: bool = False
    generation: int = 0
    """Goes up whenever tokens that the member holds must end: with a new password, and when disabled."""
    reset: MailedLink | None = None
    """The link to set a password."""
    pending_email: str | None = None
    """The address that becomes `email` when it is confirmed; until `confirmation` ends."""
    confirmation: MailedLink | None = None
    """The link to confirm an address."""
    revision: int = field(default=0, compare=False)
    """Which stored state this is, told by the store: a change expects it unchanged."""


@dataclass(frozen=True, slots=True)
class Roster:
    """All members in the order of their folded usernames, as of one revision of the whole list."""

    members: tuple[Member, ...]
    revision: int
    """Goes up with every change that was made on the strength of a roster."""


class NamesTaken(Exception):
    """Names of a member that another one has; nothing was written."""

    def __init__(self, fields: tuple[str, ...]) -> None:
        super().__init__(fields)
        self.fields = fields
        """Which: `username`, `email`."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The member on whose behalf a request is done."""

    id: str
    username: str
    profile: str
    administrator: bool = False
    formats: Formats = DEFAULT_FORMATS
    signed_in: Instant | None = None
    """When the password behind a token was verified; None when the request itself brings the password."""
    generation: int = 0
    """The member's: a token that is issued on the strength of a password ends with that."""
    email: str = ""
    notes: str | None = None


LONGEST_NAME = 1024
"""Characters that are brought into one spelling: room for any name, however its characters are composed."""


def fold_name(name: str) -> str:
    """Return the spelling in which usernames and e-mail addresses compare: NFC, without regard to case."""
    # An endless text is nobody's name, and would take a time that grows with the square of its length.
    if len(name) > LONGEST_NAME:
        return name
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def with_password(member: Member, hashed: str) -> Member:
    """Return a member with a new password: its tokens and links end.

    So who got in with the old password cannot go on to take the member's e-mail address.
    """
    return replace(_without_links(member), password=hashed, generation=member.generation + 1)


def with_disabled(member: Member, disabled: bool) -> Member:  # noqa: FBT001 - it is the value
    """Return a member that may not come in, or may again; its tokens end, and do not come back."""
    if disabled == member.disabled:
        return member
    if not disabled:
        return replace(member, disabled=False)
    return replace(_without_links(member), disabled=True, generation=member.generation + 1)


def with_email(member: Member, email: str) -> Member:
    """Return a member with another address; links that were mailed before open nothing any more."""
    return member if email == member.email else replace(_without_links(member), email=email)


def with_pending_email(member: Member, email: str, confirmation: MailedLink) -> Member:
    """Return a member whose new address waits to be confirmed by a link."""
    return replace(member, pending_email=email, confirmation=confirmation)


def with_confirmed_email(member: Member) -> Member:
    """Return a member whose pending address is its address."""
    return member if member.pending_email is None else with_email(member, member.pending_email)


def without_pending_email(member: Member) -> Member:
    """Return a member that keeps its address: the link to confirm another one opens nothing any more."""
    return replace(member, pending_email=None, confirmation=_ended(member.confirmation))


def without_expired_email(member: Member, now: Instant) -> Member:
    """Return a member as it is shown at a moment: without a pending address whose link has expired."""
    link = member.confirmation
    return member if link and now < link.until else replace(member, pending_email=None)


def _without_links(member: Member) -> Member:
    return replace(without_pending_email(member), reset=_ended(member.reset))


def _ended(link: MailedLink | None) -> MailedLink | None:
    return link and replace(link, until=LINK_USED)


def administrates(member: Member, profiles: Mapping[str, Profile]) -> bool:
    """Return whether a member may come in as an administrator; not when the model lacks its profile."""
    profile = profiles.get(member.profile)
    return not member.disabled and profile is not None and profile.administrator


def has_another(roster: Roster, member: Member, profiles: Mapping[str, Profile]) -> bool:
    """Return whether a roster has an administrator other than a member."""
    return any(other.id != member.id and administrates(other, profiles) for other in roster.members)
