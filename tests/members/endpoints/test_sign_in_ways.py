"""The list of the ways to sign in, request by request."""

from collections.abc import Callable
from typing import Any

import pytest

from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.handler import HttpHandler
from stratabase.members.endpoints.sign_in_ways import BY_PASSWORD, sign_in_ways_endpoint
from stratabase_aws.functions.handler import LambdaHandler
from tests.core.http.documented import Documented
from tests.core.http.reply import Reply

WAYS = "/public/signIn"
Send = Callable[..., Reply]


@pytest.fixture
def send(event: Callable[..., dict[str, Any]]) -> Send:
    """Send a request, whose answer must be as the OpenAPI document says."""
    endpoints = {WAYS: sign_in_ways_endpoint([BY_PASSWORD])}
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
    url = "https://api.example.com/prod/public/token/getJwtToken"
    assert reply.json() == [{"name": "password", "label": "Username and password", "url": url}]
    assert reply.headers["Cache-Control"] == ["no-store"]


def test_labels_are_in_the_language_of_the_request(send: Send) -> None:
    reply = send("GET", headers={"accept-language": "it"})
    assert reply.json()[0]["label"] == "Nome utente e password"


def test_the_ways_can_be_xml(send: Send) -> None:
    reply = send("GET", query={"format": ["xml"]})
    assert "<ways><way><name>password</name><label>Username and password</label><url>https://" in reply.body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_but_reading_is_possible(method: str, send: Send) -> None:
    reply = send(method)
    assert (reply.status, reply.headers["Allow"]) == (405, ["GET, HEAD, OPTIONS"])


def test_options_are_answered(send: Send) -> None:
    assert send("OPTIONS").status == 204
