"""Who sends a request: the Authorization header, one authenticator for each scheme."""

from collections.abc import Mapping
from typing import Protocol

from stratabase.domain.member import Caller
from stratabase.domain.refusal import Unauthenticated
from stratabase.edge.refusals import Anonymous, Challenged
from stratabase.edge.request import Request


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
            raise Anonymous(text, self._challenges())
        try:
            return scheme.caller(credentials, request.source_address)
        except Unauthenticated as refusal:
            raise Challenged(str(refusal), self._challenges(scheme, refusal)) from refusal

    def _sent(self, values: tuple[str, ...]) -> tuple[str, str]:
        """Return the scheme and the credentials that were sent. Raises Anonymous."""
        if len(values) != 1:
            text = f"This address needs one Authorization header; on offer: {self._names}."
            raise Anonymous(text, self._challenges())
        name, _, credentials = values[0].strip().partition(" ")
        return name, credentials.strip()

    def _challenges(
        self, refusing: Authenticator | None = None, refusal: Unauthenticated | None = None
    ) -> list[str]:
        """Return what is said of each scheme; of the one that refuses, what it says itself."""
        own = refusal.challenges if isinstance(refusal, Challenged) else ()
        return [
            challenge
            for scheme in self._schemes.values()
            for challenge in (own if own and scheme is refusing else (scheme.challenge,))
        ]
