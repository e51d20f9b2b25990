"""The data folders that a command uses until it ends."""

from contextlib import AbstractContextManager
from pathlib import Path

from stratabase.core.data_folder import check_complete, hold_data_folder

_held: dict[Path, tuple[AbstractContextManager[None], bool]] = {}
"""The locks that this process holds, and whether it has the folder alone, by the path of the folder."""


def use_data_folder(home: Path, *, alone: bool = False, complete: bool = True) -> None:
    """Use a data folder until the command ends, together with other processes or alone.

    `complete`: refuse a folder into which a restore was interrupted. Raises UnusableStore, OSError.
    """
    home = home.absolute()
    _lock, is_alone = _held.get(home, (None, False))
    if home not in _held or (alone and not is_alone):
        _release(home)
        lock = hold_data_folder(home, alone=alone)
        lock.__enter__()
        _held[home] = lock, alone
    if complete:
        check_complete(home)


def release_data_folders() -> None:
    """Let other processes have the data folders alone, because this command ends."""
    for home in list(_held):
        _release(home)


def _release(home: Path) -> None:
    if home in _held:
        lock, _is_alone = _held.pop(home)
        lock.__exit__(None, None, None)
