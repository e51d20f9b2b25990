"""A proxy in front of a service that loses answers, as a network does."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from tests.service import RunningService

_HOP = {"connection", "content-length", "date", "keep-alive", "transfer-encoding", "content-encoding"}


class LossyProxy:
    """Passes requests on. It loses the first answer to each mutation with a new Idempotency-Key."""

    def __init__(self, service: RunningService) -> None:
        self.service = service
        self.keys: list[str] = []
        """The keys of all mutations that arrived, in order."""
        self.paths: list[str] = []
        self.expired = 0
        """How many of the next requests with a token are answered as if it had expired."""
        self.failures: dict[str, list[int]] = {}
        """The statuses of the next answers by path, each with a body of HTML. 0 is not a failure."""

    @property
    def lost(self) -> int:
        """How many answers were lost."""
        return len(set(self.keys))

    def failure(self, path: str, *, has_token: bool) -> int:
        """Return the status with which the proxy itself answers a request. 0: it passes the request on."""
        if self.expired and has_token:
            self.expired -= 1
            return 401
        return (self.failures.get(path) or [0]).pop(0)

    def loses(self, key: str | None, body: bytes) -> bool:
        """Note a request. Return whether its answer is lost."""
        if key is None or b"mutation" not in body:
            return False
        self.keys.append(key)
        return self.keys.count(key) == 1


def _handler(proxy: LossyProxy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._pass_on()

        def do_POST(self) -> None:
            self._pass_on()

        do_PUT = do_DELETE = do_POST  # noqa: N815 - BaseHTTPRequestHandler names them

        def _pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            proxy.paths.append(self.path)
            if failure := proxy.failure(self.path, has_token=bool(self.headers.get("authorization"))):
                self._answer(failure, {"Content-Type": "text/html"}, b"<html>Try again</html>")
                return
            headers = {
                name: value
                for name, value in self.headers.items()
                if name.lower() not in {"host", "connection", "accept-encoding", "content-length"}
            }
            reply = proxy.service.request(self.command, self.path, headers=headers, body=body or None)
            if proxy.loses(self.headers.get("idempotency-key"), body):
                self.close_connection = True
                self.connection.close()
                return
            self._answer(reply.status, dict(reply.headers), reply.body)

        def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                if name not in _HOP:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    return Handler


@contextmanager
def losing_answers(service: RunningService) -> Iterator[tuple[LossyProxy, str]]:
    """Yield the proxy and its address."""
    proxy = LossyProxy(service)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(proxy))
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield proxy, f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
