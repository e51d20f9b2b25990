"""The tokens of a provider: verifies ID tokens, and access tokens that are meant for this service.

Neither is taken for the other: an ID token says to this service who has signed in, and an access token lets a
program act. Both kinds are signed with the same keys.
"""

import hmac
import math
import re
from base64 import urlsafe_b64encode
from hashlib import sha256, sha384, sha512
from typing import Any

import orjson
import pybase64

from stratabase.members.providers.key_set import PublishedKeys
from stratabase.members.providers.provider import AccessTokenRule, ClaimValues, Provider
from stratabase.members.providers.published import Published
from stratabase.members.providers.refusals import RefusalReason, SignInRefused
from stratabase.values.frozen import frozen

CLOCK_SKEW = 60
"""Seconds by which the clocks of a provider and of this service may differ."""
MAX_PROVIDER_TOKEN_LENGTH = 64 * 1024
"""In characters. ID tokens can list hundreds of groups."""
MAX_SUBJECT_LENGTH = 255
_FORM = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
_HASHES = {"256": sha256, "384": sha384, "512": sha512}
"""The hash of `at_hash`, by the end of the algorithm's name. EdDSA, whose name has none, uses SHA-512."""
_ACCESS_TOKEN_TYPES = ("at+jwt", "application/at+jwt")
_ID_TOKEN_CLAIMS = ("nonce", "at_hash", "c_hash", "s_hash")
"""Claims that only ID tokens have."""


@frozen
class IdTokenExpectations:
    """What an attempt to sign in knows about the ID token that ends it."""

    nonce: str
    access_token: str | None
    """The access token that came with it."""
    max_age: int | None
    """The seconds for which an earlier sign-in to the provider is recent enough. None: any."""


def verify_id_token(
    provider: Provider, keys: Published[PublishedKeys], token: str, expected: IdTokenExpectations, now: int
) -> ClaimValues:
    """Return the claims of an ID token. `now`: in seconds since 1970.

    Raises SignInRefused; raises ProviderUnavailable if the keys can't be read.
    """
    opened = _open(keys, token)
    checks = _Checks(provider, opened.claims, now)
    checks.require(opened.type in ("", "jwt"), RefusalReason.TOKEN_TYPE)
    rule = provider.access_tokens
    is_marked = rule is not None and rule.mark_value is not None and _has_mark(rule, opened.claims)
    checks.require(not is_marked, RefusalReason.TOKEN_TYPE)
    checks.issuer()
    audiences = checks.audiences("aud", provider.client_id)
    party = opened.claims.get("azp", None if len(audiences) > 1 else provider.client_id)
    checks.require(party == provider.client_id, RefusalReason.AUTHORIZED_PARTY)
    checks.times(needs_issue=True)
    checks.require(opened.claims.get("nonce") == expected.nonce, RefusalReason.NONCE)
    checks.subject()
    if expected.access_token is not None and "at_hash" in opened.claims:
        own = _access_token_hash(expected.access_token, opened.algorithm)
        checks.require(_is_same(opened.claims["at_hash"], own), RefusalReason.ACCESS_TOKEN_HASH)
    checks.authentication_time(expected.max_age)
    return opened.claims


def verify_access_token(
    provider: Provider, keys: Published[PublishedKeys], token: str, now: int
) -> ClaimValues:
    """Return the claims of an access token that is meant for this service. `now`: in seconds since 1970.

    Raises SignInRefused; raises ProviderUnavailable if the keys can't be read.
    """
    rule = provider.access_tokens
    if rule is None:
        raise SignInRefused(RefusalReason.TOKEN_TYPE)
    opened = _open(keys, token)
    checks = _Checks(provider, opened.claims, now)
    is_typed = opened.type in _ACCESS_TOKEN_TYPES
    is_marked = is_typed if rule.mark_claim is None else _has_mark(rule, opened.claims)
    checks.require(is_marked and (is_typed or opened.type in ("", "jwt")), RefusalReason.TOKEN_TYPE)
    checks.require(not any(each in opened.claims for each in _ID_TOKEN_CLAIMS), RefusalReason.TOKEN_TYPE)
    checks.issuer()
    checks.audiences(rule.audience_claim, rule.audience)
    checks.times(needs_issue=False)
    checks.subject()
    return opened.claims


def _has_mark(rule: AccessTokenRule, claims: ClaimValues) -> bool:
    """Return whether a token has the claim that marks access tokens."""
    if rule.mark_claim is None:
        return False
    value = claims.get(rule.mark_claim)
    return value is not None if rule.mark_value is None else value == rule.mark_value


@frozen
class _OpenedToken:
    """A token whose signature is right."""

    algorithm: str
    type: str
    """The type in the header in lowercase, empty if there is none."""
    claims: dict[str, Any]


def _open(keys: Published[PublishedKeys], token: str) -> _OpenedToken:
    """Return a token after its signature was verified. Raises SignInRefused, ProviderUnavailable."""
    if len(token) > MAX_PROVIDER_TOKEN_LENGTH or not _FORM.fullmatch(token):
        raise SignInRefused(RefusalReason.MALFORMED)
    header = _json_object(_decode(token.partition(".")[0]))
    algorithm, key_id, type_ = header.get("alg"), header.get("kid"), header.get("typ", "")
    # Extensions that must be understood (RFC 7515, section 4.1.11) are not.
    is_known = "crit" not in header and "b64" not in header
    if not (is_known and isinstance(type_, str) and (key_id is None or isinstance(key_id, str))):
        raise SignInRefused(RefusalReason.MALFORMED)
    if not isinstance(algorithm, str):
        raise SignInRefused(RefusalReason.ALGORITHM)
    payload = keys.current().verify(token, algorithm, key_id)
    if payload is None:
        payload = keys.newest().verify(token, algorithm, key_id)
    if payload is None:
        raise SignInRefused(RefusalReason.KEY)
    return _OpenedToken(algorithm, type_.lower(), _json_object(payload))


def _decode(part: str) -> bytes:
    try:
        return pybase64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except ValueError as error:
        raise SignInRefused(RefusalReason.MALFORMED) from error


def _json_object(text: bytes) -> dict[str, Any]:
    try:
        found = orjson.loads(text)
    except ValueError as error:
        raise SignInRefused(RefusalReason.MALFORMED) from error
    if not isinstance(found, dict):
        raise SignInRefused(RefusalReason.MALFORMED)
    return found


def _access_token_hash(token: str, algorithm: str) -> str:
    """Return the `at_hash` of an access token (OpenID Connect Core, section 3.1.3.6)."""
    digest = _HASHES.get(algorithm[-3:], sha512)(token.encode()).digest()
    return urlsafe_b64encode(digest[: len(digest) // 2]).rstrip(b"=").decode()


def _is_same(value: object, expected: str) -> bool:
    return isinstance(value, str) and hmac.compare_digest(value.encode(), expected.encode())


class _Checks:
    """The checks that ID tokens and access tokens share. Each raises SignInRefused."""

    def __init__(self, provider: Provider, claims: dict[str, Any], now: int) -> None:
        self._provider = provider
        self._claims = claims
        self._now = now

    def require(self, holds: bool, reason: RefusalReason) -> None:  # noqa: FBT001 - reads as an assertion
        """Raise SignInRefused unless something holds."""
        if not holds:
            raise SignInRefused(reason)

    def issuer(self) -> None:
        """Check that the provider has issued the token."""
        self.require(self._claims.get("iss") == self._provider.issuer, RefusalReason.ISSUER)

    def audiences(self, claim: str, expected: str) -> list[object]:
        """Return the audiences in a claim. One of them must be the expected one."""
        value = self._claims.get(claim)
        found = value if isinstance(value, list) else [value]
        self.require(expected in found, RefusalReason.AUDIENCE)
        return found

    def times(self, *, needs_issue: bool) -> None:
        """Check that the token holds now."""
        expires, issued = self._time("exp"), self._time("iat")
        self.require(expires is not None and (issued is not None or not needs_issue), RefusalReason.MALFORMED)
        self.require((expires or 0) + CLOCK_SKEW > self._now, RefusalReason.EXPIRED)
        starts = max(issued or 0, self._time("nbf") or 0)
        self.require(starts <= self._now + CLOCK_SKEW, RefusalReason.NOT_YET)

    def subject(self) -> None:
        """Check that the subject has the form that the standard demands."""
        subject = self._claims.get("sub")
        is_text = isinstance(subject, str) and subject.isascii() and subject.isprintable()
        self.require(is_text and 0 < len(str(subject)) <= MAX_SUBJECT_LENGTH, RefusalReason.SUBJECT)

    def authentication_time(self, max_age: int | None) -> None:
        """Check that the person has signed in to the provider at most `max_age` seconds ago."""
        time = self._time("auth_time")
        is_known = time is not None or max_age is None
        self.require(is_known, RefusalReason.AUTHENTICATION_TIME)
        if time is not None:
            earliest = -math.inf if max_age is None else self._now - max_age - CLOCK_SKEW
            self.require(earliest <= time <= self._now + CLOCK_SKEW, RefusalReason.AUTHENTICATION_TIME)

    def _time(self, claim: str) -> float | None:
        """Return a time in seconds since 1970, None if the token has none."""
        value = self._claims.get(claim)
        is_time = value is None or (isinstance(value, int | float) and not isinstance(value, bool))
        self.require(is_time, RefusalReason.MALFORMED)
        time: float | None = value
        return time
