"""The text of a cell for a value, and the value of a text.

A spreadsheet takes a text for a formula if it begins with one of `=`, `+`, `-`, `@`, a tab or a carriage
return. So an apostrophe is written before such a text, and removed when it is read. Numbers and phone numbers
get none, because a formula without letters calls nothing. An empty cell means no value, and a single
apostrophe means an empty text. A text of these kinds that begins with apostrophes itself gets one more. So
each text is read as it was written.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, field
from typing import Any

from stratabase.core.model.types.base import BOOLEAN_STORAGE, AttributeType
from stratabase.core.model.types.string import TextualType
from stratabase.core.model.types.temporal import TemporalType
from stratabase.values.formats.date_fields import DatePart
from stratabase.values.formats.invalid_value import describe_value
from stratabase.values.formats.preferences import ISO_FORMAT, Formats
from stratabase.values.frozen import frozen

_QUOTABLE = re.compile(r"'*(?:[=+\-@\t\r]|\Z)")
"""The start of a text that an apostrophe before it changes: it is removed when the text is read."""
_SIGNED_DIGITS = re.compile(r"[+-][0-9 ()./,-]*")
"""A number or phone number, which is written without an apostrophe."""
_APOSTROPHES = re.compile(r"'*")
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}

ISO_FORMATS = Formats(date_format="yyyy-MM-dd", time_format="HH:mm:ss")
"""The formats that accept ISO 8601 only, so that nothing mistakes a day for a month."""

_FORMAT_OPTIONS: Mapping[frozenset[DatePart], str] = {
    frozenset({DatePart.DATE}): "--date-format, such as dd/MM/yyyy",
    frozenset({DatePart.TIME}): "--time-format, such as HH:mm",
    frozenset({DatePart.DATE, DatePart.TIME}): "--date-format and --time-format",
}
"""By the parts of a date or time that a type has: the options that name their format."""


def advice_on_options(type_: AttributeType) -> str | None:
    """Return which options tell how the cells of a file spell the values of a type, None if none does."""
    if isinstance(type_, TemporalType):
        return f"If the file has another format, name it with {_FORMAT_OPTIONS[type_.needed_parts]}."
    if type_.grouped:
        return "If the file has other separators, name them with --decimal and --thousands."
    return None


class InvalidCell(Exception):
    """A cell doesn't spell a value as the options say. The text says how."""


@frozen
class CellFormats:
    """How the cells of a file spell values."""

    formats: Formats = ISO_FORMATS
    """The formats of dates and times, their time zone, and the language of their names."""
    decimal: str = "."
    """The decimal separator of numbers."""
    group: str = ""
    """The separator between groups of three digits. Empty: numbers have none."""
    writes_patterns: frozenset[DatePart] = field(default=frozenset())
    """The parts that `formats` writes: dates, times. Values without such a part are written in ISO 8601."""
    nulls: frozenset[str] = field(default=frozenset())
    """The texts of cells that mean no value, besides the empty one."""
    keeps_formulas: bool = False
    """Whether texts have no apostrophe before what a spreadsheet takes for a formula."""

    def describe_reading(self) -> dict[str, object]:
        """Return how cells are read. It is the same in each process, so that a later run knows its import."""
        described: dict[str, object] = {
            **asdict(self.formats),
            "decimal": self.decimal,
            "group": self.group,
        }
        # Earlier versions did not have these options. Without them, the description stays as it was.
        if self.nulls:
            described["nulls"] = sorted(self.nulls)
        if self.keeps_formulas:
            described["keeps_formulas"] = True
        return described

    def without_nulls(self, cells: list[str]) -> list[str]:
        """Return the cells of a row with an empty text for each cell that means no value."""
        return ["" if text.strip() in self.nulls else text for text in cells]

    def reader(self, type_: AttributeType) -> Callable[[str], Any]:
        """Return the function from a text that is not empty to its value, for `AttributeType.read`.

        It raises InvalidCell.
        """
        if isinstance(type_, TextualType):
            unquote = _without_empty_quote if self.keeps_formulas else without_quote
            return unquote if type_.unrestricted else lambda text: unquote(text.strip())
        if type_.storage is BOOLEAN_STORAGE:
            return _boolean
        if type_.numbers is not None and type_.grouped and (self.decimal != "." or self.group):
            return _NumberReader(type_.name, self.decimal, self.group, whole=type_.numbers.whole)
        return str.strip

    def writer(self, type_: AttributeType) -> Callable[[Any], str]:
        """Return the function that returns the text of a stored value, which is empty for null."""
        if isinstance(type_, TextualType):
            quote = _with_empty_quote if self.keeps_formulas else with_quote
            return lambda stored: "" if stored is None else quote(stored)
        if isinstance(type_, TemporalType) and type_.needed_parts & self.writes_patterns:
            write: Callable[[Any], Any] = type_.exact_serializer(self.formats)
        else:
            write = type_.serializer(ISO_FORMAT, self.formats)
        if type_.storage is BOOLEAN_STORAGE:
            return lambda stored: "" if stored is None else _boolean_text(write(stored))
        if type_.numbers is not None and not type_.numbers.whole:
            return lambda stored: "" if stored is None else str(write(stored)).replace(".", self.decimal)
        return lambda stored: "" if stored is None else str(write(stored))


def with_quote(text: str) -> str:
    """Return a text with an apostrophe before it, if a spreadsheet would run it as a formula."""
    return f"'{text}" if _QUOTABLE.match(text) and not _SIGNED_DIGITS.fullmatch(text) else text


def without_quote(text: str) -> str:
    """Return the text for which `with_quote` returns this one."""
    return text[1:] if text.startswith("'") and _QUOTABLE.match(text) else text


def _with_empty_quote(text: str) -> str:
    """Return a text with an apostrophe before it if it has no other character, so that no cell is empty."""
    return f"'{text}" if _APOSTROPHES.fullmatch(text) else text


def _without_empty_quote(text: str) -> str:
    """Return the text for which `_with_empty_quote` returns this one."""
    return text[1:] if _APOSTROPHES.fullmatch(text) else text


def _boolean(text: str) -> bool:
    """Return the value of a text. Raises InvalidCell."""
    value = _BOOLEANS.get(text.strip().lower())
    if value is None:
        raise InvalidCell(
            f"{describe_value(text)} is not a valid Boolean. Use true, yes or 1, or false, no or 0."
        )
    return value


_SPELLINGS_OF_GROUPS = (" \u00a0\u202f\u2009", "'\u2019")
"""Separators that look alike: spaces that do or don't break a line, and apostrophes."""


class _NumberReader:
    """Reads numbers with a decimal separator and groups of three digits.

    A group separator also stands for those that look like it.
    """

    def __init__(self, name: str, decimal: str, group: str, *, whole: bool) -> None:
        self._name = name
        self._whole = whole
        self._decimal = decimal
        self._group = group
        alike = next((each for each in _SPELLINGS_OF_GROUPS if group and group in each), group)
        self._no_groups = str.maketrans("", "", alike)
        digits = f"[0-9]{{1,3}}(?:[{re.escape(alike)}][0-9]{{3}})++|[0-9]*+" if group else "[0-9]*+"
        self._pattern = re.compile(f"([+-]?)({digits})(?:{re.escape(decimal)}([0-9]*+))?+([eE][+-]?[0-9]+)?+")

    def __call__(self, text: str) -> str:
        """Return a number with a point and without groups. Raises InvalidCell if it is spelled otherwise."""
        spelled = self._pattern.fullmatch(text.strip())
        if spelled is None or not (spelled[2] or spelled[3]):
            raise InvalidCell(self._advice(text))
        sign, whole, fraction, exponent = spelled.groups("")
        return f"{sign}{whole.translate(self._no_groups) or '0'}{'.' if fraction else ''}{fraction}{exponent}"

    def _advice(self, text: str) -> str:
        example = f"1{self._group}234" if self._whole else f"1{self._group}234{self._decimal}5"
        return f"{describe_value(text)} is not a valid {self._name}. Write it like {example}."


def _boolean_text(value: Any) -> str:
    return "true" if value else "false"
