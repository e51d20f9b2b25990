"""The side of AWS Lambda that functions talk to: it gives out events and takes answers."""

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
"""Seconds for one answer."""


class FunctionFailed(Exception):
    """A function that could not be started, or that raised."""


class RuntimeApi:
    """Gives events to the one function that asks for them."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self.address = f"127.0.0.1:{server.server_address[1]}"
        self.events: Queue[Mapping[str, Any]] = Queue()
        self.answers: Queue[tuple[str, Any]] = Queue()

    def answer(self, event: Mapping[str, Any]) -> Any:
        """Return what the function answers to an event, as soon as it is there. Raises FunctionFailed."""
        self.events.put(event)
        kind, answer = self.answers.get(timeout=_TIMEOUT)
        if kind != "response":
            raise FunctionFailed(json.dumps(answer, indent=2))
        return answer


@contextmanager
def runtime_api() -> Iterator[RuntimeApi]:
    """Serve the Runtime API on a free port of the loopback."""
    with _Server(("127.0.0.1", 0), _Exchange) as server:
        api = _Exchange.api = RuntimeApi(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield api
        finally:
            server.shutdown()


class _Server(ThreadingHTTPServer):
    """Thinks nothing of connections that break: a function is ended once it has answered."""

    def handle_error(self, *_: object) -> None:
        """Say nothing."""


class _Exchange(BaseHTTPRequestHandler):
    """One request of the function."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    api: RuntimeApi

    def do_GET(self) -> None:
        """Give the next event, once there is one."""
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
        """Take an answer, or an error."""
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
        """Say nothing."""
