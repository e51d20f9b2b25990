"""The head of a request: what the event says of its headers, and what the gateway must know of its size."""

from collections.abc import Sequence
from functools import lru_cache
from string import ascii_letters, digits
from typing import NamedTuple

_HELD_BACK = frozenset(
    {
        "connection",
        "content-length",
        "expect",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""What concerns the connection to the client alone; API Gateway's events hold none of it."""
_HOST_CHARACTERS = (ascii_letters + digits + "-._~%!$&'()*+,;=:[]").encode()
"""Those of RFC 3986 in a host and a port."""
_RESPELLED = frozenset({"authorization", "user-agent"})
"""API Gateway keeps the spelling of a header's name as it was sent, but for these, which it capitalises."""


class Head(NamedTuple):
    """The headers of a request, as an event has them."""

    headers: dict[str, str]
    """The last value of each."""
    multi_value_headers: dict[str, list[str]]
    size: int
    """Bytes of the headers as they were sent."""
    content_length: int | None
    """None when the body is chunked."""
    expects_continue: bool
    """The client waits for a word before it sends the body."""
    hosts: tuple[bytes, ...]
    """The values of all headers Host."""


def read_head(raw_headers: Sequence[tuple[bytes, bytes]]) -> Head:
    """Read the headers of a request."""
    headers: dict[str, str] = {}
    multi: dict[str, list[str]] = {}
    held_back: dict[bytes, bytes] = {}
    hosts: list[bytes] = []
    size = 4 * len(raw_headers)
    for raw_name, raw_value in raw_headers:
        size += len(raw_name) + len(raw_value)
        name = _spelling(raw_name)
        if name is None:
            held_back[raw_name.lower()] = raw_value
            continue
        if len(raw_name) == len(b"host") and raw_name.lower() == b"host":
            hosts.append(raw_value)
        headers[name] = value = raw_value.decode("latin-1")
        if name in multi:
            multi[name].append(value)
        else:
            multi[name] = [value]
    expects_continue = b"expect" in held_back
    return Head(headers, multi, size, _content_length(held_back), expects_continue, tuple(hosts))


def is_host(value: bytes) -> bool:
    """Return whether a value may stand in the header Host: a name or an address, a port, or nothing."""
    return not value.translate(None, _HOST_CHARACTERS)


def asks_for_web_socket(raw_headers: Sequence[tuple[bytes, bytes]]) -> bool:
    """Return whether a client wants to go on in the WebSocket protocol."""
    return any(
        name.lower() == b"upgrade" and b"websocket" in value.lower()
        for name, value in raw_headers
        if len(name) == len(b"upgrade")
    )


def _content_length(held_back: dict[bytes, bytes]) -> int | None:
    return None if b"transfer-encoding" in held_back else int(held_back.get(b"content-length", 0))


@lru_cache(maxsize=1024)
def _spelling(raw_name: bytes) -> str | None:
    """Return a header's name as events spell it, None when they do not hold it."""
    name = raw_name.decode("latin-1")
    if name.lower() in _HELD_BACK:
        return None
    return name.title() if name.lower() in _RESPELLED else name
