"""The settings of the commands, the data folder, and the credentials for the emulator."""

import os
from collections.abc import Mapping
from pathlib import Path

from stratabase.core.app.platform import platform_of
from stratabase.core.data_folder import DATABASES, RESTORING, create_data_folder
from stratabase.core.domain.store_mark import StoreKind
from stratabase.core.settings import BadSettings, Settings, variables
from stratabase.terminal.command_error import MISUSED, CommandError
from stratabase.terminal.data_folder import use_data_folder
from stratabase.values.wording import nearest_word

EMULATOR_CREDENTIALS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}
"""The emulator accepts any credentials, but requests must be signed."""

_PREFIX = "STRATABASE_"
_OTHER_VARIABLES = frozenset({"STRATABASE_PASSWORD", "STRATABASE_TOKEN"})
"""Variables of commands that are clients of a service."""


def read_settings() -> Settings:
    """Return the settings in the environment. Raises CommandError, which lists all mistakes."""
    try:
        return Settings.from_environment(os.environ)
    except BadSettings as error:
        raise CommandError(str(error), MISUSED) from error


def misspelled_settings(environment: Mapping[str, str]) -> list[str]:
    """Return a line for each variable that is not a setting, but has a name similar to one."""
    known = {variable.name for _, variable in variables()}
    names = tuple(each.removeprefix(_PREFIX) for each in known if each.startswith(_PREFIX))
    found = []
    for name in sorted(environment):
        if name.startswith(_PREFIX) and name not in known | _OTHER_VARIABLES:
            rest = name.removeprefix(_PREFIX)
            nearest = nearest_word(rest, names)
            meant = rest if rest in known else nearest and f"{_PREFIX}{nearest}"
            if meant:
                found.append(f"{name} is not a setting, so it has no effect. Did you mean {meant}?")
    return found


def require_model(settings: Settings) -> None:
    """Raise CommandError if the model does not exist, before a command creates data for it."""
    if not settings.model.exists():
        raise CommandError(
            f"The model {settings.model} doesn't exist. Run the command in the folder of your model, or set "
            "STRATABASE_MODEL to its path. To begin a new project, run `stratabase init my-app`."
        )


def uses_data_folder(settings: Settings) -> bool:
    """Return whether the objects or the members are in the data folder."""
    platform = platform_of(settings)
    return platform.is_local(StoreKind.OBJECTS) or platform.is_local(StoreKind.MEMBERS)


def has_store(settings: Settings) -> bool:
    """Return whether the data folder has data, if it is used. Other stores say themselves what is missing."""
    return not uses_data_folder(settings) or any((settings.home / name).exists() for name in DATABASES)


def require_store(settings: Settings) -> None:
    """Use the data folder. Raise CommandError if there is no store, so that the command does not create one.

    Raises UnusableStore, too.
    """
    if uses_data_folder(settings) and (has_store(settings) or (settings.home / RESTORING).is_dir()):
        use_data_folder(settings.home)
    if not has_store(settings):
        _check_folder(settings.home)
        state = "contains no data" if settings.home.is_dir() else "doesn't exist"
        raise CommandError(
            f"The data folder {settings.home} {state}. Set STRATABASE_HOME to the folder that contains "
            "the data. To begin without data, run `stratabase serve`."
        )


def require_local_data(settings: Settings) -> None:
    """Raise CommandError unless all data is in the data folder."""
    if not all(map(platform_of(settings).is_local, StoreKind)):
        raise CommandError(
            "These settings keep data outside of the data folder. `backup` and `restore` are for SQLite with "
            "files in the data folder. Use the backups of AWS, or `stratabase export`."
        )


def make_data_folder(folder: Path) -> None:
    """Create the data folder if it does not exist, with access for this user only, and use it.

    Raises CommandError, UnusableStore.
    """
    _check_folder(folder)
    try:
        create_data_folder(folder)
    except OSError as error:
        text = f"STRATABASE_HOME: creating the data folder {folder} failed ({error.strerror})."
        raise CommandError(text) from error
    use_data_folder(folder)


def _check_folder(folder: Path) -> None:
    """Raise CommandError for a data folder that can't be one: a file, or a link that leads nowhere."""
    for part in (folder, *folder.parents):
        if part.is_symlink() and not part.exists():
            text = f"STRATABASE_HOME: {part} is a link to {part.readlink()}, which doesn't exist."
            raise CommandError(f"{text} Create this folder, or change the link.")
        if part.exists() and not part.is_dir():
            text = f"STRATABASE_HOME: {part} is a file. Set STRATABASE_HOME to the path of a folder."
            raise CommandError(text)
