"""Why the edge refuses a request, and the one table that gives every refusal its status and headers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from stratabase.domain.member_refusals import LastAdministrator, MemberTaken, NoSuchMember, TooManyMails
from stratabase.domain.refusal import Forbidden, Refusal, TooManyFailures, Unauthenticated, Unavailable
from stratabase.http_api.http.messages import Request
from stratabase.observe import Log

Headers = tuple[tuple[str, str], ...]


class Malformed(Refusal):
    """The request cannot be understood."""


class NotFound(Refusal):
    """There is nothing at the address."""


class MethodNotAllowed(Refusal):
    """The method is not one of those that the address knows."""

    def __init__(self, text: str, allowed: Iterable[str]) -> None:
        super().__init__(text)
        self.allowed = tuple(allowed)


class NotAcceptable(Refusal):
    """The client accepts nothing that could be answered."""


class BodyTooLarge(Refusal):
    """The request's body is more than is read here."""


class ResponseTooLarge(Refusal):
    """The answer is more than can be sent at once."""


class UnsupportedMediaType(Refusal):
    """The body is of a type that is not read here."""


class UnsupportedContentEncoding(UnsupportedMediaType):
    """The body is compressed, or coded otherwise."""


class InvalidCredentials(Unauthenticated):
    """Wrong credentials, and the schemes by which to send better ones."""

    def __init__(self, text: str, challenges: Iterable[str]) -> None:
        super().__init__(text)
        self.challenges = tuple(challenges)


class MissingCredentials(InvalidCredentials):
    """No credentials at all, or none that are of a scheme on offer."""


def _no_headers(_: Refusal) -> Headers:
    return ()


def _challenges(refusal: InvalidCredentials) -> Headers:
    return tuple(("WWW-Authenticate", challenge) for challenge in refusal.challenges)


def _allow(refusal: MethodNotAllowed) -> Headers:
    return (("Allow", ", ".join(refusal.allowed)),)


def _plain(_: UnsupportedContentEncoding) -> Headers:
    return (("Accept-Encoding", "identity"),)


def _retry_after(refusal: Unavailable | TooManyFailures | TooManyMails) -> Headers:
    return (("Retry-After", str(refusal.retry_after)),)


class StatusRow(NamedTuple):
    """What a kind of refusal becomes in HTTP, and how it is told to the log."""

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
    UnsupportedContentEncoding: StatusRow(415, _plain),
    TooManyFailures: StatusRow(429, _retry_after, Log.warning),
    TooManyMails: StatusRow(429, _retry_after, Log.warning),
    Unavailable: StatusRow(503, _retry_after, Log.warning),
}


def status_row(refusal: Refusal) -> StatusRow:
    """Return the table's row for a refusal: that of its own class, or of the nearest one above."""
    return next(STATUS_TABLE[kind] for kind in type(refusal).__mro__ if kind in STATUS_TABLE)


_LONGEST = 40
_MOST = 8


def quote_name(name: str, quotes: str = '"') -> str:
    """Return a name in quotes, cut when it is too long to be one."""
    return f"{quotes}{name[:_LONGEST]}{'…' if len(name) > _LONGEST else ''}{quotes}"


def quote_names(names: Sequence[str]) -> str:
    """Return names as a list in words, not all of them when there are many."""
    listed = ", ".join(quote_name(name) for name in names[:_MOST])
    left = len(names) - _MOST
    return f"{listed} and {left:,} more" if left > 0 else listed


def log_refusal(log: Log, request: Request, refusal: Refusal) -> None:
    """Log a refusal, as loudly as the table of refusals says."""
    status, _, tell = status_row(refusal)
    tell(
        log,
        "Refused",
        trace_id=request.trace_id,
        status=status,
        address=request.source_address,
        resource=request.resource,
        reason=str(refusal),
        cause=repr(refusal.__cause__),
    )


def log_and_answer(log: Log, request: Request, refusal: Refusal) -> tuple[int, Headers]:
    """Log a refusal, and return the status and the headers of the page that tells of it."""
    log_refusal(log, request, refusal)
    status, headers, _ = status_row(refusal)
    return status, headers(refusal)
