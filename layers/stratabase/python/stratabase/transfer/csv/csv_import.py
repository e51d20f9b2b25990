"""The import of a CSV file: it checks all rows, and then writes them by the ordinary write pipeline.

An import can be interrupted at any point. When it runs again, it goes on (see `import_record`).
"""

import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple, Protocol

from stratabase.core import waiting
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Refused, StoreOutOfService, Unavailable
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.operations.context import Services
from stratabase.core.operations.write.options import WriteOptions
from stratabase.core.operations.write.pipeline import Write
from stratabase.transfer.csv.cells import CellFormats
from stratabase.transfer.csv.columns import Columns
from stratabase.transfer.csv.csv_file import CsvFile, CsvRow
from stratabase.transfer.csv.import_record import (
    ImportRecord,
    ImportRecords,
    new_record,
    unpack_rows,
    with_refused,
)
from stratabase.transfer.csv.issues import RowIssue, RowIssues
from stratabase.transfer.csv.null_texts import NullTexts
from stratabase.transfer.csv.row_check import ObjectNames, RowCheck, effect_of, row_issues
from stratabase.transfer.csv.row_order import RowOrder
from stratabase.transfer.csv.row_reader import RowReader
from stratabase.transfer.format import ReportDone

_SAVE_INTERVAL = 2.0
"""The seconds between two updates of the record."""
_ROWS_PER_REPORT = 100
"""The number of rows that are reported together."""
ROWS_PER_CHECK = 32
"""The number of rows that are checked together."""
_ROWS_PER_LOOK = 100
"""The number of rows whose objects are looked up together, when an import goes on."""

_VALID_NOW = "This row was left out, but is valid now."
"""The reason of a row that was refused when the file was imported, and would not be refused now."""

_FIRST_PAUSE = 0.5
_MAX_PAUSE = 20.0
"""Seconds. Each pause is twice as long as the one before, up to this limit."""
_SILENCE = 2.0
"""The seconds without any success after which an import says what it waits for."""
PATIENCE = 300.0
"""The seconds without any success after which an import gives up."""
_SUCCESSES_PER_STEP = 64


class ConcurrentRuns(Protocol):
    """Runs functions at the same time."""

    at_once: int
    """The maximum number of functions that run at the same time. It can change while they run."""

    def __call__(self, works: Iterable[Callable[[], None]]) -> None:
        """Run all functions. After an exception, start no other, and raise it when the others have ended."""


class ImportOptions(NamedTuple):
    """What an import does with the rows."""

    clears: bool = False
    """Whether an empty cell sets null. Otherwise it leaves the attribute or role as it is."""
    skips_invalid: bool = False
    """Whether to write the valid rows if others are not."""
    forces_warnings: bool = False
    """Whether to write in spite of warnings of the model."""


class AlreadyImported(Exception):
    """The same file was imported completely."""

    def __init__(self, record: ImportRecord) -> None:
        super().__init__(record)
        self.record = record


class ImportRuns(Exception):
    """Another process has begun to import the same file."""


class RowRefused(Exception):
    """A row that was valid by itself when all rows were checked is refused after what was written since.

    Other rows of the file may have written it, because all rows are checked before the first one is written.
    """

    def __init__(self, issues: Sequence[RowIssue]) -> None:
        super().__init__(*issues)
        self.issues = issues


class Checked(NamedTuple):
    """The result of checking all rows."""

    rows: int
    to_write: int
    """The number of rows to write: neither refused nor written before."""
    issues: RowIssues
    refused: dict[int, str]
    """By the number of a refused row: the reasons."""
    went_on: bool
    """Whether an earlier run of the same import was interrupted."""
    effects: Mapping[str, int]
    """The numbers of objects that the rows to write would create, update or leave unchanged."""
    null_texts: Sequence[NullTexts]
    """The columns of texts that probably mean no value."""


class CsvImport:
    """One import. Call `check`, and then `write`."""

    def __init__(  # noqa: PLR0913, PLR0917 - what is imported, and how
        self,
        services: Services,
        caller: Caller,
        file: CsvFile,
        columns: Columns,
        cells: CellFormats,
        options: ImportOptions,
        run: ConcurrentRuns,
        report_wait: Callable[[Unavailable], None] = lambda _: None,
    ) -> None:
        """`report_wait`: see `Pace`."""
        self._services = services
        self._caller = replace(caller, formats=cells.formats)
        self._file = file
        self._columns = columns
        self._cells = cells
        self._options = options
        self._run = run
        self._pace = Pace(run, report_wait=report_wait)
        self._write_options = WriteOptions(force=options.forces_warnings)
        self._reader = RowReader(services, self._caller, file, columns, cells, clears=options.clears)
        meaning = {
            "class": columns.class_.name,
            "columns": columns.describe(),
            "cells": cells.describe_reading(),
            "clears": options.clears,
        }
        self._records = ImportRecords(services.entities, file.digest, meaning)
        self._order = RowOrder({})
        self._written: set[int] = set()
        """The numbers of rows that earlier runs wrote, besides those before `next_row`."""
        self._refused: dict[int, str] = {}
        self._replaced: ImportRecord | None = None
        """The record of a complete import of the same file, which this import replaces."""

    def load(self, *, again: bool = False) -> ImportRecord | None:
        """Return the record of the last import of the file, None if there is none.

        `again`: see `check`. Raises AlreadyImported, Unavailable.
        """
        earlier = self._records.load()
        if earlier is not None and earlier.ended is not None and not again and self._columns.key is None:
            raise AlreadyImported(earlier)
        return earlier

    def check_refused(self, record: ImportRecord) -> dict[int, str]:
        """Return why rows were left out of a complete import, by row number. Raises Unavailable."""
        known = unpack_rows(record.refused)
        state = self._check_state(record, lambda _: None)
        rows = (row for row in self._rows() if row.number in known)
        self._run_checks(rows, state)
        return {number: self._refused.get(number, _VALID_NOW) for number in sorted(known)}

    def check(self, progress: ReportDone, *, again: bool = False) -> tuple[ImportRecord, Checked]:
        """Check all rows, and return the record of the import with the result.

        `progress` gets lines of the file, because the number of its rows is not known before.
        `again`: import the file once more if it was imported completely. A file whose rows update objects
        may always be imported again. Raises AlreadyImported, UnreadableFile, Unavailable, TooManyRefused.
        """
        earlier = self.load(again=again)
        if earlier is not None and earlier.ended is not None:
            self._replaced, earlier = earlier, None
        known = unpack_rows(earlier.refused) if earlier else set()
        record = earlier or new_record(
            self._file.path.name, self._columns.class_.name, self._services.clock.now(), ()
        )
        state = self._check_state(record, progress)
        self._add_objects(record)
        self._run_checks(self._unwritten(state, known, is_resumed=earlier is not None), state)
        self._refuse_dependents(state)
        if self._options.skips_invalid:
            record = with_refused(record, self._refused)
        return record, Checked(
            state.rows,
            state.to_write,
            state.issues,
            self._refused,
            earlier is not None,
            state.check.effects,
            state.check.null_texts.found(),
        )

    def _rows(self) -> Iterator[CsvRow]:
        """Yield the rows of the file, with an empty text for each cell that means no value."""
        if not self._cells.nulls:
            return self._file.rows()
        return (row._replace(cells=self._cells.without_nulls(row.cells)) for row in self._file.rows())

    def _add_objects(self, record: ImportRecord) -> None:
        """Read the file once before, if its rows can lead to one another."""
        objects = self._reader.objects
        if objects.exist:
            objects.id_of = record.id_of
            for row in self._rows():
                objects.add(row)

    def _refuse_dependents(self, state: "_CheckState") -> None:
        """Refuse the valid rows that lead to rows which are not written, or to one another in a circle."""
        self._order = RowOrder(state.check.needs)
        for number, need, is_circle in [*self._order.unwritable(self._refused)]:
            line, effect = state.check.lines[number]
            reason = (
                f"This row and line {need.line} lead to each other in a circle, perhaps along others. Leave "
                "this cell empty, and set it afterwards by an import with --update-by."
                if is_circle
                else f"Line {need.line}, to which it leads, can't be imported."
            )
            issue = RowIssue(line, need.columns, reason)
            state.issues.add([issue])
            self._refused[number] = issue.in_row()
            state.check.effects[effect] -= 1
            state.to_write -= 1
        state.check.effects = +state.check.effects

    def _check_state(self, record: ImportRecord, progress: ReportDone) -> "_CheckState":
        check = RowCheck(self._services, self._caller, self._columns, self._reader, self._write_options)
        return _CheckState(record, check, _Report(progress))

    def _run_checks(self, rows: Iterable[CsvRow], state: "_CheckState") -> None:
        self._run(
            partial(self._pace.run, partial(self._check_block, block, state))
            for block in _blocks(rows, ROWS_PER_CHECK)
        )

    def _unwritten(
        self, state: "_CheckState", known: Container[int], *, is_resumed: bool
    ) -> Iterator[CsvRow]:
        """Yield the rows to check. `known`: the rows that an earlier run refused."""
        for row, is_written, entity in self._with_written(state.record, is_resumed=is_resumed):
            state.rows += 1
            state.report.reach(row.line)
            if is_written:
                self._written.add(row.number)
                if entity is not None:
                    state.check.note(row, entity)
            elif row.number >= state.record.next_row or row.number in known:
                yield row

    def _check_block(self, rows: Sequence[CsvRow], state: "_CheckState") -> None:
        """Check rows that are not written. Raises Unavailable."""
        ids = [state.record.id_of(row.number) for row in rows]
        for row, found in zip(rows, state.check.issues(rows, ids), strict=True):
            if found:
                state.issues.add(found)
                self._refused[row.number] = " ".join(issue.in_row() for issue in found)
            else:
                state.to_write += 1

    def write(self, record: ImportRecord, progress: ReportDone) -> ImportRecord:
        """Write the checked rows that are not refused, and return the record of the finished import.

        Raises RowRefused, UnreadableFile, Unavailable. Then the import can go on later. Raises ImportRuns.
        """
        self._file.check_unchanged()
        state = _WriteState(record if record.next_row else self._begin(record), progress)
        known = unpack_rows(record.refused) - self._refused.keys() if record.next_row else set()
        first = state.record.next_row
        self._reader.is_writing = True

        def works() -> Iterator[Callable[[], None]]:
            for row in self._rows():
                is_wanted = row.number >= first or row.number in known
                if is_wanted and row.number not in self._refused and row.number not in self._written:
                    state.running.add(row.number)
                    if not self._order.hold(row):
                        yield partial(self._write_row, row, state)
                state.next_row = row.number + 1
                if time.monotonic() >= state.due:
                    state.due = time.monotonic() + _SAVE_INTERVAL
                    yield partial(self._pace.run, lambda: self._records.save(self._present(state)))

        try:
            self._run(works())
            # Then the rows that lead to others of the file: each time those whose targets are written.
            while released := self._order.release(state.take_needed()):
                self._run(partial(self._write_row, row, state) for row in released)
            # The objects of these targets were written before, and deleted since.
            self._run(partial(self._write_row, row, state) for row in self._order.release_all())
        except BaseException:
            self._save_after_error(state)
            raise
        ended = replace(self._present(state), ended=self._services.clock.now())
        if self._columns.key is None:
            # Interrupted runs could not record the last objects that they created.
            ended = replace(ended, created=state.next_row - len(self._refused))
        self._pace.run(lambda: self._records.save(ended))
        return ended

    def _begin(self, record: ImportRecord) -> ImportRecord:
        """Store the record before the first write. Raises ImportRuns."""
        if self._replaced is not None and self._records.load() == self._replaced:
            self._records.forget()
        if self._records.begin(record).seed != record.seed:
            raise ImportRuns
        return record

    def _save_after_error(self, state: "_WriteState") -> None:
        with suppress(Unavailable):  # the rows that are written are found by their ids
            self._records.save(self._present(state))

    def _present(self, state: "_WriteState") -> ImportRecord:
        """Return the record as it is now. Rows that are being written count as not written."""
        record = replace(state.record, next_row=min(state.running, default=state.next_row), **state.counts)
        return with_refused(record, self._refused) if self._options.skips_invalid else record

    def _write_row(self, row: CsvRow, state: "_WriteState") -> None:
        """Write a row until it is known to be written or refused. Raises RowRefused, Unavailable."""
        is_repeated = False

        def write() -> None:
            nonlocal is_repeated
            if is_repeated and self._is_written(row, state.record):
                state.count("created")
                return
            is_repeated = True
            self._try_write(row, state)

        try:
            self._pace.run(write)
        except Refused as refusal:
            # A process that runs the same import may have written the row meanwhile.
            if self._is_written(row, state.record):
                state.count("created")
                self._end(row, state)
                return
            named = ObjectNames(self._services, self._caller)
            named.read(refusal.issues)
            command = self._reader.command(row)
            issues = tuple(row_issues(self._reader, self._columns, command, refusal.issues, named))
            self._refuse(row, issues)
        state.report.add(1)
        self._end(row, state)

    def _end(self, row: CsvRow, state: "_WriteState") -> None:
        state.running.discard(row.number)
        if self._order.is_needed(row.number):
            state.needed.append(row.number)

    def _try_write(self, row: CsvRow, state: "_WriteState") -> None:
        read = self._reader.command(row)
        if read.issues:
            self._refuse(row, read.issues)
            return
        new_id = partial(state.record.id_of, row.number)
        write = Write(self._services, read.command, self._caller, options=self._write_options, new_id=new_id)
        outcome = write.commit()
        state.count(effect_of(read, outcome.change))

    def _refuse(self, row: CsvRow, issues: Sequence[RowIssue]) -> None:
        """Add a row to the refused ones, or stop the import."""
        if not self._options.skips_invalid:
            raise RowRefused(issues)
        self._refused[row.number] = " ".join(issue.in_row() for issue in issues)

    def _is_written(self, row: CsvRow, record: ImportRecord) -> bool:
        ((is_written, _),) = self._look_up([row], record)
        return is_written

    def _with_written(
        self, record: ImportRecord, *, is_resumed: bool
    ) -> Iterator[tuple[CsvRow, bool, Entity | None]]:
        """Yield each row with whether an earlier run of the import wrote it, and the object if it exists."""
        if not is_resumed:
            yield from ((row, False, None) for row in self._rows())
            return
        for rows in _blocks(self._rows(), _ROWS_PER_LOOK):
            for row, (is_written, entity) in zip(rows, self._look_up(rows, record), strict=True):
                yield row, is_written, entity

    def _look_up(self, rows: Sequence[CsvRow], record: ImportRecord) -> Iterator[tuple[bool, Entity | None]]:
        """Yield for each row whether an import created its object, and the object if it still exists.

        Of objects that were deleted since, only those of versioned classes are found.
        """
        class_ = self._columns.class_
        references = [Reference(class_.name, record.id_of(row.number)) for row in rows]
        entities = self._services.entities.read(references)
        lost = [each for each, entity in zip(references, entities, strict=True) if entity is None]
        tombstones = self._services.entities.tombstones(lost) if lost and class_.versioned else ()
        deleted = {each.reference for each in tombstones if each is not None}
        for reference, entity in zip(references, entities, strict=True):
            yield entity is not None or reference in deleted, entity


def _blocks(rows: Iterable[CsvRow], size: int) -> Iterator[Sequence[CsvRow]]:
    rest = iter(rows)
    while block := list(islice(rest, size)):
        yield block


class _CheckState:
    """How far the rows are checked."""

    def __init__(self, record: ImportRecord, check: RowCheck, report: "_Report") -> None:
        self.record = record
        self.check = check
        self.report = report
        self.issues = RowIssues()
        self.rows = 0
        """The number of rows so far."""
        self.to_write = 0
        """The number of rows without issues that are not written."""


class _WriteState:
    """How far the rows are written."""

    def __init__(self, record: ImportRecord, progress: ReportDone) -> None:
        self.record = record
        """The record as it was when the writing began."""
        self.report = _Report(progress)
        self.counts = {kind: getattr(record, kind) for kind in ("created", "updated", "unchanged")}
        self.next_row = record.next_row
        self.running: set[int] = set()
        """The rows that are being written, or wait for others."""
        self.needed: list[int] = []
        """The rows that have ended and for which others may wait."""
        self.due = time.monotonic() + _SAVE_INTERVAL
        """When the record is saved next."""

    def take_needed(self) -> list[int]:
        """Return the rows that have ended and for which others may wait, each once."""
        taken, self.needed = self.needed, []
        return taken

    def count(self, kind: str) -> None:
        """Add one to a number of the record: created, updated or unchanged."""
        self.counts[kind] += 1


class _Report:
    """Reports rows or lines many at a time, because a report takes as long as a part of a row."""

    def __init__(self, progress: ReportDone) -> None:
        self._progress = progress
        self._number = 0
        self._line = 0

    def add(self, number: int) -> None:
        """Count rows or lines that are done."""
        self._number += number
        if self._number >= _ROWS_PER_REPORT:
            self._progress(self._number)
            self._number = 0

    def reach(self, line: int) -> None:
        """Count the lines after those counted so far, up to a line of the file."""
        self.add(line - self._line)
        self._line = line


class Pace:
    """Repeats what the store was too busy for, and halves the number of rows that are written at once.

    Successes raise the number again, so that it stays near what the store can do.
    """

    def __init__(
        self,
        concurrency: ConcurrentRuns,
        clock: Callable[[], float] = time.monotonic,
        report_wait: Callable[[Unavailable], None] = lambda _: None,
    ) -> None:
        """`report_wait`: is called when nothing succeeds for some seconds, once until the next success."""
        self._report_wait = report_wait
        self._concurrency = concurrency
        self._most = concurrency.at_once
        self._clock = clock
        self._last_success = clock()
        self._successes = 0
        self._pause = _FIRST_PAUSE
        self._is_reported = False
        self.pauses = 0
        """The number of pauses so far."""

    def run(self, work: Callable[[], None]) -> None:
        """Call a function until it does not raise Unavailable. Raises it after PATIENCE without a success."""
        while True:
            begin = self._clock()
            try:
                work()
            except StoreOutOfService:
                raise  # it takes a person
            except Unavailable as error:
                if self._clock() - self._last_success > PATIENCE:
                    raise
                self._report(error)
                self._slow_down(begin)
            else:
                self._succeed()
                return

    def _report(self, error: Unavailable) -> None:
        """Report once that calls fail for longer than the first pauses."""
        if not self._is_reported and self._clock() - self._last_success > _SILENCE:
            self._is_reported = True
            self._report_wait(error)

    def _slow_down(self, begin: float) -> None:
        if begin >= self._last_success or self._successes:  # calls that fail together count once
            self._concurrency.at_once = max(1, self._concurrency.at_once // 2)
            self._successes = 0
        pause, self._pause = self._pause, min(_MAX_PAUSE, 2 * self._pause)
        self.pauses += 1
        waiting.pause(pause)

    def _succeed(self) -> None:
        self._last_success = self._clock()
        self._is_reported = False
        self._pause = _FIRST_PAUSE
        self._successes += 1
        if self._successes % _SUCCESSES_PER_STEP == 0 and self._concurrency.at_once < self._most:
            self._concurrency.at_once += 1
