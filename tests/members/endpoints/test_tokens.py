"""Token issue, refresh and use, request by request."""

import base64
import io
import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest

from stratabase.core.domain.caller import Caller, SentPassword, SentToken
from stratabase.core.domain.issues.refusals import Forbidden, Unauthenticated, Unavailable
from stratabase.core.http.base.authentication import Authentication, Authenticator
from stratabase.core.http.base.endpoint import Endpoint, Operation
from stratabase.core.http.base.messages import Response
from stratabase.core.http.handler import HttpHandler
from stratabase.core.observe import Log
from stratabase.members.endpoints.tokens import get_token_endpoint, refresh_token_endpoint
from stratabase.members.refusals import TooManyFailures
from stratabase.members.sign_in.bearer import BearerAuthenticator
from stratabase.members.sign_in.sign_in import BasicAuthenticator
from stratabase.values.messages import verbatim
from stratabase_aws.functions.handler import LambdaHandler
from tests.core.http.documented import Documented
from tests.core.http.reply import Reply
from tests.forged_tokens import HEADER, claims, forged
from tests.rows import each_row
from tests.token_process import ANNA, TokenProcess

GET = "/public/token/getJwtToken"
REFRESH = "/auth/token/refreshJwtToken"
WHO = "/auth/who"
BASIC = 'Basic realm="Stratabase", charset="UTF-8"'
BEARER = 'Bearer realm="Stratabase"'
INVALID = f'{BEARER}, error="invalid_token"'
RIGHT = {"username": "Anna", "password": "right"}


@dataclass
class TokenService:
    """A service that gives tokens, and tells who comes with them."""

    process: TokenProcess = field(default_factory=TokenProcess)
    refusal: Exception | None = None
    """What signing in comes to, whatever the password."""
    seen: list[tuple[str, str, str]] = field(default_factory=list)
    logged: io.StringIO = field(default_factory=io.StringIO)

    def sign_in(self, username: str, password: str, address: str) -> Caller:
        self.seen.append((username, password, address))
        if self.refusal is not None:
            raise self.refusal
        if (username, password) != ("Anna", "right"):
            raise Unauthenticated(verbatim("The username or password is incorrect."))
        return self.process.callers(ANNA, SentPassword())

    def endpoints(self) -> dict[str, Endpoint]:
        return {
            GET: get_token_endpoint(self.sign_in, self.process.session_tokens),
            REFRESH: refresh_token_endpoint(self.process.session_tokens),
        }

    def handler(self) -> LambdaHandler:
        schemes: dict[str, Authenticator] = {
            "Bearer": BearerAuthenticator(self.process.tokens.caller),
            "Basic": BasicAuthenticator(self.sign_in),
        }
        log = Log("DEBUG", self.logged, service=f"tokens{uuid4()}")
        who = Endpoint({"GET": Operation(tell, "who", "Who it is.")})
        return LambdaHandler(HttpHandler({**self.endpoints(), WHO: who}, Authentication(schemes), log=log))


def tell(_: object, caller: Caller | None) -> Response:
    assert caller is not None
    return Response(200, (("Content-Type", "text/plain"),), caller.username.encode())


Send = Callable[..., Reply]


@pytest.fixture
def service() -> TokenService:
    return TokenService()


@pytest.fixture
def send(service: TokenService, event: Callable[..., dict[str, Any]]) -> Send:
    """Send a request, whose answer must be as the OpenAPI document says."""
    documented = Documented(service.endpoints())

    def sent(method: str, resource: str, authorization: str | None = None, **rest: Any) -> Reply:
        headers = {**rest.pop("headers", {}), **({"Authorization": authorization} if authorization else {})}
        answer = service.handler()(event(method, resource, headers=headers, **rest))
        documented.check(method, resource, answer)
        return Reply(answer["statusCode"], answer["multiValueHeaders"], answer["body"])

    return sent


def xml(**fields: str) -> str:
    inner = "".join(f"<{name}>{value}</{name}>" for name, value in fields.items())
    return f"<credentials>{inner}</credentials>"


def basic(password: str = "right") -> str:
    return "Basic " + base64.b64encode(f"Anna:{password}".encode()).decode()


def token_of(send: Send) -> str:
    return str(send("POST", GET, body=json.dumps(RIGHT)).json()["access_token"])


# --- getJwtToken ---


def test_a_password_gets_a_token_in_json(send: Send, service: TokenService) -> None:
    reply = send("POST", GET, body=json.dumps(RIGHT))
    value = reply.json()
    assert (reply.status, set(value)) == (200, {"access_token", "token_type", "expires_in"})
    assert (value["token_type"], value["expires_in"]) == ("Bearer", 1800)
    assert service.process.caller(value["access_token"]).username == "Anna"


def test_a_password_gets_a_token_in_xml(send: Send, service: TokenService) -> None:
    reply = send("POST", GET, query={"format": ["xml"]}, body=xml(**RIGHT))
    assert (reply.status, reply.headers["Content-Type"]) == (200, ["application/xml"])
    root = ET.fromstring(reply.body)
    assert (root.tag, root.findtext("token_type"), root.findtext("expires_in")) == ("token", "Bearer", "1800")
    assert service.process.admits(root.findtext("access_token") or "")


def test_responses_with_tokens_are_not_cached(send: Send) -> None:
    for reply in (
        send("POST", GET, body=json.dumps(RIGHT)),
        send("GET", REFRESH, f"Bearer {token_of(send)}"),
    ):
        assert (reply.headers["Cache-Control"], reply.headers["Pragma"]) == (["no-store"], ["no-cache"])


def test_a_session_starts_at_sign_in(send: Send, service: TokenService) -> None:
    token = token_of(send)
    (session,) = service.process.stored().sessions
    assert service.process.caller(token).proof == SentToken(service.process.clock.instant, session.id)
    assert (session.since, session.way, session.address) == (session.renewed, "password", "192.0.2.7")


def test_sign_in_receives_the_source_address(send: Send, service: TokenService) -> None:
    token_of(send)
    assert service.seen == [("Anna", "right", "192.0.2.7")]


@each_row("form", ["json", "xml"])
@each_row(
    ("username", "password"), [("Anna", "wrong"), ("Nobody", "right"), ("", ""), ("A" * 5000, "b" * 5000)]
)
def test_wrong_credentials_are_401_with_the_same_message(
    form: str, username: str, password: str, send: Send
) -> None:
    value = {"username": username, "password": password}
    body = xml(**value) if form == "xml" else json.dumps(value)
    reply = send("POST", GET, query={"format": [form]}, body=body)
    assert (reply.status, reply.headers["WWW-Authenticate"]) == (401, [BEARER])
    assert "The username or password is incorrect." in reply.body


def test_wrong_credentials_neither_read_nor_write_a_session(send: Send, service: TokenService) -> None:
    """What they cost is the same for all names: the sign-in alone."""
    for username, password in (("Anna", "wrong"), ("Nobody", "right")):
        send("POST", GET, body=json.dumps({"username": username, "password": password}))
    assert service.process.members.reads == 0
    assert service.process.stored().sessions == ()
    send("POST", GET, body=json.dumps(RIGHT))
    assert len(service.process.stored().sessions) == 1


@each_row(
    ("body", "result"),
    [
        ("", "The request body is empty"),
        ("{", "JSON"),
        ("[]", "must be a JSON object, not an array"),
        ("{}", '\\"username\\" is required. \\"password\\" is required.'),
        ('{"username": "Anna"}', '\\"password\\" is required.'),
        ('{"username": "Anna", "password": null}', '\\"password\\" must be a string, not null.'),
        ('{"username": ["Anna"], "password": 1}', '\\"username\\" must be a string, not an array.'),
        (
            '{"username": "Anna", "password": "right", "remember": true}',
            'The field \\"remember\\" is not supported.',
        ),
    ],
)
def test_malformed_credentials_are_400_with_the_reason(
    body: str, result: str, send: Send, service: TokenService
) -> None:
    reply = send("POST", GET, body=body)
    assert (reply.status, service.seen) == (400, [])
    assert result in reply.body


@each_row(
    "body",
    ["<credentials/>", "<user><username>Anna</username><password>right</password></user>", "<credentials>"],
)
def test_malformed_xml_credentials_are_400(body: str, send: Send) -> None:
    assert send("POST", GET, query={"format": ["xml"]}, body=body).status == 400


def test_too_many_failures_are_429(send: Send, service: TokenService) -> None:
    service.refusal = TooManyFailures(340)
    reply = send("POST", GET, body=json.dumps(RIGHT))
    assert (reply.status, reply.headers["Retry-After"]) == (429, ["340"])


@each_row(
    ("refusal", "status"),
    [(Forbidden(verbatim("the profile is none")), 403), (Unavailable(verbatim("busy")), 503)],
)
def test_other_refusals_keep_their_status(
    refusal: Exception, status: int, send: Send, service: TokenService
) -> None:
    service.refusal = refusal
    assert send("POST", GET, body=json.dumps(RIGHT)).status == status


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH"])
def test_only_post_issues_a_token(method: str, service: TokenService, event: Any) -> None:
    answer = service.handler()(event(method, GET, body=json.dumps(RIGHT)))
    assert (answer["statusCode"], answer["multiValueHeaders"]["Allow"]) == (405, ["POST, OPTIONS"])


def test_a_password_in_the_query_string_is_ignored(send: Send) -> None:
    assert send("POST", GET, query={name: [value] for name, value in RIGHT.items()}).status == 400


# --- refreshJwtToken ---


@each_row("form", ["json", "xml"])
def test_a_token_can_be_refreshed(form: str, send: Send, service: TokenService) -> None:
    old = token_of(send)
    service.process.wait(1000)
    reply = send("GET", REFRESH, f"Bearer {old}", query={"format": [form]})
    assert reply.status == 200
    new = (
        reply.json()["access_token"] if form == "json" else ET.fromstring(reply.body).findtext("access_token")
    )
    service.process.wait(1000)
    assert not service.process.admits(old)
    assert service.process.admits(new or "")


def test_a_password_cannot_be_used_to_refresh(send: Send) -> None:
    reply = send("GET", REFRESH, basic())
    assert (reply.status, reply.headers["WWW-Authenticate"]) == (401, [BEARER])
    assert "To refresh a token" in reply.json()["detail"]


def test_a_session_ends(send: Send, service: TokenService) -> None:
    token = token_of(send)
    for _ in range(24):
        service.process.wait(1790)
        token = send("GET", REFRESH, f"Bearer {token}").json()["access_token"]
    service.process.wait(12 * 3600 - 24 * 1790)
    reply = send("GET", REFRESH, f"Bearer {token}")
    assert (reply.status, reply.headers["WWW-Authenticate"]) == (401, [INVALID])
    assert "The session has expired" in reply.json()["detail"]


def test_a_request_without_credentials_is_offered_every_scheme(send: Send) -> None:
    reply = send("GET", REFRESH)
    assert (reply.status, reply.headers["WWW-Authenticate"]) == (401, [BEARER, BASIC])


# --- coming in ---


@each_row("scheme", ["Bearer", "bearer", "BEARER", "bEaReR", " Bearer "])
def test_the_scheme_is_case_insensitive(scheme: str, send: Send) -> None:
    assert send("GET", WHO, f"{scheme} {token_of(send)} ").body == "Anna"


@each_row("credentials", ["", "x", "a.b.c", "é", "\0", "a b", "x" * 9000])
def test_an_invalid_token_is_401_with_that_reason_in_the_challenge(credentials: str, send: Send) -> None:
    reply = send("GET", WHO, f"Bearer {credentials}")
    assert (reply.status, reply.headers["WWW-Authenticate"]) == (401, [INVALID, BASIC])
    assert reply.json()["detail"] == "The token is not valid."


def test_forged_tokens_are_always_401(send: Send, service: TokenService) -> None:
    good = claims(service.process)
    attempts = [
        forged({**HEADER, "alg": "none"}, good),
        forged({**HEADER, "kid": "../first"}, good),
        forged(HEADER, {**good, "__id": "2"}, b"a secret that was guessed, but long"),
        forged(HEADER, {**good, "exp": "soon"}),
        *(token_of(send)[:place] for place in range(0, 300, 30)),
    ]
    assert {send("GET", WHO, f"Bearer {token}").status for token in attempts} == {401}


def test_an_expired_token_says_so(send: Send, service: TokenService) -> None:
    token = token_of(send)
    service.process.wait(1800)
    reply = send("GET", WHO, f"Bearer {token}")
    assert (reply.status, reply.json()["detail"]) == (401, "The token has expired.")
    assert reply.headers["WWW-Authenticate"] == [INVALID, BASIC]


def test_a_wrong_password_is_not_reported_as_an_invalid_token(send: Send) -> None:
    reply = send("GET", WHO, basic("wrong"))
    assert reply.headers["WWW-Authenticate"] == [BEARER, BASIC]


def test_no_log_line_holds_a_token_a_password_or_a_reason_for_forgers(
    send: Send, service: TokenService
) -> None:
    token = token_of(send)
    send("POST", GET, body=json.dumps({**RIGHT, "password": "a-wrong-one-7"}))
    for credentials in (token, token[:-1], f"{token}x", forged({**HEADER, "kid": "kid-of-a-forger"}, {})):
        send("GET", WHO, f"Bearer {credentials}")
    send("GET", REFRESH, f"Bearer {token}")
    logged = service.logged.getvalue()
    assert "The token is not valid." in logged
    assert [part for part in (*token.split("."), "a-wrong-one-7", "secret of") if part in logged] == []
