"""Requests to a hostile provider end early, and go nowhere else."""

import asyncio
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from pathlib import Path
from threading import Event, Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stratabase.core import waiting
from stratabase.core.greenlets import THREADS, Greenlets
from stratabase.members.providers.addresses import IPAddress, Reach
from stratabase.members.providers.client import ProviderClient
from stratabase.members.providers.fetch import (
    MAX_BODY_BYTES,
    MAX_EXCHANGES,
    MAX_SECONDS,
    Fetcher,
    resolve_name,
)
from stratabase.members.providers.refusals import ProviderFault, ProviderUnavailable
from tests.fakes import FrozenClock
from tests.members.providers.hostile_provider import HostileProvider, running_provider, write_certificate
from tests.rows import each_row
from tests.server.http.calls import run_call
from tests.soak import EXAMPLES

GRACE = 30
"""Seconds after which a test gives up. What it waits for takes a fraction of one."""
PUBLIC = "93.184.215.14"
NAME = "id.example.com"


def fault(fetcher: Fetcher, url: str) -> ProviderFault:
    with pytest.raises(ProviderUnavailable) as caught:
        fetcher.get_json(url)
    assert url in caught.value.detail
    return caught.value.fault


@pytest.fixture
def fetcher() -> Fetcher:
    return Fetcher(Reach.LOOPBACK)


def test_an_answer_is_read_as_json(hostile: HostileProvider, fetcher: Fetcher) -> None:
    hostile.answers["/a"] = {"b": [1, "ü"]}
    assert fetcher.get_json(f"{hostile.issuer}/a?c=d", {"Authorization": "Bearer x"}) == {"b": [1, "ü"]}
    (sent,) = hostile.sent
    assert sent.headers == {
        "Host": hostile.issuer.removeprefix("http://"),
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Connection": "close",
        "Authorization": "Bearer x",
    }


def test_a_form_is_sent_and_any_status_returned(hostile: HostileProvider, fetcher: Fetcher) -> None:
    hostile.answers["/a"], hostile.statuses["/a"] = {"error": "x"}, 400
    response = fetcher.post_form(f"{hostile.issuer}/a", {"b": "c d&e", "f": "ü"}, {})
    assert (response.status, response.json()) == (400, {"error": "x"})
    assert hostile.sent[0].form == {"b": "c d&e", "f": "ü"}


@each_row("status", [301, 302, 303, 307, 308, 300, 304])
def test_a_redirect_is_not_followed(status: int, hostile: HostileProvider, fetcher: Fetcher) -> None:
    hostile.answers["/a"], hostile.statuses["/a"] = {}, status
    hostile.headers["/a"] = {"Location": f"{hostile.issuer}/elsewhere"}
    assert fault(fetcher, f"{hostile.issuer}/a") is ProviderFault.REDIRECT
    with pytest.raises(ProviderUnavailable) as caught:
        fetcher.post_form(f"{hostile.issuer}/a", {}, {})
    assert caught.value.fault is ProviderFault.REDIRECT
    assert hostile.count("/elsewhere") == 0


@each_row("status", [201, 204, 400, 401, 404, 500, 503, 999])
def test_another_status_is_no_answer(status: int, hostile: HostileProvider, fetcher: Fetcher) -> None:
    hostile.answers["/a"], hostile.statuses["/a"] = {}, status
    assert fault(fetcher, f"{hostile.issuer}/a") is ProviderFault.STATUS


@each_row(
    "body",
    [
        b"",
        b"<html></html>",
        b'{"a":',
        b'"text"',
        b"[]",
        b"null",
        b"[" * 900_000,
        b'{"a":' * 150_000,
        b'{"a": 1e999}',
        b'{"a": ' + b"9" * 10_000 + b"}",
        b"\xef\xbb\xbf{}",
        b"\xff",
        b'{"a": "\\ud800"}',
    ],
)
def test_what_is_no_json_object_is_no_answer(body: bytes, hostile: HostileProvider, fetcher: Fetcher) -> None:
    hostile.answers["/a"] = body
    assert fault(fetcher, f"{hostile.issuer}/a") is ProviderFault.CONTENT


@each_row("coding", ["gzip", "deflate", "br", "zstd", "gzip, gzip", "x"])
def test_nothing_is_decompressed(coding: str, hostile: HostileProvider, fetcher: Fetcher) -> None:
    hostile.answers["/a"], hostile.headers["/a"] = b"{}", {"Content-Encoding": coding}
    assert fault(fetcher, f"{hostile.issuer}/a") is ProviderFault.CONTENT


def test_a_megabyte_is_read_and_not_a_byte_more(hostile: HostileProvider, fetcher: Fetcher) -> None:
    hostile.answers["/a"] = b"{}".ljust(MAX_BODY_BYTES)
    assert fetcher.get_json(f"{hostile.issuer}/a") == {}
    hostile.answers["/a"] = b"{}".ljust(MAX_BODY_BYTES + 1)
    assert fault(fetcher, f"{hostile.issuer}/a") is ProviderFault.SIZE


class Flood:
    """Answers with a hundred megabytes, and counts what it got rid of."""

    SIZE = 100_000_000

    def __init__(self, *, chunked: bool, announced: bool = True) -> None:
        self._chunked = chunked
        self._announced = announced
        self.written = 0
        self.ended = Event()

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        if self._chunked:
            handler.send_header("Transfer-Encoding", "chunked")
        elif self._announced:
            handler.send_header("Content-Length", str(self.SIZE))
        handler.end_headers()
        block = b" " * 100_000
        try:
            while self.written < self.SIZE:
                handler.wfile.write(b"186a0\r\n" + block + b"\r\n" if self._chunked else block)
                self.written += len(block)
        finally:
            self.ended.set()


@each_row("flood", [Flood(chunked=True), Flood(chunked=False), Flood(chunked=False, announced=False)])
def test_an_answer_of_a_hundred_megabytes_is_not_read(
    flood: Flood, hostile: HostileProvider, fetcher: Fetcher
) -> None:
    hostile.answers["/a"] = flood
    assert fault(fetcher, f"{hostile.issuer}/a") is ProviderFault.SIZE
    assert flood.ended.wait(GRACE)
    assert flood.written < 20_000_000  # buffers of the operating system


class Dribble:
    """Answers with a byte now and then, for as long as the client listens."""

    def __init__(self, start: bytes, byte: bytes = b" ") -> None:
        self._start, self._byte = start, byte
        self.stopped = Event()

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(self._start)
        try:
            while not self.stopped.wait(0.02):
                handler.wfile.write(self._byte)
        finally:
            self.stopped.set()


OK = b"HTTP/1.1 200 OK\r\n"


@each_row(
    "dribble",
    [
        Dribble(b""),
        Dribble(b"HTTP/1.1 200 ", b"O"),
        Dribble(OK, b"a"),
        Dribble(OK + b"Content-Length: 500000\r\n\r\n{"),
        Dribble(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        Dribble(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
)
def test_a_slow_answer_ends_at_the_limit_however_it_comes(dribble: Dribble, hostile: HostileProvider) -> None:
    hostile.answers["/a"] = dribble
    assert fault(Fetcher(Reach.LOOPBACK, seconds=0.2), f"{hostile.issuer}/a") is ProviderFault.TIMEOUT
    # The connection is closed, too, so that no thread goes on reading.
    assert dribble.stopped.wait(GRACE)


def test_the_limit_is_five_seconds_or_the_deadline_of_the_request(hostile: HostileProvider) -> None:
    assert MAX_SECONDS == 5
    dribble = hostile.answers["/a"] = Dribble(b"")
    with waiting.deadline_after(0.1):
        assert fault(Fetcher(Reach.LOOPBACK), f"{hostile.issuer}/a") is ProviderFault.TIMEOUT
    assert dribble.stopped.wait(GRACE)


def test_a_name_that_is_looked_up_for_ever_ends_at_the_limit() -> None:
    released = Event()

    def resolve(_host: str, _port: int) -> Sequence[IPAddress]:
        released.wait(GRACE)
        return [ip_address(PUBLIC)]

    connected = Event()

    def connect(_address: tuple[str, int], _seconds: float) -> socket.socket:
        connected.set()
        raise OSError

    fetcher = Fetcher(Reach.PUBLIC, seconds=0.1, resolve=resolve, connect=connect)
    assert fault(fetcher, f"https://{NAME}/") is ProviderFault.TIMEOUT
    assert not connected.is_set()
    released.set()


def test_a_connection_that_comes_too_late_is_closed(hostile: HostileProvider) -> None:
    released, ours = Event(), list[socket.socket]()

    def connect(address: tuple[str, int], seconds: float) -> socket.socket:
        released.wait(GRACE)
        ours.append(socket.create_connection(address, seconds))
        return ours[0]

    fetcher = Fetcher(Reach.LOOPBACK, seconds=0.1, connect=connect)
    assert fault(fetcher, f"{hostile.issuer}/a") is ProviderFault.TIMEOUT
    released.set()
    # The request is not answered, because its connection is shut.
    hostile.answers["/b"] = {}
    assert Fetcher(Reach.LOOPBACK).get_json(f"{hostile.issuer}/b") == {}
    assert hostile.count("/a") == 0


def answer_when(released: Event) -> Callable[[BaseHTTPRequestHandler], None]:
    """Return what answers with an empty object as soon as an event is set."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        assert released.wait(GRACE)
        handler.wfile.write(OK + b"Content-Length: 2\r\n\r\n{}")

    return answer


def test_requests_that_hang_leave_the_threads_of_the_server_free(
    hostile: HostileProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Passwords are verified in these threads, too."""
    released = Event()
    hostile.answers["/a"] = answer_when(released)
    fetcher = Fetcher(Reach.LOOPBACK, seconds=GRACE)

    async def body() -> list[object]:
        greenlets = Greenlets(asyncio.get_running_loop())
        monkeypatch.setattr(waiting, "_installed", greenlets)
        hanging = [partial(fetcher.get_json, f"{hostile.issuer}/a")] * (THREADS + 1)
        calls = [*hanging, partial(waiting.offload, released.set)]
        found = await asyncio.gather(*(run_call(greenlets, call) for call in calls))
        await greenlets.finish()
        return found

    assert asyncio.run(asyncio.wait_for(body(), GRACE)) == [{}] * (THREADS + 1) + [None]


def test_what_all_wait_for_is_never_one_too_many(hostile: HostileProvider) -> None:
    """Otherwise, a rush could refuse the keys to all who have their tokens already."""
    released, fetcher = Event(), Fetcher(Reach.LOOPBACK, seconds=GRACE)
    hostile.answers |= {"/a": answer_when(released)}
    client = ProviderClient(hostile.provider(), FrozenClock(), fetcher)
    with ThreadPoolExecutor(MAX_EXCHANGES) as pool:
        futures = [pool.submit(fetcher.get_json, f"{hostile.issuer}/a") for _ in range(MAX_EXCHANGES)]
        while hostile.count("/a") < MAX_EXCHANGES:
            assert not any(each.done() for each in futures)
        assert client.check() == 1
        assert fault(fetcher, f"{hostile.issuer}/a") is ProviderFault.BUSY
        released.set()
        assert [each.result() for each in futures] == [{}] * MAX_EXCHANGES


def test_only_so_many_requests_are_under_way_at_once(hostile: HostileProvider) -> None:
    released, fetcher = Event(), Fetcher(Reach.LOOPBACK, seconds=GRACE)
    hostile.answers |= {"/a": answer_when(released), "/b": {}}
    with ThreadPoolExecutor(MAX_EXCHANGES) as pool:
        futures = [pool.submit(fetcher.get_json, f"{hostile.issuer}/a") for _ in range(MAX_EXCHANGES)]
        while hostile.count("/a") < MAX_EXCHANGES:
            assert not any(each.done() for each in futures)
        assert fault(fetcher, f"{hostile.issuer}/b") is ProviderFault.BUSY
        released.set()
        assert [each.result() for each in futures] == [{}] * MAX_EXCHANGES
    for thread in threading.enumerate():
        if thread.name == "provider":
            thread.join(GRACE)
    assert fetcher.get_json(f"{hostile.issuer}/b") == {}


@each_row(
    "answer",
    [
        b"",
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 200 + b"\r\n",
        b"HTTP/1.1 200 OK\r\na: " + b"b" * 70_000 + b"\r\n\r\n",
    ],
)
def test_a_broken_response_is_no_answer(answer: bytes, hostile: HostileProvider, fetcher: Fetcher) -> None:
    hostile.answers["/a"] = lambda handler: handler.wfile.write(answer)
    assert fault(fetcher, f"{hostile.issuer}/a") is ProviderFault.UNREACHABLE


HEADS = st.sampled_from(
    [
        b"",
        OK,
        OK + b"Content-Length: 9\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n",
        OK + b"Content-Encoding: ",
        b"HTTP/1.1 30",
        b"HTTP/1.1 100 Continue\r\n\r\n",
    ]
)


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(head=HEADS, rest=st.binary(max_size=200) | st.text("0129af;\r\n :{}", max_size=60).map(str.encode))
def test_bytes_of_any_form_are_an_answer_or_explained(
    head: bytes, rest: bytes, hostile: HostileProvider, fetcher: Fetcher
) -> None:
    hostile.answers["/a"] = lambda handler: handler.wfile.write(head + rest)
    with suppress(ProviderUnavailable):
        assert isinstance(fetcher.get_json(f"{hostile.issuer}/a"), dict)


def test_nothing_that_listens_is_no_answer(fetcher: Fetcher) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert fault(fetcher, f"http://127.0.0.1:{port}/") is ProviderFault.UNREACHABLE


def test_a_name_without_an_address_is_no_answer() -> None:
    def resolve(_host: str, _port: int) -> Sequence[IPAddress]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    assert fault(Fetcher(Reach.PUBLIC, resolve=resolve), f"https://{NAME}/") is ProviderFault.UNREACHABLE
    empty = Fetcher(Reach.PUBLIC, resolve=lambda _host, _port: [])
    assert fault(empty, f"https://{NAME}/") is ProviderFault.UNREACHABLE


def test_a_host_is_looked_up_as_every_program_does_it() -> None:
    assert ip_address("127.0.0.1") in resolve_name("localhost", 80)
    assert resolve_name("2130706433", 80) == [ip_address("127.0.0.1")]
    with pytest.raises(OSError, match="label"):
        resolve_name("a..b", 80)


class Network:
    """Looks up one name, and leads all connections to a provider of the test."""

    def __init__(self, provider: HostileProvider, *looked_up: Sequence[str]) -> None:
        self._port = int(provider.issuer.rpartition(":")[2])
        self._looked_up = iter(looked_up)
        self.names: list[str] = []
        self.connected: list[tuple[str, int]] = []

    def resolve(self, host: str, _port: int) -> Sequence[IPAddress]:
        self.names.append(host)
        return [ip_address(each) for each in next(self._looked_up)]

    def connect(self, address: tuple[str, int], seconds: float) -> socket.socket:
        self.connected.append(address)
        if address[0] == "1.1.1.1":
            raise TimeoutError("timed out")
        return socket.create_connection(("127.0.0.1", self._port), seconds)

    def fetcher(self, reach: Reach = Reach.PUBLIC, certificate: Path | None = None) -> Fetcher:
        context = None if certificate is None else ssl.create_default_context(cafile=str(certificate))
        return Fetcher(reach, resolve=self.resolve, connect=self.connect, tls_context=context)


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    return write_certificate(tmp_path, NAME)


@pytest.fixture
def encrypted(certificate: Path) -> Iterator[HostileProvider]:
    """A provider with TLS, and a certificate for NAME."""
    with running_provider(name=NAME, certificate=certificate) as provider:
        provider.answers["/a"] = {"b": "c"}
        yield provider


def test_the_connection_goes_to_the_address_that_was_checked(
    encrypted: HostileProvider, certificate: Path
) -> None:
    """A name that leads elsewhere at its second look-up (DNS rebinding) has no second look-up."""
    network = Network(encrypted, [PUBLIC], ["127.0.0.1"])
    assert network.fetcher(certificate=certificate).get_json(f"https://{NAME}/a") == {"b": "c"}
    assert network.names == [NAME]
    assert network.connected == [(PUBLIC, 443)]
    assert encrypted.sent[0].headers["Host"] == NAME


@each_row(
    "addresses",
    [
        ["127.0.0.1"],
        ["::1"],
        ["10.0.0.1"],
        ["169.254.169.254"],
        ["::ffff:169.254.169.254"],
        ["64:ff9b::a9fe:a9fe"],
        ["fd00:ec2::254"],
        ["fc00::1"],
        ["0.0.0.0"],
        ["224.0.0.1"],
        [PUBLIC, "10.0.0.1"],
        ["10.0.0.1", PUBLIC],
    ],
)
def test_a_name_that_leads_to_a_private_address_is_not_connected(
    addresses: list[str], encrypted: HostileProvider, certificate: Path
) -> None:
    network = Network(encrypted, addresses)
    assert fault(network.fetcher(certificate=certificate), f"https://{NAME}/a") is ProviderFault.ADDRESS
    assert network.connected == []


def test_private_addresses_can_be_allowed_but_not_those_of_this_machine(
    encrypted: HostileProvider, certificate: Path
) -> None:
    network = Network(encrypted, ["10.0.0.1"], ["127.0.0.1"], ["169.254.169.254"])
    fetcher = network.fetcher(Reach.PRIVATE, certificate)
    assert fetcher.get_json(f"https://{NAME}/a") == {"b": "c"}
    for _ in range(2):
        assert fault(fetcher, f"https://{NAME}/a") is ProviderFault.ADDRESS


def test_another_address_of_the_name_is_tried(encrypted: HostileProvider, certificate: Path) -> None:
    network = Network(encrypted, ["1.1.1.1", PUBLIC])
    assert network.fetcher(certificate=certificate).get_json(f"https://{NAME}/a") == {"b": "c"}
    assert network.connected == [("1.1.1.1", 443), (PUBLIC, 443)]
    network = Network(encrypted, ["1.1.1.1"] * 9)
    assert fault(network.fetcher(certificate=certificate), f"https://{NAME}/a") is ProviderFault.TIMEOUT
    assert len(network.connected) == 3


@each_row("name", ["other.example.com", "example.com", PUBLIC])
def test_the_certificate_must_be_for_the_host_and_not_for_another(
    name: str, encrypted: HostileProvider, certificate: Path
) -> None:
    network = Network(encrypted, [PUBLIC])
    found = fault(network.fetcher(certificate=certificate), f"https://{name}/a")
    assert found is ProviderFault.UNREACHABLE
    assert encrypted.sent == []


def test_the_certificate_must_be_of_an_authority_that_is_trusted(encrypted: HostileProvider) -> None:
    network = Network(encrypted, [PUBLIC])
    assert fault(network.fetcher(), f"https://{NAME}/a") is ProviderFault.UNREACHABLE
    assert encrypted.sent == []


def test_a_slow_handshake_ends_at_the_limit(certificate: Path) -> None:
    """A handshake has taken over the socket, which has a timeout of its own for each byte."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        ended = Event()

        def dribble() -> None:
            connection, _ = server.accept()
            with connection:
                connection.settimeout(0.02)
                connection.sendall(b"\x16\x03\x03\x40\x00")  # the head of a record of 16,384 bytes
                while True:
                    try:
                        connection.sendall(b"\0")
                        if connection.recv(4096) == b"":
                            break
                    except TimeoutError:
                        continue
                    except OSError:
                        break
            ended.set()

        thread = Thread(target=dribble)
        thread.start()
        port = server.getsockname()[1]
        fetcher = Fetcher(
            Reach.LOOPBACK, seconds=0.3, tls_context=ssl.create_default_context(cafile=str(certificate))
        )
        assert fault(fetcher, f"https://127.0.0.1:{port}/") is ProviderFault.TIMEOUT
        assert ended.wait(GRACE)
        thread.join()


@each_row(
    "url",
    [
        "http://id.example.com/",
        "https://10.0.0.1/",
        "ftp://id.example.com",
        "",
        "https://a b/",
        "http://[::1]/",
    ],
)
def test_no_request_goes_to_an_address_that_is_refused(url: str) -> None:
    def never(*_: object) -> socket.socket:
        pytest.fail("it has connected")

    resolve: Callable[[str, int], Sequence[IPAddress]] = lambda _host, _port: [ip_address(PUBLIC)]  # noqa: E731
    assert fault(Fetcher(Reach.PUBLIC, resolve=resolve, connect=never), url) is ProviderFault.ADDRESS


def test_an_error_of_the_code_itself_is_not_hidden() -> None:
    def resolve(_host: str, _port: int) -> Sequence[IPAddress]:
        raise KeyError("a mistake")

    with pytest.raises(KeyError, match="a mistake"):
        Fetcher(Reach.PUBLIC, resolve=resolve).get_json(f"https://{NAME}/")
