"""`stratabase restore`: copies a backup to an empty data folder."""

import argparse
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from stratabase.core.app.app import App, load_model
from stratabase.core.app.store_marks import open_marked_stores
from stratabase.core.data_folder import has_data
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.store_mark import StoreKind, StoreRefused
from stratabase.core.model.reading import InvalidModel
from stratabase.core.settings import Settings
from stratabase.core.store.sqlite.engine import BUSY_TIMEOUT
from stratabase.evolution.erasure.erased_ids import ErasedId
from stratabase.evolution.erasure.erased_list import InvalidList, read_list
from stratabase.terminal.arguments import add_examples
from stratabase.terminal.command_error import CommandError
from stratabase.terminal.progress import ProgressBar
from stratabase.terminal.settings import read_settings, require_local_data
from stratabase.transfer.backup import check_backup, restore_backup
from stratabase.transfer.client.instance_data import apply_erased
from stratabase.transfer.format import BACKUP_FORMAT, InvalidExport, read_manifest
from stratabase.transfer.store_state import require_unused
from stratabase.values.wording import pluralize


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "folder", metavar="DIR", type=Path, help="the folder that `stratabase backup` has written"
    )
    parser.add_argument(
        "--erased",
        metavar="PATH",
        type=Path,
        help="erase what was erased after the backup, by a list of `stratabase erase --list`, an export, a "
        "later backup, or the former data folder",
    )
    add_examples(
        parser,
        "stratabase restore /var/backups/shop-2026-11-23",
        "stratabase restore /var/backups/shop-2026-11-23 --erased .stratabase.broken",
    )


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
        listed = [] if options.erased is None else _read_erased(settings, options.erased)
        restore_backup(options.folder, names, home, partial(_prepare_copy, settings, listed), bar)
    except (InvalidExport, InvalidList, InvalidModel, StoreRefused, Unavailable) as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(f"{error.filename or home}: {error.strerror}.") from error
    finally:
        bar.clear()
    print(f"{options.folder} is restored to {home}. Start the service with `stratabase serve`.")
    if options.erased is None:
        print(
            "If objects were erased after the backup, erase them again with `stratabase erase --apply PATH`: "
            "name a list, an export, a later backup, or the former data folder."
        )
    return 0


def _read_erased(settings: Settings, path: Path) -> list[ErasedId]:
    """Return a list of erased ids with stored names. Raises InvalidList, InvalidModel, Unavailable."""
    return read_list(path, load_model(settings.model), BUSY_TIMEOUT)


def _prepare_copy(settings: Settings, listed: Sequence[ErasedId], copy: Path) -> None:
    """Check a copied backup, and erase what is listed. Raises as `check_layouts`, and Unavailable."""
    check_layouts(settings, copy)
    if listed:
        with closing(App(replace(settings, home=copy))) as instance:
            instance.mark_stores()
            number = apply_erased(instance, listed, lambda _: None)
        print(f"{pluralize(number, 'object')} of the backup had been erased, and were erased again.")


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
