"""Files that are not complete yet. When a process has been killed, another one removes what it left."""

import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from stratabase.core.local_files import LockTimeout, lock_file

LOCK_TIMEOUT = 5.0
"""The seconds to wait while another process opens its folder."""
_LOCK = "lock"


class TemporaryFolder:
    """A folder of one process for files that it has not completed.

    The process holds a file lock in the folder. The operating system releases the lock when the process ends,
    even if it is killed. Process IDs would not do: they are used again, and differ between containers.
    """

    def __init__(self, parent: Path) -> None:
        """Create a folder in `parent`, and remove those of processes that have ended.

        Raises OSError, LockTimeout.
        """
        parent.mkdir(mode=0o700, exist_ok=True)
        self._lock = ExitStack()
        # This lock keeps others from removing the new folder before it is locked.
        with lock_file(parent / _LOCK, LOCK_TIMEOUT):
            _remove_abandoned(parent)
            self._path = parent / secrets.token_hex(16)
            self._path.mkdir(mode=0o700)
            self._lock.enter_context(lock_file(self._path / _LOCK, 0))

    @contextmanager
    def new_path(self) -> Iterator[Path]:
        """Yield a path for a new file or folder. Remove a file that is still there at the end."""
        path = self._path / secrets.token_hex(16)
        try:
            yield path
        finally:
            # What cannot be removed now is removed with the folder.
            with suppress(OSError):
                path.unlink()

    def remove_folder(self, folder: Path) -> None:
        """Remove a folder on the same disk with its content. Nobody sees it half removed.

        Raises OSError; FileNotFoundError if the folder does not exist.
        """
        removed = self._path / secrets.token_hex(16)
        folder.rename(removed)
        shutil.rmtree(removed, ignore_errors=True)

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self._path, ignore_errors=True)
        self._lock.close()


def has_live_folder(parent: Path) -> bool:
    """Return whether a process uses a temporary folder in `parent`."""
    for folder in parent.iterdir() if parent.is_dir() else ():
        if folder.is_dir():
            try:
                with lock_file(folder / _LOCK, 0):
                    pass
            except LockTimeout:
                return True
            except FileNotFoundError:  # the process has just ended
                continue
    return False


def _remove_abandoned(parent: Path) -> None:
    for folder in parent.iterdir():
        if folder.is_dir():
            # A process that closes its folder removes it at the same time.
            with suppress(LockTimeout, FileNotFoundError):
                with lock_file(folder / _LOCK, 0):
                    pass
                shutil.rmtree(folder)
