"""A database file: created for its owner alone, recognized before it is written to, laid out and upgraded."""

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from stratabase.files import sync_folder
from stratabase.store.sqlite.errors import corrupt_file_error, is_corruption, retry_while_busy
from stratabase.store.sqlite.table import CREATE_STATEMENTS
from stratabase.unusable_store import UnusableStore


class Layout(NamedTuple):
    """How a kind of file is laid out. Mark and version stand in the file's header."""

    mark: bytes
    """Four bytes that say whose file it is, and of which kind."""
    version: int
    creation: Sequence[str]
    """The statements that lay out an empty file."""
    upgrades: Mapping[int, Sequence[str]] = MappingProxyType({})
    """For each earlier version, the statements that lead to the next one and keep all data."""

    def supports(self, version: int) -> bool:
        """Return whether a file of this version can be used, upgraded if need be."""
        return all(step in self.upgrades for step in range(version, self.version)) and version <= self.version

    def statements(self, version: int) -> Iterator[str]:
        """Yield what brings a file of a version to the present one; an empty file has version 0."""
        yield from self.creation if not version else ()
        for step in range(version or self.version, self.version):
            yield from self.upgrades[step]


OBJECT_LAYOUT = Layout(b"Stra", 1, CREATE_STATEMENTS)

OLDEST_SQLITE = (3, 37, 0)
"""The first that has STRICT tables."""

_PRAGMAS = (
    "PRAGMA synchronous = FULL",  # a commit is on the disk before it is acknowledged
    "PRAGMA cache_size = -16384",  # KiB, for each connection
    "PRAGMA wal_autocheckpoint = 1000",  # pages: some 4 MB, which a reader need not look through for long
    "PRAGMA journal_size_limit = 67108864",  # what a burst of writes leaves of the log
)


def open_for_writing(path: Path, timeout: float, layout: Layout = OBJECT_LAYOUT) -> sqlite3.Connection:
    """Return a connection for writing to the file, which is made where there is none. Raises UnusableStore.

    The connection does not wait for other processes itself: see `retry_while_busy`.
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
    """Return a connection for reading, from any thread, but one at a time."""
    # SQLite itself does not wait for another connection that is just putting the log away as it closes.
    return retry_while_busy(partial(_open, path, timeout, _set_up_for_reading), timeout)


def _check_library() -> None:
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        needed = ".".join(map(str, OLDEST_SQLITE))
        raise UnusableStore(
            f"This Python has SQLite {sqlite3.sqlite_version}, but Stratabase requires {needed} or later. "
            "Use a Python with a newer SQLite."
        )


def _create(path: Path) -> None:
    """Make the file for its owner's eyes only; SQLite gives its log the same permissions."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    # Otherwise a power cut could take the whole file out of its folder.
    sync_folder(path.parent)


def _open(path: Path, timeout: float, begin: Callable[[sqlite3.Connection], None]) -> sqlite3.Connection:
    """Return a connection with which `begin` went well."""
    # mode=rw: a file that has gone must not come back empty.
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
    """Make the file ours if it is empty; touch it only if it is ours."""
    _set_up(connection)
    # Looking at it is part of the transaction: another process may be laying it out.
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        version = _version(path, layout, connection)
        if version != layout.version:
            _lay_out(layout, version, connection)
    _write_ahead(path, connection)


def _version(path: Path, layout: Layout, connection: sqlite3.Connection) -> int:
    """Return the file's version, 0 while it is empty; raise UnusableStore when it is not ours, or too new."""
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
        return corrupt_file_error(path, error)
    return UnusableStore(
        f"{path} cannot be opened ({error}). "
        "Check whether another program uses it and whether the disk is full."
    )
