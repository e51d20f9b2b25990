"""A scripted HTTP server on the loopback interface that records its requests."""

import ssl
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import orjson


@dataclass
class Reply:
    """A scripted response; `date` is in seconds since 1970."""

    content: Any = field(default_factory=dict)
    status: int = 200
    checksum: int | None = None
    date: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    break_off: bool = False
    silent: bool = False
    raw: bytes = b""
    """What follows the header, if the header of the reply describes it wrongly."""
    ends: bool = False
    """Whether the server closes the connection afterwards, without saying so."""

    @property
    def body(self) -> bytes:
        return self.content if isinstance(self.content, bytes) else orjson.dumps(self.content)


@dataclass
class Server:
    """A running server."""

    replies: list[Reply] = field(default_factory=list)
    asked: list[tuple[Mapping[str, str], bytes]] = field(default_factory=list)
    connections: int = 0
    url: str = ""
    ended: Event = field(default_factory=Event)
    closed: Event = field(default_factory=Event)
    """Set when the server has closed a connection."""

    def next_reply(self) -> Reply:
        return self.replies.pop(0) if self.replies else Reply()


@contextmanager
def serving(*replies: Reply, certificate: Path | None = None) -> Iterator[Server]:
    """Run a server that sends these responses in order, then empty ones. With a certificate, it uses TLS."""
    server = Server([*replies])
    http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(server))
    server.url = f"{'https' if certificate else 'http'}://127.0.0.1:{http.server_address[1]}"
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        http.socket = context.wrap_socket(http.socket, server_side=True)
    thread = Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.ended.set()
        http.shutdown()
        thread.join()
        http.server_close()


def _handler(server: Server) -> Callable[..., BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 60

        def setup(self) -> None:
            super().setup()
            server.connections += 1

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            server.asked.append(({name.lower(): value for name, value in self.headers.items()}, body))
            reply = server.next_reply()
            if reply.silent:
                server.ended.wait(60)
            if not reply.silent and not reply.break_off:
                self._answer(reply)
            self.close_connection |= reply.silent or reply.break_off or reply.ends

        def finish(self) -> None:
            super().finish()
            self.connection.close()
            server.closed.set()

        def _answer(self, reply: Reply) -> None:
            checksum = zlib.crc32(reply.body) if reply.checksum is None else reply.checksum
            self.send_response_only(reply.status)
            described = {"content-length": str(len(reply.body)), "x-amz-crc32": str(checksum)}
            fields = {**({} if reply.raw else described), "date": formatdate(reply.date, usegmt=True)}
            for name, value in {**fields, **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.raw or reply.body)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler
