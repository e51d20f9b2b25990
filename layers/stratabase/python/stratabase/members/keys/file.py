"""The keyring in a file of the data folder, which only its owner can read."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from stratabase.core.data_folder import create_data_folder
from stratabase.core.domain.issues.refusals import StoreFull, Unavailable
from stratabase.core.local_files import LockTimeout, is_disk_full, lock_file, sync_folder
from stratabase.core.unusable_store import UnusableStore
from stratabase.members.keys.document import decode_keys, encode_keys
from stratabase.members.keys.key_rotation import SigningKey
from stratabase.values.messages import _

KEYS_FILE = "signing-keys.json"
LOCK_TIMEOUT = 5.0
"""The seconds to wait while another process changes the keys."""


class _Version(NamedTuple):
    """What differs after a file was replaced, or its content or permissions have changed."""

    device: int
    inode: int
    changed: int
    modified: int
    size: int


class FileKeyring:
    """A keyring in one file that processes can share.

    The file is complete at every moment, because a change writes a new file that replaces the old one. A
    process that changes the keys holds a file lock, which the operating system releases if the process dies.
    Every call raises UnusableStore if the file is damaged or inaccessible.
    """

    def __init__(self, home: Path) -> None:
        self._path = home / KEYS_FILE
        self._last_read: tuple[_Version, Sequence[SigningKey]] | None = None

    def keys(self) -> Sequence[SigningKey]:
        """Return all keys, or none if the file does not exist yet.

        The file is opened only if it has changed, so keys can be had when the process can open no more files.
        """
        try:
            version, last_read = _version(self._path), self._last_read
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise _unusable(self._path, "read", error) from error
        if last_read is not None and last_read[0] == version:
            return last_read[1]
        keys = self._read()
        # If the file was replaced after its version was read, the next call reads it again.
        self._last_read = version, keys
        return keys

    def _read(self) -> Sequence[SigningKey]:
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise _unusable(self._path, "read", error) from error
        try:
            return decode_keys(content)
        except ValueError as error:
            raise _damaged(self._path, error) from error

    def change(self, update: Callable[[Sequence[SigningKey]], Sequence[SigningKey]]) -> None:
        """Replace the keys with the result of `update(keys)`.

        Raises Unavailable if the lock is busy, StoreFull if the disk is full.
        """
        try:
            create_data_folder(self._path.parent)
            with lock_file(self._sibling("lock"), LOCK_TIMEOUT):
                before = self._read()
                after = update(before)
                if after != before:
                    self._replace(encode_keys(after).encode())
        except LockTimeout as error:
            raise Unavailable(_("The token signing keys are busy. Try again.")) from error
        except OSError as error:
            if is_disk_full(error):
                raise StoreFull(str(self._path)) from error
            raise _unusable(self._path, "written", error) from error

    def _replace(self, content: bytes) -> None:
        new = self._sibling("new")
        # A killed process can leave a new file behind. Its permissions cannot be trusted, so delete it.
        new.unlink(missing_ok=True)
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        new.replace(self._path)
        # Without this, a power cut could bring the old keys back.
        sync_folder(self._path.parent)

    def _sibling(self, suffix: str) -> Path:
        return self._path.with_name(f"{KEYS_FILE}.{suffix}")


def _version(path: Path) -> _Version:
    """Return the version of a file, without opening it. Raises OSError."""
    found = path.stat()
    return _Version(found.st_dev, found.st_ino, found.st_ctime_ns, found.st_mtime_ns, found.st_size)


def _damaged(path: Path, error: ValueError) -> UnusableStore:
    return UnusableStore(
        f"{path} is damaged: {error}. Restore a backup, or delete the file. "
        "If you delete it, Stratabase creates new keys and every member must sign in again."
    )


def _unusable(path: Path, action: str, error: OSError) -> UnusableStore:
    """Return the error for a file that cannot be read or written. `action` is "read" or "written"."""
    return UnusableStore(
        f"{path} cannot be {action}: {error.strerror}. Allow the current user to read and write it."
    )
