"""The caller of a request or a command, and what only administrators may do."""

from dataclasses import dataclass

from stratabase.core.domain.issues.refusals import Forbidden
from stratabase.core.domain.objects.instant import Instant
from stratabase.values.formats.preferences import DEFAULT_FORMATS, Formats
from stratabase.values.messages import Message


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


CONSOLE = Caller(id="", username="console", profile="", administrator=True)
"""The caller of commands on the machine itself, who may do everything."""


def require_administrator(caller: Caller, message: Message) -> None:
    """Raise Forbidden with a message unless the caller is an administrator."""
    if not caller.administrator:
        raise Forbidden(message)
