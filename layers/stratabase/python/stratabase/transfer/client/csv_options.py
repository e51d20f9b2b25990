"""The options that say how a CSV file spells values, which import and export share."""

import argparse
import codecs
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from stratabase.core.model.model import Class, Model
from stratabase.terminal.command_error import MISUSED, CommandError
from stratabase.transfer.csv.cells import ISO_FORMATS, CellFormats
from stratabase.values.formats.date_fields import DatePart
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.preferences import FORMAT_CHECKS
from stratabase.values.wording import nearest_word

_DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}


def add_file_options(group: argparse._ActionsContainer) -> None:
    """Add the options of the file itself."""
    group.add_argument("--delimiter", metavar="TEXT", help="the character between cells, or tab")
    group.add_argument("--encoding", metavar="NAME", help="the encoding of the file; the default is utf-8")


def add_csv_options(group: argparse._ArgumentGroup) -> None:
    """Add the options."""
    add_file_options(group)
    group.add_argument(
        "--date-format", metavar="PATTERN", help="a Java pattern, such as dd/MM/yyyy; the default is ISO 8601"
    )
    group.add_argument(
        "--time-format", metavar="PATTERN", help="a Java pattern, such as HH:mm; the default is ISO 8601"
    )
    group.add_argument(
        "--time-zone", metavar="NAME", help="the time zone of times without one; the default is UTC"
    )
    group.add_argument("--language", metavar="CODE", help="the language of month names, such as it")
    group.add_argument(
        "--decimal", metavar="TEXT", default=".", help="the decimal separator; the default is a point"
    )
    group.add_argument(
        "--keep-formulas",
        action="store_true",
        help="texts have no apostrophe before what a spreadsheet takes for a formula",
    )


def add_reading_options(group: argparse._ArgumentGroup) -> None:
    """Add the options for cells that are read."""
    group.add_argument(
        "--thousands", metavar="TEXT", default="", help="the separator between groups of three digits"
    )
    group.add_argument(
        "--null",
        metavar="TEXT",
        action="append",
        default=[],
        help="the text of cells that have no value, such as NULL. You can use this option several times",
    )


def require_class(
    options: argparse.Namespace, add_options: Callable[[argparse.ArgumentParser], None]
) -> None:
    """Raise CommandError if one of the options that `add_options` adds is used without a class."""
    parser = argparse.ArgumentParser(add_help=False)
    add_options(parser)
    for name, default in vars(parser.parse_args([])).items():
        if options.class_name is None and getattr(options, name) != default:
            raise CommandError(
                f"--{name.replace('_', '-')} is only for CSV files. Name the class of their objects with "
                "--class.",
                MISUSED,
            )


def delimiter(options: argparse.Namespace) -> str | None:
    """Return the delimiter in the options, None if there is none. Raises CommandError."""
    if options.delimiter is None:
        return None
    text: str = _DELIMITERS.get(options.delimiter.lower(), options.delimiter)
    if len(text) != 1 or text in '"\r\n':
        raise CommandError(f'--delimiter: "{options.delimiter}" is not a single character, or tab.', MISUSED)
    return text


def known_encoding(name: str) -> str:
    """Return the name of an encoding. Raises CommandError if Python does not have it."""
    try:
        codecs.lookup(name)
        "".encode(name)
    except (LookupError, ValueError) as error:
        raise CommandError(
            f'The encoding "{name}" does not exist. Use, for example, utf-8, utf-8-sig or cp1252.', MISUSED
        ) from error
    return name


@contextmanager
def writing(target: Path, encoding: str) -> Iterator[None]:
    """Raise CommandError if a file can't be written, or its encoding lacks a character."""
    try:
        yield
    except OSError as error:
        raise CommandError(f"{target} can't be written ({error.strerror}).") from error
    except UnicodeEncodeError as error:
        text = error.object[error.start : error.end][:1]
        raise CommandError(
            f'The encoding {encoding} has no character "{text}". Use utf-8, or utf-8-sig for Excel.'
        ) from error


def cell_formats(options: argparse.Namespace) -> CellFormats:
    """Return the formats in the options. Raises CommandError."""
    formats = ISO_FORMATS
    written: set[DatePart] = set()
    for name, parts in _PARTS_OF_FORMATS.items():
        value = getattr(options, name)
        if value is not None:
            try:
                FORMAT_CHECKS[name](value)
            except InvalidValue as mistake:
                raise CommandError(f"--{name.replace('_', '-')}: {mistake.message}", MISUSED) from mistake
            formats = replace(formats, **{name: value})
            written |= parts
    group = getattr(options, "thousands", "")
    if len(options.decimal) != 1 or options.decimal.isalnum() or group == options.decimal or len(group) > 1:
        raise CommandError("--decimal and --thousands must be two different characters.", MISUSED)
    nulls = frozenset(text.strip() for text in getattr(options, "null", []))
    return CellFormats(
        formats, options.decimal, group, frozenset(written), nulls, keeps_formulas=options.keep_formulas
    )


_PARTS_OF_FORMATS = {
    "date_format": {DatePart.DATE},
    "time_format": {DatePart.TIME},
    "time_zone": set[DatePart](),
    "language": set[DatePart](),
}
"""By option: the parts of dates and times that it writes in its own way."""


def find_class(model: Model, name: str) -> Class:
    """Return the class with a name. Raises CommandError."""
    class_ = model.classes.get(name)
    if class_ is None:
        nearest = nearest_word(name, tuple(model.classes))
        hint = f'Did you mean "{nearest}"?' if nearest else f"Its classes are {', '.join(model.classes)}."
        raise CommandError(f'--class: the model has no class "{name}". {hint}', MISUSED)
    return class_
