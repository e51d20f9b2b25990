"""The server sends streamed bodies as fast as their clients receive them, and closes them in any case."""

import http.client
import itertools
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import pytest

from stratabase.core import waiting
from stratabase.core.http.base.messages import BodyStream, Request, Response
from tests.server.http.serving import DEADLINE, http_server, problem

CHUNK = bytes(256 * 1024)


@dataclass
class Source:
    """Chunks that count how many were read, and tell when they are closed."""

    chunks: Iterator[bytes]
    read: int = 0
    closed: threading.Event = field(default_factory=threading.Event)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        chunk = next(self.chunks)
        self.read += 1
        return chunk

    def close(self) -> None:
        self.closed.set()


@dataclass
class CachedSource(Source):
    """Chunks of which every other one is in memory."""

    threads: list[str] = field(default_factory=list)
    """The names of the threads that read the chunks."""

    def __next__(self) -> bytes:
        self.threads.append(threading.current_thread().name)
        return super().__next__()

    def next_cached(self) -> bytes | None:
        if self.read % 2:
            return None
        return next(self, None)


def streaming(source: Source, length: int, content_type: str = "video/mp4") -> Callable[[Request], Response]:
    """Return an endpoint that streams a source at every address but the root."""

    def respond(request: Request) -> Response:
        if request.path == "/":
            return Response(200, body=b"root")
        headers = (("Content-Type", content_type), ("X-Both", "1"), ("X-Both", "2"))
        return Response(200, headers, binary=True, stream=BodyStream(source, length))

    return respond


def test_a_body_arrives_while_it_is_read() -> None:
    arrived = threading.Event()

    def chunks() -> Iterator[bytes]:
        yield b"first"
        assert arrived.wait(DEADLINE)
        yield b"second"

    source = Source(chunks())
    with http_server(streaming(source, 11)) as client:
        connection = client.connection()
        connection.request("GET", "/file")
        response = connection.getresponse()
        assert response.read(5) == b"first"
        arrived.set()
        assert response.read() == b"second"
        assert response.getheader("Content-Length") == "11"
        assert response.getheader("X-Both") == "1, 2"
        assert response.getheader("x-amzn-RequestId")
        assert source.closed.wait(DEADLINE)
        assert client.request("GET", "/", connection=connection).body == b"root"
        connection.close()


def test_chunks_in_memory_are_sent_without_a_thread() -> None:
    source = CachedSource(iter([b"a", b"b", b"c", b"d", b"e"]))
    with http_server(streaming(source, 5)) as client:
        assert client.get("/file").body == b"abcde"
        assert source.closed.wait(DEADLINE)
    loop = source.threads[0]
    assert [thread == loop for thread in source.threads] == [True, False, True, False, True, False]


def test_a_fast_client_lets_others_run() -> None:
    class Memory(Source):
        def next_cached(self) -> bytes | None:
            return None if answered.is_set() else next(self, None)

    answered = threading.Event()
    source = Memory(b"x" for _ in itertools.takewhile(lambda _: not answered.is_set(), itertools.count()))
    with http_server(streaming(source, 10**12)) as client:
        connection = client.connection()
        connection.request("GET", "/file")
        response = connection.getresponse()
        assert response.read(1) == b"x"
        assert client.get("/").body == b"root"
        answered.set()
        assert source.closed.wait(DEADLINE)
        connection.close()


@pytest.mark.parametrize("chunks", [[b"first", b"second"], [b"first"]], ids=["long", "short"])
def test_a_body_of_another_length_breaks_the_connection(
    chunks: list[bytes], caplog: pytest.LogCaptureFixture
) -> None:
    source = CachedSource(iter(chunks))
    with http_server(streaming(source, 8)) as client, pytest.raises(http.client.IncompleteRead):
        client.get("/file")
    assert source.closed.wait(DEADLINE)
    assert "IncompleteBody" in caplog.text


def test_a_slow_client_slows_the_reading() -> None:
    source = Source(CHUNK for _ in range(1000))
    with http_server(streaming(source, 1000 * len(CHUNK))) as client:
        connection = client.connection()
        connection.request("GET", "/file")
        response = connection.getresponse()
        assert len(response.read(1000)) == 1000
        for _ in range(100):
            assert client.get("/").body == b"root"
        assert source.read < 200, "more is read than the buffers of the connection hold"
        connection.close()
        assert source.closed.wait(DEADLINE)


def test_a_client_that_disconnects_ends_the_reading() -> None:
    source = Source(CHUNK for _ in range(10_000))
    with http_server(streaming(source, 10_000 * len(CHUNK))) as client:
        with socket.create_connection(("127.0.0.1", client.port), DEADLINE) as connection:
            connection.sendall(b"GET /file HTTP/1.1\r\nHost: x\r\n\r\n")
            assert connection.recv(1000)
        assert source.closed.wait(DEADLINE)
        assert source.read < 10_000


def test_a_body_that_fails_breaks_the_connection(caplog: pytest.LogCaptureFixture) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"first"
        raise OSError("the disk is gone")

    source = Source(chunks())
    with http_server(streaming(source, 11)) as client, pytest.raises(http.client.IncompleteRead):
        client.get("/file")
    assert source.closed.is_set()
    assert "the disk is gone" in caplog.text


def test_the_time_limit_ends_with_the_first_byte() -> None:
    passed = threading.Event()

    def chunks() -> Iterator[bytes]:
        yield b"first"
        assert passed.wait(DEADLINE)
        yield b"second"

    def respond(request: Request) -> Response:
        if request.path == "/slow":
            waiting.until(late)
        return stream(request)

    late: Future[Any] = Future()
    stream = streaming(Source(chunks()), 11)
    with http_server(respond, time_limit=0.05) as client:
        connection = client.connection()
        connection.request("GET", "/file")
        response = connection.getresponse()
        assert "longer than" in problem(client.get("/slow"), 504)
        passed.set()
        assert response.read() == b"firstsecond"
        late.set_result(None)
        connection.close()


def test_a_body_that_comes_after_the_time_limit_is_closed() -> None:
    late: Future[Any] = Future()
    source = Source(iter([b"x"]))
    stream = streaming(source, 1)

    def respond(request: Request) -> Response:
        waiting.until(late)
        return stream(request)

    with http_server(respond, time_limit=0.05) as client:
        assert client.get("/slow").status == 504
        late.set_result(None)
        assert source.closed.wait(DEADLINE)
        assert source.read == 0


def test_a_response_with_an_invalid_header_is_500_and_is_closed() -> None:
    source = Source(iter([b"x"]))
    with http_server(streaming(source, 1, content_type="a\r\nb")) as client:
        assert problem(client.get("/file"), 500)
        assert source.closed.is_set()


def test_other_requests_go_on_during_64_downloads() -> None:
    def respond(request: Request) -> Response:
        return streaming(Source(CHUNK for _ in range(40)), 40 * len(CHUNK))(request)

    with http_server(respond) as client:
        connections = [client.connection() for _ in range(64)]
        for connection in connections:
            connection.request("GET", "/file")
        responses = [connection.getresponse() for connection in connections]
        for _ in range(20):
            assert client.get("/").body == b"root"
        assert [len(response.read()) for response in responses] == [40 * len(CHUNK)] * 64
        for connection in connections:
            connection.close()
