"""The scheme Bearer: find out what the credentials are, and who verifies them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from stratabase.core.domain.caller import Caller, SentToken
from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.http.base.authentication import BEARER_CHALLENGE, INVALID_TOKEN_CHALLENGE
from stratabase.core.http.base.refusals import InvalidCredentials
from stratabase.members.key_text import KEY_PREFIX
from stratabase.members.sign_in.json_web_tokens import ISSUER, claimed_issuer
from stratabase.members.sign_in.tokens import invalid_token


def _without_keys(_key: str, _source_address: str) -> Caller:
    raise invalid_token()


class BearerAuthenticator:
    """The scheme Bearer (RFC 6750).

    The prefix of an API key, or the issuer that a token claims, selects exactly one function, which verifies
    the credentials. If it refuses them, no other one is tried.
    """

    challenge = BEARER_CHALLENGE

    def __init__(
        self,
        caller_of: Callable[[str], Caller],
        others: Mapping[str, Callable[[str], Caller]] = MappingProxyType({}),
        caller_of_key: Callable[[str, str], Caller] = _without_keys,
    ) -> None:
        """`caller_of(token)` returns the caller with a token of this service.

        `others`: what returns the caller with a token that another service has issued, by that issuer. Such
        a caller has a token of another service, whatever else the function says.

        `caller_of_key(key, source_address)` returns the caller with an API key.
        """
        self._caller_of = caller_of
        self._others = {issuer: each for issuer, each in others.items() if issuer != ISSUER}
        self._caller_of_key = caller_of_key

    def caller(self, credentials: str, source_address: str) -> Caller:
        """Return the caller with a key or a token. Raises like Authenticator.caller."""
        try:
            if credentials.startswith(KEY_PREFIX):
                return self._caller_of_key(credentials, source_address)
            # The verification of an own token checks its issuer, too.
            return self._of_issuer(credentials) if self._others else self._caller_of(credentials)
        except Unauthenticated as refusal:
            raise InvalidCredentials(refusal.message, [INVALID_TOKEN_CHALLENGE]) from refusal

    def _of_issuer(self, token: str) -> Caller:
        """Return the caller with a token, which the issuer verifies that it claims to be from."""
        issuer = claimed_issuer(token)
        if issuer == ISSUER:
            return self._caller_of(token)
        of_other = self._others.get(issuer or "")
        if of_other is None:
            raise invalid_token()
        return replace(of_other(token), proof=SentToken())
