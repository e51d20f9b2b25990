"""The letters that tell of a time of day."""

from datetime import datetime
from operator import attrgetter

from stratabase.model.patterns import language as languages
from stratabase.model.patterns.field import Field, Letter, Part, named, number


def _half(count: int, language: str) -> Field:
    del count
    return named("half", languages.day_halves(language), lambda moment: moment.hour // 12)


def _hour_from_one(moment: datetime) -> int:
    return moment.hour or 24


def _hour_of_half(moment: datetime) -> int:
    return moment.hour % 12


def _hour_of_half_from_one(moment: datetime) -> int:
    return moment.hour % 12 or 12


def _millisecond(moment: datetime) -> int:
    return moment.microsecond // 1000


def _with_24_as_0(text: str) -> int:
    return 0 if int(text) == 24 else int(text)


def _with_12_as_0(text: str) -> int:
    return 0 if int(text) == 12 else int(text)


TIME_LETTERS = {
    "a": Letter(Part.TIME, _half),
    "H": Letter(Part.TIME, number("hour", attrgetter("hour"), 2)),
    "k": Letter(Part.TIME, number("hour", _hour_from_one, 2, _with_24_as_0)),
    "K": Letter(Part.TIME, number("hour_of_half", _hour_of_half, 2)),
    "h": Letter(Part.TIME, number("hour_of_half", _hour_of_half_from_one, 2, _with_12_as_0)),
    "m": Letter(Part.TIME, number("minute", attrgetter("minute"), 2)),
    "s": Letter(Part.TIME, number("second", attrgetter("second"), 2)),
    "S": Letter(Part.TIME, number("millisecond", _millisecond, 3)),
}
