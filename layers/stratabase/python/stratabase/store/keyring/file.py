"""The keys of tokens in a file of the local home, which only its owner may read."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from stratabase.domain.members.key_rotation import SigningKey
from stratabase.store.keyring import document
from stratabase.store.keyring.file_lock import held
from stratabase.store.sqlite.errors import UnusableStore

NAME = "signing-keys.json"
PATIENCE = 5.0
"""Seconds to wait for another process that is changing the keys."""


class FileKeyring:
    """Keys in one file, which several processes may share.

    It is always there whole: a change is written beside it, and takes its place. Who changes it holds a lock,
    which ends with its process. Every call raises UnusableStore when the file cannot be used as it is.
    """

    def __init__(self, home: Path) -> None:
        self._path = home / NAME

    def keys(self) -> Sequence[SigningKey]:
        """Return all keys; none as long as there is no file."""
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise _unusable(self._path, "read", error) from error
        try:
            return document.read(content)
        except ValueError as error:
            raise _damaged(self._path, error) from error

    def change(self, changed: Callable[[Sequence[SigningKey]], Sequence[SigningKey]]) -> None:
        """Replace the keys, by what a function makes of them as they are. Raises Unavailable."""
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with held(self._beside("lock"), PATIENCE):
                before = self.keys()
                after = changed(before)
                if after != before:
                    self._replace(document.written(after).encode())
        except OSError as error:
            raise _unusable(self._path, "written", error) from error

    def _replace(self, content: bytes) -> None:
        new = self._beside("new")
        # One that was left by a process that was killed; its permissions are not to be trusted.
        new.unlink(missing_ok=True)
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        new.replace(self._path)
        if os.name == "posix":
            _keep_entry(self._path.parent)

    def _beside(self, suffix: str) -> Path:
        return self._path.with_name(f"{NAME}.{suffix}")


def _keep_entry(folder: Path) -> None:
    """Bring the folder to the disk, or a power cut could bring the old keys back."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _damaged(path: Path, error: ValueError) -> UnusableStore:
    return UnusableStore(
        f"{path} is damaged: {error}. Put a backup in its place, or remove it: then new keys are made, and "
        "everybody has to sign in again."
    )


def _unusable(path: Path, done: str, error: OSError) -> UnusableStore:
    return UnusableStore(f"{path} cannot be {done}: {error.strerror}. Let this user read and write it.")
