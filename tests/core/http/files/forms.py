"""Multipart bodies as browsers, curl and others send them."""

from collections.abc import Iterable

BOUNDARY = "----WebKitFormBoundary7MA4YWxkTrZu0gW"
CONTENT_TYPE = f"multipart/form-data; boundary={BOUNDARY}"
FILE = 'form-data; name="file"; filename="photo.jpg"'
CONTENT = b"\xff\xd8\xff\xe0 a picture \r\n--\r\n with dashes\r\n"


def part(
    disposition: str | bytes | None = FILE, content: bytes = CONTENT, headers: Iterable[bytes] = ()
) -> bytes:
    """Return a part without the boundary before it."""
    raw = disposition.encode() if isinstance(disposition, str) else disposition
    first = [] if raw is None else [b"Content-Disposition: " + raw]
    return b"\r\n".join([*first, *headers, b"", content])


def form(*parts: bytes, boundary: str = BOUNDARY, end: bytes | None = None) -> bytes:
    """Return a body with parts. `end` replaces the last boundary."""
    delimiter = f"--{boundary}\r\n".encode()
    last = f"--{boundary}--\r\n".encode() if end is None else end
    return b"".join(delimiter + each + b"\r\n" for each in parts) + last
