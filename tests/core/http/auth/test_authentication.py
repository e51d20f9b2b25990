"""Authentication of requests, challenges and log lines."""

import base64
import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Forbidden, Refusal, Unauthenticated, Unavailable
from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.base.endpoint import Endpoint, Operation
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.base.refusals import InvalidCredentials, MissingCredentials
from stratabase.core.http.handler import HttpHandler
from stratabase.core.observe import Log
from stratabase.members.refusals import TooManyFailures
from stratabase.members.sign_in.sign_in import BasicAuthenticator
from stratabase.values.messages import verbatim
from stratabase_aws.functions.handler import LambdaHandler
from tests.rows import each_row

ANNA = Caller("1", "anna", "Clerk")
BASIC = 'Basic realm="Stratabase", charset="UTF-8"'


class TicketScheme:
    """A test scheme whose challenge explains an invalid ticket."""

    challenge = "Ticket"

    def caller(self, credentials: str, _: str) -> Caller:
        if credentials != "good":
            raise InvalidCredentials(verbatim("The ticket is no good."), ['Ticket error="bad"'])
        return ANNA


def sign_in(username: str, password: str, address: str) -> Caller:
    if password != "right":
        raise Unauthenticated(verbatim("The username or password is incorrect."))
    return Caller(address, username, "Clerk")


BOTH = Authentication({"Ticket": TicketScheme(), "Basic": BasicAuthenticator(sign_in)})


def request(*authorization: str) -> Request:
    return Request(
        "GET",
        "/auth/x",
        "/auth/x",
        headers={"authorization": authorization},
        source_address="192.0.2.7",
    )


def encoded(credentials: str) -> str:
    return base64.b64encode(credentials.encode()).decode()


def test_each_scheme_authenticates_its_own_credentials() -> None:
    assert BOTH.caller(request("Ticket good")) is ANNA
    assert BOTH.caller(request(f"Basic {encoded('bert:right')}")).username == "bert"


def test_sign_in_receives_the_source_address() -> None:
    assert BOTH.caller(request(f"Basic {encoded('bert:right')}")).id == "192.0.2.7"


@each_row(
    ("name", "password"), [("anna", "a:b::"), ("", "x"), ("anna", ""), ("é🙂", "ß\x00\n"), ("a" * 5000, " ")]
)
def test_basic_passes_credentials_unchanged(name: str, password: str) -> None:
    seen: list[tuple[str, str]] = []

    def note(username: str, secret: str, _: str) -> Caller:
        seen.append((username, secret))
        return ANNA

    BasicAuthenticator(note).caller(encoded(f"{name}:{password}"), "192.0.2.7")
    assert seen == [(name, password)]


@each_row(
    ("authorization", "challenges", "kind"),
    [
        ((), ["Ticket", BASIC], MissingCredentials),
        (("Digest x",), ["Ticket", BASIC], MissingCredentials),
        (("",), ["Ticket", BASIC], MissingCredentials),
        (("Ticket good", "Ticket good"), ["Ticket", BASIC], MissingCredentials),
        (("Ticket stale",), ['Ticket error="bad"', BASIC], InvalidCredentials),
        ((f"Basic {encoded('anna:wrong')}",), ["Ticket", BASIC], InvalidCredentials),
        (("Basic ***",), ["Ticket", BASIC], InvalidCredentials),
    ],
)
def test_every_scheme_is_offered_in_order_and_one_that_refuses_says_why(
    authorization: tuple[str, ...], challenges: list[str], kind: type[InvalidCredentials]
) -> None:
    with pytest.raises(InvalidCredentials) as raised:
        BOTH.caller(request(*authorization))
    assert (type(raised.value), list(raised.value.challenges)) == (kind, challenges)


@each_row("refusal", [TooManyFailures(7), Forbidden(verbatim("no")), Unavailable(verbatim("later"))])
def test_other_refusals_propagate(refusal: Refusal) -> None:
    def refuse(*_: str) -> Caller:
        raise refusal

    with pytest.raises(type(refusal)) as raised:
        Authentication({"Basic": BasicAuthenticator(refuse)}).caller(request(f"Basic {encoded('a:b')}"))
    assert raised.value is refusal


# What comes of it at the front handler.


@pytest.fixture
def log() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def handler(log: io.StringIO, request: pytest.FixtureRequest, event: Any) -> Callable[..., dict[str, Any]]:
    def answer(_: Request, __: Caller | None) -> Response:
        return Response(200)

    def send(refusal: Refusal | None, *, level: str = "INFO", **headers: str) -> dict[str, Any]:
        def refuse(*_: str) -> Caller:
            assert refusal is not None
            raise refusal

        endpoint = Endpoint({"GET": Operation(answer, "test", "What a test needs.")})
        logger = Log(level, log, service=request.node.nodeid)
        handler = LambdaHandler(
            HttpHandler(
                {"/auth/x": endpoint}, Authentication({"Basic": BasicAuthenticator(refuse)}), log=logger
            )
        )
        return handler(event("GET", "/auth/x", headers=headers))

    return send


def lines(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


WRONG = Unauthenticated(verbatim("The username or password is incorrect."))
SECRET = encoded("plantedname:plantedpassword")


def test_too_many_failures_are_429_with_retry_after(handler: Any) -> None:
    answer = handler(TooManyFailures(731), Authorization=f"Basic {SECRET}")
    assert (answer["statusCode"], answer["multiValueHeaders"]["Retry-After"]) == (429, ["731"])
    assert "WWW-Authenticate" not in answer["multiValueHeaders"]
    assert (
        json.loads(answer["body"])["detail"] == "Too many failed sign-in attempts. Try again in 731 seconds."
    )


@pytest.mark.parametrize(
    ("refusal", "status", "level"),
    [
        (WRONG, 401, "INFO"),
        (TooManyFailures(9), 429, "WARNING"),
        (Unavailable(verbatim("later")), 503, "WARNING"),
    ],
)
def test_a_refused_caller_is_logged_by_address_without_name_or_password(
    refusal: Refusal, status: int, level: str, handler: Any, log: io.StringIO
) -> None:
    """People sometimes type a password in the name field, so the name is not logged either."""
    assert handler(refusal, Authorization=f"Basic {SECRET}")["statusCode"] == status
    (line,) = lines(log)
    assert (line["level"], line["status"], line["address"]) == (level, status, "192.0.2.7")
    assert [word for word in ("planted", SECRET) if word in log.getvalue()] == []


def test_missing_credentials_are_not_logged(handler: Any, log: io.StringIO) -> None:
    assert handler(None)["statusCode"] == 401
    assert lines(log) == []
    assert handler(None, level="DEBUG")["statusCode"] == 401
    assert [line["level"] for line in lines(log)] == ["DEBUG"]
