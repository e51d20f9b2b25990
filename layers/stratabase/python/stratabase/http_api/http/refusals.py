"""Why HTTP requests are refused, and the one table from every kind of refusal to its status and headers.

Refusals are exceptions that carry data: those of `stratabase.domain.issues.refusals`, and those below.
What becomes of them in HTTP and in the log stands in STATUS_TABLE alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from stratabase.domain.issues.refusals import (
    Forbidden,
    Refusal,
    TooManyFailures,
    Unauthenticated,
    Unavailable,
)
from stratabase.domain.members.refusals import LastAdministrator, MemberTaken, NoSuchMember, TooManyMails
from stratabase.http_api.http.messages import Headers, Request
from stratabase.messages import Message, and_list, ngettext
from stratabase.observe import Log


class Malformed(Refusal):
    """The request cannot be understood."""


class NotFound(Refusal):
    """There is nothing at the address."""


class MethodNotAllowed(Refusal):
    """The method is not one of those that the address knows."""

    def __init__(self, message: Message, allowed: Iterable[str]) -> None:
        super().__init__(message)
        self.allowed = tuple(allowed)


class NotAcceptable(Refusal):
    """The client accepts none of the media types of the response."""


class BodyTooLarge(Refusal):
    """The body of the request is larger than the operation reads."""


class ResponseTooLarge(Refusal):
    """The response is larger than Lambda can carry."""


class UnsupportedMediaType(Refusal):
    """The operation does not read bodies of this media type."""


class UnsupportedContentEncoding(UnsupportedMediaType):
    """The body is compressed, or encoded in another way."""


class InvalidCredentials(Unauthenticated):
    """Wrong credentials. `challenges`: what WWW-Authenticate says of each scheme on offer."""

    def __init__(self, message: Message, challenges: Iterable[str]) -> None:
        super().__init__(message)
        self.challenges = tuple(challenges)


class MissingCredentials(InvalidCredentials):
    """No credentials, or none of a scheme on offer."""


def _no_headers(_: Refusal) -> Headers:
    return ()


def _challenges(refusal: InvalidCredentials) -> Headers:
    return tuple(("WWW-Authenticate", challenge) for challenge in refusal.challenges)


def _allow(refusal: MethodNotAllowed) -> Headers:
    return (("Allow", ", ".join(refusal.allowed)),)


def _accept_encoding(_: UnsupportedContentEncoding) -> Headers:
    return (("Accept-Encoding", "identity"),)


def _retry_after(refusal: Unavailable | TooManyFailures | TooManyMails) -> Headers:
    return (("Retry-After", str(refusal.retry_after)),)


class StatusRow(NamedTuple):
    """The status of a kind of refusal, its headers, and the level at which it is logged."""

    status: int
    headers: Callable[[Any], Headers] = _no_headers
    log: Callable[..., None] = Log.debug


STATUS_TABLE: Mapping[type[Refusal], StatusRow] = {
    Refusal: StatusRow(400),
    Malformed: StatusRow(400),
    Unauthenticated: StatusRow(401, log=Log.info),
    InvalidCredentials: StatusRow(401, _challenges, Log.info),
    MissingCredentials: StatusRow(401, _challenges),
    Forbidden: StatusRow(403),
    NotFound: StatusRow(404),
    NoSuchMember: StatusRow(404),
    MethodNotAllowed: StatusRow(405, _allow),
    NotAcceptable: StatusRow(406),
    MemberTaken: StatusRow(409),
    LastAdministrator: StatusRow(409),
    BodyTooLarge: StatusRow(413),
    ResponseTooLarge: StatusRow(413),
    UnsupportedMediaType: StatusRow(415),
    UnsupportedContentEncoding: StatusRow(415, _accept_encoding),
    TooManyFailures: StatusRow(429, _retry_after, Log.warning),
    TooManyMails: StatusRow(429, _retry_after, Log.warning),
    Unavailable: StatusRow(503, _retry_after, Log.warning),
}


def status_row(refusal: Refusal) -> StatusRow:
    """Return the table's row for a refusal: that of its own class, or of the nearest base class."""
    return next(STATUS_TABLE[kind] for kind in type(refusal).__mro__ if kind in STATUS_TABLE)


def log_refusal(log: Log, request: Request, refusal: Refusal) -> tuple[int, Headers]:
    """Log why a request is refused, and return the status and the headers of the response."""
    status, headers_of, log_method = status_row(refusal)
    log_method(
        log,
        "Request refused",
        trace_id=request.trace_id,
        status=status,
        address=request.source_address,
        resource=request.resource,
        reason=str(refusal),
        cause=repr(refusal.__cause__),
    )
    return status, headers_of(refusal)


_MAX_NAME_LENGTH = 40
_MAX_NAMES = 8


def quote_name(name: str, quotes: str = '"') -> str:
    """Return a name that a client sent as messages show it: in quotes, cut after 40 characters."""
    return f"{quotes}{name[:_MAX_NAME_LENGTH]}{'…' if len(name) > _MAX_NAME_LENGTH else ''}{quotes}"


def quote_names(names: Sequence[str]) -> Message:
    """Return names that a client sent as messages list them: `"a" and "b"`, at most eight of them."""
    words = [quote_name(name) for name in names[:_MAX_NAMES]]
    left = len(names) - _MAX_NAMES
    return and_list([*words, ngettext("{count} more", "{count} more", left)] if left > 0 else words)
