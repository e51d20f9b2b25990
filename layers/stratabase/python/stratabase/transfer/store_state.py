"""Whether a command may fill or serve the stores of an instance: who uses them, and unfinished imports.

A store keeps how far the import of an export has come.
"""

from typing import NamedTuple

import orjson

from stratabase.core.files.folder import is_in_use
from stratabase.core.settings import Settings
from stratabase.core.store.engine.port import Engine, Item, Put
from stratabase.core.store.layout import keys
from stratabase.terminal.command_error import CommandError
from stratabase.terminal.data_folder import use_data_folder
from stratabase.terminal.settings import uses_data_folder

_WORK = "import"
"""The name of the checkpoint of an import."""
DONE = "done."
"""The step of an import that is finished. Names of classes have no dot."""


class ImportProgress(NamedTuple):
    """How far an import has come."""

    export: str
    """The digest of the export."""
    step: str = ""
    """The class whose objects are being written, or the file whose lines are. Empty: none yet. Or DONE."""
    after: str = ""
    """The id of the last object that is written, or the number of the last line."""

    def put(self) -> Put:
        """Return the write that stores the progress."""
        return Put(Item(keys.checkpoint(_WORK), state=orjson.dumps(self._asdict()).decode()))


def read_progress(engine: Engine) -> ImportProgress | None:
    """Return the progress of the last import into a store, None if there was none. Raises Unavailable."""
    (found,) = engine.get([keys.checkpoint(_WORK)])
    return None if found is None else ImportProgress(**orjson.loads(found.state or "{}"))


def has_unfinished_import(engine: Engine) -> bool:
    """Return whether an import into a store has begun and is not finished. Raises Unavailable."""
    progress = read_progress(engine)
    return progress is not None and progress.step != DONE


def require_unused(settings: Settings, *, complete: bool = True) -> None:
    """Use the data folder of the settings alone until the command ends.

    `complete`: refuse a folder into which a restore was interrupted. Raises CommandError if a process serves
    the folder or uses its files, UnusableStore, OSError.
    """
    if not uses_data_folder(settings):
        return
    # Earlier versions have no lock of the whole folder.
    if is_in_use(settings.home / "files"):
        raise CommandError(f"A process serves {settings.home}, or uses its files. Stop it, and try again.")
    use_data_folder(settings.home, alone=True, complete=complete)


def require_whole(engine: Engine) -> None:
    """Raise CommandError if a store has only a part of an export. Raises Unavailable."""
    if has_unfinished_import(engine):
        raise CommandError(
            "An import into this store was interrupted, so the store has only a part of the export. To "
            "continue the import, run `stratabase import` with the same folder again. Then run this command."
        )
