"""ETags, conditional requests by ETag or time, and requests for a part of a file (RFC 9110, 13 and 14)."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import formatdate, parsedate_to_datetime
from hashlib import sha256
from typing import NamedTuple

from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.base.refusals import PreconditionFailed, RangeNotSatisfiable
from stratabase.values.messages import _


def cacheable_response(
    request: Request,
    content_type: str,
    body: bytes,
    cache_control: str = "no-cache",
    gzipped: Callable[[], bytes] | None = None,
) -> Response:
    """Return a response with an ETag of the body, or status 304 if the client has the same version.

    `gzipped()` returns the compressed body if the caller has it.
    """
    # A weak tag is valid for both the plain and the compressed body.
    tag = f'W/"{sha256(body).hexdigest()[:32]}"'
    headers = (("ETag", tag), ("Cache-Control", cache_control))
    if _matches(request, tag):
        return Response(304, headers)
    return Response(200, (("Content-Type", content_type), *headers), body, gzipped=gzipped)


def _matches(request: Request, tag: str) -> bool:
    # RFC 9110 section 13.1.2 requires weak comparison.
    cached = ",".join(request.headers.get("if-none-match", ())).split(",")
    return any(each.strip().removeprefix("W/") in (tag.removeprefix("W/"), "*") for each in cached)


_TAG = re.compile(r'(?:W/)?"[^"]*"')
_MAX_DATE_LENGTH = 64


class Validators(NamedTuple):
    """What identifies the current state of a resource."""

    tag: str
    """A strong entity tag in quotes."""
    last_modified: int
    """In whole seconds since the epoch."""
    is_exact: bool = True
    """Whether no other state of the resource has the same `last_modified`. Otherwise, it only informs."""

    def headers(self) -> Headers:
        """Return the headers ETag and Last-Modified."""
        return (("ETag", self.tag), ("Last-Modified", formatdate(self.last_modified, usegmt=True)))

    def has_date(self, seconds: int | None) -> bool:
        """Return whether a date identifies the current state. A later date could be that of another state.

        An object can get a file again that it had before, so dates don't always increase.
        """
        return self.is_exact and seconds == self.last_modified


def is_unmodified(request: Request, current: Validators) -> bool:
    """Return whether a GET or HEAD request must get status 304. Raises PreconditionFailed for status 412.

    The order of the steps is that of RFC 9110 section 13.2.2.
    """
    # 1. The client acts only on the state that it knows.
    if "if-match" in request.headers:
        _require(current.tag in _tags(request, "if-match", current))
    else:
        unmodified_since = _date(request, "if-unmodified-since")
        _require(unmodified_since is None or current.has_date(unmodified_since))
    # 2. The client has a copy. Tags take precedence over times.
    if "if-none-match" in request.headers:
        return current.tag in {tag.removeprefix("W/") for tag in _tags(request, "if-none-match", current)}
    return current.has_date(_date(request, "if-modified-since"))


def allows_range(request: Request, current: Validators) -> bool:
    """Return whether the client's other parts are of the current state, or it does not ask (If-Range)."""
    condition = request.header("if-range")
    if condition is None:
        return True
    # A weak tag never matches here.
    return condition.strip() == current.tag or current.has_date(_date(request, "if-range"))


def _require(holds: bool) -> None:  # noqa: FBT001 - it is the condition
    if not holds:
        message = _("The file has changed. The condition in the headers of the request does not hold.")
        raise PreconditionFailed(message)


def _tags(request: Request, name: str, current: Validators) -> set[str]:
    """Return the entity tags of a header. `*` stands for the current one."""
    value = ",".join(request.headers[name])
    return {current.tag} if value.strip() == "*" else set(_TAG.findall(value))


def _date(request: Request, name: str) -> int | None:
    """Return the time of a header in seconds since the epoch, or None. Invalid times are ignored."""
    values = request.headers.get(name, ())
    if len(values) != 1 or len(values[0]) > _MAX_DATE_LENGTH:
        return None
    try:
        moment = parsedate_to_datetime(values[0])
    except (ValueError, OverflowError):
        return None
    return _seconds(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def _seconds(moment: datetime) -> int | None:
    try:
        return int(moment.timestamp())
    except (ValueError, OverflowError):
        return None


_RANGE = re.compile(r"bytes=[ \t]*([0-9]*)-([0-9]*)[ \t]*", re.IGNORECASE | re.ASCII)
_MAX_DIGITS = 18
_BEYOND_ANY_FILE = int("9" * _MAX_DIGITS)


class ByteRange(NamedTuple):
    """A part of a file: the positions of the first byte, and of the first byte after it."""

    start: int
    end: int


def parse_range(header: str, size: int) -> ByteRange | None:
    """Return the part of a file of `size` bytes that a Range header requests. Raises RangeNotSatisfiable.

    The result is None if the header must be ignored, so that the response has the whole file: if it is not
    valid, has another unit than bytes, or requests several ranges.
    """
    match = _RANGE.fullmatch(header)
    if match is None or match[0].strip().endswith("=-"):
        return None
    first, last = _position(match[1]), _position(match[2])
    if first is None:
        assert last is not None, "one of the two positions is given"
        requested = ByteRange(max(0, size - last), size)
    else:
        requested = ByteRange(first, size if last is None else min(last + 1, size))
    if first is not None and last is not None and last < first:
        return None
    if requested.start >= requested.end:
        message = _("The requested range is outside of the file, which has {size} bytes.", size=size)
        raise RangeNotSatisfiable(message, size)
    return requested


def _position(digits: str) -> int | None:
    """Return the number that digits write, or None if there are none."""
    # Python refuses to convert numbers of thousands of digits.
    digits = digits.lstrip("0") or digits[:1]
    if len(digits) > _MAX_DIGITS:
        return _BEYOND_ANY_FILE
    return int(digits) if digits else None
