"""The list of the ways to sign in, request by request."""

from collections.abc import Callable
from typing import Any

import pytest

from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.handler import HttpHandler
from stratabase.core.observe import Log
from stratabase.members.endpoints.sign_in_page import BY_PASSWORD, SignInPage, SignInWay
from stratabase.members.endpoints.sign_in_ways import sign_in_ways_endpoint
from stratabase.members.pages.sign_in import SignInPages
from stratabase.values.messages import verbatim
from stratabase_aws.functions.handler import LambdaHandler
from tests.core.http.documented import Documented
from tests.core.http.reply import Reply

WAYS = "/public/signIn"
Send = Callable[..., Reply]


BY_PROVIDER = SignInWay("id", verbatim("R&D"), "/public/signIn/id", "/public/signIn/id/signOut")
BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
ASKED = {"returnTo": ["https://app.example.com/?a=b"], "challenge": ["c"]}


@pytest.fixture
def send(event: Callable[..., dict[str, Any]]) -> Send:
    """Send a request, whose answer must be as the OpenAPI document says."""

    def ways() -> list[SignInWay]:
        return [BY_PASSWORD, BY_PROVIDER]

    page = SignInPage(ways, lambda *_: None, lambda *_: "", SignInPages("Hr"), Log("ERROR", service="ways"))
    endpoints = {WAYS: sign_in_ways_endpoint(ways, page)}
    documented = Documented(endpoints)
    handler = LambdaHandler(HttpHandler(endpoints, Authentication({})))

    def sent(method: str, **rest: Any) -> Reply:
        answer = handler(event(method, WAYS, **rest))
        if answer["statusCode"] != 405:
            documented.check(method, WAYS, answer)
        return Reply(answer["statusCode"], answer["multiValueHeaders"], answer["body"])

    return sent


def test_the_ways_are_listed_for_programs(send: Send) -> None:
    reply = send("GET")
    base = "https://api.example.com/prod/public"
    assert reply.json() == [
        {
            "name": "password",
            "label": "Username and password",
            "url": f"{base}/token/getJwtToken",
            "signOutUrl": None,
        },
        {
            "name": "id",
            "label": "R&D",
            "url": f"{base}/signIn/id",
            "signOutUrl": f"{base}/signIn/id/signOut",
        },
    ]
    assert (reply.headers["Cache-Control"], reply.headers["Vary"]) == (["no-store"], ["Accept"])


def test_labels_are_in_the_language_of_the_request(send: Send) -> None:
    reply = send("GET", headers={"accept-language": "it"})
    assert reply.json()[0]["label"] == "Nome utente e password"


def test_the_ways_can_be_xml(send: Send) -> None:
    reply = send("GET", query={"format": ["xml"]})
    assert "<ways><way><name>password</name><label>Username and password</label><url>https://" in reply.body


def test_people_get_a_page(send: Send) -> None:
    reply = send("GET", headers=BROWSER, query=ASKED)
    assert reply.headers["Content-Type"] == ["text/html; charset=utf-8"]
    assert send("GET", headers=BROWSER, query={"format": ["json"]}).json()


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_other_methods_are_refused(method: str, send: Send) -> None:
    reply = send(method)
    assert (reply.status, reply.headers["Allow"]) == (405, ["GET, POST, HEAD, OPTIONS"])


def test_options_are_answered(send: Send) -> None:
    assert send("OPTIONS").status == 204
