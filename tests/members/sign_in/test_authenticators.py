"""What a request sends as Bearer goes to one function: for keys, or for tokens of the claimed issuer."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from stratabase.core.app.app import App
from stratabase.core.domain.caller import Caller, Proof, SentKey, SentPassword, SentToken
from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.features import FEATURES, Feature
from stratabase.core.http.base.refusals import InvalidCredentials
from stratabase.core.settings import Settings
from stratabase.members.sign_in.bearer import BearerAuthenticator
from stratabase.members.sign_in.json_web_tokens import ISSUER, MAX_TOKEN_LENGTH
from stratabase.values.messages import verbatim
from tests.fakes import ADMINISTRATOR
from tests.rows import each_row

PROVIDER = "https://id.example.com"


def token(payload: bytes) -> str:
    return f"e30.{base64.urlsafe_b64encode(payload).decode().rstrip('=')}.x"


def own(_token: str) -> Caller:
    return OWN


def refuse(*_sent: str) -> Caller:
    raise Unauthenticated(verbatim("This one is not valid."))


def nobody(*_sent: str) -> Caller:
    raise AssertionError("nothing else is tried")


def claiming(issuer: str) -> str:
    return token(json.dumps({"iss": issuer}).encode())


OWN = replace(ADMINISTRATOR, proof=SentToken(1))
BY_KEY = replace(ADMINISTRATOR, proof=SentKey("k"))
BEARER = BearerAuthenticator(nobody, {PROVIDER: lambda _: ADMINISTRATOR}, nobody)


def test_a_token_of_another_issuer_is_verified_by_its_function() -> None:
    assert BEARER.caller(claiming(PROVIDER), "192.0.2.1") == replace(ADMINISTRATOR, proof=SentToken())


@pytest.mark.parametrize("said", [None, SentPassword(), SentToken(1)])
def test_a_function_of_an_issuer_can_grant_itself_nothing(said: Proof | None) -> None:
    caller = replace(ADMINISTRATOR, proof=said)
    bearer = BearerAuthenticator(own, {PROVIDER: lambda _: caller})
    assert bearer.caller(claiming(PROVIDER), "192.0.2.1").proof == SentToken()


def test_an_own_token_is_verified_by_the_service_itself() -> None:
    for others in ({}, {PROVIDER: nobody}, {PROVIDER: nobody, ISSUER: nobody}):
        bearer = BearerAuthenticator(own, others, nobody)
        assert bearer.caller(claiming(ISSUER), "192.0.2.1") == OWN


def test_a_key_is_verified_by_its_function_with_the_address() -> None:
    sent: list[tuple[str, str]] = []

    def verify(key: str, address: str) -> Caller:
        sent.append((key, address))
        return BY_KEY

    bearer = BearerAuthenticator(nobody, {PROVIDER: nobody}, verify)
    assert bearer.caller("stratabase_1_x", "192.0.2.1") == BY_KEY
    assert sent == [("stratabase_1_x", "192.0.2.1")]


@each_row(
    ("sent", "functions"),
    [
        ("stratabase_1_x", (nobody, {PROVIDER: nobody}, refuse)),
        (f"stratabase_{claiming(PROVIDER)}", (nobody, {PROVIDER: nobody}, refuse)),
        (claiming(PROVIDER), (nobody, {PROVIDER: refuse}, nobody)),
        (claiming(ISSUER), (refuse, {PROVIDER: nobody}, nobody)),
        ("anything", (refuse, {}, nobody)),
        ("anything", (nobody, {PROVIDER: nobody}, nobody)),
    ],
)
def test_after_a_refusal_nothing_else_is_tried(sent: str, functions: Any) -> None:
    with pytest.raises(InvalidCredentials) as caught:
        BearerAuthenticator(*functions).caller(sent, "192.0.2.1")
    assert caught.value.challenges == ('Bearer realm="Stratabase", error="invalid_token"',)


def test_an_authenticator_without_keys_refuses_them() -> None:
    with pytest.raises(InvalidCredentials):
        BearerAuthenticator(nobody).caller("stratabase_1_x", "192.0.2.1")


@each_row(
    "sent",
    [
        token(b'{"iss": "https://other.example.com"}'),
        token(b'{"iss": ["https://id.example.com"]}'),
        token(b"{}"),
        token(b"[1]"),
        token(b"\xff"),
        token(b"[" * 5000),
        token(b'{"iss": "https://id.example.com", "x": "' + b"x" * MAX_TOKEN_LENGTH + b'"}'),
        "",
        "..",
        "a.b",
        "é.é.é",
    ],
)
def test_a_token_that_claims_no_known_issuer_is_refused_unread(sent: str) -> None:
    with pytest.raises(InvalidCredentials):
        BEARER.caller(sent, "192.0.2.1")


def of_provider(_app: App) -> dict[str, Callable[[str], Caller]]:
    return {PROVIDER: lambda _: ADMINISTRATOR}


def test_a_feature_brings_an_issuer() -> None:
    feature = Feature(token_issuers=f"{__name__}:of_provider")
    app = App(Settings(), features=(*FEATURES, feature))
    assert app.token_issuers[PROVIDER]("any") == ADMINISTRATOR
