"""`stratabase export`: writes all data of an instance to a folder, or a class to a CSV file."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from stratabase.bootstrap import Instance
from stratabase.bootstrap.storage import open_object_snapshot
from stratabase.cli.terminal.command_error import MISUSED, CommandError, text_with_cause
from stratabase.cli.terminal.examples import add_examples
from stratabase.cli.terminal.progress import ProgressBar
from stratabase.cli.terminal.settings import read_settings, require_store
from stratabase.cli.transfer.export_csv import CSV_EXPORT_EXAMPLES, add_csv_export_options, export_csv
from stratabase.domain.issues.refusals import Unavailable
from stratabase.model.reading import InvalidModel
from stratabase.transfer.export import Export, Exported, FolderInUse, prepare_folder
from stratabase.unusable_store import UnusableStore
from stratabase.wording import pluralize


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "target",
        metavar="DIR|FILE",
        type=Path,
        help="the folder to write, which is empty or doesn't exist yet; with --class, a CSV file",
    )
    add_csv_export_options(parser)
    add_examples(parser, "stratabase export backup-2026-11-23", *CSV_EXPORT_EXAMPLES)


def run(options: argparse.Namespace) -> int:
    """Export everything, or the objects of a class, and print what the export has."""
    if options.class_name is not None:
        return export_csv(options)
    if options.target.suffix.lower() == ".csv":
        raise CommandError("To export a CSV file, name the class of its objects with --class.", MISUSED)
    return _export_folder(options.target)


def _export_folder(folder: Path) -> int:
    settings = read_settings()
    require_store(settings)
    instance = Instance(settings)
    try:
        for line in _export(instance, folder):
            print(line)
    except OSError as error:
        raise CommandError(f"{error.filename or folder} can't be written: {error.strerror}.") from error
    except (FolderInUse, InvalidModel, UnusableStore, Unavailable) as error:
        raise CommandError(text_with_cause(error)) from error
    finally:
        instance.close()
    return 0


def _export(instance: Instance, folder: Path) -> Iterator[str]:
    # The model is read first, so that a wrong one leaves no folder. The engine checks the mark of the store.
    export = Export(folder, instance.model, instance.model_text)
    instance.check_store()
    prepare_folder(folder)
    with open_object_snapshot(instance.settings) as snapshot:
        bar = ProgressBar("Objects", 0)
        export.write_objects(snapshot, bar)
        bar.clear()
        yield f"Objects: {_numbers(export.found)}"
        bar = ProgressBar("Files", export.number_of_files, "file")
        if export.number_of_files:
            export.write_files(instance.blobs, bar)
        bar.clear()
        yield f"Files: {export.found['files']:,}"
    export.finish()
    yield from _left_out(export.found)
    yield f"The export is in {folder}."


def _numbers(found: Exported) -> str:
    return ", ".join(
        (
            pluralize(found["objects"], "object"),
            pluralize(found["versions"], "earlier version"),
            pluralize(found["links"], "link"),
        )
    )


def _left_out(found: Exported) -> Iterator[str]:
    """Yield lines about what the export lacks."""
    if number := found["missing files"]:
        yield f"{pluralize(number, 'file')} of objects had no bytes. Run `stratabase files check`."
    if number := found["other classes"]:
        yield (
            f"{pluralize(number, 'object')} of classes that the model doesn't have were left out. "
            "`stratabase model drop` shows the classes."
        )
