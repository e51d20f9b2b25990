"""Languages and time zones by their codes: names of months, days and eras, and symbols of numbers.

Babel is imported when a language is first needed. Patterns of numbers alone do not load it.
"""

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from stratabase.values.formats.invalid_value import InvalidValue, describe_value
from stratabase.values.frozen import frozen
from stratabase.values.messages import _

if TYPE_CHECKING:
    from babel import Locale

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo, available_timezones

Width = Literal["wide", "abbreviated"]
Context = Literal["format", "stand-alone"]
_CODE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}")


@frozen
class NumberSymbols:
    """The symbols in numbers. The defaults are those of English."""

    decimal: str = "."
    group: str = ","
    minus: str = "-"
    percent: str = "%"
    per_mille: str = "‰"
    exponent: str = "E"


@lru_cache(maxsize=128)
def load_locale(code: str) -> "Locale":
    """Return Babel's data for a language. Raises InvalidValue if it does not exist."""
    from babel import Locale, UnknownLocaleError  # noqa: PLC0415 - slow, and seldom needed

    try:
        if _CODE.fullmatch(code):
            return Locale.parse(code.replace("-", "_"))
    except (ValueError, UnknownLocaleError):
        pass
    message = _(
        '{value} is not a known language. Use a language code, such as "it" or "pt-BR".',
        value=describe_value(code),
    )
    raise InvalidValue(message)


def month_names(language: str, width: Width, context: Context) -> tuple[str, ...]:
    """Return the names of the months, January first."""
    names = load_locale(language).months[context][width]
    return tuple(names[month] for month in range(1, 13))


def weekday_names(language: str, width: Width) -> tuple[str, ...]:
    """Return the names of the days of the week, Monday first."""
    names = load_locale(language).days["format"][width]
    return tuple(names[day] for day in range(7))


def era_name(language: str) -> str:
    """Return the short name of the present era (AD). No supported date lies in another one."""
    return str(load_locale(language).eras["abbreviated"][1])


def day_period_names(language: str) -> tuple[str, str]:
    """Return the names of the halves of the day, such as AM and PM."""
    names = load_locale(language).day_periods["format"]["abbreviated"]
    return names["am"], names["pm"]


def zone_name(language: str, zone: str, *, daylight: bool) -> str:
    """Return the long name of a time zone, in daylight saving time or in standard time."""
    from babel.dates import get_timezone_name  # noqa: PLC0415 - slow, and seldom needed

    variant: Literal["daylight", "standard"] = "daylight" if daylight else "standard"
    return get_timezone_name(zone, width="long", locale=load_locale(language), zone_variant=variant)


@lru_cache(maxsize=128)
def number_symbols(language: str) -> NumberSymbols:
    """Return a language's symbols in numbers. Digits are always 0 to 9."""
    if language == "en":
        return NumberSymbols()
    symbols = load_locale(language).number_symbols["latn"]
    return NumberSymbols(
        decimal=symbols["decimal"],
        group=symbols["group"],
        minus=symbols["minusSign"],
        percent=symbols["percentSign"],
        per_mille=symbols["perMille"],
        exponent=symbols["exponential"],
    )


_MACHINE_ZONES = frozenset({"localtime", "Factory"})


def is_time_zone(name: str) -> bool:
    """Return whether a time zone exists, in exactly this spelling (`Europe/Rome`)."""
    return name in _names()


@lru_cache(maxsize=128)
def load_time_zone(name: str) -> tzinfo:
    """Return a time zone. Raises InvalidValue if it does not exist."""
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        raise unknown_time_zone(name) from None


def unknown_time_zone(name: str) -> InvalidValue:
    """Return the error for a time zone that does not exist."""
    return InvalidValue(
        _(
            '{value} is not a known time zone. Use a name such as "Europe/Rome".',
            value=describe_value(name),
        )
    )


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    return frozenset(available_timezones()) - _MACHINE_ZONES
