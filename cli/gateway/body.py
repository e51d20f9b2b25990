"""Reads a request's body, as far as API Gateway takes it."""

from collections.abc import Awaitable, Callable
from typing import Any

from cli.gateway.limits import BODY
from cli.gateway.refusals import Kind, Refused


class Gone(Exception):
    """The client has left before it had sent its request."""


async def read_body(receive: Callable[[], Awaitable[Any]], length: int | None) -> bytes:
    """Read the whole body, of `length` bytes if that is known. Raises Refused when it is too large, Gone."""
    _check(length or 0)
    message = await _next(receive)
    if not message["more_body"]:
        _check(len(message["body"]))
        return bytes(message["body"])
    body = bytearray(message["body"])
    while message["more_body"]:
        message = await _next(receive)
        body += message["body"]
        _check(len(body))
    return bytes(body)


async def _next(receive: Callable[[], Awaitable[Any]]) -> Any:
    message = await receive()
    if message["type"] == "http.disconnect":
        raise Gone
    return message


def _check(size: int) -> None:
    if size > BODY:
        raise Refused(Kind.REQUEST_TOO_LARGE, f"The body has more than {BODY} bytes, the most that is taken.")
