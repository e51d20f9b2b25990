"""What an endpoint gets of a request."""

import base64
import http.client
import json
import re
from typing import Any

import pytest

from tests.rows import each_row
from tests.server.http.serving import Client

GRAPHQL = "/auth/api/graphql/{application}"


@pytest.mark.parametrize(
    ("target", "resource", "parameters"),
    [
        ("/", "/", {}),
        ("/public/health", "/public/health", {}),
        ("/public/health/", "/public/health", {}),
        ("/auth/api/graphql/Hr", GRAPHQL, {"application": "Hr"}),
        ("/auth/api/graphql/Hr/", GRAPHQL, {"application": "Hr"}),
        ("/auth/api/graphql/a%2Fb%40c", GRAPHQL, {"application": "a/b@c"}),
        ("/auth/api/graphql/%C3%A9", GRAPHQL, {"application": "é"}),
        ("/auth/api/graphql", "/{proxy+}", {"proxy": "auth/api/graphql"}),
        ("/auth/api/graphql/Hr/more", "/{proxy+}", {"proxy": "auth/api/graphql/Hr/more"}),
        ("/auth/file/Pet/1", "/auth/file/{class}/{entity}", {"class": "Pet", "entity": "1"}),
        ("/Public/Health", "/{proxy+}", {"proxy": "Public/Health"}),
        ("/a//b", "/{proxy+}", {"proxy": "a//b"}),
        ("/a%0d%0ab", "/{proxy+}", {"proxy": "a\r\nb"}),
        ("/..%2f../x", "/{proxy+}", {"proxy": "../../x"}),
    ],
)
def test_a_path_leads_to_the_most_specific_address(
    echoing: Client, target: str, resource: str, parameters: dict[str, str]
) -> None:
    """The path stays as it was sent. A slash at its end is in no parameter."""
    request = echoing.received("GET", target)

    assert (request["resource"], request["parameters"]) == (resource, parameters)
    assert request["path"] == target


def test_leading_slashes_count_as_one(echoing: Client) -> None:
    assert echoing.received("GET", "//public/health")["path"] == "/public/health"


@pytest.mark.parametrize(
    ("query", "values"),
    [
        ("", {}),
        ("?", {}),
        ("?a=1&a=2&b=3", {"a": ["1", "2"], "b": ["3"]}),
        ("?flag", {"flag": [""]}),
        ("?a=", {"a": [""]}),
        ("?email=x%2By@z.org", {"email": ["x+y@z.org"]}),
        ("?plus=x+y", {"plus": ["x y"]}),
        ("?u=%C3%A9%F0%9F%99%82", {"u": ["é🙂"]}),
        ("?%5B0%5D=x%26y%3Dz", {"[0]": ["x&y=z"]}),
        ("?a=%ff", {"a": ["\ufffd"]}),
        ("?a=%", {"a": ["%"]}),
    ],
)
def test_a_query_is_decoded_as_a_form(echoing: Client, query: str, values: dict[str, list[str]]) -> None:
    assert echoing.received("GET", f"/public/health{query}")["query"] == values


def sent(client: Client, *headers: tuple[str, str]) -> Any:
    """Send a GET with exactly these headers, and return the request that arrived."""
    connection = client.connection()
    connection.putrequest("GET", "/", skip_host=True, skip_accept_encoding=True)
    for name, value in (("Host", "somewhere.example"), *headers):
        connection.putheader(name, value)
    connection.endheaders()
    request = json.loads(connection.getresponse().read())
    connection.close()
    return request


def test_headers_have_lower_case_names_and_all_their_values_in_order(echoing: Client) -> None:
    request = sent(echoing, ("X-tAg", "one"), ("x-other", "3"), ("X-tag", "two"))

    assert request["headers"] == {
        "host": ["somewhere.example"],
        "x-tag": ["one", "two"],
        "x-other": ["3"],
    }


def test_headers_of_the_connection_and_of_proxies_do_not_arrive(echoing: Client) -> None:
    request = sent(
        echoing,
        ("Connection", "keep-alive"),
        ("TE", "trailers"),
        ("Content-Length", "0"),
        ("X-Forwarded-For", "203.0.113.9"),
    )

    assert request["headers"].keys() == {"host"}


@pytest.mark.parametrize(
    "body", [b'{"query": "{ a }"}', b"\x00\xff\xfe", "é".encode(), b"x" * 200_000, b""], ids=repr
)
def test_every_body_arrives_whole(echoing: Client, body: bytes) -> None:
    request = echoing.received("POST", "/", body=body, headers={"Content-Type": "text/plain"})

    assert base64.b64decode(request["body"]) == body


def test_a_chunked_body_arrives_whole(echoing: Client) -> None:
    request = echoing.received("POST", "/", body=iter([b"one ", b"two ", b"three"]))

    assert base64.b64decode(request["body"]) == b"one two three"


@each_row("method", ["DELETE", "GET", "OPTIONS", "PATCH", "POST", "PUT"])
def test_an_endpoint_can_have_any_usual_method(echoing: Client, method: str) -> None:
    assert echoing.received(method, "/public/health")["method"] == method


def test_the_addresses_are_those_of_the_connection(echoing: Client) -> None:
    """The client controls the header Host, so mailed links could lead to an attacker's site."""
    response = echoing.get("/public/health", Host="evil.example")
    request = response.json()

    assert request["base_url"] == f"https://127.0.0.1:{echoing.port}/local"
    assert request["source_address"] == "127.0.0.1"
    assert re.fullmatch(
        r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", request["trace_id"]
    )
    assert request["trace_id"] == response.header("x-amzn-RequestId")


def test_every_request_has_an_id_of_its_own(echoing: Client) -> None:
    ids = {echoing.get("/").header("x-amzn-RequestId") for _ in range(5)}

    assert len(ids) == 5


def test_several_requests_on_one_connection_are_answered_in_order(echoing: Client) -> None:
    request = b"GET /a%d HTTP/1.1\r\nHost: x\r\n%s\r\n"
    received = echoing.raw(
        b"".join(request % (n, b"Connection: close\r\n" if n == 3 else b"") for n in range(4))
    )

    assert re.findall(rb'"path": "(/a\d)"', received) == [b"/a0", b"/a1", b"/a2", b"/a3"]


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
