"""`stratabase export`: writes all data of an instance to a folder, or a class to a CSV file."""

import argparse
from pathlib import Path

from stratabase.core.app.app import App
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.model.reading import InvalidModel
from stratabase.core.unusable_store import UnusableStore
from stratabase.terminal.arguments import add_examples
from stratabase.terminal.command_error import MISUSED, CommandError, text_with_cause
from stratabase.terminal.settings import read_settings, require_store
from stratabase.transfer.client.csv_options import require_class
from stratabase.transfer.client.export_csv import CSV_EXPORT_EXAMPLES, add_csv_export_options, export_csv
from stratabase.transfer.client.instance_data import ExportedMembers, export_instance
from stratabase.transfer.export import FolderInUse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "target",
        metavar="DIR|FILE",
        type=Path,
        help="the folder to write, which is empty or doesn't exist yet; with --class, a CSV file",
    )
    parser.add_argument(
        "--members", action="store_true", help="also export the members, without their passwords"
    )
    parser.add_argument(
        "--with-password-hashes",
        action="store_true",
        help="with --members: also export the hashes of passwords and API keys, so that members can go on "
        "signing in",
    )
    add_csv_export_options(parser)
    add_examples(parser, "stratabase export backup-2026-11-23", *CSV_EXPORT_EXAMPLES)


def run(options: argparse.Namespace) -> int:
    """Export everything, or the objects of a class, and print what the export has."""
    if options.with_password_hashes and not options.members:
        raise CommandError("--with-password-hashes needs --members.", MISUSED)
    if options.class_name is not None:
        if options.members:
            raise CommandError("A CSV file has the objects of one class. Leave out --members.", MISUSED)
        return export_csv(options)
    if options.target.suffix.lower() == ".csv":
        raise CommandError("To export a CSV file, name the class of its objects with --class.", MISUSED)
    require_class(options, add_csv_export_options)
    return _export_folder(options.target, ExportedMembers(options.members, options.with_password_hashes))


def _export_folder(folder: Path, members: ExportedMembers) -> int:
    settings = read_settings()
    require_store(settings)
    instance = App(settings)
    try:
        for line in export_instance(instance, folder, members):
            print(line)
    except OSError as error:
        raise CommandError(f"{error.filename or folder} can't be written: {error.strerror}.") from error
    except (FolderInUse, InvalidModel, UnusableStore, Unavailable) as error:
        raise CommandError(text_with_cause(error)) from error
    finally:
        instance.close()
    return 0
