"""The check that nobody uses a data folder which a command is about to fill."""

from stratabase.adapters.blobs.folder import is_in_use
from stratabase.cli.terminal.command_error import CommandError
from stratabase.settings import Settings


def require_unused(settings: Settings) -> None:
    """Raise CommandError if a process serves the data folder of the settings, or uses its files."""
    if settings.store == "sqlite" and is_in_use(settings.home / "files"):
        raise CommandError(f"A process serves {settings.home}, or uses its files. Stop it, and try again.")
