"""A person or program that may use the service, and one who is using it now."""

import unicodedata
from dataclasses import dataclass, field

from stratabase.domain.objects.instant import Instant
from stratabase.formats.preferences import DEFAULT_FORMATS, Formats

USED: Instant = 0
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


def folded(name: str) -> str:
    """Return the spelling in which usernames and e-mail addresses compare: NFC, without regard to case."""
    # An endless text is nobody's name, and would take a time that grows with the square of its length.
    if len(name) > LONGEST_NAME:
        return name
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
