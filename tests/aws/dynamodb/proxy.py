"""An HTTP proxy on the loopback interface that makes tunnels, and records for whom."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple


class Proxy(NamedTuple):
    """A running proxy: its host and port, and the targets that it was asked for with the headers."""

    address: str
    asked: list[tuple[str, Message]]


@contextmanager
def proxying() -> Iterator[Proxy]:
    """Run a proxy."""
    asked: list[tuple[str, Message]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_CONNECT(self) -> None:
            asked.append((self.path, self.headers))
            host, _, port = self.path.partition(":")
            with socket.create_connection((host, int(port))) as target:
                self.send_response(200)
                self.end_headers()
                back = Thread(target=_pump, args=(target, self.connection))
                back.start()
                _pump(self.connection, target)
                back.join()

        def log_message(self, *_: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield Proxy(f"127.0.0.1:{http.server_address[1]}", asked)
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


def _pump(source: socket.socket, target: socket.socket) -> None:
    """Send all bytes from one side to the other, and then the end."""
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # the other side has closed the connection
