"""The address of a client: forwarded addresses count only from trusted proxies, and from the right."""

import re
from ipaddress import ip_network

from stratabase.server.http.forwarded import TrustedProxies
from tests.rows import each_row

PROXIES = TrustedProxies([ip_network("10.0.0.0/8"), ip_network("fd00::/8"), ip_network("127.0.0.1/32")])


def client_of(peer: str, **headers: str | list[str]) -> str:
    values = {
        name.replace("_", "-"): [each] if isinstance(each, str) else each for name, each in headers.items()
    }
    return PROXIES.client_of(peer, values)


@each_row("peer", ["192.0.2.1", "2001:db8::1", "11.0.0.1", ""])
def test_an_untrusted_peer_is_the_client(peer: str) -> None:
    assert client_of(peer, X_Forwarded_For="198.51.100.7", Forwarded="for=198.51.100.7") == peer


@each_row("peer", ["10.1.2.3", "fd00::1", "::ffff:10.1.2.3"])
def test_a_trusted_proxy_names_the_client(peer: str) -> None:
    assert client_of(peer, X_Forwarded_For="198.51.100.7") == "198.51.100.7"
    assert client_of(peer, x_forwarded_for="198.51.100.7") == "198.51.100.7"
    assert client_of(peer, Forwarded="for=198.51.100.7;proto=https") == "198.51.100.7"


@each_row(
    ("value", "client"),
    [
        ("203.0.113.9, 198.51.100.7", "198.51.100.7"),
        ("203.0.113.9, 198.51.100.7, 10.0.0.9", "198.51.100.7"),
        ("203.0.113.9,198.51.100.7,10.0.0.9,fd00::2", "198.51.100.7"),
        ("10.0.0.8, 10.0.0.9", "10.0.0.8"),
        ("198.51.100.7:4711", "198.51.100.7"),
        ("[2001:db8::7]:4711", "2001:db8::7"),
        ("2001:db8::7", "2001:db8::7"),
        ("::ffff:198.51.100.7", "198.51.100.7"),
        ("198.51.100.7, unknown", "10.0.0.1"),
        ("198.51.100.7, _hidden, 10.0.0.9", "10.0.0.9"),
        ("198.51.100.7,", "10.0.0.1"),
        ("", "10.0.0.1"),
        ("198.51.100.700", "10.0.0.1"),
        ("198.51.100.7 <script>", "10.0.0.1"),
    ],
)
def test_the_list_is_read_from_the_right(value: str, client: str) -> None:
    assert client_of("10.0.0.1", X_Forwarded_For=value) == client


@each_row(
    ("value", "client"),
    [
        ("for=203.0.113.9, for=198.51.100.7", "198.51.100.7"),
        ("for=203.0.113.9;by=10.0.0.1, For=198.51.100.7;proto=https, for=10.0.0.9", "198.51.100.7"),
        ('proto=https;for="[2001:db8::7]:4711"', "2001:db8::7"),
        ('for="198.51.100.7:80"', "198.51.100.7"),
        ("for=198.51.100.7, for=unknown", "10.0.0.1"),
        ("for=198.51.100.7, by=10.0.0.9", "10.0.0.1"),
        ("before=198.51.100.7", "10.0.0.1"),
    ],
)
def test_the_standard_header_is_read_from_the_right(value: str, client: str) -> None:
    assert client_of("10.0.0.1", Forwarded=value) == client


def test_several_headers_are_one_list() -> None:
    assert client_of("10.0.0.1", X_Forwarded_For=["203.0.113.9", "198.51.100.7, 10.0.0.9"]) == "198.51.100.7"


def test_headers_that_disagree_are_ignored() -> None:
    """The client has written the one that the proxy does not set."""
    assert client_of("10.0.0.1", X_Forwarded_For="198.51.100.7", Forwarded="for=203.0.113.9") == "10.0.0.1"
    assert (
        client_of("10.0.0.1", X_Forwarded_For="198.51.100.7", Forwarded="for=198.51.100.7") == "198.51.100.7"
    )


def test_a_long_header_is_read_in_linear_time() -> None:
    hostile = 'for="' + "\\" * 5000 + "=;for" * 1000
    assert client_of("10.0.0.1", Forwarded=hostile, X_Forwarded_For="198.51.100.7") == "10.0.0.1"
    assert re.fullmatch(r"[\d.]+", client_of("10.0.0.1", X_Forwarded_For="," * 9000))
