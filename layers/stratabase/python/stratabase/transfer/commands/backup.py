"""`stratabase backup`: copies all data of a local instance to a folder, while the service may run."""

import argparse
from pathlib import Path

from stratabase.core.app.app import App
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.operations.files.sweep import hold_files
from stratabase.core.operations.store_marks import check_marks
from stratabase.core.store.sqlite.engine import BUSY_TIMEOUT
from stratabase.core.unusable_store import UnusableStore
from stratabase.core.waiting import SystemClock
from stratabase.terminal.arguments import add_examples
from stratabase.terminal.command_error import CommandError, text_with_cause
from stratabase.terminal.progress import ProgressBar
from stratabase.terminal.settings import read_settings, require_local_data, require_store
from stratabase.transfer.backup import BackedUp, back_up
from stratabase.transfer.export import FolderInUse, prepared_folder
from stratabase.transfer.store_state import require_whole
from stratabase.values.wording import pluralize


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "folder", metavar="DIR", type=Path, help="the folder to write, which is empty or doesn't exist yet"
    )
    add_examples(parser, "stratabase backup /var/backups/shop-2026-11-23")


def run(options: argparse.Namespace) -> int:
    """Back up, and print what was copied."""
    settings = read_settings()
    require_local_data(settings)
    require_store(settings)
    instance = App(settings)
    try:
        instance.check_store()
        require_whole(instance.engine)
        with instance.marked_stores() as stores:
            check_marks(stores)  # the copy of a database reads no mark
        with prepared_folder(options.folder):
            found = _back_up(instance, options.folder)
    except OSError as error:
        raise CommandError(f"{error.filename or options.folder}: {error.strerror}.") from error
    except (FolderInUse, UnusableStore, Unavailable) as error:
        raise CommandError(text_with_cause(error)) from error
    finally:
        instance.close()
    print(
        f"The backup is in {options.folder}: the databases, and {pluralize(found.files, 'file')} of objects."
    )
    if found.missing:
        print(f"{pluralize(found.missing, 'file')} of objects had no bytes. Run `stratabase files check`.")
    return 0


def _back_up(instance: App, folder: Path) -> BackedUp:
    bar = ProgressBar("Backup", 0, "file")
    try:
        with hold_files(instance.files.ledger, SystemClock()):
            return back_up(instance.settings.home, folder, BUSY_TIMEOUT, bar)
    finally:
        bar.clear()
