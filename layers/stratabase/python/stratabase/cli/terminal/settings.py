"""What is set for this machine: the settings, the folder for the data, and who signs for the emulator."""

import os
from pathlib import Path

from stratabase.cli.terminal.command_error import MISUSED, CommandError
from stratabase.settings import BadSettings, Settings

EMULATOR_CREDENTIALS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}
"""The emulator of AWS lets anybody in, but somebody must sign a request."""


def read_settings() -> Settings:
    """Read the settings from the environment. Raises CommandError with all that is wrong with them."""
    try:
        return Settings.from_environment(os.environ)
    except BadSettings as error:
        raise CommandError(str(error), MISUSED) from error


def make_data_folder(folder: Path) -> None:
    """Make the data folder, for this user alone, unless it exists. Raises CommandError if that fails."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        text = f"STRATABASE_HOME: creating the data folder {folder} failed ({error.strerror})."
        raise CommandError(text) from error
