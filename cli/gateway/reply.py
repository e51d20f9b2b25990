"""What goes back to the client: a status, headers as bytes, and a body."""

from collections.abc import Iterable
from typing import NamedTuple


class Reply(NamedTuple):
    """An HTTP response, ready to be sent."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


def whole(status: int, headers: Iterable[tuple[str, str]], body: str) -> Reply:
    """Return a reply of texts, with its length."""
    raw = [(name.encode(), value.encode()) for name, value in headers]
    content = body.encode()
    return Reply(status, [*raw, (b"Content-Length", b"%d" % len(content))], content)
