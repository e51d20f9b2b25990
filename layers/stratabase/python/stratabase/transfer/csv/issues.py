"""What is wrong with the rows of a file: line, column and reason."""

from bisect import insort
from collections.abc import Iterable
from typing import NamedTuple

MAX_REPORTED = 100
"""The number of issues that an import reports. It counts the others."""


class RowIssue(NamedTuple):
    """One reason why a row can't be imported. Issues sort by line."""

    line: int
    column: str
    """The name of the column, empty if the issue is about the whole row."""
    reason: str

    def __str__(self) -> str:
        where = f'line {self.line}, column "{self.column}"' if self.column else f"line {self.line}"
        return f"{where}: {self.reason}"

    def in_row(self) -> str:
        """Return the column and the reason, for a text that is next to the row."""
        return f"{self.column}: {self.reason}" if self.column else self.reason


class RowIssues:
    """The issues of a file: the first ones by line, and the number of all."""

    def __init__(self, most: int = MAX_REPORTED) -> None:
        self._most = most
        self.first: list[RowIssue] = []
        self.count = 0

    def add(self, issues: Iterable[RowIssue]) -> None:
        """Add the issues of a row. Rows may come in any order."""
        for issue in issues:
            self.count += 1
            if len(self.first) < self._most or issue < self.first[-1]:
                insort(self.first, issue)
                del self.first[self._most :]
