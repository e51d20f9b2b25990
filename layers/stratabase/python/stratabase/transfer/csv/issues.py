"""What is wrong with the rows of a file: line, column and reason."""

from bisect import insort
from collections import Counter
from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

MAX_REPORTED = 100
"""The number of issues that an import reports. It counts the others."""


class Cause(IntEnum):
    """What makes an issue, as far as one option of the import removes all issues of the same cause."""

    VALUE = 0
    """The row itself."""
    WARNING = 1
    """A warning of the model that does not block writes."""
    ENCODING = 2
    """A byte that is no text in the encoding of the file."""


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
