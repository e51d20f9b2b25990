"""What is set for this machine: the settings, and the folder for the data."""

import os
from pathlib import Path

from cli.fault import MISUSED, Fault
from stratabase.settings import BadSettings, Settings


def read_settings() -> Settings:
    """Read the settings from the environment. Raises Fault with all that is wrong with them."""
    try:
        return Settings.from_environment(os.environ)
    except BadSettings as error:
        raise Fault(str(error), MISUSED) from error


def make_home(home: Path) -> None:
    """Make the data folder, for this user alone, unless it is there. Raises Fault when it cannot be."""
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        text = f"STRATABASE_HOME: the data folder {home} cannot be made ({error.strerror})."
        raise Fault(text) from error
