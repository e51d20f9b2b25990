"""The responses of the handler, request by request."""

import base64
import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Forbidden, Refusal, Unavailable
from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.base.cors import REQUEST_HEADERS, Cors
from stratabase.core.http.handler import HttpHandler
from stratabase.core.operations.graphql_port import GraphQLResponse
from stratabase.values.messages import verbatim
from stratabase_aws.functions.handler import LambdaHandler
from tests.rows import each_row

GRAPHQL = "/auth/api/graphql/{application}"
CHALLENGE = ['Basic realm="Stratabase", charset="UTF-8"']


@dataclass(frozen=True)
class Scenario:
    """A request, and what must and must not be in its answer."""

    name: str
    method: str
    resource: str
    status: int
    request: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, list[str]] = field(default_factory=dict)
    holds: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


def basic(text: bytes, scheme: str = "Basic") -> dict[str, Any]:
    return {"headers": {"authorization": f"{scheme} {base64.b64encode(text).decode()}"}}


def proxy(path: str) -> dict[str, Any]:
    return {"parameters": {"proxy": path}}


SCENARIOS = [
    Scenario(
        "health",
        "GET",
        "/public/health",
        200,
        headers={
            "Content-Type": ["application/json"],
            "Cache-Control": ["no-store"],
            "X-Content-Type-Options": ["nosniff"],
        },
        holds=('"version":"1.2.3"', '"store":"reachable"'),
    ),
    Scenario("HEAD where there is GET", "HEAD", "/public/health", 200, lacks=("version",)),
    Scenario("no HEAD where GET does something", "HEAD", "/auth/once", 405, {"signed_in": True}),
    Scenario(
        "health as XML",
        "GET",
        "/public/health",
        200,
        {"query": {"format": ["xml"]}},
        {"Content-Type": ["application/xml"]},
        holds=("<health><version>1.2.3</version>",),
    ),
    Scenario(
        "a format that is none",
        "GET",
        "/public/health",
        400,
        {"query": {"format": ["yaml"]}},
        {"Content-Type": ["application/problem+json"]},
        holds=('must be json or xml, not \\"yaml\\"',),
    ),
    Scenario("two formats", "GET", "/public/health", 400, {"query": {"format": ["xml", "json"]}}),
    Scenario(
        "an unknown address",
        "GET",
        "/{proxy+}",
        404,
        proxy("public/nothing"),
        holds=('"title":"Not Found"', '"traceId":"trace-1"', '"status":404'),
    ),
    Scenario(
        "the address of GraphQL in other services",
        "POST",
        "/{proxy+}",
        404,
        proxy("graphql"),
        holds=("GraphQL is at /auth/api/graphql/NAME, with the name of the application.",),
    ),
    Scenario("OPTIONS on an unknown address", "OPTIONS", "/{proxy+}", 404, proxy("auth/nothing")),
    Scenario(
        "an unknown protected address, and nobody",
        "GET",
        "/{proxy+}",
        401,
        proxy("auth/nothing"),
        {"WWW-Authenticate": CHALLENGE},
    ),
    Scenario("the same, percent-encoded", "GET", "/{proxy+}", 401, proxy("%61uth/nothing")),
    Scenario("just /auth, and nobody", "GET", "/{proxy+}", 401, proxy("auth")),
    Scenario("what only begins like auth", "GET", "/{proxy+}", 404, proxy("authors")),
    Scenario(
        "an unknown protected address, and a member",
        "GET",
        "/{proxy+}",
        404,
        {**proxy("auth/nothing"), "signed_in": True},
    ),
    Scenario(
        "a wrong method",
        "DELETE",
        "/public/health",
        405,
        headers={"Allow": ["GET, HEAD, OPTIONS"]},
        holds=("The method DELETE is not supported at this address. Use GET, HEAD, or OPTIONS.",),
    ),
    Scenario("a wrong method, and nobody", "DELETE", GRAPHQL, 401, headers={"WWW-Authenticate": CHALLENGE}),
    Scenario(
        "a wrong method, and a member",
        "DELETE",
        GRAPHQL,
        405,
        {"signed_in": True},
        {"Allow": ["GET, POST, HEAD, OPTIONS"]},
    ),
    Scenario(
        "OPTIONS needs no credentials",
        "OPTIONS",
        GRAPHQL,
        204,
        headers={
            "Allow": ["GET, POST, HEAD, OPTIONS"],
            "Access-Control-Allow-Headers": [REQUEST_HEADERS],
        },
    ),
    Scenario("no credentials", "GET", GRAPHQL, 401, holds=("requires exactly one Authorization header",)),
    Scenario("a wrong password", "GET", GRAPHQL, 401, basic(b"anna:wrong"), holds=("password is incorrect",)),
    Scenario("no colon", "GET", GRAPHQL, 401, basic(b"anna"), holds=("must contain a colon",)),
    Scenario("no UTF-8", "GET", GRAPHQL, 401, basic(b"\xff:\xff"), holds=("Base64-encoded UTF-8 text",)),
    Scenario("no base64", "GET", GRAPHQL, 401, {"headers": {"Authorization": "Basic ???"}}),
    Scenario("no ASCII", "GET", GRAPHQL, 401, {"headers": {"Authorization": "Basic é"}}),
    Scenario("no credentials after the scheme", "GET", GRAPHQL, 401, {"headers": {"Authorization": "Basic"}}),
    Scenario(
        "another scheme",
        "GET",
        GRAPHQL,
        401,
        {"headers": {"Authorization": "Digest x"}},
        {"WWW-Authenticate": CHALLENGE},
        holds=("must use the Basic scheme",),
    ),
    Scenario("a scheme in capitals", "GET", "/auth/once", 200, basic(b"anna:right", "BASIC")),
    Scenario("a scheme in lower case, and blanks", "GET", "/auth/once", 200, basic(b"anna:right", " basic ")),
    Scenario("credentials on a public address", "GET", "/public/health", 200, basic(b"anna:wrong")),
    Scenario(
        "what fails inside",
        "POST",
        "/public/fail",
        500,
        headers={"Content-Type": ["application/problem+json"]},
        holds=("trace-1",),
        lacks=("members_v2", "RuntimeError", "Traceback"),
    ),
    Scenario(
        "a body that is not whole",
        "PUT",
        "/public/echo",
        400,
        {"body": "A", "base64_body": True},
        holds=("is incomplete",),
    ),
    Scenario("64 KB", "PUT", "/public/echo", 200, {"body": "x" * 65_536}),
    Scenario(
        "more than 64 KB",
        "PUT",
        "/public/echo",
        413,
        {"body": "é" * 32_769},
        holds=("The request body has more than the limit of 65,536 bytes.",),
    ),
    Scenario(
        "a body that is compressed",
        "PUT",
        "/public/echo",
        415,
        {"body": "x", "headers": {"content-encoding": "gzip"}},
        {"Accept-Encoding": ["identity"]},
        holds=('content encoding \\"gzip\\" is not supported',),
    ),
    Scenario(
        "a body as it is",
        "PUT",
        "/public/echo",
        200,
        {"body": "x", "headers": {"Content-Encoding": "Identity"}},
    ),
    Scenario(
        "a coding, but no body", "GET", "/public/health", 200, {"headers": {"Content-Encoding": "gzip"}}
    ),
    Scenario(
        "a compressed query",
        "POST",
        GRAPHQL,
        415,
        {
            "signed_in": True,
            "body": "x",
            "headers": {"Content-Encoding": "gzip", "Content-Type": "application/json"},
        },
    ),
]

TEXT = {"Content-Type": ["text/plain; charset=utf-8"]}
TEXTS = [
    Scenario(
        "no credentials",
        "PUT",
        "/auth/text",
        401,
        headers={"WWW-Authenticate": CHALLENGE},
        holds=("This address requires exactly one Authorization header with the Basic scheme.",),
    ),
    Scenario(
        "a wrong password", "PUT", "/auth/text", 401, basic(b"anna:wrong"), holds=("password is incorrect",)
    ),
    Scenario(
        "a format that is none",
        "PUT",
        "/auth/text",
        400,
        {"signed_in": True, "query": {"format": ["yaml"]}},
        holds=('must be json or xml, not "yaml".',),
    ),
    Scenario(
        "a body that is not whole",
        "PUT",
        "/auth/text",
        400,
        {"signed_in": True, "body": "A", "base64_body": True},
        holds=("The request body is incomplete. Send the request again.",),
    ),
    Scenario(
        "too large",
        "PUT",
        "/auth/text",
        413,
        {"signed_in": True, "body": "x" * 65_537},
        holds=("The request body has more than the limit of 65,536 bytes",),
    ),
    Scenario(
        "compressed",
        "PUT",
        "/auth/text",
        415,
        {"signed_in": True, "body": "x", "headers": {"Content-Encoding": "br"}},
        {"Accept-Encoding": ["identity"]},
    ),
    Scenario(
        "what fails inside",
        "DELETE",
        "/public/fail",
        500,
        holds=("An internal error occurred.", "trace-1"),
        lacks=("members_v2", "RuntimeError", "Traceback"),
    ),
]
"""Refusals of the handler at an operation that answers texts."""


@each_row("scenario", SCENARIOS)
def test_each_request_gets_its_expected_response(scenario: Scenario, send: Any) -> None:
    reply = send(scenario.method, scenario.resource, **scenario.request)
    assert reply.status == scenario.status, reply.body
    assert {name: reply.headers.get(name) for name in scenario.headers} == scenario.headers
    assert [text for text in scenario.holds if text not in reply.body] == []
    assert [text for text in scenario.lacks if text in reply.body] == []


@each_row("scenario", TEXTS)
@each_row("form", [["json"], ["xml"]])
def test_a_text_operation_gets_early_refusals_as_text(scenario: Scenario, form: list[str], send: Any) -> None:
    query = {"format": form} | scenario.request.get("query", {})
    reply = send(scenario.method, scenario.resource, **scenario.request | {"query": query})
    assert reply.status == scenario.status, reply.body
    assert {name: reply.headers.get(name) for name in scenario.headers | TEXT} == scenario.headers | TEXT
    assert [text for text in scenario.holds if text not in reply.body] == []
    assert [text for text in scenario.lacks if text in reply.body] == []


def test_a_wrong_method_is_a_json_problem_even_for_a_text_operation(send: Any) -> None:
    reply = send("PATCH", "/auth/text", signed_in=True)
    assert (reply.status, reply.headers["Content-Type"]) == (405, ["application/problem+json"])
    assert reply.headers["Allow"] == ["GET, PUT, HEAD, OPTIONS"]


def test_every_response_disables_caching_and_content_sniffing(send: Any) -> None:
    for scenario in SCENARIOS:
        headers = send(scenario.method, scenario.resource, **scenario.request).headers
        assert (headers["Cache-Control"], headers["X-Content-Type-Options"]) == (["no-store"], ["nosniff"])


def test_an_xml_problem_is_well_formed(send: Any) -> None:
    reply = send("GET", "/{proxy+}", query={"format": ["xml"]}, parameters={"proxy": "<&\x00>"})
    root = ET.fromstring(reply.body)
    assert reply.headers["Content-Type"] == ["application/problem+xml"]
    assert root.tag == "{urn:ietf:rfc:7807}problem"
    assert root.findtext("{*}status") == "404"


def test_bytes_are_sent_unchanged(make_handler: Callable[..., LambdaHandler], event: Any) -> None:
    body = bytes(range(256))
    answer = make_handler()(
        event("PUT", "/public/echo", body=base64.b64encode(body).decode(), base64_body=True)
    )
    assert answer["isBase64Encoded"] is True
    assert base64.b64decode(answer["body"]) == body


@pytest.mark.parametrize(
    ("refusal", "status", "header"),
    [
        (Unavailable(verbatim("busy"), retry_after=7), 503, ("Retry-After", "7")),
        (Forbidden(verbatim("not yours")), 403, None),
        (Refusal(verbatim("no")), 400, None),
    ],
)
def test_refusals_are_mapped_to_statuses(
    refusal: Refusal, status: int, header: tuple[str, str] | None, fakes: Any, send: Any
) -> None:
    fakes.executor.outcome = refusal
    reply = send("GET", GRAPHQL, signed_in=True, parameters={"application": "hr"}, query={"query": ["{x}"]})
    assert (reply.status, reply.json()["detail"]) == (status, str(refusal))
    assert header is None or reply.headers[header[0]] == [header[1]]


def test_a_failure_is_logged_with_its_stack_and_trace_id(send: Any, fakes: Any) -> None:
    send("POST", "/public/fail")
    (line,) = [line for line in fakes.lines() if line["level"] == "ERROR"]
    assert line["traceId"] == "trace-1"
    assert "members_v2 is gone" in line["exception"]


def test_an_unavailable_store_is_logged_as_a_warning(send: Any, fakes: Any) -> None:
    fakes.executor.outcome = Unavailable(verbatim("busy"))
    send("GET", GRAPHQL, signed_in=True, parameters={"application": "hr"}, query={"query": ["{x}"]})
    assert [line["level"] for line in fakes.lines()] == ["WARNING"]


def test_a_refusal_is_logged_with_everything_that_led_to_it(send: Any, fakes: Any) -> None:
    """A refusal that wraps another one, such as an email that SES refuses, still has the answer of AWS."""
    refusal, reason = Unavailable(verbatim("no link")), Unavailable(verbatim("no mail"))
    refusal.__cause__, reason.__cause__ = reason, ConnectionError("AccessDenied")
    fakes.executor.outcome = refusal
    send("GET", GRAPHQL, signed_in=True, parameters={"application": "hr"}, query={"query": ["{x}"]})
    (line,) = fakes.lines()
    assert line["reason"] == "no link"
    assert line["causes"][-1] == "ConnectionError('AccessDenied')"
    assert "no mail" in line["causes"][0]


def test_the_log_never_holds_credentials(send: Any, fakes: Any) -> None:
    send("GET", GRAPHQL, **basic(b"anna:wrong-password-7"))
    assert "wrong-password-7" not in fakes.logged.getvalue()
    assert base64.b64encode(b"anna:wrong-password-7").decode() not in fakes.logged.getvalue()


def test_no_origin_is_allowed_by_default(send: Any) -> None:
    reply = send("GET", headers={"Origin": "https://app.example.com"})
    assert [name for name in reply.headers if name.startswith("Access-Control")] == []


@each_row(
    ("origins", "origin", "allowed"),
    [
        (("https://app.example.com",), "https://app.example.com", True),
        (("https://app.example.com",), "https://app.example.com.evil.test", False),
        (("*",), "https://any.test", True),
        (("*",), None, False),
    ],
)
@each_row("method", ["GET", "OPTIONS"])
def test_origins_get_their_cors_headers(
    origins: tuple[str, ...], origin: str | None, allowed: bool, method: str, send: Any
) -> None:
    headers = {"Origin": origin} if origin else {}
    reply = send(method, headers=headers, cors=Cors(origins))
    assert reply.headers.get("Access-Control-Allow-Origin") == ([origin] if allowed else None)
    assert reply.headers["Vary"] == ["Origin"]


def test_refusals_have_cors_headers_for_an_allowed_origin(send: Any) -> None:
    reply = send("GET", GRAPHQL, headers={"Origin": "https://a.test"}, cors=Cors(("https://a.test",)))
    assert reply.status == 401
    assert reply.headers["Access-Control-Allow-Origin"] == ["https://a.test"]


def test_a_refused_origin_is_logged_once(
    make_handler: Callable[..., LambdaHandler], event: Any, fakes: Any
) -> None:
    handler = make_handler(Cors(("https://a.test",)))
    for origin in ("https://a.test", "https://b.test", "https://b.test", *map(str, range(50)), "x" * 999):
        handler(event("OPTIONS", GRAPHQL, headers={"Origin": origin}))

    logged = [line["origin"] for line in fakes.lines() if "origin" in line]
    assert logged == ["https://b.test", *map(str, range(19))]


def test_two_authorization_headers_are_refused(
    make_handler: Callable[..., LambdaHandler], event: Any
) -> None:
    credentials = basic(b"anna:right")["headers"]["authorization"]
    sent = event("GET", "/auth/once")
    sent["multiValueHeaders"] = {"Authorization": [credentials, credentials]}
    assert make_handler()(sent)["statusCode"] == 401


def test_every_request_is_refused_without_schemes(event: Any) -> None:
    handler = LambdaHandler(HttpHandler({}, Authentication({})))
    answer = handler(event("GET", "/{proxy+}", parameters={"proxy": "auth/x"}))
    assert answer["statusCode"] == 401


def test_every_response_is_serializable_as_json(
    make_handler: Callable[..., LambdaHandler], event: Any
) -> None:
    assert json.loads(json.dumps(make_handler()(event())))["statusCode"] == 200


DORA = "Basic " + base64.b64encode(b"dora:right").decode()
"""Dora reads Italian."""


@pytest.mark.parametrize(
    ("outcome", "status", "beginning"),
    [
        (GraphQLResponse(b" " * 7_000_000), 413, "La risposta "),
        (RuntimeError("the table is gone"), 500, "Si è verificato un errore"),
    ],
)
def test_errors_are_in_the_language_of_the_caller(
    outcome: GraphQLResponse | Exception, status: int, beginning: str, send: Any, fakes: Any
) -> None:
    """This includes errors that are found only when the response is complete."""
    fakes.executor.outcome = outcome
    query, parameters = {"query": ["{x}"]}, {"application": "Hr"}
    reply = send("GET", GRAPHQL, headers={"Authorization": DORA}, parameters=parameters, query=query)
    assert (reply.status, reply.json()["detail"].startswith(beginning)) == (status, True), reply.body


def test_without_a_caller_a_refusal_is_in_the_language_of_the_browser(send: Any) -> None:
    texts = [
        send("GET", "/auth/once", headers={"Accept-Language": accepted}).json()["detail"]
        for accepted in ("de, it-CH;q=0.8, en;q=0.5", "de, en;q=0.8, it;q=0.5")
    ]
    assert texts == [
        "Questo indirizzo richiede una sola intestazione Authorization con lo schema Basic.",
        "This address requires exactly one Authorization header with the Basic scheme.",
    ]
