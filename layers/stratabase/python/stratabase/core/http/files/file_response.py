"""The response with a file, or with a part of it."""

from collections.abc import Iterator

from stratabase.core.http.base.byte_range import ByteRange, parse_range
from stratabase.core.http.base.content_disposition import content_disposition
from stratabase.core.http.base.messages import BodyStream, Headers, Request, Response
from stratabase.core.http.base.preconditions import Validators, allows_range, is_unmodified
from stratabase.core.http.base.refusals import ResponseTooLarge
from stratabase.core.http.base.response_size import MAX_STREAMED_SIZE
from stratabase.core.http.files.media_type import content_type, is_shown, security_policy
from stratabase.core.operations.files.download import OpenFile
from stratabase.values.messages import _

_CACHE = (("Cache-Control", "private, no-cache"),)
"""Browsers keep a copy, but ask each time whether it is current, and whether the member may still read it."""


def file_response(request: Request, open_file: OpenFile, max_size: int = MAX_STREAMED_SIZE) -> Response:
    """Return the response to GET or HEAD for a file.

    A response has at most `max_size` bytes. A longer range is cut off, as RFC 9110 section 15.3.7 allows.
    Raises PreconditionFailed, RangeNotSatisfiable, ResponseTooLarge, FileNotFound, Unavailable.
    """
    file = open_file.file
    validators = Validators(f'"{file.file_id}"', open_file.modified // 1000, open_file.is_exact)
    # 1. The conditions decide first (RFC 9110 section 13.2.2).
    if is_unmodified(request, validators):
        return Response(304, (*validators.headers(), *_CACHE))
    headers = (*_file_headers(open_file), *validators.headers(), *_CACHE)
    # 2. HEAD describes the whole file, of any size. Ranges are only defined for GET.
    if request.method == "HEAD":
        return Response(200, (*headers, _length(file.size)))
    # 3. GET sends a range, or the whole file.
    part = _requested_part(request, validators, file.size)
    if part is None:
        _check_size(file.size, max_size)
        return _stream(200, headers, open_file, ByteRange(0, file.size))
    start, end = part.start, min(part.end, part.start + max_size)
    content_range = ("Content-Range", f"bytes {start}-{end - 1}/{file.size}")
    return _stream(206, (*headers, content_range), open_file, ByteRange(start, end))


def _file_headers(open_file: OpenFile) -> Headers:
    file = open_file.file
    return (
        ("Content-Type", content_type(file.mime_type)),
        ("Content-Disposition", content_disposition(file.name, inline=is_shown(file.mime_type))),
        ("Content-Security-Policy", security_policy(file.mime_type)),
        ("X-Content-Type-Options", "nosniff"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Accept-Ranges", "bytes"),
    )


def _requested_part(request: Request, validators: Validators, size: int) -> ByteRange | None:
    ranges = request.headers.get("range", ())
    if len(ranges) != 1 or not allows_range(request, validators):
        return None
    return parse_range(ranges[0], size)


def _check_size(size: int, max_size: int) -> None:
    if size > max_size:
        message = _(
            "The file has {size} bytes. One response has at most {limit} bytes. "
            "Request the file in parts with the Range header, for example bytes=0-{last}.",
            size=size,
            limit=max_size,
            last=str(max_size - 1),
        )
        raise ResponseTooLarge(message)


def _stream(status: int, headers: Headers, open_file: OpenFile, part: ByteRange) -> Response:
    length = part.end - part.start
    chunks: Iterator[bytes] = open_file.read(part.start, part.end) if length else iter(())
    stream = BodyStream(chunks, length)
    return Response(status, (*headers, _length(length)), binary=True, stream=stream)


def _length(size: int) -> tuple[str, str]:
    return ("Content-Length", str(size))
