"""The deployed functions as processes over an emulator of AWS, and requests as API Gateway sends them."""

import base64
import gzip
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from benchmarks import cpu
from benchmarks.costs.recorder import AwsCall, record_calls
from stratabase_aws.commands.emulator import emulator
from stratabase_aws.functions.handler import StreamedResponse
from tests.lambda_stack.gateway import FunctionRoutes
from tests.lambda_stack.pool import FunctionPool
from tests.lambda_stack.provider_workload import provider_document
from tests.lambda_stack.stack import TEMPLATE, function_pools
from tests.lambda_stack.template import read_template
from tests.members.providers.hostile_provider import HostileProvider, running_provider
from tests.service import PASSWORD

MODEL = Path(__file__).parent / "model.graphql"
GRAPHQL = "/auth/api/graphql/Costs"
ORIGIN = "https://api.example.com"
_OUTPUT = (1, 2)
"""The descriptors of the standard output and of the standard error."""


class Request(NamedTuple):
    """A request. A body that is not bytes is sent as JSON."""

    method: str
    path: str
    body: object = None
    content_type: str = "application/json"
    cookie: str = ""


class Reply(NamedTuple):
    """A response. `size` is the size in bytes of the headers and the body, as sent."""

    status: int
    body: bytes
    size: int
    headers: Mapping[str, Sequence[str]] = MappingProxyType({})

    def json(self) -> Any:
        """Return the content of the body."""
        return json.loads(self.body)


class Service:
    """The functions, and an identity provider.

    `calls` has the requests to AWS, and `log` is the file of all that the functions log.
    """

    def __init__(
        self,
        pools: Mapping[str, FunctionPool],
        calls: list[AwsCall],
        log: Path,
        provider: HostileProvider,
    ) -> None:
        self.provider = provider
        self.calls = calls
        self.log = log
        self._pools = pools
        self._routes = FunctionRoutes(read_template(TEMPLATE).routes)
        self._tokens: dict[str, str] = {}

    def sign_in(self, username: str) -> None:
        """Get a token for a member."""
        reply = self.send(sign_in(username), None)
        self._tokens[username] = reply.json()["access_token"]

    def use_key(self, username: str, key: str) -> None:
        """Let requests of a member have an API key in place of a token."""
        self._tokens[username] = key

    def event(self, request: Request, username: str | None = "admin") -> tuple[str, dict[str, Any]]:
        """Return the function of a request, and its event."""
        match = self._routes.match(request.method, request.path.partition("?")[0])
        headers = {
            "Accept": "application/json",
            "Accept-Encoding": "gzip, deflate, br",
            "Content-Type": request.content_type,
            "Host": "api.example.com",
            "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36",
            "X-Amzn-Trace-Id": "Root=1-00000000-000000000000000000000001",
        }
        if username:
            headers["Authorization"] = f"Bearer {self._tokens[username]}"
        if request.cookie:
            headers["Cookie"] = request.cookie
        url = urlsplit(request.path)
        query = parse_qs(url.query)
        is_binary = isinstance(request.body, bytes)
        content = base64.b64encode(request.body).decode() if isinstance(request.body, bytes) else None
        if content is None and request.body is not None:
            content = json.dumps(request.body)
        return match.function, {
            "resource": match.resource,
            "path": url.path,
            "httpMethod": request.method,
            "headers": headers,
            "multiValueHeaders": {name: [value] for name, value in headers.items()},
            "queryStringParameters": {name: values[-1] for name, values in query.items()} or None,
            "multiValueQueryStringParameters": query or None,
            "pathParameters": match.parameters,
            "stageVariables": None,
            "requestContext": {
                "requestId": "00000000-0000-4000-a000-000000000000",
                "stage": "live",
                "path": f"/live{url.path}",
                "domainName": "api.example.com",
                "identity": {"sourceIp": "192.0.2.7"},
            },
            "body": content,
            "isBase64Encoded": is_binary,
        }

    def send(self, request: Request, username: str | None = "admin") -> Reply:
        """Send a request, and return its successful response."""
        function, event = self.event(request, username)
        return self.invoke(function, event)

    def invoke(self, function: str, event: Mapping[str, Any]) -> Reply:
        """Return the result of a function. A schedule gets an empty one."""
        result = self._pools[function].invoke(event)
        reply = _reply(result)
        assert reply.status < 400, (event, reply)
        return reply

    def ask(self, query: str, username: str = "admin", **variables: Any) -> Any:
        """Return the value of the field of a GraphQL response without errors."""
        reply = self.send(graphql(query, **variables), username).json()
        assert "errors" not in reply, (query, reply)
        return [*reply["data"].values()][-1]

    def cpu_seconds(self, function: str) -> float:
        """Return the CPU seconds that the processes of a function have used."""
        return sum(map(cpu.seconds, self._pools[function].process_ids))

    def start_anew(self, function: str) -> None:
        """End the processes of a function, so that its next request is a cold start."""
        self._pools[function].end()


def graphql(query: str, **variables: Any) -> Request:
    """Return a GraphQL request."""
    return Request("POST", GRAPHQL, {"query": query, "variables": variables})


def sign_in(username: str) -> Request:
    """Return a request for a token."""
    return Request("POST", "/public/token/getJwtToken", {"username": username, "password": PASSWORD})


def upload(attribute: str, content: bytes) -> Request:
    """Return an upload of a file in one request."""
    disposition = b'Content-Disposition: form-data; name="file"; filename="picture.png"'
    body = b"--b\r\n" + disposition + b"\r\nContent-Type: image/png\r\n\r\n" + content + b"\r\n--b--\r\n"
    return Request("POST", f"/auth/file/{attribute}", body, "multipart/form-data; boundary=b")


@contextmanager
def running_service(functions: Sequence[str]) -> Iterator[Service]:
    """Start the functions of the template by their names, with an empty store."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        calls: list[AwsCall] = []
        address = stack.enter_context(record_calls(stack.enter_context(emulator()), calls))
        given = {
            **os.environ,
            "STRATABASE_HOME": str(home),
            "STRATABASE_MODEL": str(MODEL),
            "STRATABASE_ENDPOINT": address,
            "STRATABASE_ADMIN_PASSWORD": PASSWORD,
            "STRATABASE_BASE_URL": ORIGIN,
            "STRATABASE_IDENTITY_PROVIDERS": str(home / "providers.json"),
            "PORT": "443",
        }
        provider = stack.enter_context(running_provider())
        (home / "providers.json").write_text(provider_document(provider, {"staff": "Member"}))
        stack.enter_context(_output_in(home / "log"))
        declared = [each for each in read_template(TEMPLATE).functions if each.name in functions]
        pools = stack.enter_context(function_pools(given, declared))
        service = Service(pools, calls, home / "log", provider)
        service.sign_in("admin")
        yield service


@contextmanager
def _output_in(file: Path) -> Iterator[None]:
    """Let the processes that start inside the `with` block write their output to a file."""
    kept = [os.dup(descriptor) for descriptor in _OUTPUT]
    with file.open("ab") as log:
        for descriptor in _OUTPUT:
            os.dup2(log.fileno(), descriptor)
    try:
        yield
    finally:
        for descriptor, copy in zip(_OUTPUT, kept, strict=True):
            os.dup2(copy, descriptor)
            os.close(copy)


def _reply(result: Any) -> Reply:
    if isinstance(result, StreamedResponse):
        body, headers, status = b"".join(result.body), result.headers, result.status
    elif isinstance(result, dict) and "statusCode" in result:
        text = result["body"] or ""
        body = base64.b64decode(text) if result.get("isBase64Encoded") else text.encode()
        headers, status = result["multiValueHeaders"], result["statusCode"]
    else:
        return Reply(200, json.dumps(result).encode(), 0)
    lines = [f"{name}: {value}\r\n" for name, values in headers.items() for value in values]
    size = len(body) + sum(map(len, lines))
    is_gzip = body.startswith(b"\x1f\x8b")
    return Reply(status, gzip.decompress(body) if is_gzip else body, size, headers)
