"""A gateway over real HTTP in a thread of the test process, in front of test functions."""

import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from typing import Any, NamedTuple

from stratabase.server.http.app import GatewayOptions
from stratabase.server.http.lambda_functions import Handler, LambdaFunction
from stratabase.server.http.server import ServerCallbacks, run_server
from stratabase.server.http.template import FunctionDeclaration, GatewayResponse, RouteDeclaration, Template
from stratabase.server.process.listener import listen

ROUTES = (
    "/auth/api/graphql/{application}",
    "/auth/file/{class}/{entity}",
    "/files/{proxy+}",
    "/public/health",
    "/",
    "/{proxy+}",
)
DEADLINE = 20
DECLARED = FunctionDeclaration("Fake", Path("fake.py"), "handler", timeout=60, memory=512)


class Response(NamedTuple):
    """A complete HTTP response."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    def header(self, name: str) -> str | None:
        return next((value for each, value in self.headers if each.lower() == name.lower()), None)


class Client:
    """An HTTP client of a gateway. Each request has its own connection unless one is given."""

    def __init__(self, port: int) -> None:
        self.port = port

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)

    def request(
        self,
        method: str,
        target: str,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
        connection: http.client.HTTPConnection | None = None,
    ) -> Response:
        own = connection or self.connection()
        try:
            own.request(method, target, body=body, headers=dict(headers or {}))
            response = own.getresponse()
            return Response(response.status, response.getheaders(), response.read())
        finally:
            if connection is None:
                own.close()

    def get(self, target: str, **headers: str) -> Response:
        return self.request("GET", target, headers)

    def event(self, method: str, target: str, **rest: Any) -> dict[str, Any]:
        """Return the event that an echoing function received."""
        found = self.request(method, target, **rest).json()
        assert isinstance(found, dict)
        return found

    def raw(self, sent: bytes) -> bytes:
        """Send bytes, and return everything that the gateway sends until it closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), DEADLINE) as connection:
            connection.sendall(sent)
            return b"".join(iter(lambda: connection.recv(65536), b""))


def echo(event: Any, _context: Any) -> Any:
    """Answer with the event."""
    return {"statusCode": 200, "body": json.dumps(event)}


def answering(answer: Any) -> Handler:
    """Return a function that always returns the same response."""
    return lambda _event, _context: answer


@contextmanager
def gateway(
    handler: Callable[[Any, Any], Any] = echo,
    routes: tuple[RouteDeclaration, ...] = tuple(RouteDeclaration(path, "ANY", "Fake") for path in ROUTES),
    responses: Mapping[str, GatewayResponse] | None = None,
    **options: Any,
) -> Iterator[Client]:
    """Run a gateway for a while. `options`: see GatewayOptions."""
    declared = Template((DECLARED,), routes, responses or {})
    ready: Queue[Callable[[], object]] = Queue()
    listener = listen("127.0.0.1", 0)
    functions = {"Fake": LambdaFunction(DECLARED, handler)}
    thread = threading.Thread(
        target=run_server,
        args=(listener, declared, functions, ServerCallbacks(ready.put), GatewayOptions(**options)),
    )
    thread.start()
    end = ready.get(timeout=DEADLINE)
    try:
        yield Client(listener.getsockname()[1])
    finally:
        end()
        thread.join(DEADLINE)
        listener.close()
        assert not thread.is_alive()


def problem(response: Response, status: int) -> str:
    """Return the detail of an error response. Assert that it is a problem with this status."""
    assert response.status == status
    assert response.header("Content-Type") == "application/problem+json"
    assert response.json()["status"] == status
    return str(response.json()["detail"])


def status_of(received: bytes) -> int:
    """Return the status of a response. Assert that it is complete, and a problem unless it is 200."""
    head, _, body = received.partition(b"\r\n\r\n")
    status = int(head.split(b" ")[1])
    if status != 200:
        assert b"content-type: application/problem+json" in head.lower()
        assert b"connection: close" in head.lower()
        assert json.loads(body)["status"] == status
    return status
