"""The keys and time windows by which failed sign-ins and mails are counted, because they are limited."""

from functools import lru_cache
from ipaddress import IPv6Address, IPv6Network, ip_address

from stratabase.core.domain.attempts import attempt_key
from stratabase.members.member import email_spellings, fold_name

FAILURE_WINDOW = 900_000
"""The milliseconds for which a failed sign-in counts."""
MAIL_WINDOW = 3_600_000
"""The milliseconds for which a mail counts."""
_SHARED_BITS = 64
"""The length of the IPv6 prefix that identifies one customer of a network."""


def username_key(username: str) -> str:
    """Return the key of a username, regardless of its spelling and of whether a member has it."""
    return attempt_key("name", fold_name(username))


# Each request with HTTP Basic calls it. Few clients send most of them.
@lru_cache(maxsize=256)
def source_key(username: str, address: str) -> str:
    """Return the key of a username together with the network that the request comes from."""
    return attempt_key("source", fold_name(username), network(address))


def recipient_key(email: str) -> str:
    """Return the key of the mails to an address. The address `anna+anything@example.com` counts as Anna's."""
    local, _, host = min(email_spellings(email)).rpartition("@")
    return attempt_key("mail to", local.partition("+")[0], host)


def requester_key(member_id: str) -> str:
    """Return the key of the mails that a member requests."""
    return attempt_key("mail by", member_id)


def forgetful_member_key(member_id: str) -> str:
    """Return the key of the mails to a member who forgot the password."""
    return attempt_key("forgotten by", member_id)


def forgotten_source_key(address: str) -> str:
    """Return the key of the requests of a network for links to set forgotten passwords."""
    return attempt_key("forgotten at", network(address))


# To parse an address takes longer than all the rest.
@lru_cache(maxsize=1024)
def network(address: str) -> str:
    """Return what identifies an address: the IPv4 address itself, or the IPv6 network of one customer."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    # An IPv4 client may arrive under an IPv6 address that contains its own.
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(IPv6Network((int(parsed), _SHARED_BITS), strict=False))
