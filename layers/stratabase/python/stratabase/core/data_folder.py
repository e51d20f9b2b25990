"""The data folder of an instance on this machine: which processes use it, and whether it is complete."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from stratabase.core.local_files import LockTimeout, entries, lock_folder, owner_name
from stratabase.core.unusable_store import UnusableStore

RESTORING = ".restoring"
"""The folder in the data folder with what a restore has copied so far."""
OBJECTS = "objects.db"
"""The database of the objects, which a restore moves to its place last."""
DATABASES = (OBJECTS, "members.db")
"""What a data folder has after the first start, and after the first member was created."""
_TIMEOUT = 3.0
"""The seconds to wait for the lock. Most commands take less."""


@contextmanager
def hold_data_folder(home: Path, *, alone: bool = False) -> Iterator[None]:
    """Use a data folder inside the `with` block. It is created if it does not exist.

    Processes share the lock of the folder. `alone`: no other process may use it meanwhile. Raises
    UnusableStore, also if root uses the data of another user; OSError.
    """
    create_data_folder(home)
    with ExitStack() as held:
        try:
            held.enter_context(lock_folder(home, _TIMEOUT, shared=not alone))
        except LockTimeout as error:
            raise UnusableStore(_served(home) if alone else _reserved(home)) from error
        yield


def create_data_folder(home: Path) -> None:
    """Create a data folder if it does not exist, with access for this user only.

    Raises OSError; UnusableStore if root uses the data of another user, or would create the folder in one of
    another user.
    """
    check_owner(home)
    home.mkdir(mode=0o700, parents=True, exist_ok=True)


def check_owner(home: Path) -> None:
    """Raise UnusableStore if root would create files in the data of another user, who could not use them."""
    if os.name != "posix" or os.geteuid() != 0:
        return
    # If root has served the folder of another user, as in some containers, its data is that of root.
    databases = [path for name in DATABASES if (path := home / name).exists()]
    place = databases[0] if databases else _nearest_existing(home)
    owner = place.stat().st_uid
    if owner == 0:
        return
    name = owner_name(owner)
    run = f"Run the command as this user: sudo -u {name} stratabase …"
    if home.exists():
        raise UnusableStore(
            f"The data in {home} belongs to the user {name}, and files of root would break the service. {run}"
        )
    raise UnusableStore(
        f"The data folder {home} doesn't exist, and {place} belongs to the user {name}, who could not use a "
        f"data folder of root. {run} Or set STRATABASE_HOME to another folder."
    )


def _nearest_existing(home: Path) -> Path:
    """Return a data folder, or the folder in which it, or the first of its parents, would be created."""
    absolute = home.absolute()
    return next(each for each in (absolute, *absolute.parents) if each.exists())


def check_complete(home: Path) -> None:
    """Raise UnusableStore if a restore into a data folder was interrupted."""
    under_way = home / RESTORING
    # The objects move last. If the restore was killed right after that, its folder remains, and is empty.
    if under_way.is_dir() and (not (home / OBJECTS).exists() or any(under_way.iterdir())):
        raise UnusableStore(
            f"A restore into {home} was interrupted, so the folder has only a part of the backup. Run "
            "`stratabase restore` with the same backup again, or set STRATABASE_HOME to another folder."
        )


def has_data(home: Path) -> bool:
    """Return whether a folder has something that a restore must not replace."""
    if not home.is_dir() or not entries(home):
        return False
    # The objects appear last, so with them, a restore is complete, or a service has begun without it.
    return not (home / RESTORING).exists() or (home / OBJECTS).exists()


def _served(home: Path) -> str:
    return f"A process serves {home}, or uses its files. Stop it, and try again."


def _reserved(home: Path) -> str:
    return (
        f"A command such as `restore` or `import` fills {home}, so no other process can use it. Wait until "
        "the command ends, and try again."
    )
