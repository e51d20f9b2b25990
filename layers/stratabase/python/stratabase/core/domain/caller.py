"""The caller of a request or a command, and what only administrators may do."""

from dataclasses import field
from typing import ClassVar

from stratabase.core.domain.issues.refusals import Forbidden
from stratabase.core.domain.objects.instant import Instant
from stratabase.values.formats.preferences import DEFAULT_FORMATS, Formats
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message


@frozen
class SentPassword:
    """The request has the member's password, which was verified."""

    means: ClassVar[str] = "password"
    """The word that is stored with what the caller writes."""


@frozen
class SentToken:
    """The request has a token, which no browser sends by itself."""

    means: ClassVar[str] = "token"
    signed_in: Instant | None = None
    """When the member signed in, if this service issued the token. None if another service did, and for a
    program, as which nobody signs in."""
    session: str = ""
    """The ID of the session of the token. Empty if an earlier version or another service issued it."""


@frozen
class SentKey:
    """The request has an API key, which no browser sends by itself."""

    means: ClassVar[str] = "key"
    id: str
    """The ID of the key, which is not secret."""


@frozen
class RanCommand:
    """There is no request: somebody runs a command on the machine itself."""

    means: ClassVar[str] = "command"


Proof = SentPassword | SentToken | SentKey | RanCommand


@frozen
class Caller:
    """The member who sends a request."""

    id: str
    username: str
    profile: str
    administrator: bool = False
    formats: Formats = field(default=DEFAULT_FORMATS, hash=False)
    proof: Proof | None = field(default=None, hash=False)
    """How the request proves who sends it. None if the authenticator does not say; that allows the least."""
    generation: int = 0
    """The member's generation. A token that is issued to the caller ends with it."""
    email: str = ""
    notes: str | None = None


CONSOLE = Caller(id="", username="console", profile="", administrator=True, proof=RanCommand())
"""The caller of commands on the machine itself, who may do everything."""


def require_administrator(caller: Caller, message: Message) -> None:
    """Raise Forbidden with a message unless the caller is an administrator."""
    if not caller.administrator:
        raise Forbidden(message)
