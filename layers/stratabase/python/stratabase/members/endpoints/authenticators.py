"""The schemes of the Authorization header: Basic with a password, and Bearer with a token."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

import pybase64

from stratabase.core.domain.caller import Caller, SentToken
from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.http.base.authentication import BEARER_CHALLENGE, INVALID_TOKEN_CHALLENGE
from stratabase.core.http.base.refusals import InvalidCredentials
from stratabase.members.sign_in.json_web_tokens import claimed_issuer
from stratabase.values.messages import _


class BasicAuthenticator:
    """The scheme Basic (RFC 7617). `sign_in(username, password, source_address)` returns the caller."""

    challenge = 'Basic realm="Stratabase", charset="UTF-8"'

    def __init__(self, sign_in: Callable[[str, str, str], Caller]) -> None:
        self._sign_in = sign_in

    def caller(self, credentials: str, source_address: str) -> Caller:
        """Return the caller with this username and password. Raises like Authenticator.caller."""
        try:
            decoded = pybase64.b64decode(credentials, validate=True).decode()
        except ValueError:
            raise Unauthenticated(_("Basic credentials must be Base64-encoded UTF-8 text.")) from None
        username, colon, password = decoded.partition(":")
        if not colon:
            message = _("Basic credentials must contain a colon between the username and the password.")
            raise Unauthenticated(message)
        return self._sign_in(username, password, source_address)


class BearerAuthenticator:
    """The scheme Bearer (RFC 6750)."""

    challenge = BEARER_CHALLENGE

    def __init__(
        self,
        caller_of: Callable[[str], Caller],
        others: Mapping[str, Callable[[str], Caller]] = MappingProxyType({}),
    ) -> None:
        """`caller_of(token)` returns the caller with a token of this service.

        `others`: what returns the caller with a token that another service has issued, by that issuer. Such
        a caller has a token of another service, whatever else the function says.
        """
        self._caller_of = caller_of
        self._others = others

    def caller(self, credentials: str, _source_address: str) -> Caller:
        """Return the caller to whom a token was issued. Raises like Authenticator.caller."""
        try:
            return self._caller(credentials)
        except Unauthenticated as refusal:
            raise InvalidCredentials(refusal.message, [INVALID_TOKEN_CHALLENGE]) from refusal

    def _caller(self, token: str) -> Caller:
        """Return the caller with a token. The issuer that it claims selects the function that verifies it."""
        of_other = self._others.get(claimed_issuer(token) or "") if self._others else None
        return self._caller_of(token) if of_other is None else replace(of_other(token), proof=SentToken())
