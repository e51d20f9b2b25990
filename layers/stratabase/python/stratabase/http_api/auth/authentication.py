"""Who sends a request: the Authorization header, one authenticator for each scheme."""

import base64
from collections.abc import Callable, Mapping
from typing import Protocol

from stratabase.domain.member import Caller
from stratabase.domain.refusal import Unauthenticated
from stratabase.http_api.http.messages import Request
from stratabase.http_api.http.refusals import InvalidCredentials, MissingCredentials


class Authenticator(Protocol):
    """Knows callers by one scheme."""

    @property
    def challenge(self) -> str:
        """What WWW-Authenticate says of the scheme."""

    def caller(self, credentials: str, address: str, /) -> Caller:
        """Return whose credentials these are, which come from an address.

        Raises Unauthenticated, or Challenged with what to say of the scheme instead; TooManyFailures,
        Forbidden, Unavailable.
        """


class Authentication:
    """The schemes on offer, by their names in the header, in the order in which they are offered."""

    def __init__(self, schemes: Mapping[str, Authenticator]) -> None:
        self._schemes = {name.lower(): scheme for name, scheme in schemes.items()}
        self._names = " or ".join(schemes) or "no scheme at all"

    def caller(self, request: Request) -> Caller:
        """Return who sends a request. Raises Challenged, TooManyFailures, Forbidden, Unavailable."""
        name, credentials = self._sent(request.headers.get("authorization", ()))
        scheme = self._schemes.get(name.lower())
        if scheme is None:
            text = f"The Authorization header names another scheme than {self._names}."
            raise MissingCredentials(text, self._challenges())
        try:
            return scheme.caller(credentials, request.source_address)
        except Unauthenticated as refusal:
            raise InvalidCredentials(str(refusal), self._challenges(scheme, refusal)) from refusal

    def _sent(self, values: tuple[str, ...]) -> tuple[str, str]:
        """Return the scheme and the credentials that were sent. Raises Anonymous."""
        if len(values) != 1:
            text = f"This address needs one Authorization header; on offer: {self._names}."
            raise MissingCredentials(text, self._challenges())
        name, _, credentials = values[0].strip().partition(" ")
        return name, credentials.strip()

    def _challenges(
        self, refusing: Authenticator | None = None, refusal: Unauthenticated | None = None
    ) -> list[str]:
        """Return what is said of each scheme; of the one that refuses, what it says itself."""
        own = refusal.challenges if isinstance(refusal, InvalidCredentials) else ()
        return [
            challenge
            for scheme in self._schemes.values()
            for challenge in (own if own and scheme is refusing else (scheme.challenge,))
        ]


class BasicAuthenticator:
    """Reads a username and a password, and lets `sign_in` say whose they are."""

    challenge = 'Basic realm="Stratabase", charset="UTF-8"'

    def __init__(self, sign_in: Callable[[str, str, str], Caller]) -> None:
        self._sign_in = sign_in

    def caller(self, credentials: str, address: str) -> Caller:
        """Return whose credentials these are, which come from an address.

        Raises Unauthenticated, TooManyFailures, Forbidden, Unavailable.
        """
        username, colon, password = _decoded(credentials).partition(":")
        if not colon:
            raise Unauthenticated("Basic credentials need a colon between the username and the password.")
        return self._sign_in(username, password, address)


def _decoded(credentials: str) -> str:
    try:
        return base64.b64decode(credentials, validate=True).decode()
    except ValueError:
        raise Unauthenticated("Basic credentials must be the base64 of UTF-8 text.") from None


BEARER_CHALLENGE = 'Bearer realm="Stratabase"'
INVALID_TOKEN_CHALLENGE = f'{BEARER_CHALLENGE}, error="invalid_token"'
"""What is said when a token was sent and is not good."""


class BearerAuthenticator:
    """Lets `caller_of` say whose token it is."""

    challenge = BEARER_CHALLENGE

    def __init__(self, caller_of: Callable[[str], Caller]) -> None:
        self._caller_of = caller_of

    def caller(self, credentials: str, _address: str) -> Caller:
        """Return whose token this is. Raises Challenged, Forbidden, Unavailable."""
        try:
            return self._caller_of(credentials)
        except Unauthenticated as refusal:
            raise InvalidCredentials(str(refusal), [INVALID_TOKEN_CHALLENGE]) from refusal


def require_caller(caller: Caller | None) -> Caller:
    """Return the caller, whom the front door knows at all these addresses."""
    assert caller is not None, "the front door lets nobody in without credentials"
    return caller
