"""Buckets: the year, quarter, month, week, day or hour of dates and instants, in a time zone."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Any


class Bucket(Enum):
    """A period by which dates and instants are grouped. The value ends the names of keys."""

    __hash__ = object.__hash__  # that of Enum is written in Python

    YEAR = "YEAR"
    QUARTER = "QUARTER"
    MONTH = "MONTH"
    WEEK = "WEEK"
    DAY = "DAY"
    HOUR = "HOUR"


DAY_BUCKETS = (Bucket.YEAR, Bucket.QUARTER, Bucket.MONTH, Bucket.WEEK, Bucket.DAY)
"""The buckets of dates."""
_HOUR = 13
"""The length of an hour in a stored instant. A stored date is shorter."""
_TEXTS: Mapping[Bucket, Callable[[datetime], str]] = {
    Bucket.YEAR: lambda moment: f"{moment.year:04}",
    Bucket.QUARTER: lambda moment: f"{moment.year:04}-Q{(moment.month + 2) // 3}",
    Bucket.MONTH: lambda moment: f"{moment.year:04}-{moment.month:02}",
    Bucket.WEEK: lambda moment: "{:04}-W{:02}".format(*moment.isocalendar()),
    Bucket.DAY: lambda moment: moment.isoformat()[:10],
    Bucket.HOUR: lambda moment: moment.isoformat()[:_HOUR],
}


BEGINNINGS: Mapping[Bucket, int] = {
    Bucket.YEAR: 4,
    Bucket.QUARTER: 7,
    Bucket.MONTH: 7,
    Bucket.WEEK: 10,
    Bucket.DAY: 10,
    Bucket.HOUR: _HOUR,
}
"""How many characters of a stored date, or of an instant in UTC, say in which bucket it lies."""


def bucket_reader(
    bucket: Bucket, local: Callable[[str], datetime], *, is_zoned: bool
) -> Callable[[Sequence[Any]], list[Any]]:
    """Return a function from stored values, some of which may be null, to their buckets.

    A bucket is a text in ISO 8601, such as `2026-W10`. `local` converts a stored value to the time zone of
    the buckets. Unless it `is_zoned`, it leaves dates and times as they are.
    """
    buckets = _KnownBuckets(_TEXTS[bucket], local, is_zoned=is_zoned)
    exact = buckets.exact

    def read(values: Sequence[Any]) -> list[Any]:
        return [None if value is None else buckets[value[:_HOUR]] or exact(value) for value in values]

    return read


class _KnownBuckets(dict[str, str | None]):
    """The buckets of the dates and hours that were seen, None for hours that lie in several buckets.

    To look one up takes a tenth of the time of a conversion between time zones.
    """

    def __init__(
        self, text: Callable[[datetime], str], local: Callable[[str], datetime], *, is_zoned: bool
    ) -> None:
        super().__init__()
        self._text = text
        self._local = local
        self._is_zoned = is_zoned

    def exact(self, stored: str) -> str:
        """Return the bucket of a stored value."""
        return self._text(self._local(stored))

    def __missing__(self, hour: str) -> str | None:
        self[hour] = found = self._of_hour(hour) if self._is_zoned else self.exact(hour)
        return found

    def _of_hour(self, hour: str) -> str | None:
        """Return the bucket of all instants of an hour of UTC, None if they have several."""
        first, last = self._local(f"{hour}:00:00.000Z"), self._local(f"{hour}:59:59.999Z")
        bucket = self._text(first)
        return bucket if first.utcoffset() == last.utcoffset() and self._text(last) == bucket else None
