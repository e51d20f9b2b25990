"""What is wrong with the rows of a file: line, column and reason; and the file of the rows that are left out.

That file has the line and reason of each row, and the original columns. An import ignores the first two. So a
person can correct the file, and import it. They come first, so that a row with too few or too many cells
stays wrong until somebody corrects it.
"""

import csv
import os
import secrets
from bisect import insort
from collections import Counter
from collections.abc import Iterable, Mapping
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple, Self

from stratabase.transfer.csv.columns import LINE, REASON
from stratabase.transfer.csv.csv_file import CsvFile

MAX_REPORTED = 100
"""The number of issues that an import reports. It counts the others."""


class Cause(IntEnum):
    """What makes an issue, as far as one option of the import removes all issues of the same cause."""

    VALUE = 0
    """The row itself."""
    WARNING = 1
    """A warning of the model that does not block writes."""
    ENCODING = 2
    """A byte that is not text in the encoding of the file."""


class RowIssue(NamedTuple):
    """One reason why a row can't be imported."""

    line: int
    column: str
    """The name of the column, empty if the issue is about the whole row."""
    reason: str
    cause: Cause = Cause.VALUE

    def __str__(self) -> str:
        where = f'line {self.line}, column "{self.column}"' if self.column else f"line {self.line}"
        return f"{where}: {self.reason}"

    def in_row(self) -> str:
        """Return the column and the reason, for a text that is next to the row."""
        return f"{self.column}: {self.reason}" if self.column else self.reason


class RowIssues:
    """The issues of a file: the first ones by line, and the number of all.

    Of the issues of the encoding, only the first one is kept, because all of them need the same option.
    """

    def __init__(self, most: int = MAX_REPORTED) -> None:
        self._most = most
        self._first: list[RowIssue] = []
        self._undecodable: RowIssue | None = None
        self.by_cause = Counter[Cause]()
        """The number of issues of each cause."""

    @property
    def count(self) -> int:
        """The number of all issues."""
        return self.by_cause.total()

    @property
    def first(self) -> list[RowIssue]:
        """The issues to report, by line."""
        return sorted([*self._first, *filter(None, [self._undecodable])], key=_line)

    @property
    def more(self) -> int:
        """The number of issues that are not in `first`, besides those of the encoding."""
        return self.count - self.by_cause[Cause.ENCODING] - len(self._first)

    def add(self, issues: Iterable[RowIssue]) -> None:
        """Add the issues of a row, in the order of its columns. Rows may come in any order."""
        for issue in issues:
            self.by_cause[issue.cause] += 1
            if issue.cause is Cause.ENCODING:
                self._undecodable = min(self._undecodable or issue, issue, key=_line)
            elif len(self._first) < self._most or issue.line < self._first[-1].line:
                insort(self._first, issue, key=_line)
                del self._first[self._most :]


def _line(issue: RowIssue) -> int:
    return issue.line


_UNFINISHED = ".part"
"""What the name of the file ends with until it is complete."""


class RefusedRowsFile:
    """The file, which is opened before any row is written, so that its rows can't get lost.

    Use it as a context manager. The file appears at once when it is complete, and replaces no other.
    """

    def __init__(self, path: Path) -> None:
        """Open the file. Raises OSError, FileExistsError if there is such a file."""
        self.path = path
        # Each process has a file of its own, so that two imports with the same target don't mix their rows.
        self._unfinished = path.with_name(f"{path.name}.{secrets.token_hex(4)}{_UNFINISHED}")
        self._require_new()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        self._descriptor: int | None = os.open(self._unfinished, flags, 0o600)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the file, unless it was written."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        self._unfinished.unlink(missing_ok=True)

    def write(self, file: CsvFile, refused: Mapping[int, str]) -> None:
        """Write the refused rows of a file, with its encoding and delimiter. Call it once.

        `refused`: the reasons by row number. Raises OSError, UnreadableFile, FileExistsError if another
        process has written such a file meanwhile.
        """
        kept = [index for index, name in enumerate(file.header) if name not in {LINE, REASON}]
        descriptor, self._descriptor = self._descriptor, None
        assert descriptor is not None
        with os.fdopen(
            descriptor, "w", encoding=file.encoding, errors="surrogateescape", newline=""
        ) as target:
            rows = csv.writer(target, delimiter=file.delimiter)
            rows.writerow([LINE, REASON, *(file.header[index] for index in kept)])
            for row in file.rows():
                if row.number in refused:
                    cells = [row.cells[index] for index in kept if index < len(row.cells)]
                    cells += row.cells[len(file.header) :]
                    reason = _encodable(refused[row.number], file.encoding)
                    rows.writerow([str(row.line), reason, *cells])
            target.flush()
            os.fsync(target.fileno())
        self._publish()

    def _publish(self) -> None:
        """Give the complete file its name. Raises OSError, FileExistsError if there is such a file."""
        try:
            os.link(self._unfinished, self.path)  # unlike a renaming, it replaces no file
        except FileExistsError:
            raise
        except OSError:  # the file system has no links
            self._require_new()
            self._unfinished.rename(self.path)

    def _require_new(self) -> None:
        if self.path.exists() or self.path.is_symlink():
            raise FileExistsError(self.path)


def _encodable(text: str, encoding: str) -> str:
    """Return a text without the characters that an encoding lacks."""
    return text.encode(encoding, "backslashreplace").decode(encoding).removeprefix("\ufeff")
