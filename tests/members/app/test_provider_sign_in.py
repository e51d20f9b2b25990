"""Sign-in with providers in an app, whose document names them."""

import io
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from stratabase.core.app.app import App
from stratabase.core.observe import Log
from stratabase.core.settings import Settings
from stratabase_aws.functions.handler import LambdaHandler
from tests.core.http.reply import Reply
from tests.http_fixtures import make_event
from tests.service import SAMPLE_MODEL

ROW = {
    "name": "corp",
    "label": "Corp & Co",
    "issuer": "https://id.example.com",
    "clientId": "hr",
    "clientSecret": "only the service knows",
}
WAYS = "/public/signIn"
Send = Callable[..., Reply]


@pytest.fixture
def document(tmp_path: Path) -> Path:
    return tmp_path / "providers.json"


@pytest.fixture
def logged() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def send(tmp_path: Path, document: Path, logged: io.StringIO) -> Iterator[Send]:
    settings = {
        "STRATABASE_HOME": str(tmp_path / "home"),
        "STRATABASE_MODEL": str(SAMPLE_MODEL),
        "STRATABASE_IDENTITY_PROVIDERS": str(document),
        "STRATABASE_ALLOWED_ORIGINS": "https://app.example.com",
        "STRATABASE_BASE_URL": "https://api.example.com",
    }
    with closing(App(Settings.from_environment(settings))) as app:
        app.log = Log("DEBUG", logged, service=f"signin{uuid4()}")
        handler = LambdaHandler(app.http_handler(app.endpoints("signin")))

        def sent(method: str, resource: str, **rest: Any) -> Reply:
            answer = handler(make_event(method, resource, **rest))
            return Reply(answer["statusCode"], answer["multiValueHeaders"], answer["body"])

        yield sent


def test_the_providers_of_the_document_are_ways_to_sign_in(send: Send, document: Path) -> None:
    document.write_text(json.dumps({"providers": [ROW]}))
    password, corp = send("GET", WAYS).json()
    assert (password["name"], password["signOutUrl"]) == ("password", None)
    url = "https://api.example.com/public/signIn/corp"
    assert corp == {"name": "corp", "label": "Corp & Co", "url": url, "signOutUrl": f"{url}/signOut"}


def test_all_addresses_work_without_providers(send: Send, document: Path) -> None:
    document.write_text(json.dumps({"providers": [ROW]}))
    code = json.dumps({"code": "nobody." + "x" * 43, "verifier": "v"})
    assert send("POST", "/public/token/exchange", body=code).status == 401
    query = {"state": ["x"]}
    for resource in (f"{WAYS}/{{provider}}", f"{WAYS}/{{provider}}/callback", f"{WAYS}/{{provider}}/signOut"):
        reply = send("GET", resource, parameters={"provider": "other"}, query=query)
        assert reply.status in {400, 404}


def test_a_document_with_mistakes_is_told_to_the_operator_only(
    send: Send, document: Path, logged: io.StringIO
) -> None:
    document.write_text(json.dumps({"providers": [{**ROW, "issuer": "http://id.example.com"}]}))
    reply = send("GET", WAYS)
    assert reply.status == 503
    assert "providers[0].issuer" in logged.getvalue()
    for secret in ("only the service knows", "providers[0]", "id.example.com"):
        assert secret not in reply.body
    assert "only the service knows" not in logged.getvalue()
