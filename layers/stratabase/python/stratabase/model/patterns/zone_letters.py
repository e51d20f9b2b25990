"""The letters that tell of a time zone."""

from datetime import datetime, timedelta

from stratabase.model.patterns import language as languages
from stratabase.model.patterns.field import Field, Letter, Part

_SHAPES = ("{sign}{hours:02d}", "{sign}{hours:02d}{minutes:02d}", "{sign}{hours:02d}:{minutes:02d}")
_REGEXES = ("[+-][0-9]{2}", "[+-][0-9]{4}", "[+-][0-9]{2}:[0-9]{2}")


def _rfc_822(count: int, language: str) -> Field:
    del count, language
    return _offset(shape=1, zulu=False)


def _iso_8601(count: int, language: str) -> Field:
    del language
    return _offset(shape=count - 1, zulu=True)


def _offset(shape: int, *, zulu: bool) -> Field:
    """Return the field of an offset from UTC; `zulu`: none at all is written as Z."""

    def write(moment: datetime) -> str:
        minutes = _minutes(moment)
        if zulu and minutes == 0:
            return "Z"
        hours, rest = divmod(abs(minutes), 60)
        return _SHAPES[shape].format(sign="-" if minutes < 0 else "+", hours=hours, minutes=rest)

    regex = _REGEXES[shape]
    return Field(write, f"Z|{regex}" if zulu else regex, _read, "offset")


def _minutes(moment: datetime) -> int:
    return int((moment.utcoffset() or timedelta()).total_seconds() / 60)


def _read(text: str) -> timedelta:
    if text in "Zz":
        return timedelta()
    minutes = int(text[-2:]) if len(text) > 3 else 0
    if minutes > 59:
        raise ValueError(text)
    offset = timedelta(hours=int(text[1:3]), minutes=minutes)
    return -offset if text[0] == "-" else offset


def _name(count: int, language: str) -> Field:
    if count < 4:
        return Field(lambda moment: moment.tzname() or "UTC", "[A-Za-z0-9+-]{1,10}", str.casefold, ways=10)

    def write(moment: datetime) -> str:
        return languages.zone_name(language, _key(moment), daylight=bool(moment.dst()))

    return Field(write, ".{1,80}", str.casefold, ways=80)


def _key(moment: datetime) -> str:
    return getattr(moment.tzinfo, "key", "UTC")


ZONE_LETTERS = {
    "z": Letter(Part.ZONE, _name),
    "Z": Letter(Part.ZONE, _rfc_822),
    "X": Letter(Part.ZONE, _iso_8601, most=3),
}
