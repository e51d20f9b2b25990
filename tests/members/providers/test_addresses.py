"""Which addresses a request to a provider may reach."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratabase.members.providers.addresses import ProviderUrl, Reach, parse_url, reach_of, require_reachable
from tests.rows import each_row
from tests.soak import EXAMPLES

PUBLIC = ["93.184.215.14", "1.1.1.1", "2606:4700::1111", "2a00:1450:4001::1", "64:ff9b::5db8:d70e"]
PRIVATE = [
    "10.0.0.1",
    "100.64.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "fc00::1",
    "fd12:3456::1",
    "::ffff:10.0.0.1",
    "64:ff9b::a00:1",
]
THIS_MACHINE = ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"]
NEVER = [
    "0.0.0.0",
    "0.1.2.3",
    "169.254.169.254",
    "169.254.170.2",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "::",
    "::ffff:0.0.0.0",
    "::10.0.0.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "ff02::1",
    "192.0.0.192",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "192.88.99.1",
    "2001:db8::1",
    "2001::1",
    "2002:a00:1::1",
    "2002:7f00:1::",
    "64:ff9b:1::a00:1",
    "100::1",
    "3fff::1",
    "5f00::1",
    "4000::1",
]


def is_reached(address: str, reach: Reach) -> bool:
    try:
        require_reachable(ip_address(address), reach)
    except ValueError:
        return False
    return True


@each_row(
    ("addresses", "reached_by"),
    [
        (PUBLIC, [Reach.PUBLIC, Reach.PRIVATE, Reach.LOOPBACK]),
        (PRIVATE, [Reach.PRIVATE, Reach.LOOPBACK]),
        (THIS_MACHINE, [Reach.LOOPBACK]),
        (NEVER, []),
    ],
)
def test_a_request_reaches_only_what_the_settings_allow(
    addresses: list[str], reached_by: list[Reach]
) -> None:
    found = {each: [reach for reach in Reach if is_reached(each, reach)] for each in addresses}
    assert found == dict.fromkeys(addresses, reached_by)


@settings(max_examples=EXAMPLES)
@given(st.ip_addresses())
def test_what_is_reached_by_default_is_public(address: IPv4Address | IPv6Address) -> None:
    try:
        require_reachable(address, Reach.PUBLIC)
    except ValueError:
        return
    final = IPv4Address(int(address) & 0xFFFFFFFF) if str(address).startswith("64:ff9b::") else address
    assert final.is_global
    assert not any((final.is_private, final.is_loopback, final.is_link_local, final.is_multicast))


@each_row(
    ("url", "expected"),
    [
        ("https://id.example.com", ProviderUrl("https", "id.example.com", 443, "/")),
        ("https://id.example.com/", ProviderUrl("https", "id.example.com", 443, "/")),
        ("https://ID.example.com:8443/a/b?c=d", ProviderUrl("https", "id.example.com", 8443, "/a/b?c=d")),
        ("https://[2606:4700::1111]/a", ProviderUrl("https", "2606:4700::1111", 443, "/a")),
        ("https://keycloak/realms", ProviderUrl("https", "keycloak", 443, "/realms")),
        ("https://a_b.example.com.", ProviderUrl("https", "a_b.example.com.", 443, "/")),
        # A number that a resolver takes for an address is a name here, and checked after the look-up.
        ("https://2130706433/", ProviderUrl("https", "2130706433", 443, "/")),
        ("https://0x7f.1/", ProviderUrl("https", "0x7f.1", 443, "/")),
    ],
)
def test_an_address_has_the_parts_that_a_request_needs(url: str, expected: ProviderUrl) -> None:
    assert parse_url(url, Reach.PUBLIC) == expected


@each_row(
    ("url", "authority"),
    [
        ("https://id.example.com", "id.example.com"),
        ("https://id.example.com:8443", "id.example.com:8443"),
        ("https://[2606:4700::1111]:444", "[2606:4700::1111]:444"),
    ],
)
def test_the_host_header_has_the_port_unless_it_is_the_usual_one(url: str, authority: str) -> None:
    assert parse_url(url, Reach.PUBLIC).authority == authority


@each_row("reach", [Reach.PUBLIC, Reach.PRIVATE])
def test_only_a_provider_on_this_machine_needs_no_encryption(reach: Reach) -> None:
    for url in ("http://127.0.0.1:8080/a", "http://localhost/a", "http://[::1]/a"):
        assert parse_url(url, Reach.LOOPBACK).scheme == "http"
        with pytest.raises(ValueError, match="not encrypted"):
            parse_url(url, reach)
    for url in (
        "http://10.0.0.1",
        "http://id.example.com",
        "http://localhost.example.com",
        "http://127.0.0.1.nip.io",
    ):
        with pytest.raises(ValueError, match="not encrypted"):
            parse_url(url, Reach.LOOPBACK)


@each_row(
    ("issuer", "allowed", "reach"),
    [
        ("https://id.example.com", False, Reach.PUBLIC),
        ("https://id.example.com", True, Reach.PRIVATE),
        ("https://10.0.0.1", True, Reach.PRIVATE),
        ("http://127.0.0.1:8080", True, Reach.LOOPBACK),
        ("http://127.0.0.1:8080", False, Reach.PUBLIC),
        ("https://localhost", True, Reach.LOOPBACK),
        ("https://127.0.0.1@id.example.com", True, Reach.PRIVATE),
        ("no address", True, Reach.PRIVATE),
    ],
)
def test_only_a_provider_on_this_machine_may_name_addresses_of_it(
    issuer: str, allowed: bool, reach: Reach
) -> None:
    assert reach_of(issuer, may_be_private=allowed) is reach


@settings(max_examples=EXAMPLES)
@given(
    st.text(max_size=40) | st.from_regex(r"https?://[a-z0-9.:\[\]@%_-]{0,20}[/?#\\ a-z]{0,5}", fullmatch=True)
)
def test_any_text_is_a_safe_address_or_refused(url: str) -> None:
    for reach in Reach:
        try:
            parts = parse_url(url, reach)
        except ValueError:
            continue
        assert url.isascii()
        assert parts.host
        assert 0 < parts.port < 65536
        assert parts.target.startswith("/")
        assert "@" not in url.split("/")[2]
