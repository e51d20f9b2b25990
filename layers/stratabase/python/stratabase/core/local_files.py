"""Utilities for files that processes of one machine share: locks, and durable changes of folders."""

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import uniform

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int, *, shared: bool = False) -> None:
        assert not shared, "Windows has no shared locks of this kind"
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int, *, shared: bool = False) -> None:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


LOST_AND_FOUND = "lost+found"
"""The folder that `fsck` needs in the root of a disk. It belongs to root."""


def is_disk_full(error: OSError) -> bool:
    """Return whether an error means that the disk, or the quota of the user, has no space left."""
    return error.errno in {errno.ENOSPC, errno.EDQUOT}


class LockTimeout(Exception):
    """Another process did not release the lock of a file in time."""


@contextmanager
def lock_file(path: Path, timeout: float) -> Iterator[None]:
    """Hold the lock of a file inside the `with` block. Raises LockTimeout after `timeout` seconds, OSError.

    The file is created if it does not exist, and stays empty. The operating system releases the lock if the
    process dies.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _acquire(descriptor, time.monotonic() + timeout)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def lock_folder(folder: Path, timeout: float, *, shared: bool = False) -> Iterator[None]:
    """Hold the lock of a folder inside the `with` block. Raises LockTimeout after `timeout` seconds, OSError.

    `shared`: others may hold a shared lock at the same time. The folder itself is locked, so nothing is added
    to it, and it stays locked if it is renamed. On Windows, which can't lock folders, nothing is held.
    """
    if os.name != "posix":
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        _acquire(descriptor, time.monotonic() + timeout, shared=shared)
        yield
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, deadline: float, *, shared: bool = False) -> None:
    while True:
        try:
            return _try_lock(descriptor, shared=shared)
        except (BlockingIOError, PermissionError):
            if time.monotonic() >= deadline:
                # Without the cause: for a person, its text adds nothing to "is busy".
                raise LockTimeout from None
        time.sleep(uniform(0.001, 0.008))  # noqa: S311 - jitter, not a secret


def entries(folder: Path) -> list[Path]:
    """Return what a folder contains, without what the file system itself keeps in the root of a disk."""
    return [each for each in folder.iterdir() if each.name != LOST_AND_FOUND]


def owner_name(user: int) -> str:
    """Return the name of a user by its number, or the number as `sudo` takes it if it has no account."""
    import pwd  # noqa: PLC0415 - Windows does not have it

    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"'#{user}'"


def sync_folder(folder: Path) -> None:
    """Flush a folder to the disk, so that a power cut cannot undo the creation or renaming of a file."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE})


def has_no_free_file() -> bool:
    """Return whether the process or the machine has as many open files as its limit allows."""
    reader = writer = -1
    try:
        reader, writer = os.pipe()
    except OSError as error:
        return error.errno in _EXHAUSTED
    finally:
        for file in (reader, writer):
            if file >= 0:
                os.close(file)
    return False
