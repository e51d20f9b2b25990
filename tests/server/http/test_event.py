"""The event of a request equals that of API Gateway's REST proxy."""

import base64
import http.client
import json
import re
from typing import Any

import pytest

from tests.server.http.serving import Client, Response


@pytest.mark.parametrize(
    ("target", "resource", "parameters"),
    [
        ("/", "/", None),
        ("/public/health", "/public/health", None),
        ("/public/health/", "/public/health", None),
        ("/auth/api/graphql/Hr", "/auth/api/graphql/{application}", {"application": "Hr"}),
        ("/auth/api/graphql/Hr/", "/auth/api/graphql/{application}", {"application": "Hr"}),
        ("/auth/api/graphql/a%2Fb%40c", "/auth/api/graphql/{application}", {"application": "a%2Fb%40c"}),
        ("/auth/api/graphql/%C3%A9", "/auth/api/graphql/{application}", {"application": "%C3%A9"}),
        ("/auth/api/graphql", "/{proxy+}", {"proxy": "auth/api/graphql"}),
        ("/auth/api/graphql/Hr/more", "/{proxy+}", {"proxy": "auth/api/graphql/Hr/more"}),
        ("/auth/file/Pet/1", "/auth/file/{class}/{entity}", {"class": "Pet", "entity": "1"}),
        ("/files/a/b%20c/d/", "/files/{proxy+}", {"proxy": "a/b%20c/d"}),
        ("/files", "/{proxy+}", {"proxy": "files"}),
        ("/Public/Health", "/{proxy+}", {"proxy": "Public/Health"}),
        ("/a//b", "/{proxy+}", {"proxy": "a//b"}),
        ("/a%0d%0ab", "/{proxy+}", {"proxy": "a%0d%0ab"}),
        ("/..%2f../x", "/{proxy+}", {"proxy": "..%2f../x"}),
    ],
)  # fmt: skip
def test_a_path_leads_to_the_most_specific_resource(
    echoing: Client, target: str, resource: str, parameters: dict[str, str] | None
) -> None:
    """The path and its parameters stay percent-encoded; a slash at the end is in the path alone."""
    event = echoing.event("GET", target)

    assert (event["resource"], event["pathParameters"]) == (resource, parameters)
    assert event["path"] == event["requestContext"]["path"] == target
    assert event["requestContext"]["resourcePath"] == resource


def test_leading_slashes_count_as_one(echoing: Client) -> None:
    assert echoing.event("GET", "//public/health")["path"] == "/public/health"


@pytest.mark.parametrize(
    ("query", "single", "multiple"),
    [
        ("", None, None),
        ("?", None, None),
        ("?a=1", {"a": "1"}, {"a": ["1"]}),
        ("?a=1&a=2&b=3", {"a": "2", "b": "3"}, {"a": ["1", "2"], "b": ["3"]}),
        ("?flag", {"flag": ""}, {"flag": [""]}),
        ("?a=", {"a": ""}, {"a": [""]}),
        ("?email=x%2By@z.org", {"email": "x+y@z.org"}, {"email": ["x+y@z.org"]}),
        ("?plus=x+y", {"plus": "x y"}, {"plus": ["x y"]}),
        ("?u=%C3%A9%F0%9F%99%82", {"u": "é🙂"}, {"u": ["é🙂"]}),
        ("?%5B0%5D=x%26y%3Dz", {"[0]": "x&y=z"}, {"[0]": ["x&y=z"]}),
        ("?a=%ff", {"a": "\ufffd"}, {"a": ["\ufffd"]}),
        ("?a=%", {"a": "%"}, {"a": ["%"]}),
    ],
)
def test_a_query_is_decoded_and_the_last_value_of_a_name_wins(
    echoing: Client, query: str, single: Any, multiple: Any
) -> None:
    event = echoing.event("GET", f"/public/health{query}")

    assert event["queryStringParameters"] == single
    assert event["multiValueQueryStringParameters"] == multiple


def sent(client: Client, *headers: tuple[str, str]) -> dict[str, Any]:
    """Send a GET with exactly these headers, and return the event."""
    connection = client.connection()
    connection.putrequest("GET", "/", skip_host=True, skip_accept_encoding=True)
    for name, value in (("Host", "somewhere.example"), *headers):
        connection.putheader(name, value)
    connection.endheaders()
    event = json.loads(connection.getresponse().read())
    connection.close()
    assert isinstance(event, dict)
    return event


def test_headers_keep_their_spelling_their_order_and_all_their_values(echoing: Client) -> None:
    event = sent(echoing, ("X-tAg", "one"), ("x-other", "3"), ("X-tAg", "two"))

    assert event["headers"]["X-tAg"] == "two"
    assert event["multiValueHeaders"]["X-tAg"] == ["one", "two"]
    assert event["multiValueHeaders"]["x-other"] == ["3"]


def test_authorization_and_user_agent_are_capitalised_as_api_gateway_does(echoing: Client) -> None:
    event = sent(echoing, ("authorization", "Basic eA=="), ("user-agent", "curl"))

    assert event["headers"]["Authorization"] == "Basic eA=="
    assert event["headers"]["User-Agent"] == event["requestContext"]["identity"]["userAgent"] == "curl"


def test_connection_headers_are_not_forwarded(echoing: Client) -> None:
    event = sent(echoing, ("Connection", "keep-alive"), ("TE", "trailers"), ("Content-Length", "0"))

    assert not {"Connection", "TE", "Content-Length"} & event["headers"].keys()


def test_the_gateway_adds_forwarding_headers(echoing: Client) -> None:
    event = sent(echoing, ("X-Forwarded-For", "203.0.113.9"), ("X-Forwarded-Proto", "https"))

    assert event["headers"]["X-Forwarded-For"] == "203.0.113.9, 127.0.0.1"
    assert event["multiValueHeaders"]["X-Forwarded-Proto"] == ["http"]
    assert event["headers"]["X-Forwarded-Port"] == str(echoing.port)


@pytest.mark.parametrize(
    "body", [b'{"query": "{ a }"}', b"\x00\xff\xfe", "é".encode(), b"x" * 200_000], ids=repr
)
def test_every_body_arrives_as_base64(echoing: Client, body: bytes) -> None:
    event = echoing.event("POST", "/", body=body, headers={"Content-Type": "text/plain"})

    assert event["isBase64Encoded"] is True
    assert base64.b64decode(event["body"]) == body


def test_a_chunked_body_arrives_whole(echoing: Client) -> None:
    event = echoing.event("POST", "/", body=iter([b"one ", b"two ", b"three"]))

    assert base64.b64decode(event["body"]) == b"one two three"


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_no_body_is_null(echoing: Client, method: str) -> None:
    event = echoing.event(method, "/")

    assert (event["body"], event["isBase64Encoded"]) == (None, False)


@pytest.mark.parametrize("method", ["DELETE", "GET", "OPTIONS", "PATCH", "POST", "PUT"])
def test_any_method_is_forwarded(echoing: Client, method: str) -> None:
    event = echoing.event(method, "/public/health")

    assert event["httpMethod"] == event["requestContext"]["httpMethod"] == method


def test_the_request_context_has_the_fields_of_api_gateway(echoing: Client) -> None:
    """The address in it is the server's own, whatever Host the client names."""
    response: Response = echoing.get("/public/health", Host="evil.example")
    event = response.json()
    context = event["requestContext"]

    assert context["domainName"] == f"127.0.0.1:{echoing.port}"
    assert context["stage"] == context["apiId"] == "local"
    assert context["protocol"] == "HTTP/1.1"
    assert context["identity"]["sourceIp"] == "127.0.0.1"
    assert re.fullmatch(
        r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", context["requestId"]
    )
    assert context["requestId"] == response.header("x-amzn-RequestId")
    assert re.fullmatch(r"\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d \+0000", context["requestTime"])
    assert context["requestTimeEpoch"] > 1_700_000_000_000
    assert event["stageVariables"] is None


def test_every_request_has_an_id_of_its_own(echoing: Client) -> None:
    ids = {echoing.get("/").header("x-amzn-RequestId") for _ in range(5)}

    assert len(ids) == 5


def test_several_requests_on_one_connection_are_answered_in_order(echoing: Client) -> None:
    request = b"GET /a%d HTTP/1.1\r\nHost: x\r\n%s\r\n"
    received = echoing.raw(
        b"".join(request % (n, b"Connection: close\r\n" if n == 3 else b"") for n in range(4))
    )

    assert re.findall(rb'"path": "(/a\d)", "httpMethod"', received) == [b"/a0", b"/a1", b"/a2", b"/a3"]


def test_a_keep_alive_connection_serves_several_requests(echoing: Client) -> None:
    connection: http.client.HTTPConnection = echoing.connection()
    connection.connect()
    socket = connection.sock

    bodies = [
        echoing.request("POST", "/", body=f"{n}", connection=connection).json()["body"] for n in range(3)
    ]

    assert connection.sock is socket
    assert [base64.b64decode(body) for body in bodies] == [b"0", b"1", b"2"]
    connection.close()
