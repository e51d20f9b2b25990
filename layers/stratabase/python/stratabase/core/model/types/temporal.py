"""The base class of Date, Time and Datetime, which accept the member's own format and ISO 8601."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import Any, ClassVar

from stratabase.core.model.types.base import OrderedType, Stored
from stratabase.values.formats.date_fields import DatePart, LetterRun
from stratabase.values.formats.date_pattern import compile_date_pattern, likely_date_pattern
from stratabase.values.formats.invalid_value import InvalidValue, describe_value
from stratabase.values.formats.preferences import DEFAULT_FORMATS, ISO_FORMAT, Formats
from stratabase.values.messages import Message, _
from stratabase.values.text_cache import cache_short_texts

_MAX_LENGTH = 200
_REMEMBERED_DAYS = 4096
"""The number of days whose texts in one format are kept. They are those of eleven years."""
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


DATE_SLICES: Mapping[LetterRun, slice] = {
    LetterRun("y", 4): slice(0, 4),
    LetterRun("y", 2): slice(2, 4),
    LetterRun("M", 2): slice(5, 7),
    LetterRun("d", 2): slice(8, 10),
}
"""By run of a letter of a date pattern: the slice of a stored day, such as `2020-01-31`."""


def time_slices(start: int) -> Mapping[LetterRun, slice]:
    """Return the same for a stored time, such as `10:30:00.000`, which starts at a position of a text."""
    return {
        LetterRun("H", 2): slice(start, start + 2),
        LetterRun("m", 2): slice(start + 3, start + 5),
        LetterRun("s", 2): slice(start + 6, start + 8),
        LetterRun("S", 3): slice(start + 9, start + 12),
    }


class OutOfCalendar(InvalidValue):
    """A moment whose year in UTC is not from 1 to 9999, although its year in its own time zone is."""

    def __init__(self, message: Message, nearest: str) -> None:
        super().__init__(message)
        self.nearest = nearest
        """The stored form of the first or the last moment. Comparisons can use it instead."""


class TemporalType(OrderedType):
    """A type of dates or times. Its stored form has a fixed width, so that it sorts as text."""

    takes_format = True
    allowed_parts: ClassVar[frozenset[DatePart]]
    """The parts of a date or time that a pattern can contain."""
    needed_parts: ClassVar[frozenset[DatePart]]
    """The parts of a date or time that a text must contain."""
    example: ClassVar[str]
    """A stored value, as an example in messages."""

    @abstractmethod
    def default_pattern(self, formats: Formats) -> str:
        """Return the member's own pattern, or `iso`."""

    @abstractmethod
    def to_stored(self, moment: datetime) -> str:
        """Return the stored form of a moment in its time zone, without finer parts."""

    def completed(self, beginning: str) -> str:
        """Return the first stored value that begins with a year, a month, a day or an hour."""
        return beginning + self.to_stored(_FIRST)[len(beginning) :]

    @abstractmethod
    def from_stored(self, zone: tzinfo) -> Callable[[str], datetime]:
        """Return a function from a stored value to a moment in a time zone."""

    @abstractmethod
    def slices(self, zone: tzinfo) -> Mapping[LetterRun, slice] | None:
        """Return which slices of stored values are the fields of a moment in a time zone.

        Returns None if a time zone changes the fields. By run of a letter of a date pattern.
        """

    @abstractmethod
    def from_iso(self, text: str) -> datetime | None:
        """Return the moment that a text in ISO 8601 means, or None if the text is not in that format."""

    def iso_serializer(self, formats: Formats) -> Callable[[Any], str]:
        """Return a function that writes stored values in ISO 8601. The stored form of most types is that."""
        del formats
        return str

    def zone(self, formats: Formats) -> tzinfo:
        """Return the time zone in which values are read and written."""
        del formats
        return UTC

    def read(self, value: Any, formats: Formats) -> Stored:
        """Return the stored form of a text in the member's format or in ISO 8601. Raises InvalidValue."""
        pattern = self.default_pattern(formats)
        moment = self._moment(value, pattern, formats)
        if moment is None and isinstance(value, str):
            moment = self.from_iso(value)
        if moment is None:
            raise self._not_valid(value, pattern, formats)
        return self._stored(moment, value, formats)

    def _not_valid(self, value: Any, pattern: str, formats: Formats) -> InvalidValue:
        """Return the refusal of a text that is neither in a pattern nor in ISO 8601."""
        shown = self._show_example(pattern, formats) if self._can_read(pattern, formats) else self.example
        if shown == self.example:  # one format, not the same one twice
            message = _(
                "{value} is not a valid {type}. Use ISO 8601 (for example, {example}).",
                value=describe_value(value),
                type=self.name,
                example=shown,
            )
        else:
            message = _(
                "{value} is not a valid {type}. "
                "Use the format {pattern} (for example, {example}) or ISO 8601 (for example, {iso_example}).",
                value=describe_value(value),
                type=self.name,
                pattern=pattern,
                example=shown,
                iso_example=self.example,
            )
        return InvalidValue(message)

    def value_of(self, text: str) -> Stored:
        """Return a date or time that is spelled as this type stores it."""
        if len(text) != len(self.example):
            return None
        moment = self.from_iso(text)
        try:
            return (
                text if moment is not None and self._stored(moment, text, DEFAULT_FORMATS) == text else None
            )
        except OutOfCalendar:
            return None

    def read_as(self, pattern: str, value: Any, formats: Formats) -> Stored:
        """Return the stored form of a text in one pattern, in the member's time zone and language.

        Raises InvalidValue, also for a text in ISO 8601. For that, callers try `read_offset` before.
        """
        moment = self._moment(value, pattern, formats)
        if moment is None:
            message = _(
                "{value} is not a valid {type}. Use the format {pattern} (for example, {example}) "
                "or ISO 8601 with an offset (for example, {iso_example}).",
                value=describe_value(value),
                type=self.name,
                pattern=pattern,
                example=self._show_example(pattern, formats),
                iso_example=self.example,
            )
            raise InvalidValue(message)
        return self._stored(moment, value, formats)

    def serializer(self, pattern: str, formats: Formats) -> Callable[[Any], Any]:
        """Return a function that writes values in the member's format, in ISO 8601, or in a Java pattern."""
        used_pattern = self.default_pattern(formats) if pattern == "default" else pattern
        if used_pattern == ISO_FORMAT:
            return self.iso_serializer(formats)
        return _writer(
            self, used_pattern, self.zone(formats), formats.language, is_default=pattern == "default"
        )

    def exact_serializer(self, formats: Formats) -> Callable[[Any], str]:
        """Return a function that writes values so that `read` gives the same values back.

        It uses the member's format, or ISO 8601 for a value that the format can't give back: seconds that it
        leaves out, or a time that occurs twice because clocks are put back.
        """
        write, write_iso = self.serializer("default", formats), self.iso_serializer(formats)

        def write_exactly(stored: Any) -> str:
            text: str = write(stored)
            return text if self._gives_back(text, stored, formats) else write_iso(stored)

        return write_exactly

    def likely_pattern(self, pattern: str) -> str | None:
        """Return the pattern that was probably meant by one with week-based years and without weeks."""
        return None if pattern in ("default", ISO_FORMAT) else likely_date_pattern(pattern)

    def display(self, stored: Any, formats: Formats) -> str:
        """Return a value in the member's format, and its stored form too if the format loses information."""
        text = str(self.serializer("default", formats)(stored))
        is_exact = text == stored or self._gives_back(text, stored, formats)
        return text if is_exact else f"{text} ({stored})"

    def _gives_back(self, text: str, stored: Any, formats: Formats) -> bool:
        """Return whether a text in the member's format means exactly a stored value."""
        moment = self._moment(text, self.default_pattern(formats), formats)
        try:
            return moment is not None and self._stored(moment, text, formats) == stored
        except OutOfCalendar:
            return False

    def _can_read(self, pattern: str, formats: Formats) -> bool:
        """Return whether `_moment` can read values in a pattern.

        Earlier versions accepted formats that can't be read back. Members who still have one must send ISO
        8601.
        """
        if pattern == ISO_FORMAT:
            return False
        return _reader(self, pattern, self.zone(formats), formats.language) is not None

    def _moment(self, value: Any, pattern: str, formats: Formats) -> datetime | None:
        if pattern == ISO_FORMAT:
            return self.from_iso(value) if isinstance(value, str) else None
        read = _reader(self, pattern, self.zone(formats), formats.language)
        return read(value) if read and isinstance(value, str) and len(value) <= _MAX_LENGTH else None

    def _stored(self, moment: datetime, value: Any, formats: Formats) -> str:
        zoned = moment if moment.tzinfo else moment.replace(tzinfo=self.zone(formats))
        try:
            return self.to_stored(zoned)
        except OverflowError:
            end = _FIRST if zoned.year == 1 else _LAST
            message = _(
                "{value} is out of range. Use a year from 1 to 9999 in UTC.", value=describe_value(value)
            )
            raise OutOfCalendar(message, self.to_stored(end)) from None

    def _show_example(self, pattern: str, formats: Formats) -> str:
        return str(self.serializer(pattern, formats)(self.example))


@lru_cache(maxsize=512)
def _writer(
    type_: TemporalType, pattern: str, zone: tzinfo, language: str, *, is_default: bool
) -> Callable[[str], str]:
    """Return a function that writes stored values in a pattern.

    With the member's own pattern, a text without an offset is read in the member's time zone. So values for
    which the calendar of that time zone has no day are written in ISO 8601 instead.
    """
    compiled = compile_date_pattern(pattern)
    compiled.check_parts(type_.allowed_parts)
    slices = type_.slices(zone)
    sliced = None if slices is None else compiled.slicer(slices)
    if sliced is not None:  # takes a quarter of the time
        # Many objects have the same day, and few members a format of their own.
        repeats = is_default and DatePart.TIME not in type_.allowed_parts
        return cache_short_texts(_REMEMBERED_DAYS)(sliced) if repeats else sliced
    write, local = compiled.formatter(language), type_.from_stored(zone)
    if not is_default or zone is UTC:
        return lambda stored: write(local(stored))

    def write_readable(stored: str) -> str:
        moment = local(stored)
        return stored if moment.tzinfo is UTC else write(moment)

    return write_readable


@lru_cache(maxsize=512)
def _reader(
    type_: TemporalType, pattern: str, zone: tzinfo, language: str
) -> Callable[[str], datetime | None] | None:
    compiled = compile_date_pattern(pattern)
    compiled.check_parts(type_.allowed_parts)
    return compiled.parser(language, zone, type_.needed_parts)
