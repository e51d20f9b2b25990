"""The SQLite engine: one file, a connection for each reading thread, one writing thread."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import Lock, Thread, current_thread, local
from typing import TypeVar

from stratabase.core import waiting
from stratabase.core.store.engine.port import UNBOUNDED, Batch, Beginnings, Bounds, Counted, Item, Key
from stratabase.core.store.sqlite.commit import commit_batch, write_increment
from stratabase.core.store.sqlite.errors import VALUE_ERRORS, closed_error, map_sqlite_error
from stratabase.core.store.sqlite.file import open_for_counting, open_for_reading, open_for_writing
from stratabase.core.store.sqlite.queries import (
    RangeQuery,
    count_beginnings,
    count_rows,
    range_query,
    select_after,
    select_data_version,
    select_items,
)
from stratabase.core.store.sqlite.writer import Writer

T = TypeVar("T")


class _Reader:
    """The connection of one thread. Closing it waits for the running statement."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._lock = Lock()
        self._closed = False

    def read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock:
            if self._closed:
                raise closed_error()
            return query(self._connection)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._connection.close()


class Readers:
    """The connections of all threads that read. Opening a connection closes those of ended threads."""

    def __init__(
        self, connect: Callable[[], sqlite3.Connection], to_refusal: Callable[[Exception], Exception]
    ) -> None:
        self._connect = connect
        self._to_refusal = to_refusal
        self._of_thread = local()
        self._all: dict[Thread, _Reader] = {}
        self._lock = Lock()
        self._closed = False

    def read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """Return the result of a query on the connection of this thread. Raises Unavailable.

        The query must fetch all of its rows. An open cursor would keep later queries at the same snapshot.
        """
        try:
            reader: _Reader | None = getattr(self._of_thread, "reader", None)
            return (reader or self._new()).read(query)
        except VALUE_ERRORS:
            raise
        except sqlite3.Error as error:
            raise self._to_refusal(error) from error

    def close(self) -> None:
        """Wait for running queries, and close all connections."""
        with self._lock:
            self._closed = True
            for reader in self._all.values():
                reader.close()
            self._all.clear()

    def _new(self) -> _Reader:
        """Return the connection of this thread, which had none."""
        with self._lock:
            if self._closed:
                raise closed_error()
            for thread in [thread for thread in self._all if not thread.is_alive()]:
                self._all.pop(thread).close()
            reader = self._of_thread.reader = self._all[current_thread()] = _Reader(self._connect())
            return reader


BUSY_TIMEOUT = 10.0
"""The time to wait for other processes that write to the same file, in seconds."""

_FIRST_PAGE = 64
"""The number of rows in the first page of a range without a limit. Each page is twice as long as before."""
_MAX_PAGE = 256
"""The maximum number of rows in a page of a range without a limit. Other requests may proceed between two."""
_MAX_LIMITED_PAGE = 1024
"""The same for a range with a limit, whose caller needs all of its rows."""
_SCANNED_PAGE = 256
"""The number of rows in a page of a scan."""
_MAX_INLINE_COUNT = 2_000
"""The number of rows that are counted where the request runs, which takes about 0.2 ms.

Counting more there takes no less time than elsewhere, and blocks other requests.
"""


class SqliteEngine:
    """An engine on one database file, which several processes may share.

    A `get` and a page of a range are snapshots: they see each batch completely or not at all. The constructor
    raises UnusableStore if the file cannot be used.
    """

    removes_expired = False
    is_embedded = True
    prefers_few_calls = False

    def __init__(self, path: Path, *, busy_timeout: float = BUSY_TIMEOUT) -> None:
        to_refusal = partial(map_sqlite_error, path)
        self._writer = Writer(open_for_writing(path, busy_timeout), busy_timeout, to_refusal)
        self._readers = Readers(partial(open_for_reading, path, busy_timeout), to_refusal)
        self._long_readers = Readers(partial(open_for_counting, path, busy_timeout), to_refusal)

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        """Return the items in the order of `keys`, None for a missing item. Reads are strongly consistent."""
        return self._readers.read(partial(select_items, keys=keys, places=places))

    def range(  # noqa: PLR0913 - the signature of the port
        self,
        index: str,
        partition: str,
        bounds: Bounds = UNBOUNDED,
        *,
        backward: bool = False,
        limit: int | None = None,
        exact: bool = True,  # noqa: ARG002 - SQLite reads are always exact
        whole: bool = True,
    ) -> Iterator[Sequence[Item]]:
        """Yield the items of one partition of an index in the order of their sort keys, page by page."""
        return self._pages(range_query(index, partition, bounds, backward=backward, whole=whole), limit)

    def count(
        self,
        index: str,
        partition: str,
        ranges: Sequence[Bounds] = (UNBOUNDED,),
        *,
        distinct: bool = False,  # noqa: ARG002 - a count is a snapshot, in which each item has one position
    ) -> Iterator[Counted]:
        """Yield the number of items in ranges of one partition of an index, as one snapshot."""
        queries = [range_query(index, partition, bounds, backward=False) for bounds in ranges]
        return self._counts(queries)

    def count_beginnings(
        self, index: str, partition: str, ranges: Sequence[Bounds], beginnings: Beginnings
    ) -> Mapping[str, int] | None:
        """Return how many items ranges of one partition of an index have, by the beginnings of their keys."""
        queries = [range_query(index, partition, bounds, backward=False) for bounds in ranges]
        count = partial(count_beginnings, queries=queries, beginnings=beginnings)
        found: Mapping[str, int] | None = waiting.offload(self._long_readers.read, count)
        return found

    def scan(self, after: Key | None = None) -> Iterator[Sequence[Item]]:
        """Yield all items of the store, page by page."""
        while page := self._readers.read(partial(select_after, key=after, limit=_SCANNED_PAGE)):
            yield page
            after = page[-1].key
            waiting.give_way()

    def data_version(self) -> object:
        """Return a value that is another one after each commit of any process, or in another thread."""
        return self._readers.read(select_data_version)

    def commit(self, batch: Batch) -> None:
        """Execute all actions of a batch or none. Raises ExpectationFailed, Unavailable."""
        waiting.until(self._writer.submit(partial(commit_batch, batch=batch)))

    def increment(self, key: Key, attribute: str, by: int) -> int:
        """Add a number to an attribute of an item, and return the sum."""
        return waiting.until(
            self._writer.submit(partial(write_increment, key=key, attribute=attribute, by=by))
        )

    def close(self) -> None:
        """Finish running calls, and close the file. Later calls raise Unavailable."""
        self._writer.close()
        self._readers.close()
        self._long_readers.close()

    def _pages(self, query: RangeQuery, limit: int | None) -> Iterator[Sequence[Item]]:
        # Most callers without a limit need only few rows.
        size, left = _FIRST_PAGE, limit
        while left != 0:
            if left is not None:
                size = min(left, _MAX_LIMITED_PAGE)
            rows, are_all = self._readers.read(partial(query.rows, limit=size))
            if rows:
                yield query.items(rows)
            if left is not None:
                left -= len(rows)
            if are_all or left == 0:
                return
            query = query.after(rows[-1])
            size = min(2 * size, _MAX_PAGE)
            waiting.give_way()

    def _counts(self, queries: Sequence[RangeQuery]) -> Iterator[Counted]:
        number = self._readers.read(partial(count_rows, queries=queries, limit=_MAX_INLINE_COUNT))
        if number == _MAX_INLINE_COUNT:
            # SQLite needs no lock of Python while it counts, so other requests proceed meanwhile.
            number = waiting.offload(self._long_readers.read, partial(count_rows, queries=queries))
        yield Counted(number, bytes_read=0)
