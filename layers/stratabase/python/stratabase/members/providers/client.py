"""The client of one identity provider: the facade for the operations that sign members in."""

import re
from base64 import b64encode
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote_plus, urlencode

from stratabase.core import waiting
from stratabase.core.operations.ports import Clock
from stratabase.members.providers.fetch import Fetcher, ProviderResponse
from stratabase.members.providers.key_set import PublishedKeys, import_verification, parse_keys
from stratabase.members.providers.metadata import BASIC, ProviderMetadata, metadata_url, parse_metadata
from stratabase.members.providers.provider import ClaimValues, Identity, Provider, find_claim
from stratabase.members.providers.published import Published, ReportFault
from stratabase.members.providers.refusals import (
    ProviderFault,
    ProviderUnavailable,
    RefusalReason,
    SignInRefused,
)
from stratabase.members.providers.tokens import IdTokenExpectations, verify_access_token, verify_id_token

_ERROR = re.compile(r"[a-z_]{1,40}")
"""An error code of a token endpoint (RFC 6749, section 5.2). Others are not shown."""


class _Tokens(NamedTuple):
    id_token: str
    access_token: str | None
    is_bearer: bool
    """Whether the access token can be sent in a header."""


class ProviderClient:
    """Signs people in with one provider. Its methods can be called from several threads.

    It keeps the metadata and the keys of the provider between requests. `report` gets why they can't be read,
    each time that they are tried.
    """

    def __init__(
        self,
        provider: Provider,
        clock: Clock,
        fetcher: Fetcher | None = None,
        report: ReportFault = lambda _error: None,
    ) -> None:
        self.provider = provider
        self._clock = clock
        self._fetcher = fetcher or Fetcher(provider.reach)
        self._metadata = Published(self._read_metadata, clock, report)
        self._keys = Published(self._read_keys, clock, report)

    def authorization_url(
        self, redirect_uri: str, state: str, nonce: str, challenge: str, *, max_age: int | None = None
    ) -> str:
        """Return the address of the provider to which the browser of a person goes to sign in.

        `challenge`: the base64url form of the SHA-256 of the verifier (PKCE). `max_age`: the seconds after
        which a person must sign in to the provider again. Raises ProviderUnavailable.
        """
        parameters = {
            "response_type": "code",
            "client_id": self.provider.client_id,
            "redirect_uri": redirect_uri,
            "scope": " ".join(self.provider.scopes),
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            **({} if max_age is None else {"max_age": str(max_age)}),
        }
        return _with_parameters(self._metadata.current().authorization_endpoint, parameters)

    def identity(  # noqa: PLR0913 - what the browser brings back, and what the attempt has kept
        self,
        code: str,
        verifier: str,
        redirect_uri: str,
        nonce: str,
        iss: str | None,
        *,
        max_age: int | None = None,
    ) -> Identity:
        """Return who has signed in, for the code that the browser has brought back.

        `iss`: the parameter of that name in the answer, None if it has none. `redirect_uri`, `nonce` and
        `max_age`: what `authorization_url` was given. Raises SignInRefused, ProviderUnavailable.
        """
        metadata = self._metadata.current()
        self.check_answer_issuer(iss)
        tokens = self._redeem(metadata, code, verifier, redirect_uri)
        expected = IdTokenExpectations(nonce, tokens.access_token, max_age)
        now = self._clock.now() // 1000
        claims = verify_id_token(self.provider, self._keys, tokens.id_token, expected, now)
        if self._lacks_claims(claims) and metadata.userinfo_endpoint and tokens.is_bearer:
            claims = self._with_user_info(claims, metadata.userinfo_endpoint, str(tokens.access_token))
        return self._identity_of(claims)

    def check_answer_issuer(self, iss: str | None) -> None:
        """Raise SignInRefused if an answer to the browser, also one with an error, is of another provider.

        `iss`: the parameter of that name in the answer (RFC 9207), None if it has none. Raises
        ProviderUnavailable.
        """
        is_missing = iss is None and self._metadata.current().sends_issuer
        if is_missing or iss not in (None, self.provider.issuer):
            raise SignInRefused(RefusalReason.ANSWER_ISSUER)

    def access_identity(self, token: str) -> Identity:
        """Return the subject of an access token of the provider that is meant for this service.

        Raises SignInRefused, also if the provider's access tokens are not accepted, or ProviderUnavailable.
        """
        now = self._clock.now() // 1000
        return self._identity_of(verify_access_token(self.provider, self._keys, token, now))

    def end_session_url(self, return_to: str | None = None) -> str | None:
        """Return the provider's address for signing out there, None if it has none or can't be asked.

        `return_to`: the address to which the provider leads afterwards, if it knows this address.
        """
        try:
            endpoint = self._metadata.current().end_session_endpoint
        except ProviderUnavailable:
            return None
        parameters = {"client_id": self.provider.client_id}
        if return_to is not None:
            parameters["post_logout_redirect_uri"] = return_to
        return None if endpoint is None else _with_parameters(endpoint, parameters)

    def check(self) -> int:
        """Return how many keys of the provider can be used, which is at least one.

        Raises ProviderUnavailable if the metadata or the keys can't be read and used.
        """
        url, keys = self._metadata.current().jwks_uri, self._keys.current().keys
        if not keys:
            raise ProviderUnavailable(ProviderFault.CONTENT, f"{url}: none of its keys can be used")
        return len(keys)

    def _read_metadata(self) -> ProviderMetadata:
        document = self._fetcher.get_json(metadata_url(self.provider.issuer), is_shared=True)
        return parse_metadata(self.provider, document)

    def _read_keys(self) -> PublishedKeys:
        url = self._metadata.current().jwks_uri
        keys = parse_keys(self._fetcher.get_json(url, is_shared=True))
        if keys is None:
            raise ProviderUnavailable(ProviderFault.CONTENT, f"{url}: it is not a set of keys")
        waiting.offload(import_verification)
        return keys

    def _redeem(self, metadata: ProviderMetadata, code: str, verifier: str, redirect_uri: str) -> _Tokens:
        """Return the tokens for a code. Raises SignInRefused, ProviderUnavailable."""
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": verifier,
        }
        id_, secret = self.provider.client_id, self.provider.client_secret
        headers = {}
        if metadata.client_authentication == BASIC:
            credentials = f"{quote_plus(id_)}:{quote_plus(secret)}"
            headers["Authorization"] = f"Basic {b64encode(credentials.encode()).decode()}"
        else:
            fields |= {"client_id": id_, "client_secret": secret}
        response = self._fetcher.post_form(metadata.token_endpoint, fields, headers)
        answer = response.json()
        if response.status != 200 or answer is None:
            raise _redemption_failure(metadata.token_endpoint, response, answer or {})
        return _tokens_of(answer)

    def _lacks_claims(self, claims: ClaimValues) -> bool:
        """Return whether an ID token lacks a claim that this service needs."""
        of_new_members = [self.provider.username_claim, ("email",)]
        needed = of_new_members if self.provider.creates_members else []
        if self.provider.profiles is not None and self.provider.profiles.claim:
            needed.append(self.provider.profiles.claim)
        return any(find_claim(claims, path) is None for path in needed)

    def _with_user_info(self, claims: ClaimValues, url: str, access_token: str) -> ClaimValues:
        """Return the claims of an ID token, and those at the provider's address for more of them."""
        more = self._fetcher.get_json(url, {"Authorization": f"Bearer {access_token}"})
        if more.get("sub") != claims["sub"]:
            raise SignInRefused(RefusalReason.SUBJECT)
        return {**more, **claims}

    def _identity_of(self, claims: ClaimValues) -> Identity:
        time = claims.get("auth_time")
        authenticated = int(time) if isinstance(time, int | float) else None
        return Identity(self.provider.issuer, str(claims["sub"]), claims, authenticated)


def _with_parameters(url: str, parameters: Mapping[str, str]) -> str:
    return f"{url}{'&' if '?' in url else '?'}{urlencode(parameters)}"


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _tokens_of(answer: Mapping[str, Any]) -> _Tokens:
    """Return the tokens in an answer. A missing ID token is an empty text, which is refused as any other."""
    token, type_ = _text(answer.get("access_token")), _text(answer.get("token_type")) or ""
    can_be_sent = token is not None and token.isascii() and token.isprintable()
    return _Tokens(_text(answer.get("id_token")) or "", token, can_be_sent and type_.lower() == "bearer")


def _redemption_failure(
    url: str, response: ProviderResponse, answer: Mapping[str, Any]
) -> SignInRefused | ProviderUnavailable:
    """Return the exception for a response of the token endpoint that has no tokens."""
    error = _text(answer.get("error")) or ""
    if 400 <= response.status < 500 and error == "invalid_grant":
        return SignInRefused(RefusalReason.CODE)
    if error in ("invalid_client", "unauthorized_client"):
        text = "the provider does not take the client ID and the secret"
        return ProviderUnavailable(ProviderFault.CLIENT, f"{url}: {text} ({error})")
    if response.status == 200:
        return ProviderUnavailable(ProviderFault.CONTENT, f"{url}: the response is not a JSON object")
    shown = f" ({error})" if _ERROR.fullmatch(error) else ""
    return ProviderUnavailable(
        ProviderFault.STATUS, f"{url}: the status is {response.status}{shown}, not 200"
    )
