"""An implementation of the AWS Lambda Runtime API: sends events to a function, and receives its responses."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from time import time
from typing import Any

_ROOT = "/2018-06-01/runtime"
_TIMEOUT = 60
"""The seconds to wait for a response."""


class FunctionFailed(Exception):
    """The function failed to start, or raised an exception."""


class RuntimeApi:
    """The Runtime API for one function."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self.address = f"127.0.0.1:{server.server_address[1]}"
        self.events: Queue[Mapping[str, Any]] = Queue()
        self.answers: Queue[tuple[str, Any]] = Queue()

    def answer(self, event: Mapping[str, Any]) -> Any:
        """Send an event to the function, and return its response. Raises FunctionFailed."""
        self.events.put(event)
        kind, answer = self.answers.get(timeout=_TIMEOUT)
        if kind != "response":
            raise FunctionFailed(json.dumps(answer, indent=2))
        return answer


@contextmanager
def runtime_api() -> Iterator[RuntimeApi]:
    """Serve the Runtime API on a free port of the loopback interface inside the `with` block."""
    with _Server(("127.0.0.1", 0), _Exchange) as server:
        api = _Exchange.api = RuntimeApi(server)
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
        event = json.dumps(self.api.events.get()).encode()
        self._send(
            200,
            event,
            {
                "Lambda-Runtime-Aws-Request-Id": "00000000-0000-4000-a000-000000000000",
                "Lambda-Runtime-Deadline-Ms": str(int((time() + _TIMEOUT) * 1000)),
                "Lambda-Runtime-Invoked-Function-Arn": "arn:aws:lambda:us-east-1:000000000000:function:bench",
                "Content-Type": "application/json",
            },
        )

    def do_POST(self) -> None:
        """Receive a response or an error."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.api.answers.put((self.path.removeprefix(_ROOT).rsplit("/", 1)[-1], body))
        self._send(202, b"", {})

    def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Do not log requests."""
