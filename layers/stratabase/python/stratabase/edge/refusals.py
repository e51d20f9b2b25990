"""Why the edge refuses a request, and the one table that gives every refusal its status and headers."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from stratabase.domain.refusal import Forbidden, Refusal, Unauthenticated, Unavailable

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


class AnswerTooLarge(Refusal):
    """The answer is more than can be sent at once."""


class UnsupportedMediaType(Refusal):
    """The body is of a type that is not read here."""


class Challenged(Unauthenticated):
    """No credentials, or wrong ones, and the schemes by which to send better ones."""

    def __init__(self, text: str, challenges: Iterable[str]) -> None:
        super().__init__(text)
        self.challenges = tuple(challenges)


def _no_headers(_: Refusal) -> Headers:
    return ()


def _challenges(refusal: Challenged) -> Headers:
    return tuple(("WWW-Authenticate", challenge) for challenge in refusal.challenges)


def _allow(refusal: MethodNotAllowed) -> Headers:
    return (("Allow", ", ".join(refusal.allowed)),)


def _retry_after(refusal: Unavailable) -> Headers:
    return (("Retry-After", str(refusal.retry_after)),)


class Row(NamedTuple):
    """What a kind of refusal becomes in HTTP."""

    status: int
    headers: Callable[[Any], Headers] = _no_headers


TABLE: Mapping[type[Refusal], Row] = {
    Refusal: Row(400),
    Malformed: Row(400),
    Unauthenticated: Row(401),
    Challenged: Row(401, _challenges),
    Forbidden: Row(403),
    NotFound: Row(404),
    MethodNotAllowed: Row(405, _allow),
    NotAcceptable: Row(406),
    AnswerTooLarge: Row(413),
    UnsupportedMediaType: Row(415),
    Unavailable: Row(503, _retry_after),
}


def row(refusal: Refusal) -> Row:
    """Return the table's row for a refusal: that of its own class, or of the nearest one above."""
    return next(TABLE[kind] for kind in type(refusal).__mro__ if kind in TABLE)
