"""Why the edge refuses a request, and the one table that gives every refusal its status and headers."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from stratabase.domain.member_refusals import LastAdministrator, MemberTaken, NoSuchMember, TooManyMails
from stratabase.domain.refusal import Forbidden, Refusal, TooManyFailures, Unauthenticated, Unavailable
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


class AnswerTooLarge(Refusal):
    """The answer is more than can be sent at once."""


class UnsupportedMediaType(Refusal):
    """The body is of a type that is not read here."""


class UnsupportedCoding(UnsupportedMediaType):
    """The body is compressed, or coded otherwise."""


class Challenged(Unauthenticated):
    """Wrong credentials, and the schemes by which to send better ones."""

    def __init__(self, text: str, challenges: Iterable[str]) -> None:
        super().__init__(text)
        self.challenges = tuple(challenges)


class Anonymous(Challenged):
    """No credentials at all, or none that are of a scheme on offer."""


def _no_headers(_: Refusal) -> Headers:
    return ()


def _challenges(refusal: Challenged) -> Headers:
    return tuple(("WWW-Authenticate", challenge) for challenge in refusal.challenges)


def _allow(refusal: MethodNotAllowed) -> Headers:
    return (("Allow", ", ".join(refusal.allowed)),)


def _plain(_: UnsupportedCoding) -> Headers:
    return (("Accept-Encoding", "identity"),)


def _retry_after(refusal: Unavailable | TooManyFailures | TooManyMails) -> Headers:
    return (("Retry-After", str(refusal.retry_after)),)


class Row(NamedTuple):
    """What a kind of refusal becomes in HTTP, and how it is told to the log."""

    status: int
    headers: Callable[[Any], Headers] = _no_headers
    tell: Callable[..., None] = Log.debug


TABLE: Mapping[type[Refusal], Row] = {
    Refusal: Row(400),
    Malformed: Row(400),
    Unauthenticated: Row(401, tell=Log.info),
    Challenged: Row(401, _challenges, Log.info),
    Anonymous: Row(401, _challenges),
    Forbidden: Row(403),
    NotFound: Row(404),
    NoSuchMember: Row(404),
    MethodNotAllowed: Row(405, _allow),
    NotAcceptable: Row(406),
    MemberTaken: Row(409),
    LastAdministrator: Row(409),
    BodyTooLarge: Row(413),
    AnswerTooLarge: Row(413),
    UnsupportedMediaType: Row(415),
    UnsupportedCoding: Row(415, _plain),
    TooManyFailures: Row(429, _retry_after, Log.warning),
    TooManyMails: Row(429, _retry_after, Log.warning),
    Unavailable: Row(503, _retry_after, Log.warning),
}


def row(refusal: Refusal) -> Row:
    """Return the table's row for a refusal: that of its own class, or of the nearest one above."""
    return next(TABLE[kind] for kind in type(refusal).__mro__ if kind in TABLE)
