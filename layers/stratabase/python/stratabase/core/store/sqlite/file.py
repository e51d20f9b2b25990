"""Opens a database file: creates it with private permissions, checks its header, and upgrades its layout.

Only SQLite opens a file that exists. Its locks belong to the process, and the operating system releases all
of them when the process closes any descriptor of the file. Another process would then take itself for the
only one, and remove the log with the last commits.
"""

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import NamedTuple

from stratabase.core.local_files import sync_folder
from stratabase.core.store.sqlite.errors import (
    corrupt_file_text,
    is_corruption,
    is_full,
    map_sqlite_error,
    retry_while_busy,
)
from stratabase.core.store.sqlite.table import CREATE_STATEMENTS
from stratabase.core.unusable_store import UnusableStore


class Layout(NamedTuple):
    """The database schema of a kind of file. The header of the file contains the mark and the version."""

    mark: bytes
    """Four bytes that identify the program and the kind of file (SQLite's application_id)."""
    version: int
    """The current version of the layout (SQLite's user_version)."""
    creation: Sequence[str]
    """The statements that create the tables in an empty file."""
    upgrades: Mapping[int, Sequence[str]] = MappingProxyType({})
    """By earlier version: the statements that upgrade a file to the next version and keep all data."""

    def supports(self, version: int) -> bool:
        """Return whether a file of this version can be used, after an upgrade if needed."""
        return all(step in self.upgrades for step in range(version, self.version)) and version <= self.version

    def statements(self, version: int) -> Iterator[str]:
        """Yield the statements that bring a file to the current version. An empty file has version 0."""
        yield from self.creation if not version else ()
        for step in range(version or self.version, self.version):
            yield from self.upgrades[step]


OBJECT_LAYOUT = Layout(b"Stra", 1, CREATE_STATEMENTS)

OLDEST_SQLITE = (3, 37, 0)
"""The first version of SQLite with STRICT tables."""

_PRAGMAS = (
    "PRAGMA synchronous = FULL",  # a commit is on disk before it returns
    "PRAGMA cache_size = -16384",  # KiB, for each connection
    # Pages, about 16 MB, for which readers need only one of the log's hash tables. A checkpoint copies each
    # page once, and the more pages the log has, the more of them are copies of the same page.
    "PRAGMA wal_autocheckpoint = 4000",
    "PRAGMA journal_size_limit = 67108864",  # bytes to which the log shrinks after a burst of writes
)


def open_for_writing(path: Path, timeout: float, layout: Layout = OBJECT_LAYOUT) -> sqlite3.Connection:
    """Return a connection for writing. Create the file if it does not exist. Raises UnusableStore.

    The connection does not wait for other processes: use `retry_while_busy`.
    """
    _check_library()
    try:
        _create(path)
        return _open(
            path, 0, lambda connection: retry_while_busy(partial(_adopt, path, layout, connection), timeout)
        )
    except OSError as error:
        raise UnusableStore(
            f"{path} cannot be opened: {error.strerror}. Use a file that you can write to."
        ) from error
    except sqlite3.DatabaseError as error:
        raise _unusable(path, error) from error


def open_for_reading(path: Path, timeout: float) -> sqlite3.Connection:
    """Return a connection for reading. Any thread may use it, but only one at a time."""
    # SQLite's busy timeout does not cover another connection that removes the log while it closes.
    return retry_while_busy(partial(_open, path, timeout, _set_up_for_reading), timeout)


def open_for_counting(path: Path, timeout: float) -> sqlite3.Connection:
    """Return a connection for long counts. It is like one for reading, but needs less memory."""
    connection = open_for_reading(path, timeout)
    # A count reads each page once, so SQLite's cache has none of them. If it is small, the processor's caches
    # have it, which makes a count a third faster.
    connection.execute("PRAGMA cache_size = -512")
    return connection


def _check_library() -> None:
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        needed = ".".join(map(str, OLDEST_SQLITE))
        raise UnusableStore(
            f"This Python has SQLite {sqlite3.sqlite_version}, but Stratabase requires {needed} or later. "
            "Use a Python with a newer SQLite."
        )


_creation = Lock()
"""Held while a file is created, so that no other thread has its locks when the new descriptor is closed."""


def _create(path: Path) -> None:
    """Create the file, if it does not exist, with permissions for its owner only. Raises OSError.

    SQLite gives its log the same permissions.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _creation:
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            _check_access(path)
    # Without this, a power failure could remove the new file from its folder.
    sync_folder(path.parent)


def _check_access(path: Path) -> None:
    """Raise OSError if this process cannot write to an existing file, which SQLite would open read-only."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    effective = os.access in os.supports_effective_ids
    if not os.access(path, os.R_OK | os.W_OK, effective_ids=effective):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def _open(path: Path, timeout: float, begin: Callable[[sqlite3.Connection], None]) -> sqlite3.Connection:
    """Return a connection after `begin` has set it up. Close it if that fails."""
    # mode=rw: do not create a file that was deleted meanwhile.
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        timeout=timeout,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )
    try:
        begin(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _adopt(path: Path, layout: Layout, connection: sqlite3.Connection) -> None:
    """Create or upgrade the tables if needed. Refuse a file of another program before any write."""
    _set_up(connection)
    # Check the file inside the transaction, because another process may create its tables now.
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        version = _version(path, layout, connection)
        if version != layout.version:
            _lay_out(layout, version, connection)
    _write_ahead(path, connection)


def _version(path: Path, layout: Layout, connection: sqlite3.Connection) -> int:
    """Return the layout version of the file, 0 if it is empty.

    Raises UnusableStore if it is a file of another program, or its version is not supported.
    """
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (content,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if (owner, version, content) == (0, 0, 0):
        return 0
    if owner != _number(layout.mark):
        raise UnusableStore(
            f"{path} is a database of another program or kind. Use another file, or move this one."
        )
    if not layout.supports(version):
        raise UnusableStore(
            f"{path} has layout {version}, but this version of Stratabase supports layout {layout.version}. "
            "Use the version of Stratabase that last wrote to it, or a later version."
        )
    return int(version)


def _write_ahead(path: Path, connection: sqlite3.Connection) -> None:
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise UnusableStore(
            f"{path} is on a file system without support for SQLite's write-ahead log. Use a local disk."
        )


def _set_up(connection: sqlite3.Connection) -> None:
    for pragma in _PRAGMAS:
        connection.execute(pragma)


def _set_up_for_reading(connection: sqlite3.Connection) -> None:
    _set_up(connection)
    connection.execute("PRAGMA query_only = ON")


def _lay_out(layout: Layout, version: int, connection: sqlite3.Connection) -> None:
    for statement in layout.statements(version):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {_number(layout.mark)}")
    connection.execute(f"PRAGMA user_version = {layout.version}")


def _number(mark: bytes) -> int:
    return int.from_bytes(mark, "big")


def _unusable(path: Path, error: sqlite3.DatabaseError) -> UnusableStore:
    if is_corruption(error):
        return UnusableStore(corrupt_file_text(path, error))
    if is_full(path, error):
        return UnusableStore(
            f"{path} cannot be opened, because its disk is full ({error}). Make room, and try again."
        )
    return UnusableStore(
        f"{path} cannot be opened ({error}). "
        "Check whether another program uses it and whether the disk is full."
    )


class ExclusiveConnection:
    """A connection, with the errors of the port in place of those of SQLite."""

    def __init__(self, path: Path, connection: sqlite3.Connection, busy_timeout: float) -> None:
        """`path`: of the file. `busy_timeout`: how many seconds a transaction waits for other processes."""
        self._path = path
        self._connection = connection
        self._busy_timeout = busy_timeout
        self._lock = Lock()

    @contextmanager
    def use(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection for exclusive use. Raises Unavailable, UnusableStore."""
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise map_sqlite_error(self._path, error) from error

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection in a transaction that commits unless the block raises. Raises like `use`."""
        with self.use() as connection:
            # IMMEDIATE acquires the write lock first, so no other process writes after the block has read.
            retry_while_busy(lambda: connection.execute("BEGIN IMMEDIATE"), self._busy_timeout)
            with connection:
                yield connection

    def close(self) -> None:
        """Close the connection. Later calls raise Unavailable."""
        with self._lock:
            self._connection.close()
