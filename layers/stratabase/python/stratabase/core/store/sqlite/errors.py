"""Maps errors of SQLite to exceptions of the store, and retries while another process holds the file."""

import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import uniform
from typing import TypeVar

from stratabase.core.domain.issues.refusals import (
    StoreFull,
    StoreOutOfService,
    Unavailable,
    store_unavailable,
)
from stratabase.values.messages import _

VALUE_ERRORS = (
    sqlite3.ProgrammingError,
    sqlite3.InterfaceError,
    sqlite3.DataError,
    sqlite3.IntegrityError,
)
"""Errors about values that SQLite cannot store. Its other errors are about the file or the machine."""
_MIN_FREE = 256 * 1024
"""Bytes. With less free space, an error of input and output means a full disk."""


def is_busy(error: sqlite3.Error) -> bool:
    """Return whether another process holds the file, so that a retry may succeed."""
    return _primary_code(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def is_corruption(error: sqlite3.Error) -> bool:
    """Return whether the content of the file is damaged, so that a retry cannot succeed."""
    return _primary_code(error) in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def is_full(path: Path, error: sqlite3.Error) -> bool:
    """Return whether an error of a file means that its disk has no space left."""
    code = _primary_code(error)
    if code == sqlite3.SQLITE_FULL:
        return True
    if code not in {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}:
        return False
    # SQLite reports a log or an index of the log that can't grow as an error of input and output.
    with suppress(OSError):
        return shutil.disk_usage(path.parent).free < _MIN_FREE
    return False


def corrupt_file_text(path: Path, error: Exception) -> str:
    """Return what an operator must know about a file that SQLite cannot read."""
    return (
        f"{path} is damaged or not a Stratabase database ({error}). "
        "Restore a backup, or move the file to start with an empty database."
    )


def map_sqlite_error(path: Path, error: Exception) -> Unavailable:
    """Return the exception for a failed read or write, with the SQLite error as its cause, for the log."""
    if isinstance(error, sqlite3.Error) and is_corruption(error):
        refusal: Unavailable = StoreOutOfService(corrupt_file_text(path, error))
    elif isinstance(error, sqlite3.Error) and is_full(path, error):
        refusal = StoreFull(str(path))
    elif isinstance(error, sqlite3.Error) and is_busy(error):
        refusal = Unavailable(_("The store is busy. Try again."))
    else:
        refusal = store_unavailable()
    refusal.__cause__ = error
    return refusal


def closed_error() -> Unavailable:
    """Return the exception for a call after the store was closed."""
    return Unavailable(_("The store is closed."))


def _primary_code(error: sqlite3.Error) -> int:
    # The lowest eight bits are the primary code. Errors of the sqlite3 module itself have no code.
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF


T = TypeVar("T")


def retry_while_busy(work: Callable[[], T], timeout: float) -> T:
    """Return the result of `work`; retry for `timeout` seconds while another process holds the file.

    SQLite's own busy timeout ends up polling ten times a second. If another process writes without pause, it
    can miss every gap until it times out. This function polls more often, at random intervals.
    """
    deadline = time.monotonic() + timeout
    while True:
        try:
            return work()
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() >= deadline:
                raise
        time.sleep(uniform(0.001, 0.008))  # noqa: S311 - no secret
