"""The refusals of the HTTP layer, and the table that maps every refusal to a status and headers.

Refusals are exceptions that carry data. This module adds those of HTTP to the kinds in
`stratabase.core.domain.issues.refusals`. Only STATUS_TABLE decides how a refusal is answered and logged. A
class without a row of its own has that of the kind from which it is derived.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from stratabase.core.domain.issues.refusals import (
    Conflicting,
    FileTooLarge,
    FileTypeNotAllowed,
    Forbidden,
    NotFound,
    PendingFileGone,
    Refusal,
    TooManyRequests,
    TooMuchPending,
    Unauthenticated,
    Unavailable,
)
from stratabase.core.domain.objects.idempotency import IdempotencyKeyReused
from stratabase.core.http.base.messages import Headers, Request
from stratabase.core.observe import Log, causes
from stratabase.core.request_log import current_usage
from stratabase.values.messages import Message, and_list, ngettext


class Malformed(Refusal):
    """The request cannot be understood."""


class UnknownAddress(NotFound):
    """The address does not exist."""


class MethodNotAllowed(Refusal):
    """The address does not support the method. `allowed`: the methods that it supports."""

    def __init__(self, message: Message, allowed: Iterable[str]) -> None:
        super().__init__(message)
        self.allowed = tuple(allowed)


class NotAcceptable(Refusal):
    """The client accepts none of the media types of the response."""


class BodyTooLarge(Refusal):
    """The body of the request exceeds the limit of the operation."""


class ResponseTooLarge(Refusal):
    """The response exceeds the limit of Lambda."""


class UnsupportedMediaType(Refusal):
    """The operation does not support the media type of the body."""


class UnsupportedContentEncoding(UnsupportedMediaType):
    """The body has a content coding such as gzip, which the service does not support."""


class PreconditionFailed(Refusal):
    """A condition in the headers of the request does not hold: If-Match or If-Unmodified-Since."""


class UnsupportedTusVersion(PreconditionFailed):
    """A request of tus names no version, or one that is not supported. `supported`: the version that is."""

    def __init__(self, message: Message, supported: str) -> None:
        super().__init__(message)
        self.supported = supported


class ChecksumMismatch(Refusal):
    """The body does not have the checksum in the headers of the request."""


class RangeNotSatisfiable(Refusal):
    """The requested range of bytes is outside of the file. `size`: that of the file, in bytes."""

    def __init__(self, message: Message, size: int) -> None:
        super().__init__(message)
        self.size = size


class InvalidCredentials(Unauthenticated):
    """The credentials are wrong. `challenges`: the challenges for the WWW-Authenticate header."""

    def __init__(self, message: Message, challenges: Iterable[str]) -> None:
        super().__init__(message)
        self.challenges = tuple(challenges)


class MissingCredentials(InvalidCredentials):
    """The request has no credentials, or none of a supported scheme."""


def _no_headers(_: Refusal) -> Headers:
    return ()


def _challenges(refusal: InvalidCredentials) -> Headers:
    return tuple(("WWW-Authenticate", challenge) for challenge in refusal.challenges)


def _allow(refusal: MethodNotAllowed) -> Headers:
    return (("Allow", ", ".join(refusal.allowed)),)


def _accept_encoding(_: UnsupportedContentEncoding) -> Headers:
    return (("Accept-Encoding", "identity"),)


def _content_range(refusal: RangeNotSatisfiable) -> Headers:
    return (("Content-Range", f"bytes */{refusal.size}"),)


def _tus_version(refusal: UnsupportedTusVersion) -> Headers:
    return (("Tus-Version", refusal.supported),)


def _retry_after(refusal: Unavailable | TooManyRequests) -> Headers:
    return (("Retry-After", str(refusal.retry_after)),)


CHECKSUM_MISMATCH = 460
"""A status of tus, which no RFC has."""


class StatusRow(NamedTuple):
    """How a class of refusals is answered and logged: status, function for the headers, and log method."""

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
    MethodNotAllowed: StatusRow(405, _allow),
    NotAcceptable: StatusRow(406),
    Conflicting: StatusRow(409),
    PendingFileGone: StatusRow(410),
    PreconditionFailed: StatusRow(412),
    UnsupportedTusVersion: StatusRow(412, _tus_version),
    BodyTooLarge: StatusRow(413),
    ResponseTooLarge: StatusRow(413),
    FileTooLarge: StatusRow(413),
    UnsupportedMediaType: StatusRow(415),
    FileTypeNotAllowed: StatusRow(415),
    UnsupportedContentEncoding: StatusRow(415, _accept_encoding),
    RangeNotSatisfiable: StatusRow(416, _content_range),
    IdempotencyKeyReused: StatusRow(422),
    TooManyRequests: StatusRow(429, _retry_after, Log.warning),
    TooMuchPending: StatusRow(429, _retry_after),
    ChecksumMismatch: StatusRow(CHECKSUM_MISMATCH),
    Unavailable: StatusRow(503, _retry_after, Log.warning),
}


def status_row(refusal: Refusal) -> StatusRow:
    """Return the row of STATUS_TABLE for the class of a refusal or its nearest base class."""
    return next(STATUS_TABLE[kind] for kind in type(refusal).__mro__ if kind in STATUS_TABLE)


def log_refusal(log: Log, request: Request, refusal: Refusal) -> tuple[int, Headers]:
    """Log a refusal, and return the status and the headers of the response."""
    status, headers_of, log_method = status_row(refusal)
    usage = current_usage()
    if usage is not None:
        usage.add_refusal(type(refusal).__name__)
    log_method(
        log,
        "Request refused",
        trace_id=request.trace_id,
        status=status,
        address=request.source_address,
        resource=request.resource,
        reason=str(refusal),
        causes=causes(refusal),
    )
    return status, headers_of(refusal)


_MAX_NAME_LENGTH = 40
_MAX_NAMES = 8


def quote_name(name: str, quotes: str = '"') -> str:
    """Return a name from a request for a message: in quotes, and truncated to 40 characters."""
    return f"{quotes}{name[:_MAX_NAME_LENGTH]}{'…' if len(name) > _MAX_NAME_LENGTH else ''}{quotes}"


def quote_names(names: Sequence[str]) -> Message:
    """Return a list of names from a request for a message: `"a" and "b"`, at most eight names."""
    words = [quote_name(name) for name in names[:_MAX_NAMES]]
    left = len(names) - _MAX_NAMES
    return and_list([*words, ngettext("{count} more", "{count} more", left)] if left > 0 else words)
