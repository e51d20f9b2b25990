"""Access tokens of a provider are taken only if they are marked for this service, and ID tokens never are."""

from typing import Any

import pytest

from stratabase.members.providers.client import ProviderClient
from stratabase.members.providers.provider import AccessTokenRule
from stratabase.members.providers.refusals import RefusalReason, SignInRefused
from tests.fakes import FrozenClock
from tests.members.providers.hostile_provider import (
    CLIENT_ID,
    KEYS,
    NOW,
    HostileProvider,
    claims,
    private_key,
    sign,
)
from tests.rows import each_row

API = "https://hr.example.com"
TYPED = AccessTokenRule(API)
"""The rule for providers whose tokens have the standard's type (RFC 9068)."""
COGNITO = AccessTokenRule(CLIENT_ID, "client_id", "token_use", "access")
KEYCLOAK = AccessTokenRule("hr-api", "aud", "typ", "Bearer")
ENTRA = AccessTokenRule("11111111-2222-3333-4444-555555555555", "aud", "azpacr")


def access_claims(issuer: str, **changes: object) -> dict[str, Any]:
    """Return the claims of a good access token with changes; a claim that is `...` is left out."""
    return claims(
        issuer, **{"sub": "a program", "aud": API, "nonce": ..., "preferred_username": ..., **changes}
    )


def identity(hostile: HostileProvider, token: str, rule: AccessTokenRule | None) -> Any:
    client = ProviderClient(hostile.provider(access_tokens=rule), FrozenClock())
    return client.access_identity(token)


def refusal(hostile: HostileProvider, token: str, rule: AccessTokenRule | None) -> RefusalReason:
    with pytest.raises(SignInRefused) as caught:
        identity(hostile, token, rule)
    return caught.value.reason


@each_row(
    ("rule", "changes", "header"),
    [
        (TYPED, {}, {"typ": "at+jwt"}),
        (TYPED, {"aud": [API, "another"]}, {"typ": "application/at+JWT"}),
        (TYPED, {"iat": ...}, {"typ": "at+jwt"}),
        (COGNITO, {"aud": ..., "client_id": CLIENT_ID, "token_use": "access"}, {"typ": ...}),
        (COGNITO, {"aud": API, "client_id": CLIENT_ID, "token_use": "access"}, {"typ": "JWT"}),
        (KEYCLOAK, {"aud": ["hr-api", "account"], "typ": "Bearer", "azp": "program"}, {"typ": "JWT"}),
        (KEYCLOAK, {"aud": "hr-api", "typ": "Bearer"}, {"typ": "at+jwt"}),
        (ENTRA, {"aud": ENTRA.audience, "azpacr": "1", "ver": "2.0"}, {"typ": "JWT"}),
    ],
)
def test_a_marked_token_says_who_acts(
    rule: AccessTokenRule, changes: dict[str, Any], header: dict[str, Any], hostile: HostileProvider
) -> None:
    found = identity(hostile, sign(access_claims(hostile.issuer, **changes), **header), rule)
    assert (found.issuer, found.subject) == (hostile.issuer, "a program")


@each_row(
    ("rule", "changes", "header", "reason"),
    [
        (None, {}, {"typ": "at+jwt"}, RefusalReason.TOKEN_TYPE),
        (TYPED, {}, {"typ": "JWT"}, RefusalReason.TOKEN_TYPE),
        (TYPED, {}, {"typ": ...}, RefusalReason.TOKEN_TYPE),
        (TYPED, {"typ": "at+jwt"}, {}, RefusalReason.TOKEN_TYPE),
        (TYPED, {"nonce": "n"}, {"typ": "at+jwt"}, RefusalReason.TOKEN_TYPE),
        (TYPED, {"at_hash": "h"}, {"typ": "at+jwt"}, RefusalReason.TOKEN_TYPE),
        (TYPED, {"aud": "another"}, {"typ": "at+jwt"}, RefusalReason.AUDIENCE),
        (TYPED, {"aud": ...}, {"typ": "at+jwt"}, RefusalReason.AUDIENCE),
        (TYPED, {"aud": {API: 1}}, {"typ": "at+jwt"}, RefusalReason.AUDIENCE),
        (TYPED, {"aud": f"{API}/more"}, {"typ": "at+jwt"}, RefusalReason.AUDIENCE),
        (TYPED, {"iss": "https://other.example.com"}, {"typ": "at+jwt"}, RefusalReason.ISSUER),
        (TYPED, {"exp": NOW - 60}, {"typ": "at+jwt"}, RefusalReason.EXPIRED),
        (TYPED, {"exp": ...}, {"typ": "at+jwt"}, RefusalReason.MALFORMED),
        (TYPED, {"nbf": NOW + 61}, {"typ": "at+jwt"}, RefusalReason.NOT_YET),
        (TYPED, {"iat": NOW + 61}, {"typ": "at+jwt"}, RefusalReason.NOT_YET),
        (TYPED, {"sub": ...}, {"typ": "at+jwt"}, RefusalReason.SUBJECT),
        (COGNITO, {"client_id": CLIENT_ID, "token_use": "id"}, {}, RefusalReason.TOKEN_TYPE),
        (COGNITO, {"client_id": CLIENT_ID}, {"typ": "at+jwt"}, RefusalReason.TOKEN_TYPE),
        (COGNITO, {"client_id": "x", "token_use": "access"}, {}, RefusalReason.AUDIENCE),
        (COGNITO, {"aud": CLIENT_ID, "token_use": "access"}, {}, RefusalReason.AUDIENCE),
        (COGNITO, {"client_id": CLIENT_ID, "token_use": ["access"]}, {}, RefusalReason.TOKEN_TYPE),
        (KEYCLOAK, {"aud": "hr-api", "typ": "ID"}, {}, RefusalReason.TOKEN_TYPE),
        (KEYCLOAK, {"aud": "hr-api", "typ": "Bearer"}, {"typ": "logout+jwt"}, RefusalReason.TOKEN_TYPE),
        (ENTRA, {"aud": ENTRA.audience}, {}, RefusalReason.TOKEN_TYPE),
        (ENTRA, {"aud": ENTRA.audience, "azpacr": None}, {}, RefusalReason.TOKEN_TYPE),
    ],
)
def test_a_token_that_is_not_for_this_service_is_refused(
    rule: AccessTokenRule | None,
    changes: dict[str, Any],
    header: dict[str, Any],
    reason: RefusalReason,
    hostile: HostileProvider,
) -> None:
    token = sign(access_claims(hostile.issuer, **changes), **header)
    assert refusal(hostile, token, rule) is reason


@each_row("rule", [TYPED, COGNITO, KEYCLOAK, ENTRA, AccessTokenRule(CLIENT_ID)])
def test_an_id_token_is_no_access_token(rule: AccessTokenRule, hostile: HostileProvider) -> None:
    plain = claims(hostile.issuer)
    cognito = {**plain, "token_use": "id", "cognito:username": "ada"}
    keycloak = {**plain, "typ": "ID"}
    without_nonce = claims(hostile.issuer, nonce=...)
    for each in (plain, cognito, keycloak, without_nonce):
        assert refusal(hostile, sign(each), rule) is RefusalReason.TOKEN_TYPE


@each_row("token", ["", "opaque", "a.b.c", "stratabase_key", "é", "\ud800", "." * 70_000])
def test_what_is_no_token_is_refused(token: str, hostile: HostileProvider) -> None:
    assert refusal(hostile, token, TYPED) is RefusalReason.MALFORMED


def test_a_token_that_another_signed_is_refused(hostile: HostileProvider) -> None:
    own = private_key(number=5)
    token = sign(access_claims(hostile.issuer), key=own, typ="at+jwt")
    assert refusal(hostile, token, TYPED) is RefusalReason.SIGNATURE
    token = sign(access_claims(hostile.issuer), key=own, typ="at+jwt", kid="5")
    assert refusal(hostile, token, TYPED) is RefusalReason.KEY


def test_a_provider_whose_access_tokens_are_not_taken_is_not_asked(hostile: HostileProvider) -> None:
    token = sign(access_claims(hostile.issuer), typ="at+jwt")
    assert refusal(hostile, token, None) is RefusalReason.TOKEN_TYPE
    assert hostile.count(KEYS) == 0
