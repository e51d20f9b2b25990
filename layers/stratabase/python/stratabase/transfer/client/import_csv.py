"""`stratabase import FILE --class CLASS`: writes the rows of a CSV file as objects of a class."""

import argparse
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from stratabase.core.app.app import App
from stratabase.core.app.platform import platform_of
from stratabase.core.concurrent_calls import ConcurrentCalls
from stratabase.core.domain.caller import CONSOLE
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.instant import format_instant
from stratabase.core.domain.store_mark import StoreKind
from stratabase.core.model.users import with_users
from stratabase.core.settings import Settings
from stratabase.evolution.commands.backfill.build import build_before_serving
from stratabase.members.commands.owners import resolve_owners
from stratabase.terminal.command_error import MISUSED, CommandError, text_with_cause
from stratabase.terminal.data_folder import use_data_folder
from stratabase.terminal.progress import ProgressBar, print_note
from stratabase.terminal.settings import make_data_folder, read_settings, uses_data_folder
from stratabase.transfer.client.csv_options import (
    add_csv_options,
    add_reading_options,
    cell_formats,
    delimiter,
    find_class,
)
from stratabase.transfer.csv.columns import UnusableColumns, match_columns
from stratabase.transfer.csv.csv_file import CsvFile, UnreadableFile
from stratabase.transfer.csv.csv_import import (
    PATIENCE,
    AlreadyImported,
    Checked,
    CsvImport,
    ImportOptions,
    ImportRuns,
    RowRefused,
)
from stratabase.transfer.csv.import_record import ImportRecord, TooManyRefused
from stratabase.transfer.csv.issues import Cause, RefusedRowsFile, RowIssues
from stratabase.transfer.store_state import require_whole
from stratabase.values.wording import pluralize

LOCAL_ROWS_AT_ONCE = 64
"""Rows that are written at the same time to SQLite, which share one commit."""
REMOTE_ROWS_AT_ONCE = 48
"""The same for DynamoDB, where each waits for its own response."""
CSV_IMPORT_EXAMPLES = (
    "stratabase import employees.csv --class Employee --dry-run",
    'stratabase import employees.csv --class Employee --map "Surname=last_name" --map "Team=team.name"',
    "stratabase import employees.csv --class Employee --update-by email --date-format dd/MM/yyyy",
)


def add_csv_import_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments besides the file."""
    group = parser.add_argument_group("options for a CSV file")
    group.add_argument("--class", dest="class_name", metavar="CLASS", help="the class of the objects")
    group.add_argument(
        "--map",
        metavar="COLUMN=NAME",
        action="append",
        default=[],
        help="the attribute or role of a column with another name. Roles name a unique attribute of their "
        "objects, such as team.name. To leave a column out, write nothing after the equals sign",
    )
    group.add_argument(
        "--ignore-other-columns",
        action="store_true",
        help="leave out columns that belong to no attribute or role",
    )
    group.add_argument(
        "--update-by",
        metavar="ATTRIBUTES",
        default="",
        help="update the object with the same unique value, such as email or _id; create it if none. "
        "Separate several attributes of one @unique by commas",
    )
    group.add_argument(
        "--empty",
        choices=("keep", "clear"),
        default="keep",
        help="what an empty cell means: keep the value (a new object gets the default), or clear it",
    )
    group.add_argument("--dry-run", action="store_true", help="check all rows, and write nothing")
    group.add_argument(
        "--skip-invalid", action="store_true", help="write the valid rows, and write the others to a file"
    )
    group.add_argument(
        "--refused",
        metavar="FILE",
        type=Path,
        help="the file for the other rows; the default is the name of FILE with .refused.csv",
    )
    group.add_argument(
        "--force-warnings", action="store_true", help="write in spite of warnings that the model defines"
    )
    group.add_argument(
        "--again", action="store_true", help="create the objects once more, although the file was imported"
    )
    add_csv_options(group)
    add_reading_options(group)


def import_csv(options: argparse.Namespace) -> int:
    """Check the file, and write its rows. You can stop the command at any time and run it again."""
    settings = read_settings()
    file = _open(options)
    is_local = platform_of(settings).is_local(StoreKind.OBJECTS)
    if is_local and options.dry_run and not settings.home.is_dir():
        _note(f"The data folder {settings.home} doesn't exist yet, so the store counts as empty.")
        with TemporaryDirectory() as home:
            return _import(options, replace(settings, home=Path(home)), file)
    if uses_data_folder(settings) and settings.home.is_dir():
        use_data_folder(settings.home)
    return _import(options, settings, file)


def _import(options: argparse.Namespace, settings: Settings, file: CsvFile) -> int:
    instance = App(settings)
    try:
        try:
            return _Import(options, instance, file).run()
        finally:
            instance.close()
    except Unavailable as error:
        text = f"{text_with_cause(error)}\nTo go on, run the same command again."
        raise CommandError(text) from error
    except UnreadableFile as error:
        raise CommandError(str(error)) from error


def _open(options: argparse.Namespace) -> CsvFile:
    try:
        return CsvFile(options.source, encoding=options.encoding, delimiter=delimiter(options))
    except UnreadableFile as error:
        raise CommandError(str(error)) from error


def _mapping(options: argparse.Namespace) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for text in options.map:
        column, equals, name = text.rpartition("=")
        if not equals:
            raise CommandError(
                f'--map: "{text}" has no equals sign. Write, for example, Surname=last_name.', MISUSED
            )
        if column in found:
            raise CommandError(f'--map names the column "{column}" twice.', MISUSED)
        found[column.strip()] = name.strip()
    return found


class _Import:
    """The steps of one command."""

    def __init__(self, options: argparse.Namespace, instance: App, file: CsvFile) -> None:
        self._options = options
        self._instance = instance
        self._file = file
        self._refused_path: Path = options.refused or options.source.with_suffix(".refused.csv")

    def run(self) -> int:
        """Check the rows, write them, and return the exit code."""
        import_ = self._prepare()
        try:
            import_.load(again=self._options.again)
            # A file that can't be written must not be found out after the rows are written.
            writes_refused = self._options.skip_invalid and not self._options.dry_run
            with self._open_refused_file() if writes_refused else nullcontext() as refused_file:
                return self._check_and_write(import_, refused_file)
        except AlreadyImported as imported:
            self._say_imported(imported.record)
            self._write_refused_again(import_, imported.record)
            return 0

    def _check_and_write(self, import_: CsvImport, refused_file: RefusedRowsFile | None) -> int:
        options = self._options
        try:
            record, checked = import_.check(
                self._bar("Checking", self._file.lines, "line"), again=options.again
            )
        except TooManyRefused as error:
            raise CommandError(
                "Too many rows are wrong to skip them. Check --map and the formats."
            ) from error
        for each in checked.null_texts:
            _note(f"{self._file.path}, {each}")
        if checked.issues.count and not (options.skip_invalid and not options.dry_run):
            raise CommandError(self._refusal(checked))
        if options.dry_run:
            effects = ""
            if options.update_by:
                effects = f" ({_counts(checked.effects)})"
            print(
                f"{self._file.path}: {pluralize(checked.rows, 'row')} can be imported{effects}. Nothing was "
                "written."
            )
            return 0
        self._write(import_, record, checked)
        if checked.refused:
            assert refused_file is not None
            self._write_refused(refused_file, checked.refused)
        return 0

    def _prepare(self) -> CsvImport:
        """Match the columns, and prepare the store. Raises CommandError."""
        options, instance = self._options, self._instance
        name, model = find_class(instance.model, options.class_name).name, with_users(instance.model)
        update_by = [each.strip() for each in options.update_by.split(",") if each.strip()]
        cells = cell_formats(options)
        try:
            columns = match_columns(
                model,
                model.classes[name],
                self._file.header,
                _mapping(options),
                update_by=update_by,
                ignores_others=options.ignore_other_columns,
            )
        except UnusableColumns as error:
            raise CommandError(str(error)) from error
        if not options.dry_run:
            if uses_data_folder(instance.settings):
                make_data_folder(instance.settings.home)
            instance.mark_stores()
            require_whole(instance.engine)
            build_before_serving(instance.settings, instance.engine, instance.model, _note)
        local = instance.platform.is_local(StoreKind.OBJECTS)
        if local and not options.dry_run:
            # As `serve` does. Otherwise, its next start would read all objects that this import creates.
            _note(*resolve_owners(instance, print_lines=_note))
        at_once = LOCAL_ROWS_AT_ONCE if local else REMOTE_ROWS_AT_ONCE
        caller = replace(CONSOLE, profile=instance.model.administrator_profile())
        return CsvImport(
            instance.services,
            caller,
            self._file,
            columns,
            cells,
            ImportOptions(options.empty == "clear", options.skip_invalid, options.force_warnings),
            ConcurrentCalls(at_once, threads=1 if local else REMOTE_ROWS_AT_ONCE),
            _note_wait,
        )

    def _write(self, import_: CsvImport, record: ImportRecord, checked: Checked) -> None:
        bar = self._bar("Writing", checked.to_write, "row")
        if checked.went_on:
            _note(f"An earlier run was interrupted. Going on with {pluralize(checked.to_write, 'row')}.")
        try:
            ended = import_.write(record, bar)
        except RowRefused as refused:
            reasons = "\n".join(f"{self._file.path}, {issue}" for issue in refused.issues)
            raise CommandError(
                f"{reasons}\nThis row was valid by itself when all rows were checked. It is refused together "
                "with what was written since: other rows of the file, or writes of others. To write the "
                "other rows, leave the file as it is, and run the same command with --skip-invalid."
            ) from refused
        except ImportRuns as error:
            raise CommandError(
                "Another process has begun to import this file. Wait until it ends."
            ) from error
        bar.clear()
        print(f"{self._file.path}: {_counts(asdict(ended))}.")

    def _open_refused_file(self) -> RefusedRowsFile:
        """Open the file of refused rows. Raises CommandError."""
        path = self._refused_path
        try:
            return RefusedRowsFile(path)
        except FileExistsError as error:
            text = (
                f"{path} exists already. Move it, or name another file with --refused. Nothing was written."
            )
            raise CommandError(text) from error
        except OSError as error:
            raise CommandError(
                f"{path} can't be written ({error.strerror}). Name another file with --refused. Nothing was "
                "written."
            ) from error

    def _write_refused(self, target: RefusedRowsFile, refused: Mapping[int, str]) -> None:
        """Write the file of refused rows. Raises CommandError."""
        try:
            target.write(self._file, refused)
        except OSError as error:
            raise CommandError(
                f"{target.path} can't be written ({error.strerror or 'it exists'}). To write the refused "
                "rows, run the same command again with another file after --refused."
            ) from error
        number = pluralize(len(refused), "row")
        print(f"{target.path}: {number} with the reasons. Correct them, and import this file.")

    def _write_refused_again(self, import_: CsvImport, record: ImportRecord) -> None:
        """Write the refused rows of an import that is complete, unless their file exists."""
        options = self._options
        if not record.refused or not options.skip_invalid or options.dry_run:
            return
        if self._refused_path.exists():
            print(
                f"{self._refused_path} exists already, so the rows that were left out aren't written again."
            )
            return
        with self._open_refused_file() as target:
            self._write_refused(target, import_.check_refused(record))

    def _refusal(self, checked: Checked) -> str:
        """Return the text about rows that can't be imported, when nothing is written."""
        lines = [*_issue_lines(self._file.path, checked.issues)]
        number = pluralize(len(checked.refused), "row")
        lines.append(f"{number} of {checked.rows:,} can't be imported. Nothing was written.")
        if checked.issues.by_cause[Cause.WARNING]:
            lines.append("To write in spite of warnings, use --force-warnings.")
        if checked.to_write and not self._options.skip_invalid:
            lines.append("To import the other rows, use --skip-invalid.")
        return "\n".join(lines)

    def _say_imported(self, record: ImportRecord) -> None:
        assert record.ended is not None
        when = format_instant(record.ended)[:16].replace("T", " ")
        print(
            f"{self._file.path} was imported at {when} UTC: {_counts(asdict(record))}. Nothing was written. "
            "To create the objects once more, use --again."
        )

    def _bar(self, verb: str, total: int, noun: str) -> ProgressBar:
        return ProgressBar(f"{verb} {self._file.path.name}", total, noun)


def _issue_lines(path: Path, issues: RowIssues) -> list[str]:
    lines = [f"{path}, {issue}" for issue in issues.first]
    if issues.more:
        lines.append(f"… and {pluralize(issues.more, 'more issue')}.")
    if issues.by_cause[Cause.ENCODING] > 1:
        number = pluralize(issues.by_cause[Cause.ENCODING], "cell")
        lines.append(f"{number} have bytes that aren't in the encoding. Only the first one is listed.")
    return lines


def _counts(numbers: Mapping[str, int]) -> str:
    """Return the numbers of objects: created, updated, and unchanged."""
    effects = ("created", "updated", "unchanged")
    return ", ".join(
        f"{numbers.get(effect, 0):,} {effect}"
        for effect in effects
        if numbers.get(effect) or effect == "created"
    )


def _note_wait(error: Unavailable) -> None:
    minutes = round(PATIENCE / 60)
    print_note(f"{text_with_cause(error)} The command tries again for up to {minutes} minutes.")


def _note(*lines: str) -> None:
    for line in lines:
        print(line, file=sys.stderr)
