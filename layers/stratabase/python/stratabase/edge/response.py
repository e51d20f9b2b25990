"""What an endpoint answers."""

from collections.abc import Callable

from stratabase.frozen import frozen


@frozen
class Response:
    """An HTTP response; header names in their usual spelling, several of one name allowed."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    binary: bool = False
    """The body is not text, and travels as base64 to the gateway."""
    wrote: bool = False
    """It tells of what may have been written."""
    compressed: Callable[[], bytes] | None = None
    """Returns the body as gzip has it, where that need not be made anew each time."""
