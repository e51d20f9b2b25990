"""Checks of the stores of an instance, before a command fills or serves them."""

from stratabase.core.files.folder import is_in_use
from stratabase.core.settings import Settings
from stratabase.core.store.engine.port import Engine
from stratabase.terminal.command_error import CommandError
from stratabase.terminal.data_folder import use_data_folder
from stratabase.terminal.settings import uses_data_folder
from stratabase.transfer.import_progress import has_unfinished_import


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
