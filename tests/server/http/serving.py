"""The HTTP server on a socket in a thread of the test process, in front of test endpoints."""

import base64
import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from queue import Queue
from typing import Any, NamedTuple

from stratabase.core.http.base.messages import Request
from stratabase.core.http.base.messages import Response as EndpointResponse
from stratabase.core.http.handler import AcceptedHead
from stratabase.server.http.dispatcher import RequestHandler, ServerOptions
from stratabase.server.http.server import ServerCallbacks, run_server
from stratabase.server.process.listener import listen

ADDRESSES = (
    "/auth/api/graphql/{application}",
    "/auth/file/{class}/{entity}",
    "/files/{name}",
    "/public/health",
    "/",
)
DEADLINE = 20
Respond = Callable[[Request], EndpointResponse]


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
    """An HTTP client of a server. Each request has its own connection unless one is given."""

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

    def received(self, method: str, target: str, **rest: Any) -> Any:
        """Return the request that an echoing endpoint received."""
        return self.request(method, target, **rest).json()

    def raw(self, sent: bytes) -> bytes:
        """Send bytes, and return everything that the server sends until it closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), DEADLINE) as connection:
            connection.sendall(sent)
            return b"".join(iter(lambda: connection.recv(65536), b""))


class Responding:
    """A handler that answers all requests by a function."""

    base_url = None

    def __init__(self, respond: Respond, addresses: Iterable[str]) -> None:
        self.addresses = addresses
        self._respond = respond

    def accept_head(self, _request: Request, _size: int | None, _remaining: float) -> AcceptedHead:
        return AcceptedHead(None, None)

    def answer(self, request: Request, _remaining: float, *, may_stream: bool) -> EndpointResponse:
        assert may_stream
        return self._respond(request)


def echo(request: Request) -> EndpointResponse:
    """Answer with the request. Its body is in base64."""
    fields = {
        "method": request.method,
        "path": request.path,
        "resource": request.resource,
        "parameters": request.parameters,
        "headers": request.headers,
        "query": request.query,
        "body": base64.b64encode(request.body).decode(),
        "trace_id": request.trace_id,
        "source_address": request.source_address,
        "base_url": request.base_url,
    }
    return EndpointResponse(200, body=json.dumps(fields).encode())


@contextmanager
def http_server(
    handler: RequestHandler | Respond = echo, addresses: Iterable[str] = ADDRESSES, **options: Any
) -> Iterator[Client]:
    """Run a server for a while. `options`: see ServerOptions. `addresses`: those of a function."""
    ready: Queue[Callable[[], object]] = Queue()
    listener = listen("127.0.0.1", 0)
    served = Responding(handler, addresses) if callable(handler) else handler
    thread = threading.Thread(
        target=run_server, args=(listener, served, ServerCallbacks(ready.put), ServerOptions(**options))
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
