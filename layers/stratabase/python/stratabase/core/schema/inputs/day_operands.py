"""Comparisons of a Datetime with a day, and of a Date with an instant, in the member's time zone.

A day stands for all its instants: `eq` means within it, `lte` and `gt` compare with its end, and `lt` and
`gte` with its start. An instant that is compared with a Date stands for its day.
"""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, NamedTuple

from stratabase.core.domain.query.filter import MATCH_NONE, Comparison, Filter, not_, or_
from stratabase.core.model.types.base import Stored
from stratabase.core.model.types.date import DateType
from stratabase.core.model.types.datetime import DatetimeType
from stratabase.core.model.types.operators import Operator
from stratabase.core.model.types.temporal import OutOfCalendar
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.iso import day_of, first_of_day, last_of_day
from stratabase.values.formats.preferences import Formats

_DATE, _DATETIME = DateType(), DatetimeType()


class DayRange(NamedTuple):
    """The first and the last instant of a day, as stored Datetimes."""

    first: str
    last: str


def read_day_or_instant(type_: DateType | DatetimeType, value: Any, formats: Formats) -> Stored | DayRange:
    """Return the operand of a comparison with a Date or Datetime attribute.

    It is a stored value of the attribute's type, or a DayRange for a day that is compared with a Datetime.
    Raises InvalidValue as the type does.
    """
    try:
        return type_.read(value, formats)
    except OutOfCalendar:
        raise
    except InvalidValue as mistake:
        other = _read_other(type_, value, formats)
        if other is None:
            raise mistake from None
        return other


def _read_other(type_: DateType | DatetimeType, value: Any, formats: Formats) -> Stored | DayRange:
    """Return the operand of a value of the other type, None if it is not one. Raises OutOfCalendar."""
    zone = _DATETIME.zone(formats)
    try:
        if isinstance(type_, DateType):
            return day_of(_DATETIME.from_stored(zone)(str(_DATETIME.read(value, formats)))).isoformat()
        day = date.fromisoformat(str(_DATE.read(value, formats)))
    except OutOfCalendar:
        raise
    except InvalidValue:
        return None
    return DayRange(_DATETIME.to_stored(first_of_day(day, zone)), _DATETIME.to_stored(last_of_day(day, zone)))


_BY_OPERATOR: Mapping[Operator, Callable[[str, DayRange], Filter]] = {
    Operator.EQ: lambda name, day: _within(name, [day]),
    Operator.NE: lambda name, day: not_(_within(name, [day])),
    Operator.LT: lambda name, day: Comparison(name, Operator.LT, day.first),
    Operator.LTE: lambda name, day: Comparison(name, Operator.LTE, day.last),
    Operator.GT: lambda name, day: Comparison(name, Operator.GT, day.last),
    Operator.GTE: lambda name, day: Comparison(name, Operator.GTE, day.first),
}


def compare_with_day(attribute: str, operator: Operator, day: DayRange) -> Filter:
    """Return the filter that compares a Datetime attribute with a day. `ne` matches null."""
    return _BY_OPERATOR[operator](attribute, day)


def compare_with_days(
    attribute: str, operator: Operator, operand: tuple[str | DayRange | None, ...]
) -> Filter:
    """Return the filter of `in` or `not_in` for instants, days and null."""
    ranges = [DayRange(one, one) if isinstance(one, str) else one for one in operand if one is not None]
    parts = [_within(attribute, ranges)]
    if None in operand:
        parts.append(Comparison(attribute, Operator.EQ, None))
    return or_(parts) if operator is Operator.IN else not_(or_(parts))


def _within(attribute: str, ranges: list[DayRange]) -> Filter:
    """Return the filter for values within one of several ranges. A skipped day has none."""
    merged: list[DayRange] = []
    for first, last in sorted(ranges):
        if first > last:
            continue
        if merged and first <= merged[-1].last:
            merged[-1] = DayRange(merged[-1].first, max(last, merged[-1].last))
        else:
            merged.append(DayRange(first, last))
    if not merged:
        return MATCH_NONE
    return Comparison(attribute, Operator.WITHIN, tuple(end for range_ in merged for end in range_))
