"""Reading of the head and body of an HTTP request, with the rules of API Gateway."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from string import ascii_letters, digits
from typing import Any, NamedTuple

from stratabase.cli.gateway.errors import BODY_TIMEOUT, MAX_BODY, ErrorType, GatewayError

Receive = Callable[[], Awaitable[Any]]
"""ASGI's `receive`: returns the next message of a request."""

_CONNECTION_HEADERS = frozenset(
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
"""Headers that concern only the connection to the client. Events of API Gateway do not contain them."""
_HOST_CHARACTERS = (ascii_letters + digits + "-._~%!$&'()*+,;=:[]").encode()
"""The characters that RFC 3986 allows in a host and a port."""
_PIECE_SIZE = 64 * 1024
"""The minimum size in bytes of the pieces in which a body is collected, except for the last one."""
_CAPITALIZED = frozenset({"authorization", "user-agent"})
"""The headers whose names API Gateway capitalizes. It leaves all other names as the client sent them."""


class Head(NamedTuple):
    """The headers of a request in the format of events, and what the gateway needs to know about them."""

    headers: dict[str, str]
    """The last value of each header, by name."""
    multi_value_headers: dict[str, list[str]]
    size: int
    """The size of the headers in bytes as the client sent them."""
    content_length: int | None
    """The length of the body in bytes, or None if it is chunked."""
    expects_continue: bool
    """Whether the client waits for the status 100 Continue before it sends the body."""
    hosts: tuple[bytes, ...]
    """The values of all Host headers."""


def read_head(raw_headers: Sequence[tuple[bytes, bytes]]) -> Head:
    """Return the head of a request from its raw headers."""
    headers: dict[str, str] = {}
    multi: dict[str, list[str]] = {}
    connection_headers: dict[bytes, bytes] = {}
    hosts: list[bytes] = []
    size = 4 * len(raw_headers)  # for the colon, the space and the line break of each header
    for raw_name, raw_value in raw_headers:
        size += len(raw_name) + len(raw_value)
        name = _event_header_name(raw_name)
        if name is None:
            connection_headers[raw_name.lower()] = raw_value
            continue
        if len(raw_name) == len(b"host") and raw_name.lower() == b"host":
            hosts.append(raw_value)
        headers[name] = value = raw_value.decode("latin-1")
        if name in multi:
            multi[name].append(value)
        else:
            multi[name] = [value]
    expects_continue = b"expect" in connection_headers
    return Head(headers, multi, size, _content_length(connection_headers), expects_continue, tuple(hosts))


class ClientDisconnected(Exception):
    """The client disconnected before it had sent its whole request."""


async def receive_body(receive: Receive, length: int | None, seconds: float = BODY_TIMEOUT) -> bytes:
    """Return the whole body. `length` is its size in bytes if known.

    Raises GatewayError if the body is too large or takes longer than `seconds`. Raises
    ClientDisconnected.
    """
    _check_body_size(length or 0)
    try:
        async with asyncio.timeout(seconds):
            return await _whole_body(receive)
    except TimeoutError:
        text = f"The body of the request did not arrive within {seconds:g} s."
        raise GatewayError(ErrorType.BODY_TIMEOUT, text) from None


async def _whole_body(receive: Receive) -> bytes:
    message = await _next_message(receive)
    if not message["more_body"]:
        _check_body_size(len(message["body"]))
        return bytes(message["body"])
    # One growing buffer would be copied again and again, and many small chunks would take much memory.
    size, pieces = len(message["body"]), [bytearray(message["body"])]
    while message["more_body"]:
        message = await _next_message(receive)
        size += len(message["body"])
        _check_body_size(size)
        if len(pieces[-1]) < _PIECE_SIZE:
            pieces[-1] += message["body"]
        else:
            pieces.append(bytearray(message["body"]))
    return b"".join(pieces)


def is_host(value: bytes) -> bool:
    """Return whether a value has only characters that are allowed in the Host header. It can be empty."""
    return not value.translate(None, _HOST_CHARACTERS)


def asks_for_web_socket(raw_headers: Sequence[tuple[bytes, bytes]]) -> bool:
    """Return whether a client asks to switch to the WebSocket protocol."""
    return any(
        name.lower() == b"upgrade" and b"websocket" in value.lower()
        for name, value in raw_headers
        if len(name) == len(b"upgrade")
    )


async def _next_message(receive: Receive) -> Any:
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientDisconnected
    return message


def _check_body_size(size: int) -> None:
    if size > MAX_BODY:
        text = f"The body has more than {MAX_BODY} bytes, the most that is taken."
        raise GatewayError(ErrorType.REQUEST_TOO_LARGE, text)


def _content_length(connection_headers: dict[bytes, bytes]) -> int | None:
    return (
        None
        if b"transfer-encoding" in connection_headers
        else int(connection_headers.get(b"content-length", 0))
    )


@lru_cache(maxsize=1024)
def _event_header_name(raw_name: bytes) -> str | None:
    """Return the name of a header in events, or None if events omit it."""
    name = raw_name.decode("latin-1")
    if name.lower() in _CONNECTION_HEADERS:
        return None
    return name.title() if name.lower() in _CAPITALIZED else name
