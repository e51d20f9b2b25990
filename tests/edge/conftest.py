"""A door with every endpoint of this stage, behind which stand fakes that note what reaches them."""

import base64
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from stratabase.domain.member import Caller
from stratabase.domain.refusal import Unauthenticated
from stratabase.edge.authentication import Authentication
from stratabase.edge.basic import Basic
from stratabase.edge.cors import Cors
from stratabase.edge.endpoint import Endpoint
from stratabase.edge.front_door import FrontDoor
from stratabase.edge.graphql import graphql_endpoint
from stratabase.edge.health import health_endpoint
from stratabase.edge.request import Request
from stratabase.edge.response import Response
from stratabase.edge.sdl import sdl_endpoint
from stratabase.observe import Log
from stratabase.operations.executor import Answer

ANNA = Caller("1", "anna", "Administrator", administrator=True)
BASIC = "Basic " + base64.b64encode(b"anna:right").decode()


@dataclass
class FakeExecutor:
    """Gives one answer to everything, or raises it."""

    outcome: Answer | Exception = field(default_factory=lambda: Answer(b'{"data":{"x":1}}'))
    calls: list[tuple[Any, ...]] = field(default_factory=list)

    def execute(
        self,
        query: str,
        variables: Mapping[str, Any] | None,
        operation_name: str | None,
        caller: Caller,
        trace_id: str,
        *,
        queries_only: bool = False,
    ) -> Answer:
        self.calls.append((query, variables, operation_name, caller, trace_id, queries_only))
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


@dataclass
class World:
    """What the endpoints behind the door find, and what it logged."""

    executor: FakeExecutor = field(default_factory=FakeExecutor)
    reachable: bool = True
    logged: io.StringIO = field(default_factory=io.StringIO)

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.logged.getvalue().splitlines()]


@dataclass(frozen=True)
class Reply:
    """An answer, read back."""

    status: int
    headers: Mapping[str, list[str]]
    body: str

    def json(self) -> Any:
        return json.loads(self.body)


Send = Callable[..., Reply]


def sign_in(username: str, password: str) -> Caller:
    if (username, password) != ("anna", "right"):
        raise Unauthenticated("The username or the password is wrong.")
    return ANNA


def echo(request: Request, caller: Caller | None) -> Response:
    return Response(200, (("Content-Type", "application/octet-stream"),), request.body, binary=True)


def fail(request: Request, caller: Caller | None) -> Response:
    raise RuntimeError("the table members_v2 is gone")


def endpoints(world: World) -> list[Endpoint]:
    return [
        health_endpoint("1.2.3", lambda: world.reachable),
        graphql_endpoint("Hr", world.executor),
        sdl_endpoint("Hr", lambda: "type Query { x: Int }"),
        Endpoint("/public/echo", {"PUT": echo}),
        Endpoint("/public/fail", {"POST": fail}),
        Endpoint("/auth/once", {"GET": echo}, head=False),
    ]


def make_event(
    method: str = "GET",
    resource: str = "/public/health",
    *,
    headers: Mapping[str, str] | None = None,
    query: Mapping[str, list[str]] | None = None,
    parameters: Mapping[str, str] | None = None,
    body: str | None = None,
    base64_body: bool = False,
) -> dict[str, Any]:
    return {
        "httpMethod": method,
        "path": resource,
        "resource": resource,
        "pathParameters": parameters,
        "multiValueHeaders": {name: [value] for name, value in (headers or {}).items()},
        "multiValueQueryStringParameters": query,
        "requestContext": {
            "requestId": "trace-1",
            "identity": {"sourceIp": "192.0.2.7"},
            "domainName": "api.example.com",
            "stage": "prod",
        },
        "body": body,
        "isBase64Encoded": base64_body,
    }


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def make_door(world: World, request: pytest.FixtureRequest) -> Callable[..., FrontDoor]:
    def make(cors: Cors | None = None) -> FrontDoor:
        authentication = Authentication({"Basic": Basic(sign_in)})
        log = Log("DEBUG", world.logged, service=request.node.nodeid)
        return FrontDoor(endpoints(world), authentication, cors=cors, log=log)

    return make


@pytest.fixture
def send(make_door: Callable[..., FrontDoor]) -> Send:
    """Send one request through a door; `cors` sets its origins, `signed_in` adds good credentials."""

    def sent(*args: Any, signed_in: bool = False, cors: Cors | None = None, **kwargs: Any) -> Reply:
        headers = {**({"Authorization": BASIC} if signed_in else {}), **kwargs.pop("headers", {})}
        answer = make_door(cors)(make_event(*args, headers=headers, **kwargs))
        return Reply(answer["statusCode"], answer["multiValueHeaders"], answer["body"])

    return sent


@pytest.fixture
def event() -> Callable[..., dict[str, Any]]:
    return make_event
