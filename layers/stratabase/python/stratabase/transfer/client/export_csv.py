"""`stratabase export FILE --class CLASS`: writes the objects of a class to a CSV file."""

import argparse
from dataclasses import replace

from stratabase.core.app.app import App
from stratabase.core.domain.caller import CONSOLE
from stratabase.core.domain.issues.refusals import Refusal
from stratabase.core.model.api_names import ID
from stratabase.core.model.reading import InvalidModel
from stratabase.core.model.users import with_users
from stratabase.core.unusable_store import UnusableStore
from stratabase.terminal.command_error import MISUSED, CommandError, text_with_cause
from stratabase.terminal.progress import ProgressBar
from stratabase.terminal.settings import read_settings, require_store
from stratabase.transfer.client.csv_options import (
    add_csv_options,
    cell_formats,
    delimiter,
    find_class,
    known_encoding,
    writing,
)
from stratabase.transfer.csv.columns import UnusableColumns
from stratabase.transfer.csv.csv_export import default_columns, export_rows, exported_columns, write_file
from stratabase.transfer.store_state import require_whole
from stratabase.values.wording import pluralize

CSV_EXPORT_EXAMPLES = (
    "stratabase export employees.csv --class Employee",
    "stratabase export employees.csv --class Employee --columns _id,last_name,team.name --encoding utf-8-sig",
)


def add_csv_export_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments besides the file."""
    group = parser.add_argument_group("options for a CSV file")
    group.add_argument("--class", dest="class_name", metavar="CLASS", help="the class of the objects")
    group.add_argument(
        "--columns",
        metavar="NAMES",
        help="the attributes, and attributes of objects that roles lead to, such as team.name, separated by "
        "commas; the default is all that an import accepts",
    )
    group.add_argument("--with-ids", action="store_true", help=f"begin with the column {ID}")
    add_csv_options(group)


def export_csv(options: argparse.Namespace) -> int:
    """Write the file, and print how many objects it has."""
    settings = read_settings()
    require_store(settings)
    if options.target.exists():
        raise CommandError(f"{options.target} exists already. Choose another file, or delete this one.")
    instance = App(settings)
    try:
        with writing(options.target, options.encoding):
            number = _export(options, instance)
    except UnusableColumns as error:
        raise CommandError(str(error), MISUSED) from error
    except (InvalidModel, UnusableStore, Refusal) as error:
        raise CommandError(text_with_cause(error)) from error
    finally:
        instance.close()
    print(f"{options.target}: {pluralize(number, 'object')}.")
    return 0


def _export(options: argparse.Namespace, instance: App) -> int:
    cells, separator = cell_formats(options), delimiter(options) or ","
    encoding = known_encoding(options.encoding or "utf-8")
    name, model = find_class(instance.model, options.class_name).name, with_users(instance.model)
    class_ = model.classes[name]
    instance.check_store()
    require_whole(instance.engine)
    names = default_columns(model, class_)
    if options.columns is not None:
        names = [each.strip() for each in options.columns.split(",") if each.strip()]
    if options.with_ids and ID not in names:
        names = [ID, *names]
    columns = exported_columns(model, class_, names, cells)
    caller = replace(CONSOLE, profile=instance.model.administrator_profile(), formats=cells.formats)
    bar = ProgressBar(f"Writing {options.target.name}", 0)
    number = write_file(
        options.target,
        [column.header for column in columns],
        export_rows(instance.services, caller, class_, columns),
        encoding=encoding,
        delimiter=separator,
        progress=bar,
    )
    bar.clear()
    return number
