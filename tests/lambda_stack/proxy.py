"""A proxy before the emulator of AWS. Its subclasses decide what happens to each request."""

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

_HOP_HEADERS = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length"})


class Answer:
    """A complete response."""

    def __init__(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body


class ForwardingProxy(BaseHTTPRequestHandler):
    """Handles the requests of a proxy. `respond` can answer a request itself, or forward it."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    target: tuple[str, int]
    """The host and the port of the emulator."""

    def respond(self, body: bytes) -> None:
        """Answer the request, whose body is given."""
        raise NotImplementedError

    def _serve(self) -> None:
        self.respond(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815 - the names of the base class

    def forward(self, body: bytes) -> Answer:
        """Send the request to the emulator, and return its response."""
        connection = http.client.HTTPConnection(*self.target, timeout=60)
        try:
            connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            response = connection.getresponse()
            return Answer(response.status, response.getheaders(), response.read())
        finally:
            connection.close()

    def send(self, answer: Answer) -> None:
        """Send a response to the client."""
        self.send_response_only(answer.status)
        for name, value in answer.headers:
            if name.lower() not in _HOP_HEADERS or (name.lower() == "content-length" and not answer.body):
                self.send_header(name, value)
        if answer.body or self.command != "HEAD":
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body if self.command != "HEAD" else b"")

    def log_message(self, *_: object) -> None:
        """Do not log requests."""


_POLL_INTERVAL = 0.02
"""Seconds that the end of a proxy takes at most."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Do not print broken connections: clients give up on hanging requests."""


@contextmanager
def serve_proxy(address: str, handler: type[ForwardingProxy]) -> Iterator[str]:
    """Run a proxy before an address, and yield its own address. `handler` must be a class of its own."""
    url = urlsplit(address)
    handler.target = (str(url.hostname), int(url.port or 80))
    with _Server(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(_POLL_INTERVAL,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
