"""Who sends a request: the Authorization header, one authenticator for each scheme."""

from collections.abc import Mapping
from typing import Protocol

from stratabase.domain.member import Caller
from stratabase.domain.refusal import Unauthenticated
from stratabase.edge.refusals import Challenged
from stratabase.edge.request import Request


class Authenticator(Protocol):
    """Knows callers by one scheme."""

    @property
    def challenge(self) -> str:
        """What WWW-Authenticate says of the scheme."""

    def caller(self, credentials: str) -> Caller:
        """Return whose credentials these are. Raises Unauthenticated, Forbidden."""


class Authentication:
    """The schemes on offer, by their names in the header."""

    def __init__(self, schemes: Mapping[str, Authenticator]) -> None:
        self._schemes = {name.lower(): scheme for name, scheme in schemes.items()}
        self._challenges = tuple(scheme.challenge for scheme in schemes.values())
        self._names = " or ".join(schemes) or "no scheme at all"

    def caller(self, request: Request) -> Caller:
        """Return who sends a request. Raises Challenged, Forbidden."""
        try:
            return self._caller(request.headers.get("authorization", ()))
        except Unauthenticated as refusal:
            raise Challenged(str(refusal), self._challenges) from refusal

    def _caller(self, values: tuple[str, ...]) -> Caller:
        if len(values) != 1:
            raise Unauthenticated(f"This address needs one Authorization header; on offer: {self._names}.")
        name, _, credentials = values[0].strip().partition(" ")
        scheme = self._schemes.get(name.lower())
        if scheme is None:
            raise Unauthenticated(f"The Authorization header names another scheme than {self._names}.")
        return scheme.caller(credentials.strip())
