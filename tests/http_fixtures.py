"""An HTTP handler whose endpoints use fakes that record their calls."""

import base64
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from stratabase.core.domain.caller import Caller, SentPassword
from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.base.cors import Cors
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, Responder
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.base.shape import Shape
from stratabase.core.http.handler import HttpHandler
from stratabase.core.observe import Log
from stratabase.members.sign_in.sign_in import BasicAuthenticator
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages import verbatim
from stratabase_aws.functions.handler import LambdaHandler
from tests.core.http.documented import Documented
from tests.core.http.fakes import FakeServices, endpoints
from tests.core.http.reply import Reply

CALLERS = {
    "anna": Caller("1", "anna", "Administrator", administrator=True, proof=SentPassword()),
    "bert": Caller("2", "bert", "Clerk", proof=SentPassword()),
    "carl": Caller("3", "carl", "Clerk", proof=SentPassword()),
    "dora": Caller("4", "dora", "Clerk", formats=Formats(language="it"), proof=SentPassword()),
}
"""Those who can sign in; of carl no more is stored."""
BASIC = "Basic " + base64.b64encode(b"anna:right").decode()


Send = Callable[..., Reply]


def sign_in(username: str, password: str, address: str) -> Caller:
    if username not in CALLERS or password != "right":
        raise Unauthenticated(verbatim("The username or password is incorrect."))
    return CALLERS[username]


def echo(request: Request, caller: Caller | None) -> Response:
    return Response(200, (("Content-Type", "application/octet-stream"),), request.body, binary=True)


def fail(request: Request, caller: Caller | None) -> Response:
    raise RuntimeError("the table members_v2 is gone")


def operation(act: Responder, refuses: ErrorFormat = ErrorFormat.PROBLEM) -> Operation:
    body = {"application/octet-stream": Shape("bytes")}
    return Operation(act, "test", "What a test needs.", body=body, error_format=refuses)


def of_tests() -> dict[str, Endpoint]:
    return {
        "/public/echo": Endpoint({"PUT": operation(echo)}),
        "/public/fail": Endpoint({"POST": operation(fail), "DELETE": operation(fail, ErrorFormat.TEXT)}),
        "/auth/once": Endpoint({"GET": operation(echo)}, head=False),
        "/auth/text": Endpoint({"GET": operation(echo), "PUT": operation(echo, ErrorFormat.TEXT)}),
    }


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
def fakes() -> FakeServices:
    return FakeServices()


@pytest.fixture
def make_handler(fakes: FakeServices, request: pytest.FixtureRequest) -> Callable[..., LambdaHandler]:
    def make(cors: Cors | None = None) -> LambdaHandler:
        authentication = Authentication({"Basic": BasicAuthenticator(sign_in)})
        log = Log("DEBUG", fakes.logged, service=request.node.nodeid)
        return LambdaHandler(
            HttpHandler({**endpoints(fakes), **of_tests()}, authentication, cors=cors, log=log)
        )

    return make


@pytest.fixture
def send(fakes: FakeServices, make_handler: Callable[..., LambdaHandler]) -> Send:
    """Send one request through a handler, which must answer as its document says.

    `cors` sets its origins, `signed_in` adds good credentials.
    """
    documented = Documented(endpoints(fakes))

    def sent(*args: Any, signed_in: bool = False, cors: Cors | None = None, **kwargs: Any) -> Reply:
        headers = {**({"Authorization": BASIC} if signed_in else {}), **kwargs.pop("headers", {})}
        event = make_event(*args, headers=headers, **kwargs)
        answer = make_handler(cors)(event)
        documented.check(event["httpMethod"], event["resource"], answer)
        return Reply(answer["statusCode"], answer["multiValueHeaders"], answer["body"])

    return sent


@pytest.fixture
def event() -> Callable[..., dict[str, Any]]:
    return make_event
