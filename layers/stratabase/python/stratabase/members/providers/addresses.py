"""Which addresses of a provider may be reached: HTTPS, and no private network unless the settings allow it.

A provider names further addresses in its metadata. They must not lead a request of this service to where only
this service gets, such as to other machines of its network or to the credentials of its machine.
"""

import re
from enum import Enum
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import NamedTuple
from urllib.parse import urlsplit

MAX_URL_LENGTH = 2048
_URL = re.compile(r"[!-\[\]-~]+")
"""Visible ASCII characters without the backslash, which browsers read as a slash."""
_HOST_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?")
_DEFAULT_PORTS = {"https": 443, "http": 80}

IPAddress = IPv4Address | IPv6Address


class Reach(Enum):
    """How far requests to a provider may go."""

    PUBLIC = "public"
    """Only to public addresses."""
    PRIVATE = "private"
    """Also to private networks, but not to this machine."""
    LOOPBACK = "loopback"
    """Also to this machine, and without encryption there. This is for trying, on a development machine."""


class ProviderUrl(NamedTuple):
    """The parts of an address that a request needs."""

    scheme: str
    host: str
    """The name or the IP address, without brackets."""
    port: int
    target: str
    """The path and the query."""

    @property
    def authority(self) -> str:
        """The value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"


def parse_url(url: str, reach: Reach) -> ProviderUrl:
    """Return the parts of an address. Raises ValueError, whose text says what is wrong and what is right.

    An IP address in it is checked. The addresses of a name are to be checked when they are known.
    """
    parts = _split(url)
    if parts.scheme == "http" and not (reach is Reach.LOOPBACK and _is_this_machine(parts.host)):
        raise ValueError("it is not encrypted; use https")
    literal = _literal_address(parts.host)
    if literal is not None:
        require_reachable(literal, reach)
    return parts


def _split(url: str) -> ProviderUrl:
    if len(url) > MAX_URL_LENGTH:
        raise ValueError(f"it has more than {MAX_URL_LENGTH:,} characters")
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname or ""
    except ValueError:
        host, port = "", None
    if not host or parts.scheme not in _DEFAULT_PORTS or not _URL.fullmatch(url) or port == 0:
        raise ValueError("it is not an address such as https://id.example.com")
    if "@" in parts.netloc or "#" in url:
        raise ValueError("it has a username or a fragment; omit them")
    if not _HOST_NAME.fullmatch(host) and _literal_address(host) is None:
        raise ValueError("its host is not a name or an IP address")
    target = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    return ProviderUrl(parts.scheme, host, port or _DEFAULT_PORTS[parts.scheme], target)


def _literal_address(host: str) -> IPAddress | None:
    """Return the IP address that a host is, None if it is a name, or has a zone."""
    try:
        return None if "%" in host else ip_address(host)
    except ValueError:
        return None


def reach_of(issuer: str, *, may_be_private: bool) -> Reach:
    """Return how far the requests to a provider with this issuer may go."""
    if not may_be_private:
        return Reach.PUBLIC
    return Reach.LOOPBACK if _is_loopback_url(issuer) else Reach.PRIVATE


def _is_loopback_url(url: str) -> bool:
    try:
        return _is_this_machine(_split(url).host)
    except ValueError:
        return False


def _is_this_machine(host: str) -> bool:
    literal = _literal_address(host)
    return host == "localhost" if literal is None else literal.is_loopback


_Networks = tuple[IPv4Network | IPv6Network, ...]


def _networks(*texts: str) -> _Networks:
    return tuple(map(ip_network, texts))


_NEVER = _networks(
    "0.0.0.0/8",
    "169.254.0.0/16",  # link-local, with the credentials of machines and containers in clouds
    "192.0.0.0/24",
    "192.88.99.0/24",
    "224.0.0.0/3",  # multicast, reserved and broadcast
    "fd00:ec2::/32",  # the services of AWS inside of a machine, such as its credentials
)
"""What no request may reach, whatever the settings say."""
_PRIVATE = _networks("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
_TEST = _networks("192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24")
_GLOBAL_IPV6 = ip_network("2000::/3")
_NOT_GLOBAL = _networks("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
"""Inside of it: protocols such as Teredo and 6to4, which lead to any IPv4 address, and documentation."""
_NAT64 = ip_network("64:ff9b::/96")
"""The addresses that lead to the IPv4 address in their last four bytes (RFC 6052)."""


def require_reachable(address: IPAddress, reach: Reach) -> None:
    """Raise ValueError if a request may not go to an address. The text says why, and what is right."""
    final = _final_address(address)
    if final.is_loopback:
        if reach is not Reach.LOOPBACK:
            raise ValueError(f"{address} is this machine")
        return
    if _is_in(final, _PRIVATE) and not _is_in(final, _NEVER):
        if reach is Reach.PUBLIC:
            raise ValueError(f"{address} is a private address; set mayBePrivate if this is right")
        return
    if _is_in(final, (*_NEVER, *_TEST)) or not _is_global(final):
        raise ValueError(f"{address} is not an address of the internet")


def _final_address(address: IPAddress) -> IPAddress:
    """Return the IPv4 address to which an IPv6 address leads, or the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address


def _is_global(address: IPAddress) -> bool:
    if isinstance(address, IPv4Address):
        return address.is_global
    return address in _GLOBAL_IPV6 and not _is_in(address, _NOT_GLOBAL)


def _is_in(address: IPAddress, networks: _Networks) -> bool:
    return any(address in each for each in networks)
