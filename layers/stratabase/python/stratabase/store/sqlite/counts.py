"""Counts ranges of an index, and keeps the numbers until something is written.

Each page of a list asks for the same number of matches. If there are many, a count takes longer than the
page. So a number is kept as long as the data is the same, for this process and all others.
"""

import sqlite3
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from threading import local
from typing import NamedTuple

from stratabase import waiting
from stratabase.store.sqlite.queries import RangeQuery
from stratabase.store.sqlite.readers import Readers

_MAX_INLINE_COUNT = 8_000
"""The number of rows that are counted where the request runs, which takes about half a millisecond."""
_MIN_KEPT = 250
"""The least number that is kept. To count fewer rows takes hardly longer than to look for a kept number."""
_MAX_KEPT = 128
"""The maximum number of counts that a thread keeps."""
_MAX_RANGES = 8
"""The maximum number of ranges of a count that is kept. Each range may have two sort keys of a kilobyte."""

Ranges = tuple[RangeQuery, ...]


class _Count(NamedTuple):
    """The number of rows of ranges."""

    number: int
    data_version: int
    """SQLite's number of the version of the data before the count. Other connections have other numbers."""
    is_complete: bool = True


class RangeCounter:
    """Counts ranges. Other requests may proceed during a long count."""

    def __init__(self, readers: Readers, long_readers: Readers) -> None:
        """`long_readers`: the connections for long counts."""
        self._readers = readers
        self._long_readers = long_readers
        self._of_thread = local()

    def count(self, ranges: Sequence[RangeQuery]) -> int:
        """Return the number of rows of several ranges, as one snapshot. Raises Unavailable."""
        wanted, kept = tuple(ranges), self._kept_by_thread()
        count = self._readers.read(partial(_first_count, ranges=wanted, kept=kept.get(wanted)))
        if not count.is_complete:
            # SQLite needs no lock of Python while it counts, so other requests proceed meanwhile.
            number = waiting.offload(self._long_readers.read, partial(count_rows, ranges=wanted))
            count = _Count(number, count.data_version)
        # If something was written during the count, the data has another version from now on.
        kept.keep(wanted, count)
        return count.number

    def _kept_by_thread(self) -> "_KeptCounts":
        kept: _KeptCounts | None = getattr(self._of_thread, "kept", None)
        if kept is None:
            kept = self._of_thread.kept = _KeptCounts()
        return kept


class _KeptCounts:
    """The latest counts of one thread, which has one connection."""

    def __init__(self) -> None:
        self._counts: OrderedDict[Ranges, _Count] = OrderedDict()

    def get(self, ranges: Ranges) -> _Count | None:
        """Return the latest count of ranges, which may be outdated. None if it is not known."""
        return self._counts.get(ranges)

    def keep(self, ranges: Ranges, count: _Count) -> None:
        """Keep a count, unless it is cheap or needs much memory."""
        if count.number >= _MIN_KEPT and len(ranges) <= _MAX_RANGES:
            self._counts[ranges] = count
            self._counts.move_to_end(ranges)
            if len(self._counts) > _MAX_KEPT:
                self._counts.popitem(last=False)


def _first_count(connection: sqlite3.Connection, ranges: Ranges, kept: _Count | None) -> _Count:
    """Return a count of ranges, or an incomplete one if counting them takes long.

    `kept`: the latest count. It says how long this one takes, also if the data has changed since.
    """
    # This number changes with each commit by another connection, in any process.
    ((data_version,),) = connection.execute("PRAGMA data_version").fetchall()
    if kept is not None and kept.data_version == data_version:
        return kept
    if kept is not None and kept.number >= _MAX_INLINE_COUNT:
        return _Count(0, data_version, is_complete=False)
    number = count_rows(connection, ranges, _MAX_INLINE_COUNT)
    return _Count(number, data_version, is_complete=number < _MAX_INLINE_COUNT)


def count_rows(connection: sqlite3.Connection, ranges: Ranges, limit: int | None = None) -> int:
    """Return the number of rows of several ranges, as one snapshot: at most `limit`, if there is one."""
    if len(ranges) == 1:
        return ranges[0].row_count(connection, limit)
    connection.execute("BEGIN")
    total = 0
    with connection:
        for each in ranges:
            total += each.row_count(connection, None if limit is None else limit - total)
            if total == limit:
                break
    return total
