"""E-mail addresses as mail spells them."""

import re
from email.headerregistry import Address
from email.utils import getaddresses

from stratabase.model.constraints.email import ascii_domain

ENCODED = "=?"
"""How a header's encoded words begin (RFC 2047): the library decodes them, even to the end of a line."""
_HOST = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*")


def sender_of(text: str) -> Address:
    """Return whom a text such as `Hr <no-reply@example.com>` names. Raises ValueError."""
    try:
        ((name, address),) = getaddresses([text])
        return address_of(address, name)
    except ValueError:
        raise ValueError(
            f"{text!a} names no sender of mail; give one such as Hr <no-reply@example.com>"
        ) from None


def address_of(text: str, name: str = "") -> Address:
    """Return an address, its domain in ASCII as the net knows it (IDNA). Raises ValueError."""
    local, _, host = text.rpartition("@")
    known = ascii_domain(host)
    if not local or not _is_literal(f"{local}{name}") or not _HOST.fullmatch(known):
        raise ValueError("this is no e-mail address")
    return Address(name, local, known)


def _is_literal(text: str) -> bool:
    return text.isprintable() and ENCODED not in text
