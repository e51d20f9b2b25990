"""A person or program that may use the service, and one who is using it now."""

import unicodedata
from dataclasses import dataclass

from stratabase.model.formats import DEFAULT_FORMATS, Formats


@dataclass(frozen=True, slots=True)
class Member:
    """A stored member (service.md section 2.4). `password` is an argon2id hash in PHC spelling, or None."""

    id: str
    username: str
    email: str
    profile: str
    notes: str | None = None
    formats: Formats = DEFAULT_FORMATS
    password: str | None = None
    disabled: bool = False


@dataclass(frozen=True, slots=True)
class Caller:
    """The member on whose behalf a request is done."""

    id: str
    username: str
    profile: str
    administrator: bool = False
    formats: Formats = DEFAULT_FORMATS


def folded(name: str) -> str:
    """Return the spelling in which usernames and e-mail addresses compare: NFC, without regard to case."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
