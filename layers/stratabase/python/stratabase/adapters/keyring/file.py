"""The keys that sign tokens in a file of the local home, which only its owner may read."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from stratabase.adapters.keyring.document import decode_keys, encode_keys
from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.members.key_rotation import SigningKey
from stratabase.files import LockTimeout, lock_file, sync_folder
from stratabase.messages import _
from stratabase.unusable_store import UnusableStore

KEYS_FILE = "signing-keys.json"
LOCK_TIMEOUT = 5.0
"""Seconds to wait for another process that is changing the keys."""


class FileKeyring:
    """Keys in one file, which several processes may share.

    The file is complete at every moment: a change is written to a new file, which then replaces the old one.
    Whoever changes the keys holds a lock, which ends with its process. Every call raises UnusableStore when
    the file cannot be used as it is.
    """

    def __init__(self, home: Path) -> None:
        self._path = home / KEYS_FILE

    def keys(self) -> Sequence[SigningKey]:
        """Return all keys; none while there is no file."""
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

    def change(self, changed: Callable[[Sequence[SigningKey]], Sequence[SigningKey]]) -> None:
        """Replace the keys by what `changed` returns for the present ones. Raises Unavailable."""
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with lock_file(self._sibling("lock"), LOCK_TIMEOUT):
                before = self.keys()
                after = changed(before)
                if after != before:
                    self._replace(encode_keys(after).encode())
        except LockTimeout as error:
            raise Unavailable(_("The token signing keys are busy. Try again.")) from error
        except OSError as error:
            raise _unusable(self._path, "written", error) from error

    def _replace(self, content: bytes) -> None:
        new = self._sibling("new")
        # A process that was killed may have left one, whose permissions are not to be trusted.
        new.unlink(missing_ok=True)
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        new.replace(self._path)
        # Otherwise a power cut could bring the old keys back.
        sync_folder(self._path.parent)

    def _sibling(self, suffix: str) -> Path:
        return self._path.with_name(f"{KEYS_FILE}.{suffix}")


def _damaged(path: Path, error: ValueError) -> UnusableStore:
    return UnusableStore(
        f"{path} is damaged: {error}. Restore a backup, or delete the file. "
        "If you delete it, Stratabase creates new keys and every member must sign in again."
    )


def _unusable(path: Path, action: str, error: OSError) -> UnusableStore:
    """Return the error of a file that cannot be `read` or `written`."""
    return UnusableStore(
        f"{path} cannot be {action}: {error.strerror}. Allow the current user to read and write it."
    )
