"""A Bearer token goes to what verifies the tokens of the issuer that it claims."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from stratabase.core.app.app import App
from stratabase.core.domain.caller import Caller, Proof, SentPassword, SentToken
from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.features import FEATURES, Feature
from stratabase.core.http.base.refusals import InvalidCredentials
from stratabase.core.settings import Settings
from stratabase.members.sign_in.json_web_tokens import MAX_TOKEN_LENGTH
from stratabase.members.sign_in.tokens import BearerAuthenticator
from stratabase.values.messages import verbatim
from tests.fakes import ADMINISTRATOR
from tests.rows import each_row

PROVIDER = "https://id.example.com"


def token(payload: bytes) -> str:
    return f"e30.{base64.urlsafe_b64encode(payload).decode().rstrip('=')}.x"


def own(_token: str) -> Caller:
    raise Unauthenticated(verbatim("The token is not valid."))


BEARER = BearerAuthenticator(own, {PROVIDER: lambda _: ADMINISTRATOR})


def test_a_token_of_another_issuer_is_verified_by_its_function() -> None:
    claims = json.dumps({"iss": PROVIDER}).encode()
    assert BEARER.caller(token(claims), "192.0.2.1") == replace(ADMINISTRATOR, proof=SentToken())


@pytest.mark.parametrize("said", [None, SentPassword(), SentToken(1)])
def test_a_function_of_an_issuer_can_grant_itself_nothing(said: Proof | None) -> None:
    caller = replace(ADMINISTRATOR, proof=said)
    bearer = BearerAuthenticator(own, {PROVIDER: lambda _: caller})
    claims = json.dumps({"iss": PROVIDER}).encode()
    assert bearer.caller(token(claims), "192.0.2.1").proof == SentToken()


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
def test_every_other_token_is_left_to_the_service_itself(sent: str) -> None:
    with pytest.raises(InvalidCredentials):
        BEARER.caller(sent, "192.0.2.1")


def of_provider(_app: App) -> dict[str, Callable[[str], Caller]]:
    return {PROVIDER: lambda _: ADMINISTRATOR}


def test_a_feature_brings_an_issuer() -> None:
    feature = Feature(token_issuers=f"{__name__}:of_provider")
    app = App(Settings(), features=(*FEATURES, feature))
    assert app.token_issuers[PROVIDER]("any") == ADMINISTRATOR
