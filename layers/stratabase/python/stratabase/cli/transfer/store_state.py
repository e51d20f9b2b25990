"""Checks of the stores of an instance, before a command fills or serves them."""

from stratabase.adapters.blobs.folder import is_in_use
from stratabase.cli.terminal.command_error import CommandError
from stratabase.settings import Settings
from stratabase.store.engine.port import Engine
from stratabase.transfer.import_progress import has_unfinished_import


def require_unused(settings: Settings) -> None:
    """Raise CommandError if a process serves the data folder of the settings, or uses its files."""
    if settings.store == "sqlite" and is_in_use(settings.home / "files"):
        raise CommandError(f"A process serves {settings.home}, or uses its files. Stop it, and try again.")


def require_whole(engine: Engine) -> None:
    """Raise CommandError if a store has only a part of an export. Raises Unavailable."""
    if has_unfinished_import(engine):
        raise CommandError(
            "An import into this store was interrupted, so the store has only a part of the export. To "
            "continue the import, run `stratabase import` with the same folder again. Then run this command."
        )
