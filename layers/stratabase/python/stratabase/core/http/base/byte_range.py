"""The Range header of requests for a part of a file (RFC 9110 section 14)."""

import re
from typing import NamedTuple

from stratabase.core.http.base.refusals import RangeNotSatisfiable
from stratabase.values.messages import _

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
