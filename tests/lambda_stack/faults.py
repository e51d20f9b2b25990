"""A proxy before the emulator of AWS that throttles, fails, hangs, and loses or repeats what is sent."""

import http.client
import json
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

FAULTS = ("throttle", "fail", "lose request", "lose answer", "repeat", "hang")
WEIGHTS = (6, 4, 4, 4, 4, 1)
HANG = 8.0
"""Seconds, longer than a client waits."""
_HOP_HEADERS = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length"})


class _Answer:
    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status, self.headers, self.body = response.status, response.getheaders(), response.read()


class _Proxy(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    target: tuple[str, int]
    chance: random.Random
    rate: float

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = self._fault()
        if fault == "hang":
            time.sleep(HANG)
        if fault in {"lose request", "hang"}:
            self.close_connection = True
            return
        if fault in {"throttle", "fail"}:
            self._refuse(fault)
            return
        answer = self._forward(body)
        if fault == "repeat":
            answer = self._forward(body)
        if fault == "lose answer":
            self.close_connection = True
            return
        self._send(answer)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815 - the names of the base class

    def _fault(self) -> str | None:
        if self.chance.random() >= self.rate:
            return None
        return self.chance.choices(FAULTS, WEIGHTS)[0]

    def _forward(self, body: bytes) -> _Answer:
        connection = http.client.HTTPConnection(*self.target, timeout=60)
        try:
            connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            return _Answer(connection.getresponse())
        finally:
            connection.close()

    def _refuse(self, fault: str) -> None:
        """Answer as DynamoDB does, or as S3 does."""
        if "X-Amz-Target" in self.headers:
            kind = "ThrottlingException" if fault == "throttle" else "InternalServerError"
            status = 400 if fault == "throttle" else 500
            content = {"__type": f"com.amazonaws.dynamodb.v20120810#{kind}", "message": "injected"}
            body, type_ = json.dumps(content).encode(), "application/x-amz-json-1.0"
        else:
            code, status = ("SlowDown", 503) if fault == "throttle" else ("InternalError", 500)
            body = f"<Error><Code>{code}</Code><Message>injected</Message></Error>".encode()
            type_ = "application/xml"
        self.send_response(status)
        self.send_header("Content-Type", type_)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(b"" if self.command == "HEAD" else body)

    def _send(self, answer: _Answer) -> None:
        self.send_response_only(answer.status)
        for name, value in answer.headers:
            if name.lower() not in _HOP_HEADERS or (name.lower() == "content-length" and not answer.body):
                self.send_header(name, value)
        if answer.body or self.command != "HEAD":
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, *_: object) -> None:
        """Do not log requests."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Do not print broken connections: clients give up on hanging requests."""


@contextmanager
def fault_proxy(address: str, faults: str) -> Iterator[str]:
    """Run a proxy before an address, and yield its address. `faults`: a seed and a share, such as `7:5%`."""
    seed, _, rate = faults.partition(":")
    url = urlsplit(address)

    class Proxy(_Proxy):
        """Each proxy has its own chance."""

        target = (str(url.hostname), int(url.port or 80))
        chance = random.Random(int(seed))

    Proxy.rate = float(rate.rstrip("%")) / 100
    with _Server(("127.0.0.1", 0), Proxy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
