"""`stratabase copy`: copies an instance to other stores, such as from SQLite to DynamoDB."""

import argparse
import os
import shutil
from contextlib import closing, suppress
from pathlib import Path

from stratabase.core.app.app import App
from stratabase.core.app.platform import platform_of
from stratabase.core.domain.files.stored_file import file_key
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.store_mark import StoreKind
from stratabase.core.local_files import entries
from stratabase.core.model.reading import InvalidModel
from stratabase.core.settings import BadSettings, Settings, variables
from stratabase.core.unusable_store import UnusableStore
from stratabase.members.app.auth_services import AuthServices
from stratabase.terminal.arguments import add_examples
from stratabase.terminal.command_error import MISUSED, CommandError, text_with_cause
from stratabase.terminal.settings import make_data_folder, read_settings, require_store, uses_data_folder
from stratabase.transfer.checking import ExportReader
from stratabase.transfer.client.instance_data import ExportedMembers, export_instance, import_instance
from stratabase.transfer.export import FolderInUse, hold_folder
from stratabase.transfer.format import MANIFEST, InvalidExport, read_manifest
from stratabase.transfer.importing import ImportedAlready, StoreNotEmpty
from stratabase.transfer.store_state import require_unused

_EXPORT, _MARKER = "export", "unfinished-copy"
"""The folder with the export, and the file that marks a folder which a copy has made and will remove."""
_ANY_FILE = file_key("0" * 26)
"""The key of a file that need not exist."""
_CONTINUE = "Run the command again to continue."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="a folder that doesn't exist yet")
    parser.add_argument(
        "settings",
        metavar="NAME=VALUE",
        nargs="+",
        type=_setting,
        help="the settings of the other stores, where they differ from those of this instance",
    )
    add_examples(
        parser,
        "stratabase copy moving STRATABASE_STORE=dynamodb STRATABASE_TABLE=shop "
        "STRATABASE_MEMBERS_TABLE=shop-members STRATABASE_BUCKET=shop-files",
    )


def _setting(text: str) -> tuple[str, str]:
    name, is_setting, value = text.partition("=")
    if not is_setting or name not in {variable.name for _, variable in variables()}:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a setting. Write, for example, STRATABASE_HOME=/srv/shop."
        )
    return name, value


def run(options: argparse.Namespace) -> int:
    """Export, import, and remove the export."""
    source = read_settings()
    target = _target_settings(dict(options.settings))
    _check_different(source, target)
    require_store(source)
    require_unused(target)
    folder: Path = options.folder
    _check_target(target)
    members = ExportedMembers(included=True, with_password_hashes=True)
    try:
        with hold_folder(folder):
            _prepare(folder)
            if not (folder / _EXPORT / MANIFEST).exists():
                with closing(App(source)) as instance:
                    for line in export_instance(instance, folder / _EXPORT, members):
                        print(line)
            _import(target, folder / _EXPORT)
            _remove(folder)
    except FolderInUse as error:
        raise CommandError(str(error)) from error
    except (InvalidExport, StoreNotEmpty, InvalidModel, UnusableStore) as error:
        raise CommandError(f"{error}{_kept(folder)}") from error
    except Unavailable as error:
        raise CommandError(f"{text_with_cause(error)}\n{_CONTINUE}") from error
    except OSError as error:
        raise CommandError(f"{error.filename or folder}: {error.strerror}. {_CONTINUE}") from error
    print("The copy is complete, and its export is removed.")
    return 0


def _kept(folder: Path) -> str:
    """Return what an error says about an export that the next run would use."""
    if not (folder / _EXPORT / MANIFEST).exists():
        return ""
    return (
        f"\n{folder} has the export with the hashes of passwords, which the next run of the command uses. To "
        "export again, delete the folder."
    )


def _prepare(folder: Path) -> None:
    """Mark a folder as that of a copy, unless an earlier run has marked it. Raises OSError, FolderInUse."""
    marker = folder / _MARKER
    if entries(folder) and not marker.exists():
        raise FolderInUse(f"{folder} is not empty. Name a folder that doesn't exist yet.")
    marker.touch(mode=0o600)


def _remove(folder: Path) -> None:
    """Remove the folder of a copy, or only what the copy has put into it if it is the root of a disk."""
    shutil.rmtree(folder / _EXPORT)
    (folder / _MARKER).unlink()
    with suppress(OSError):
        folder.rmdir()


def _target_settings(changed: dict[str, str]) -> Settings:
    try:
        return Settings.from_environment({**os.environ, **changed})
    except BadSettings as error:
        raise CommandError(str(error), MISUSED) from error


def _check_different(source: Settings, target: Settings) -> None:
    """Raise CommandError if both settings have a store in common."""
    others = platform_of(target).places
    if same := [name for name, place in platform_of(source).places.items() if others.get(name) == place]:
        raise CommandError(f"The copy needs stores of its own. Set another {' and '.join(same)}.", MISUSED)


def _check_target(target: Settings) -> None:
    """Raise an error if the other stores can't be used, before an export that can take hours.

    Raises CommandError, UnusableStore, Unavailable.
    """
    platform = platform_of(target)
    if uses_data_folder(target):
        make_data_folder(target.home)
    try:
        with closing(App(target)) as instance:
            if not platform.is_local(StoreKind.OBJECTS):
                instance.check_store()
            if not platform.is_local(StoreKind.MEMBERS):
                instance.part(AuthServices).members.any()
            if not platform.is_local(StoreKind.FILES):
                instance.blobs.size(_ANY_FILE)
    except Unavailable as error:
        raise CommandError(f"The other stores can't be used: {text_with_cause(error)}") from error


def _import(target: Settings, folder: Path) -> None:
    with closing(App(target)) as instance:
        reader = ExportReader(folder, read_manifest(folder), instance.model)
        if uses_data_folder(target):
            make_data_folder(target.home)
        try:
            for line in import_instance(instance, folder, reader):
                print(line)
        except ImportedAlready:
            # An earlier run was interrupted before it removed the folder.
            return
