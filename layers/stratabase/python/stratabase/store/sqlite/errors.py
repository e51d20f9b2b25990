"""What errors of SQLite mean, and retrying while another process holds the file."""

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from random import uniform
from typing import TypeVar

from stratabase.domain.issues.refusals import Unavailable
from stratabase.messages import _
from stratabase.unusable_store import UnusableStore

VALUE_ERRORS = (
    sqlite3.ProgrammingError,
    sqlite3.InterfaceError,
    sqlite3.DataError,
    sqlite3.IntegrityError,
)
"""Errors about values that SQLite cannot take; its other errors are about the file or the machine."""


def is_busy(error: sqlite3.Error) -> bool:
    """Return whether another process holds the file, so that the same may go well in a moment."""
    return _primary_code(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def is_corruption(error: sqlite3.Error) -> bool:
    """Return whether the file's content is at fault, which waiting does not mend."""
    return _primary_code(error) in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def corrupt_file_error(path: Path, error: Exception) -> UnusableStore:
    """Return what to raise of a file that SQLite cannot make sense of."""
    return UnusableStore(
        f"{path} is damaged or not a Stratabase database ({error}). "
        "Restore a backup, or move the file to start with an empty database."
    )


def map_sqlite_error(path: Path, error: Exception) -> Exception:
    """Return what to raise when reading or writing failed; its cause is for the log."""
    if isinstance(error, sqlite3.Error) and is_corruption(error):
        refusal: Exception = corrupt_file_error(path, error)
    elif isinstance(error, sqlite3.Error) and is_busy(error):
        refusal = Unavailable(_("The store is busy. Try again."))
    else:
        refusal = Unavailable(_("The store is temporarily unavailable. Try again later."), retry_after=5)
    refusal.__cause__ = error
    return refusal


def closed_error() -> Unavailable:
    """Return what to raise when the store was closed before."""
    return Unavailable(_("The store is closed."))


def _primary_code(error: sqlite3.Error) -> int:
    # The bits above the lowest eight only say more of the same; an error of the module itself has no code.
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF


T = TypeVar("T")


def retry_while_busy(work: Callable[[], T], timeout: float) -> T:
    """Return what `work` returns; do it again while another process holds the file, for `timeout` seconds.

    SQLite's own waiting looks ten times a second in the end, which a process that writes without a pause can
    outlast; this looks often, and at random moments.
    """
    deadline = time.monotonic() + timeout
    while True:
        try:
            return work()
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() >= deadline:
                raise
        time.sleep(uniform(0.001, 0.008))  # noqa: S311 - no secret
