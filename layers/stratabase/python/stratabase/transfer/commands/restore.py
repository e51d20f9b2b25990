"""`stratabase restore`: copies a backup to an empty data folder."""

import argparse
from dataclasses import replace
from functools import partial
from pathlib import Path

from stratabase.core.app.store_marks import open_marked_stores
from stratabase.core.data_folder import has_data
from stratabase.core.domain.store_mark import StoreKind, StoreRefused
from stratabase.core.settings import Settings
from stratabase.terminal.arguments import add_examples
from stratabase.terminal.command_error import CommandError
from stratabase.terminal.progress import ProgressBar
from stratabase.terminal.settings import read_settings, require_local_data
from stratabase.transfer.backup import check_backup, restore_backup
from stratabase.transfer.format import BACKUP_FORMAT, InvalidExport, read_manifest
from stratabase.transfer.store_state import require_unused


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "folder", metavar="DIR", type=Path, help="the folder that `stratabase backup` has written"
    )
    add_examples(parser, "stratabase restore /var/backups/shop-2026-11-23")


def run(options: argparse.Namespace) -> int:
    """Check the backup, and copy it to the data folder."""
    settings = read_settings()
    require_local_data(settings)
    home, bar = settings.home, ProgressBar("Restore", 0, "file")
    try:
        manifest = read_manifest(options.folder, BACKUP_FORMAT)
        if home.exists():  # otherwise, a damaged backup must not create it
            _require_empty(settings)
        names = check_backup(options.folder, manifest, bar)
        _require_empty(settings)
        restore_backup(options.folder, names, home, partial(check_layouts, settings), bar)
    except (InvalidExport, StoreRefused) as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(f"{error.filename or home}: {error.strerror}.") from error
    finally:
        bar.clear()
    print(f"{options.folder} is restored to {home}. Start the service with `stratabase serve`.")
    return 0


def check_layouts(settings: Settings, copy: Path) -> None:
    """Raise StoreRefused or UnusableStore if this version does not know the layouts of a copied backup."""
    kinds = [kind for kind in StoreKind if kind is not StoreKind.FILES or (copy / "files").exists()]
    with open_marked_stores(replace(settings, home=copy), kinds) as stores:
        for store, required in stores:
            required._replace(instance=None).check(store.read_mark(), writes=True)


def _require_empty(settings: Settings) -> None:
    """Use the data folder alone, so that no process begins to use it until the command ends.

    Raises CommandError if it is in use or has data, UnusableStore, OSError.
    """
    require_unused(settings, complete=False)
    if has_data(settings.home):
        raise CommandError(
            f"{settings.home} has data, which a restore does not replace. Rename the folder, or set "
            "STRATABASE_HOME to another one."
        )
