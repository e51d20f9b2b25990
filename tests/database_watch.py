"""Fails a test whose process opens a database file that SQLite has open in the same process.

SQLite's locks are those of the process, and end when it closes any descriptor of the file.
"""

import os
import sys
from pathlib import Path

_SUFFIXES = (".db", ".db-wal", ".db-shm")
_DESCRIPTORS = Path("/proc/self/fd")


def watch_databases() -> None:
    """Raise AssertionError from now on where Python opens such a file. Does nothing without /proc."""
    if _DESCRIPTORS.is_dir():
        sys.addaudithook(_check)


def _check(event: str, arguments: tuple[object, ...]) -> None:
    if event != "open":
        return
    path, _mode, flags = arguments
    if not isinstance(path, str | bytes | os.PathLike) or not os.fsdecode(path).endswith(_SUFFIXES):
        return
    creates_only = isinstance(flags, int) and flags & os.O_CREAT and flags & os.O_EXCL
    if not creates_only and _is_open(os.fsdecode(path)):
        raise AssertionError(f"{os.fsdecode(path)} is opened while SQLite uses it, which ends SQLite's locks")


def _is_open(path: str) -> bool:
    try:
        found = Path(path).stat()
    except OSError:
        return False
    return any(_is_same(descriptor, found) for descriptor in _DESCRIPTORS.iterdir())


def _is_same(descriptor: Path, found: os.stat_result) -> bool:
    try:
        return os.path.samestat(descriptor.stat(), found)
    except OSError:  # the descriptor with which the folder was listed
        return False
