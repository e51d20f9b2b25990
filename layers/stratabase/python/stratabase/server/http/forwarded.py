"""The address of a client behind trusted proxies, by the headers X-Forwarded-For or Forwarded (RFC 7239).

Each proxy appends the address from which it got the request. So the headers are read from the right, for as
long as the address on the right is that of a trusted proxy. The client can have made up what is further left.
The address is used for limits and logs only, never for links.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Networks = Sequence[IPv4Network | IPv6Network]
_LIST_HEADER, _STANDARD_HEADER = "x-forwarded-for", "forwarded"
_FOR = re.compile(r'(?:^|;)\s*for\s*=\s*("(?:[^"\\]|\\.)*"|[^;\s]*)', re.IGNORECASE)
_MAX_PROXIES = 32
"""The maximum number of entries that are read. More proxies are not in a row."""
_PORT = re.compile(r":\d{1,5}$")


class TrustedProxies:
    """The proxies whose headers are believed, by their networks."""

    def __init__(self, networks: Networks) -> None:
        self._networks = networks
        self.trusts = lru_cache(maxsize=512)(self._is_trusted)
        """Return whether an address is that of a trusted proxy."""

    def client_of(self, peer: str, headers: Mapping[str, Sequence[str]]) -> str:
        """Return the address of the client of a request, by the address of the connection and the headers.

        `headers` has the values of each header, in order. If both headers are there and disagree, the proxy
        has not written one of them, so the address of the connection counts.
        """
        if not self.trusts(peer):
            return peer
        values: dict[str, list[str]] = {}
        for name, each in headers.items():
            values.setdefault(name.lower(), []).extend(each)
        found = {
            self._from_right(peer, entries)
            for header, parse in ((_LIST_HEADER, _list_entries), (_STANDARD_HEADER, _standard_entries))
            if (entries := list(parse(values.get(header, ()))))
        }
        return found.pop() if len(found) == 1 else peer

    def _from_right(self, peer: str, entries: Sequence[str]) -> str:
        client = peer
        for entry in reversed(entries[-_MAX_PROXIES:]):
            address = _parse_address(entry)
            if address is None:
                break  # an unknown or hidden address: the last known one counts
            client = str(address)
            if not self._is_trusted(client):
                break
        return client

    def _is_trusted(self, text: str) -> bool:
        address = _parse_address(text)
        return address is not None and any(address in network for network in self._networks)


def _list_entries(values: Sequence[str]) -> Iterator[str]:
    """Yield the entries of X-Forwarded-For from left to right."""
    for value in values:
        yield from (entry.strip() for entry in value.split(","))


def _standard_entries(values: Sequence[str]) -> Iterator[str]:
    """Yield the parameters `for` of Forwarded from left to right, empty if an element has none."""
    for value in values:
        for element in value.split(","):
            found = _FOR.search(element)
            yield found[1].strip('"') if found else ""


def _parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """Return an address that may have a port, or None. An IPv4 address in IPv6 becomes an IPv4 address."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = _PORT.sub("", text)
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
