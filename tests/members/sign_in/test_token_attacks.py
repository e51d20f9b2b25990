"""Forged tokens are refused with the same message and no other exception."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st
from jwt import PyJWS

from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.members.sign_in.json_web_tokens import LEEWAY, MAX_LIFETIME, MAX_TOKEN_LENGTH
from stratabase.members.sign_in.signing_keys import MIN_REREAD_INTERVAL
from tests.forged_tokens import HEADER, claims, forged, part
from tests.in_memory_keyring import InMemoryKeyring
from tests.rows import each_row
from tests.token_process import FIRST, TokenProcess

PRIVATE: Mapping[str, Any] = {
    "RS256": rsa.generate_private_key(65537, 2048),
    "ES256": ec.generate_private_key(ec.SECP256R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate(),
}
PUBLIC = {
    f"{name} {form}": key.public_key().public_bytes(encoding, PublicFormat.SubjectPublicKeyInfo)
    for name, key in PRIVATE.items()
    for form, encoding in {"PEM": Encoding.PEM, "DER": Encoding.DER}.items()
}


@pytest.fixture
def process() -> TokenProcess:
    return TokenProcess()


def check_refused(process: TokenProcess, token: str) -> None:
    with pytest.raises(Unauthenticated, match=r"^The token is not valid\.$"):
        process.caller(token)


def test_an_unmodified_forged_token_is_accepted(process: TokenProcess) -> None:
    """This shows that the forged tokens below are refused because of their changes."""
    assert process.caller(forged(HEADER, claims(process))).username == "Anna"


@each_row("name", ["none", "None", "NONE", "nOnE", "", None, 0, [], ["none"], {}])
@each_row("signature", ["", "A" * 43, None])
def test_the_algorithm_none_is_refused(name: object, signature: str | None, process: TokenProcess) -> None:
    token = forged({**HEADER, "alg": name}, claims(process))
    check_refused(process, token if signature is None else f"{token.rpartition('.')[0]}.{signature}")


def test_a_header_without_an_algorithm_is_refused(process: TokenProcess) -> None:
    check_refused(process, forged({"kid": "first", "typ": "JWT"}, claims(process)))


@each_row(
    ("name", "digest"),
    [("HS384", "sha384"), ("HS512", "sha512"), ("HS1", "sha1"), ("hs256", "sha256"), ("HS256 ", "sha256")],
)
def test_another_hash_with_the_right_secret_is_refused(name: str, digest: str, process: TokenProcess) -> None:
    check_refused(process, forged({**HEADER, "alg": name}, claims(process), digest=digest))


@each_row("name", PRIVATE)
def test_an_asymmetric_signature_is_refused(name: str, process: TokenProcess) -> None:
    payload = json.dumps(claims(process)).encode()
    check_refused(process, PyJWS().encode(payload, PRIVATE[name], name, {"kid": "first"}))


@each_row("secret", PUBLIC)
@each_row("name", ["HS256", "RS256", "ES256"])
def test_a_public_key_as_the_secret_is_refused(secret: str, name: str, process: TokenProcess) -> None:
    check_refused(process, forged({**HEADER, "alg": name}, claims(process), PUBLIC[secret]))


@each_row("secret", [b"", b"\0", b"secret", b"first", b"\0" * 32, FIRST.secret[:-1]])
def test_a_guessed_secret_is_refused(secret: bytes, process: TokenProcess) -> None:
    check_refused(process, forged(HEADER, claims(process), secret))


@each_row(
    "kid",
    [
        "../../../../dev/null",
        "/dev/null",
        "signing-keys.json",
        "http://127.0.0.1/key",
        "' OR '1'='1",
        "' UNION SELECT 'secret' --",
        "first\0",
        " first",
        "First",
        "",
        "x" * 65,
        "x" * 4000,
        "é",
        "\ud800",
        None,
        0,
        True,
        1.5,
        [],
        ["first"],
        {},
        {"first": "first"},
    ],
)
@each_row("secret", [b"", FIRST.secret])
def test_an_invalid_key_id_is_refused(kid: object, secret: bytes, process: TokenProcess) -> None:
    check_refused(process, forged({**HEADER, "kid": kid}, claims(process), secret))


def test_a_header_without_a_key_id_is_refused(process: TokenProcess) -> None:
    check_refused(process, forged({"alg": "HS256", "typ": "JWT"}, claims(process)))


@each_row(
    "more",
    [
        {"crit": ["b64"]},
        {"crit": ["exp"], "exp": 1},
        {"crit": []},
        {"b64": False},
        {"b64": True},
        {"b64": False, "crit": ["b64"]},
        {"jwk": {"kty": "oct", "k": "AAAA"}},
        {"jku": "https://evil.test/keys"},
        {"x5u": "https://evil.test/certificate"},
        {"x5c": ["AAAA"]},
        {"zip": "DEF"},
        {"cty": "JWT"},
        {"typ": "JWS"},
        {"typ": None},
        {"typ": ["JWT"]},
    ],
)
def test_a_header_with_additional_or_other_values_is_refused(
    more: Mapping[str, object], process: TokenProcess
) -> None:
    check_refused(process, forged({**HEADER, **more}, claims(process)))


def test_an_unencoded_payload_is_refused(process: TokenProcess) -> None:
    """RFC 7797: such a token has nothing between its points."""
    check_refused(process, f"{part({**HEADER, 'b64': False, 'crit': ['b64']})}..{'A' * 43}")


@each_row("header", [[], ["alg"], "HS256", 1, None, True, b"", b"{", b"\xff", b"{}" * 2])
def test_an_invalid_header_is_refused(header: object, process: TokenProcess) -> None:
    check_refused(process, forged(header, claims(process)))


@each_row("depth", [100, 2000])
@each_row("opening", ["[", '{"a":'])
def test_endless_nesting_is_refused(opening: str, depth: int, process: TokenProcess) -> None:
    nested = (opening * (depth // len(opening) + 1)).encode()
    check_refused(process, forged(nested, claims(process)))
    check_refused(process, forged(HEADER, nested))


@each_row("name", claims(TokenProcess()))
def test_a_missing_claim_is_refused(name: str, process: TokenProcess) -> None:
    check_refused(process, forged(HEADER, claims(process, **{name: ...})))


@each_row("name", claims(TokenProcess()))
@each_row(
    "value",
    [None, True, False, "", "1", 1.5, -1, 10**18, 10**400, float("nan"), float("inf"), [], ["Hr"], {}],
)
def test_a_claim_of_another_type_is_refused(name: str, value: object, process: TokenProcess) -> None:
    """This also holds for a valid signature, in case another version issues such claims."""
    text = name in ("sub", "username", "__id", "jti")
    if text and value == "1":
        return
    check_refused(process, forged(HEADER, claims(process, **{name: value})))


@each_row("name", ["iat", "nbf", "exp", "auth_time", "__generation"])
def test_a_number_written_as_text_is_refused(name: str, process: TokenProcess) -> None:
    check_refused(process, forged(HEADER, claims(process, **{name: str(claims(process)[name])})))
    check_refused(process, forged(HEADER, claims(process, **{name: float(str(claims(process)[name]))})))


def test_a_number_with_too_many_digits_is_refused(process: TokenProcess) -> None:
    payload = json.dumps(claims(process, exp=0)).replace('"exp": 0', f'"exp": {"9" * 4400}').encode()
    check_refused(process, forged(HEADER, payload))


@each_row(
    "changes",
    [
        {"iss": "Stratabase"},
        {"iss": "https://evil.test"},
        {"aud": "hr"},
        {"aud": "Crm"},
        {"aud": ["Hr", "Crm"]},
        {"__id": "9"},
        {"__generation": 3},
        {"__generation": 5},
    ],
)
def test_a_false_claim_is_refused(changes: Mapping[str, object], process: TokenProcess) -> None:
    check_refused(process, forged(HEADER, claims(process, **changes)))


def test_impossible_instants_are_refused(process: TokenProcess) -> None:
    now = process.now
    impossible: list[dict[str, object]] = [
        {"iat": now + LEEWAY + 1, "exp": now + 1800},
        {"nbf": now + LEEWAY + 1},
        {"nbf": 253_402_300_799},
        {"exp": now + MAX_LIFETIME + 1},
        {"exp": 253_402_300_799},
        {"iat": now + 5, "exp": now + 4},
        {"auth_time": now + LEEWAY + 1},
    ]
    for changes in impossible:
        check_refused(process, forged(HEADER, claims(process, **changes)))


def test_an_expired_token_is_refused(process: TokenProcess) -> None:
    token = forged(HEADER, claims(process, exp=process.now))
    with pytest.raises(Unauthenticated, match=r"^The token has expired\.$"):
        process.caller(token)
    unsigned = forged(HEADER, claims(process, exp=process.now), b"guessed")
    check_refused(process, unsigned)


def test_a_changed_claim_under_the_old_signature_is_refused(process: TokenProcess) -> None:
    header, _, signature = process.token().split(".")
    for changes in ({"__id": "2"}, {"sub": "Bert"}, {"exp": process.now + 3600}, {"__generation": 0}):
        check_refused(process, f"{header}.{part(claims(process, **changes))}.{signature}")


def test_a_token_truncated_anywhere_is_refused(process: TokenProcess) -> None:
    token = process.token()
    for place in range(len(token)):
        check_refused(process, token[:place])
        check_refused(process, token[place + 1 :])
        check_refused(process, token[:place] + token[place + 1 :])


def test_a_token_with_one_character_changed_anywhere_is_refused(process: TokenProcess) -> None:
    token = process.token()
    for place, letter in enumerate(token):
        for other in "A_=. \n\0é+/":
            if other != letter:
                check_refused(process, token[:place] + other + token[place + 1 :])


@each_row(
    "spelling",
    ["{}=", "{}==", " {}", "{}\n", "{}.", ".{}", "{}.{}", "Bearer {}", "{}\0", "\ufeff{}", "{}\ud800"],
)
def test_a_valid_token_with_additions_is_refused(spelling: str, process: TokenProcess) -> None:
    token = process.token()
    assert process.admits(token)
    check_refused(process, spelling.format(token, token))


@each_row("token", ["", ".", "..", "...", "a.b.c", "\ud800", "é" * 100, "A" * MAX_TOKEN_LENGTH, "." * 99])
def test_garbage_is_refused(token: str, process: TokenProcess) -> None:
    check_refused(process, token)


def test_a_token_over_eight_kilobytes_is_refused(process: TokenProcess) -> None:
    short = forged(HEADER, claims(process, more="x"))
    long = forged(HEADER, claims(process, more="x" * MAX_TOKEN_LENGTH))
    assert process.admits(short)
    check_refused(process, long)


@pytest.mark.soak
def test_any_text_is_accepted_or_refused_without_another_exception() -> None:
    process = TokenProcess()

    @given(st.text() | st.from_regex(r"[A-Za-z0-9_=-]*\.[A-Za-z0-9_=-]*\.[A-Za-z0-9_=-]{0,50}"))
    def check(token: str) -> None:
        check_refused(process, token)

    check()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.soak
def test_any_signed_payload_is_accepted_or_refused_without_another_exception() -> None:
    """The header and claims are random and have a valid signature."""
    process = TokenProcess()

    @given(JSON | st.binary(max_size=100), JSON | st.binary(max_size=100))
    def check(header: object, payload: object) -> None:
        check_refused(process, forged(header, claims(process)))
        check_refused(process, forged(HEADER, payload))

    check()


@pytest.mark.soak
def test_any_claim_is_accepted_or_refused_without_another_exception() -> None:
    process = TokenProcess()

    @given(st.sampled_from([*HEADER, *claims(process)]), JSON)
    def check(name: str, value: object) -> None:
        header = {**HEADER, name: value} if name in HEADER else HEADER
        payload = claims(process) if name in HEADER else claims(process, **{name: value})
        token = forged(header, payload)
        if not process.admits(token):
            return
        assert value == {**HEADER, **claims(process)}[name] or (isinstance(value, (str, int)) and value != "")

    check()


def test_unknown_key_ids_do_not_cause_repeated_reads() -> None:
    keyring = InMemoryKeyring(FIRST)
    process = TokenProcess(keyring=keyring)
    assert process.admits(process.token())
    process.wait(MIN_REREAD_INTERVAL / 1000)
    before = keyring.reads
    for number in range(100):
        assert not process.admits(forged({**HEADER, "kid": f"key{number}"}, claims(process)))
    assert keyring.reads == before + 1


def test_malformed_tokens_cause_no_reads_of_keys() -> None:
    keyring = InMemoryKeyring(FIRST)
    process = TokenProcess(keyring=keyring)
    bad: list[Callable[[], str]] = [
        lambda: "garbage",
        lambda: forged({**HEADER, "kid": ["first"]}, claims(process)),
        lambda: forged({**HEADER, "alg": "none"}, claims(process)),
    ]
    for make in bad:
        check_refused(process, make())
    assert keyring.reads == 0
