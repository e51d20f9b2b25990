"""Keys and time windows of what is counted because it has a limit: failed sign-ins, and mails."""

from hashlib import blake2b
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import NamedTuple

from stratabase.domain.members.member import fold_name
from stratabase.domain.objects.instant import Instant

FAILURE_WINDOW = 900_000
"""Milliseconds for which a failed attempt counts."""
MAIL_WINDOW = 3_600_000
"""Milliseconds for which a mail counts."""
LONGEST_WINDOW = max(FAILURE_WINDOW, MAIL_WINDOW)
"""Whatever is noted may be forgotten after so many milliseconds."""
MAX_ATTEMPTS_KEPT = 100
"""Notes of one key; limits are far below. The oldest stay, or a flood of new ones would wash them away."""
_SHARED_BITS = 64
"""What all addresses have in common that one customer of a network gets in IPv6."""


class RecordedAttempt(NamedTuple):
    """An attempt that was noted."""

    attempt: str
    """Its name, unique among its key's."""
    instants: tuple[Instant, ...]
    """When the attempts of its key were, itself included, in order of time."""


def username_key(username: str) -> str:
    """Return the key of a username in whatever spelling, whether anybody has it or not."""
    return _key("name", fold_name(username))


def source_key(username: str, address: str) -> str:
    """Return the key of a username and of the network from which it is used."""
    return _key("source", fold_name(username), network(address))


def recipient_key(email: str) -> str:
    """Return the key of the mails to an address: `anna+anything@example.com` is Anna's too."""
    local, _, host = fold_name(email).rpartition("@")
    return _key("mail to", local.partition("+")[0], host)


def requester_key(member_id: str) -> str:
    """Return the key of the mails that a member asks for."""
    return _key("mail by", member_id)


def network(address: str) -> str:
    """Return what an address is told apart by: itself, but in IPv6 the network that one customer has."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(IPv6Network((int(found), _SHARED_BITS), strict=False))


def _key(*parts: str) -> str:
    """Return a key of one length whatever was sent, which tells nobody who reads the store what that was."""
    text = "".join(f"{len(part)} {part}" for part in parts)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()
