"""Texts by which databases and statistics programs write that a cell has no value."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stratabase.core.model.types.string import TextType
from stratabase.transfer.csv.columns import Columns
from stratabase.values.formats.invalid_value import describe_value
from stratabase.values.wording import pluralize

_OF_DATABASES = frozenset({"NULL", "\\N"})
_AMBIGUOUS = frozenset({"NA", "N/A"})
"""These can be values, too, such as codes. So they are noticed only if a column has nothing else."""


class NullTexts(NamedTuple):
    """The cells of a text column that probably mean no value."""

    header: str
    texts: Sequence[str]
    """The different texts of these cells."""
    number: int
    """The number of these cells."""

    def __str__(self) -> str:
        found = " or ".join(describe_value(text) for text in self.texts)
        options = " ".join(f"--null {shlex.quote(text)}" for text in self.texts)
        return (
            f'column "{self.header}": the text of {pluralize(self.number, "cell")} is {found}. If it means '
            f"that there is no value, use {options}."
        )


class NullTextCounts:
    """Counts the cells of text columns that probably mean no value."""

    def __init__(self, columns: Columns) -> None:
        self._columns = [
            (column.index, column.header, Counter[str]())
            for column in columns.attributes.values()
            if isinstance(column.type, TextType)
        ]
        self._others = Counter[str]()
        """By column: the number of cells with other texts."""

    def add(self, cells: Sequence[str]) -> None:
        """Count the cells of a row."""
        for index, header, counts in self._columns:
            text = cells[index]
            if text in _OF_DATABASES or text in _AMBIGUOUS:
                counts[text] += 1
            elif text:
                self._others[header] += 1

    def found(self) -> list[NullTexts]:
        """Return the columns with such cells."""
        found = []
        for _, header, counts in self._columns:
            noticed = _of_column(counts, is_alone=not self._others[header])
            if noticed:
                found.append(NullTexts(header, sorted(noticed), sum(noticed.values())))
        return found


def _of_column(counts: Mapping[str, int], *, is_alone: bool) -> Mapping[str, int]:
    return {text: number for text, number in counts.items() if is_alone or text in _OF_DATABASES}


def advice_for(text: str) -> str | None:
    """Return what to do if the text of a cell that is not a value of its type probably means no value."""
    known = text.strip()
    if known not in _OF_DATABASES and known not in _AMBIGUOUS:
        return None
    return f"If it means that there is no value, use --null {shlex.quote(known)}."
