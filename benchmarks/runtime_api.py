"""An implementation of the AWS Lambda Runtime API: sends events to a function, and receives its responses."""

import base64
import hashlib
import json
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from time import time
from typing import Any, NamedTuple

_ROOT = "/2018-06-01/runtime"
_TIMEOUT = 60
"""The seconds to wait for a response, unless the caller says otherwise."""
_END_OF_PRELUDE = bytes(8)
_HEAD_SIZE = 64 * 1024


class FunctionFailed(Exception):
    """The function failed to start, or raised an exception."""


class StreamedAnswer(NamedTuple):
    """A response that a function streamed."""

    prelude: Mapping[str, Any]
    """The status and the headers."""
    size: int
    """The size of the body in bytes."""
    digest: str
    """The SHA-256 of the body."""
    head: bytes
    """The first bytes of the body; all of them if the Runtime API keeps whole bodies."""
    error: Any
    """The error in the trailers, None if the body is complete."""
    request_headers: Mapping[str, str]


class RuntimeApi:
    """The Runtime API for one function."""

    def __init__(self, server: ThreadingHTTPServer, timeout: float, *, keeps_bodies: bool) -> None:
        self.timeout = timeout
        """The seconds that the function has for a response."""
        self.head_size = sys.maxsize if keeps_bodies else _HEAD_SIZE
        self.address = f"127.0.0.1:{server.server_address[1]}"
        self.events: Queue[Mapping[str, Any]] = Queue()
        self.answers: Queue[tuple[str, Any]] = Queue()
        self.clients: set[int] = set()
        """The ports from which the function connected."""
        self.broken_answers = 0
        """How many of the next responses the API refuses by closing the connection."""

    def answer(self, event: Mapping[str, Any]) -> Any:
        """Send an event to the function, and return its response. Raises FunctionFailed."""
        self.events.put(event)
        return self.next_answer()

    def next_answer(self) -> Any:
        """Wait for a response, and return it. Raises FunctionFailed, and queue.Empty after the timeout."""
        kind, answer = self.answers.get(timeout=self.timeout)
        if kind != "response":
            raise FunctionFailed(json.dumps(answer, indent=2))
        return answer


@contextmanager
def runtime_api(timeout: float = _TIMEOUT, *, keeps_bodies: bool = False) -> Iterator[RuntimeApi]:
    """Serve the Runtime API on a free port of the loopback interface inside the `with` block.

    `timeout`: the seconds that the function has for a response. `keeps_bodies`: keep all of a streamed body.
    """

    class Exchange(_Exchange):
        """Each function has an API of its own."""

    with _Server(("127.0.0.1", 0), Exchange) as server:
        api = Exchange.api = RuntimeApi(server, timeout, keeps_bodies=keeps_bodies)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield api
        finally:
            server.shutdown()


class _Server(ThreadingHTTPServer):
    """A server that ignores broken connections, as the benchmark kills the function after its response."""

    def handle_error(self, *_: object) -> None:
        """Do not print the error."""


class _Exchange(BaseHTTPRequestHandler):
    """The handler of a request from the function's runtime client."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    api: RuntimeApi

    def do_GET(self) -> None:
        """Wait for the next event and send it."""
        self.api.clients.add(self.client_address[1])
        event = json.dumps(self.api.events.get()).encode()
        self._send(
            200,
            event,
            {
                "Lambda-Runtime-Aws-Request-Id": "00000000-0000-4000-a000-000000000000",
                "Lambda-Runtime-Deadline-Ms": str(int((time() + self.api.timeout) * 1000)),
                "Lambda-Runtime-Trace-Id": "Root=1-5e7f-00",
                "Lambda-Runtime-Invoked-Function-Arn": "arn:aws:lambda:us-east-1:000000000000:function:bench",
                "Content-Type": "application/json",
            },
        )

    def do_POST(self) -> None:
        """Receive a response or an error."""
        if self.api.broken_answers:
            self.api.broken_answers -= 1
            self.close_connection = True
            return
        is_streamed = self.headers.get("Lambda-Runtime-Function-Response-Mode") == "streaming"
        body = (
            self._read_stream()
            if is_streamed
            else json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        )
        self.api.answers.put((self.path.removeprefix(_ROOT).rsplit("/", 1)[-1], body))
        self._send(202, b"", {})

    def _read_stream(self) -> StreamedAnswer:
        """Receive a streamed response without keeping all of it."""
        digest, size, head, prelude = hashlib.sha256(), 0, b"", b""
        is_body = False
        for chunk in self._chunks():
            content = chunk
            if not is_body:
                prelude, end, content = (prelude + chunk).partition(_END_OF_PRELUDE)
                is_body = bool(end)
            digest.update(content)
            size += len(content)
            head += content[: self.api.head_size - len(head)]
        trailers = dict(self._trailers())
        body = trailers.get("lambda-runtime-function-error-body")
        error = body and json.loads(base64.b64decode(body))
        return StreamedAnswer(
            json.loads(prelude), size, digest.hexdigest(), head, error, dict(self.headers.items())
        )

    def _chunks(self) -> Iterator[bytes]:
        while length := int(self.rfile.readline(), 16):
            yield self.rfile.read(length)
            self.rfile.readline()

    def _trailers(self) -> Iterator[tuple[str, str]]:
        while line := self.rfile.readline().decode().strip():
            name, _, value = line.partition(":")
            yield name.lower(), value.strip()

    def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Do not log requests."""
