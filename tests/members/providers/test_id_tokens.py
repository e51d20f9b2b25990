"""An ID token says who signs in only if all of it holds. Each forged one is refused for the right reason."""

import hmac
from hashlib import sha256, sha512
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stratabase.members.providers.provider import AccessTokenRule
from stratabase.members.providers.refusals import RefusalReason, SignInRefused
from tests.members.providers.conftest import SignIn
from tests.members.providers.hostile_provider import (
    CLIENT_ID,
    NOW,
    HostileProvider,
    claims,
    part,
    private_key,
    public_jwk,
    sign,
)
from tests.rows import each_row
from tests.soak import EXAMPLES


def refusal(sign_in: SignIn, **options: Any) -> RefusalReason:
    with pytest.raises(SignInRefused) as caught:
        sign_in(**options)
    return caught.value.reason


def test_a_good_token_says_who_signs_in(hostile: HostileProvider, sign_in: SignIn) -> None:
    identity = sign_in()
    assert (identity.issuer, identity.subject) == (hostile.issuer, "248289761001")
    assert identity.claims["preferred_username"] == "ada"
    assert identity.authenticated is None


@each_row("kind", ["RS256", "ES256", "ES384", "ES512", "EdDSA"])
def test_each_allowed_algorithm_works_with_its_key(
    kind: str, hostile: HostileProvider, sign_in: SignIn
) -> None:
    hostile.publish(public_jwk(private_key(kind), kid="1"))
    hostile.answer_with(sign(claims(hostile.issuer), kind))
    assert sign_in().subject == "248289761001"


@each_row("algorithm", ["RS384", "RS512", "PS256", "PS384", "PS512"])
def test_an_rsa_key_fits_all_algorithms_of_rsa(
    algorithm: str, hostile: HostileProvider, sign_in: SignIn
) -> None:
    hostile.answer_with(sign(claims(hostile.issuer), algorithm, key=private_key()))
    assert sign_in().subject == "248289761001"


@each_row(
    ("changes", "reason"),
    [
        ({"iss": "https://id.example.com"}, RefusalReason.ISSUER),
        ({"iss": ...}, RefusalReason.ISSUER),
        ({"iss": ["x"]}, RefusalReason.ISSUER),
        ({"aud": "another client"}, RefusalReason.AUDIENCE),
        ({"aud": ...}, RefusalReason.AUDIENCE),
        ({"aud": []}, RefusalReason.AUDIENCE),
        ({"aud": {CLIENT_ID: 1}}, RefusalReason.AUDIENCE),
        ({"aud": f"{CLIENT_ID} more"}, RefusalReason.AUDIENCE),
        ({"aud": [CLIENT_ID, "another client"]}, RefusalReason.AUTHORIZED_PARTY),
        ({"aud": [CLIENT_ID, "another client"], "azp": None}, RefusalReason.AUTHORIZED_PARTY),
        ({"azp": "another client"}, RefusalReason.AUTHORIZED_PARTY),
        ({"aud": [CLIENT_ID, "b"], "azp": "b"}, RefusalReason.AUTHORIZED_PARTY),
        ({"exp": NOW - 60}, RefusalReason.EXPIRED),
        ({"exp": 0}, RefusalReason.EXPIRED),
        ({"exp": -(10**300)}, RefusalReason.EXPIRED),
        ({"exp": ...}, RefusalReason.MALFORMED),
        ({"exp": str(NOW + 300)}, RefusalReason.MALFORMED),
        ({"exp": True}, RefusalReason.MALFORMED),
        ({"exp": None}, RefusalReason.MALFORMED),
        ({"iat": NOW + 61}, RefusalReason.NOT_YET),
        ({"iat": 10**30}, RefusalReason.NOT_YET),
        ({"iat": ...}, RefusalReason.MALFORMED),
        ({"iat": [NOW]}, RefusalReason.MALFORMED),
        ({"nbf": NOW + 61}, RefusalReason.NOT_YET),
        ({"nbf": "now"}, RefusalReason.MALFORMED),
        ({"nonce": "another nonce"}, RefusalReason.NONCE),
        ({"nonce": ...}, RefusalReason.NONCE),
        ({"nonce": ["a nonce"]}, RefusalReason.NONCE),
        ({"sub": ...}, RefusalReason.SUBJECT),
        ({"sub": ""}, RefusalReason.SUBJECT),
        ({"sub": 5}, RefusalReason.SUBJECT),
        ({"sub": "a" * 256}, RefusalReason.SUBJECT),
        ({"sub": "a\0b"}, RefusalReason.SUBJECT),
        ({"sub": "é"}, RefusalReason.SUBJECT),
        ({"at_hash": "wrong"}, RefusalReason.ACCESS_TOKEN_HASH),
        ({"at_hash": 5}, RefusalReason.ACCESS_TOKEN_HASH),
        ({"auth_time": NOW + 61}, RefusalReason.AUTHENTICATION_TIME),
        ({"auth_time": "now"}, RefusalReason.MALFORMED),
    ],
)
def test_a_token_with_a_wrong_claim_is_refused(
    changes: dict[str, Any], reason: RefusalReason, hostile: HostileProvider, sign_in: SignIn
) -> None:
    hostile.answer_with(sign(claims(hostile.issuer, **changes)))
    assert refusal(sign_in) is reason


@each_row(
    "changes",
    [
        {"aud": [CLIENT_ID]},
        {"aud": [CLIENT_ID, "b"], "azp": CLIENT_ID},
        {"exp": NOW - 59},
        {"exp": NOW + 0.5},
        {"iat": NOW + 60},
        {"nbf": NOW + 60},
        {"sub": "a" * 255},
        {"at_hash": part(sha256(b"an access token").digest()[:16])},
        {"auth_time": NOW - 10_000},
    ],
)
def test_a_token_within_the_limits_is_taken(
    changes: dict[str, Any], hostile: HostileProvider, sign_in: SignIn
) -> None:
    hostile.answer_with(sign(claims(hostile.issuer, **changes)))
    assert sign_in().subject == changes.get("sub", "248289761001")


def test_the_hash_of_the_access_token_is_that_of_the_algorithm(
    hostile: HostileProvider, sign_in: SignIn
) -> None:
    hostile.publish(public_jwk(private_key("EdDSA"), kid="1"))
    digest = sha512(b"an access token").digest()[:32]
    hostile.answer_with(sign(claims(hostile.issuer, at_hash=part(digest)), "EdDSA"))
    assert sign_in().subject == "248289761001"


@each_row(
    ("time", "is_taken"), [(NOW - 660, True), (NOW - 661, False), (..., False), (None, False), (NOW, True)]
)
def test_a_sign_in_must_be_as_fresh_as_demanded(
    time: object, is_taken: bool, hostile: HostileProvider, sign_in: SignIn
) -> None:
    hostile.answer_with(sign(claims(hostile.issuer, auth_time=time)))
    if is_taken:
        assert sign_in(max_age=600).authenticated == time
    else:
        assert refusal(sign_in, max_age=600) is RefusalReason.AUTHENTICATION_TIME


def unsigned(payload: object, **header: object) -> str:
    return f"{part({'alg': 'none', 'kid': '1', **header})}.{part(payload)}."


def signed_with_the_public_key(payload: object, algorithm: str = "HS256") -> str:
    pem = (
        private_key()
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    signed = f"{part({'alg': algorithm, 'kid': '1'})}.{part(payload)}"
    return f"{signed}.{part(hmac.digest(pem, signed.encode(), sha256))}"


def test_no_token_without_a_signature_is_taken(hostile: HostileProvider, sign_in: SignIn) -> None:
    good = claims(hostile.issuer)
    header, payload, signature = sign(good).split(".")
    forged = {
        unsigned(good): RefusalReason.MALFORMED,
        f"{unsigned(good)}AAAA": RefusalReason.ALGORITHM,
        f"{part({'alg': 'nOnE', 'kid': '1'})}.{payload}.{signature}": RefusalReason.ALGORITHM,
        f"{part({'kid': '1'})}.{payload}.{signature}": RefusalReason.ALGORITHM,
        f"{part({'alg': ['RS256'], 'kid': '1'})}.{payload}.{signature}": RefusalReason.ALGORITHM,
        f"{header}.{payload}.": RefusalReason.MALFORMED,
        f"{header}.{payload}": RefusalReason.MALFORMED,
        f"{header}.{payload}.AAAA": RefusalReason.SIGNATURE,
        f"{header}.{part({**good, 'sub': 'eve'})}.{signature}": RefusalReason.SIGNATURE,
        f"{header}.{payload}.{signature[:-4]}": RefusalReason.SIGNATURE,
        signed_with_the_public_key(good): RefusalReason.ALGORITHM,
        signed_with_the_public_key(good, "HS512"): RefusalReason.ALGORITHM,
        signed_with_the_public_key(good, "RS256"): RefusalReason.SIGNATURE,
    }
    for token, reason in forged.items():
        hostile.answer_with(token)
        assert refusal(sign_in) is reason, token


@each_row(
    ("header", "reason"),
    [
        ({"typ": "at+jwt"}, RefusalReason.TOKEN_TYPE),
        ({"typ": "logout+jwt"}, RefusalReason.TOKEN_TYPE),
        ({"typ": 5}, RefusalReason.MALFORMED),
        ({"kid": 5}, RefusalReason.MALFORMED),
        ({"kid": "2"}, RefusalReason.KEY),
        ({"kid": "../1"}, RefusalReason.KEY),
        ({"jwk": public_jwk(private_key(number=9)), "kid": "2"}, RefusalReason.KEY),
        ({"jku": "https://evil.example.com/keys", "kid": "2"}, RefusalReason.KEY),
    ],
)
def test_a_token_with_a_wrong_header_is_refused(
    header: dict[str, Any], reason: RefusalReason, hostile: HostileProvider, sign_in: SignIn
) -> None:
    fields = {"alg": "RS256", "kid": "1", **header}
    signed = f"{part(fields)}.{part(claims(hostile.issuer))}"
    signature = private_key().sign(signed.encode(), PKCS1v15(), SHA256())
    hostile.answer_with(f"{signed}.{part(signature)}")
    assert refusal(sign_in) is reason


@each_row(
    "header", [{"crit": ["exp"], "exp": 1}, {"crit": []}, {"b64": False, "crit": ["b64"]}, {"b64": True}]
)
def test_extensions_that_must_be_understood_are_refused(
    header: dict[str, Any], hostile: HostileProvider, sign_in: SignIn
) -> None:
    signed = f"{part({'alg': 'RS256', 'kid': '1', **header})}.{part(claims(hostile.issuer))}"
    hostile.answer_with(f"{signed}.{part(private_key().sign(signed.encode(), PKCS1v15(), SHA256()))}")
    assert refusal(sign_in) is RefusalReason.MALFORMED


def test_a_key_in_the_token_is_never_used(hostile: HostileProvider, sign_in: SignIn) -> None:
    own = private_key(number=9)
    hostile.answer_with(sign(claims(hostile.issuer), key=own, jwk=public_jwk(own)))
    assert refusal(sign_in) is RefusalReason.SIGNATURE


@each_row(
    "payload",
    [
        b"",
        b"[]",
        b"null",
        b"{",
        b"[" * 30_000,
        b'{"exp": ' + b"9" * 5000 + b"}",
        b'{"exp": NaN}',
        b'{"exp": 1e999}',
        b"\xff\xfe",
        b'{"sub": "\\ud800"}',
    ],
)
def test_a_signed_payload_that_is_no_object_is_refused(
    payload: bytes, hostile: HostileProvider, sign_in: SignIn
) -> None:
    hostile.answer_with(sign(payload or b" "))
    assert refusal(sign_in) is RefusalReason.MALFORMED


@each_row(
    "token",
    ["", "a", "a.b", "a.b.c.d", "a.b.c", "ü.b.c", ".".join([part([])] * 3), "a" * 70_000, 5, None, {}],
)
def test_what_is_no_token_is_refused(token: object, hostile: HostileProvider, sign_in: SignIn) -> None:
    hostile.answer_with(token)
    assert refusal(sign_in) is RefusalReason.MALFORMED


def test_a_header_that_is_nested_deeply_is_refused(hostile: HostileProvider, sign_in: SignIn) -> None:
    hostile.answer_with(f"{part(b'[' * 20_000)}.e30.AAAA")
    assert refusal(sign_in) is RefusalReason.MALFORMED


def test_a_huge_token_of_many_groups_is_taken(hostile: HostileProvider, sign_in: SignIn) -> None:
    groups = [f"00000000-0000-0000-0000-{number:012}" for number in range(1000)]
    hostile.answer_with(sign(claims(hostile.issuer, groups=groups)))
    assert sign_in().claims["groups"] == groups


def test_an_access_token_is_no_id_token(hostile: HostileProvider, sign_in: SignIn) -> None:
    hostile.answer_with(sign(claims(hostile.issuer, token_use="access")))
    rule = AccessTokenRule("hr", "client_id", "token_use", "access")
    assert refusal(sign_in, access_tokens=rule) is RefusalReason.TOKEN_TYPE
    assert sign_in().subject == "248289761001"  # without the rule, nothing marks access tokens


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
CLAIMS = [*claims(""), "azp", "nbf", "at_hash", "auth_time"]
_FIXTURES = [HealthCheck.function_scoped_fixture]


@settings(max_examples=EXAMPLES, suppress_health_check=_FIXTURES, deadline=None)
@given(changes=st.dictionaries(st.sampled_from(CLAIMS), JSON, min_size=1))
def test_random_claims_are_refused_or_right(
    changes: dict[str, Any], hostile: HostileProvider, sign_in: SignIn
) -> None:
    hostile.answer_with(sign(claims(hostile.issuer, **changes)))
    try:
        identity = sign_in()
    except SignInRefused:
        return
    assert identity.claims["iss"] == hostile.issuer
    assert identity.claims["nonce"] == "a nonce"
    assert 0 < len(identity.subject) <= 255


@settings(max_examples=EXAMPLES, suppress_health_check=_FIXTURES, deadline=None)
@given(
    token=st.text(max_size=200) | st.binary(max_size=100).map(lambda raw: ".".join([part(raw)] * 3)) | JSON
)
def test_any_other_token_is_refused(token: object, hostile: HostileProvider, sign_in: SignIn) -> None:
    hostile.answer_with(token)
    with pytest.raises(SignInRefused):
        sign_in()
