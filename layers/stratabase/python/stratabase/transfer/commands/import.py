"""`stratabase import`: reads an export into an empty store, or a CSV file into a class."""  # noqa: N999 - the name of the command

import argparse
from pathlib import Path

from stratabase.core.app.app import App
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.model.reading import InvalidModel
from stratabase.core.unusable_store import UnusableStore
from stratabase.terminal.arguments import add_examples
from stratabase.terminal.command_error import MISUSED, CommandError, text_with_cause
from stratabase.terminal.settings import make_data_folder, read_settings, uses_data_folder
from stratabase.transfer.checking import ExportReader
from stratabase.transfer.client.csv_options import require_class
from stratabase.transfer.client.import_csv import CSV_IMPORT_EXAMPLES, add_csv_import_options, import_csv
from stratabase.transfer.client.instance_data import import_instance
from stratabase.transfer.format import InvalidExport, read_manifest
from stratabase.transfer.importing import ImportedAlready, StoreNotEmpty

_EXPLANATION = (
    ". Everything is checked before anything is written. If the command is interrupted, run it again: it "
    "continues"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.description = f"{parser.description}{_EXPLANATION}"
    parser.add_argument(
        "source",
        metavar="DIR|FILE",
        type=Path,
        help="the folder that `stratabase export` has written, or a CSV file with a header",
    )
    add_csv_import_options(parser)
    add_examples(parser, "stratabase import backup-2026-11-23", *CSV_IMPORT_EXAMPLES)


def run(options: argparse.Namespace) -> int:
    """Check the source, write it, and print what was found."""
    if options.class_name is not None and options.source.is_dir():
        raise CommandError(
            f"{options.source} is a folder. To import an export, leave out --class and the other options for "
            "CSV files.",
            MISUSED,
        )
    if options.class_name is not None:
        return import_csv(options)
    if not options.source.exists():
        raise CommandError(f"{options.source} doesn't exist. Name a folder or a CSV file.")
    if options.source.is_file():
        raise CommandError("To import a CSV file, name the class of its objects with --class.", MISUSED)
    require_class(options, add_csv_import_options)
    return _import_folder(options.source)


def _import_folder(folder: Path) -> int:
    settings = read_settings()
    instance = App(settings)
    try:
        manifest = read_manifest(folder)
        reader = ExportReader(folder, manifest, instance.model)
        if uses_data_folder(settings):
            make_data_folder(settings.home)
        for line in import_instance(instance, folder, reader):
            print(line)
    except ImportedAlready as error:
        print(error)
    except (InvalidExport, StoreNotEmpty, InvalidModel, UnusableStore) as error:
        raise CommandError(str(error)) from error
    except Unavailable as error:
        raise CommandError(f"{text_with_cause(error)}\nRun the command again to continue.") from error
    except OSError as error:
        raise CommandError(f"{error.filename or folder}: {error.strerror}.") from error
    finally:
        instance.close()
    return 0
