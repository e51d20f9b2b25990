"""An address has a number of connections at the same time. Further ones get a 503."""

import logging
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from ipaddress import ip_network

import pytest

from stratabase.server.http.acceptor import MAX_LOGGED, ConnectionLimit
from stratabase.server.http.forwarded import TrustedProxies
from tests.server.http.serving import DEADLINE, Client, http_server
from tests.soak import count

HELD = count(3, 1000)
ATTEMPTS = count(10, 12_000)
PING = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@contextmanager
def connected(client: Client) -> Iterator[socket.socket]:
    """Open a connection that was accepted, as a response on it shows."""
    with socket.create_connection(("127.0.0.1", client.port), DEADLINE) as connection:
        connection.sendall(PING)
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        yield connection


@pytest.mark.soak
def test_connections_beyond_the_limit_are_503_and_closed_until_others_are() -> None:
    with http_server(address_connections=HELD) as client, ExitStack() as held:
        for _ in range(HELD):
            held.enter_context(connected(client))
        for _ in range(ATTEMPTS):
            refused = client.raw(PING)
            assert refused.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
        assert b"\r\nRetry-After: 5\r\n".lower() in refused.lower()
        assert b"too many connections from your address" in refused

        held.close()

        while client.raw(PING[:-2] + b"Connection: close\r\n\r\n").startswith(b"HTTP/1.1 503"):
            pass  # the service learns in a later turn that clients have left
        with connected(client):
            pass


def test_a_trusted_proxy_has_no_limit() -> None:
    proxies = TrustedProxies([ip_network("127.0.0.1")])
    with http_server(address_connections=1, proxies=proxies) as client, ExitStack() as held:
        for _ in range(3):
            held.enter_context(connected(client))


def test_each_address_has_its_own_number() -> None:
    limit = ConnectionLimit(2)
    assert [limit.enter(address) for address in ("192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.1")] == [
        True,
        True,
        True,
        False,
    ]
    limit.leave("192.0.2.1")
    assert limit.enter("192.0.2.1")


def test_an_ipv6_network_of_a_customer_counts_as_one_address() -> None:
    limit = ConnectionLimit(1)
    assert limit.enter("2001:db8::1")
    assert not limit.enter("2001:db8::ffff:2")
    assert limit.enter("2001:db8:1::1")
    assert limit.enter("::ffff:192.0.2.1")
    assert not limit.enter("192.0.2.1")


def test_zero_means_no_limit() -> None:
    limit = ConnectionLimit(0)
    assert all(limit.enter("192.0.2.1") for _ in range(10_000))


def test_each_address_is_logged_once_and_not_too_many(caplog: pytest.LogCaptureFixture) -> None:
    limit = ConnectionLimit(1)
    with caplog.at_level(logging.WARNING):
        for number in range(MAX_LOGGED + 5):
            for _ in range(3):
                limit.enter(f"192.0.2.{number}")

    assert len(caplog.records) == MAX_LOGGED
    assert "STRATABASE_ADDRESS_CONNECTIONS" in caplog.text
    assert "STRATABASE_TRUSTED_PROXIES" in caplog.text
