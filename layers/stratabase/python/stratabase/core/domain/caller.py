"""The caller of a request."""

from dataclasses import dataclass

from stratabase.core.domain.objects.instant import Instant
from stratabase.values.formats.preferences import DEFAULT_FORMATS, Formats


@dataclass(frozen=True, slots=True)
class Caller:
    """The member who sends a request."""

    id: str
    username: str
    profile: str
    administrator: bool = False
    formats: Formats = DEFAULT_FORMATS
    signed_in: Instant | None = None
    """When the password for the token was verified; None if the request itself has the password."""
    generation: int = 0
    """The member's generation. A token that is issued to the caller ends with it."""
    email: str = ""
    notes: str | None = None
