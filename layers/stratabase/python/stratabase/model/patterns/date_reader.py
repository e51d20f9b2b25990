"""Reading a moment that was written by a date pattern."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any, Self

from stratabase.model.patterns.field import Field, Part

_COMPLETE = {
    Part.DATE: ({"year", "month", "day"}, {"year", "day_of_year"}),
    Part.TIME: ({"hour"}, {"hour_of_half", "half"}),
}
"""Any of these sets of keys tells all of a part."""

_ANY_DAY = {"year": 1970, "month": 1, "day": 1}


@dataclass(frozen=True, slots=True)
class DateReader:
    """Reads what one pattern has written, in one language and time zone."""

    regex: re.Pattern[str]
    fields: tuple[Field, ...]
    """One for each group of the regular expression."""
    zone: tzinfo

    @classmethod
    def of(cls, parts: Sequence[Field | str], zone: tzinfo, needed: frozenset[Part]) -> Self | None:
        """Return the reader of fields and literal texts; None when they do not tell all that is needed."""
        fields = tuple(part for part in parts if isinstance(part, Field))
        keys = {field.key for field in fields}
        if not all(any(keys >= enough for enough in _COMPLETE[part]) for part in needed):
            return None
        regex = "".join(f"({part.regex})" if isinstance(part, Field) else re.escape(part) for part in parts)
        return cls(re.compile(regex, re.IGNORECASE), fields, zone)

    def __call__(self, text: str) -> datetime | None:
        """Return the moment that a text tells, in the reader's time zone unless the text has an offset."""
        match = self.regex.fullmatch(text)
        if match is None:
            return None
        try:
            values = [field.value(group) for field, group in zip(self.fields, match.groups(), strict=True)]
            return next((moment for moment in self._moments(values) if self._agrees(moment, values)), None)
        except (ValueError, OverflowError):
            return None

    def _moments(self, values: Sequence[Any]) -> Iterator[datetime]:
        """Yield what the values may mean: where a clock is put back, an hour occurs twice."""
        told = {field.key: value for field, value in zip(self.fields, values, strict=True) if field.key}
        local = _local(told)
        if "offset" in told:
            yield local.replace(tzinfo=timezone(told["offset"]))
        else:
            yield local.replace(tzinfo=self.zone)
            yield local.replace(tzinfo=self.zone, fold=1)

    def _agrees(self, moment: datetime, values: Sequence[Any]) -> bool:
        return all(
            field.key == "offset" or field.value(field.write(moment)) == value
            for field, value in zip(self.fields, values, strict=True)
        )


def _local(told: Mapping[str, Any]) -> datetime:
    day = _ANY_DAY | {key: told[key] for key in _ANY_DAY if key in told}
    moment = datetime(
        **day,
        hour=told["hour"] if "hour" in told else told.get("hour_of_half", 0) + 12 * told.get("half", 0),
        minute=told.get("minute", 0),
        second=told.get("second", 0),
        microsecond=told.get("millisecond", 0) * 1000,
        tzinfo=UTC,
    )
    if "day" in told:
        return moment
    return moment + timedelta(days=told.get("day_of_year", 1) - 1)
