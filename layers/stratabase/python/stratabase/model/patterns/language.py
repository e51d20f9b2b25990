"""What a language calls months, days and eras, and which signs it puts into numbers.

Babel is imported when the first language is asked for: patterns of digits alone never pay for it.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from stratabase.model.malformed import Malformed, shown

if TYPE_CHECKING:
    from babel import Locale

Width = Literal["wide", "abbreviated"]
Context = Literal["format", "stand-alone"]

_CODE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}")


@dataclass(frozen=True, slots=True)
class Symbols:
    """The signs of numbers; the defaults are those of English."""

    decimal: str = "."
    group: str = ","
    minus: str = "-"
    percent: str = "%"
    per_mille: str = "‰"
    exponent: str = "E"


@lru_cache(maxsize=128)
def locale(code: str) -> "Locale":
    """Return Babel's data of a language. Raises Malformed for one that does not exist."""
    from babel import Locale, UnknownLocaleError  # noqa: PLC0415 - slow, and seldom needed

    try:
        if _CODE.fullmatch(code):
            return Locale.parse(code.replace("-", "_"))
    except (ValueError, UnknownLocaleError):
        pass
    raise Malformed(f"{shown(code)} is no known language: give a code such as 'it' or 'pt-BR'")


def months(language: str, width: Width, context: Context) -> tuple[str, ...]:
    """Return the names of the months, January first."""
    names = locale(language).months[context][width]
    return tuple(names[month] for month in range(1, 13))


def weekdays(language: str, width: Width) -> tuple[str, ...]:
    """Return the names of the days of the week, Monday first."""
    names = locale(language).days["format"][width]
    return tuple(names[day] for day in range(7))


def era(language: str) -> str:
    """Return the short name of the era in which all our dates lie."""
    return str(locale(language).eras["abbreviated"][1])


def day_halves(language: str) -> tuple[str, str]:
    """Return the names of the hours before noon and of those after."""
    names = locale(language).day_periods["format"]["abbreviated"]
    return names["am"], names["pm"]


def zone_name(language: str, zone: str, *, daylight: bool) -> str:
    """Return the long name of a time zone in summer or winter."""
    from babel.dates import get_timezone_name  # noqa: PLC0415 - slow, and seldom needed

    variant: Literal["daylight", "standard"] = "daylight" if daylight else "standard"
    return get_timezone_name(zone, width="long", locale=locale(language), zone_variant=variant)


@lru_cache(maxsize=128)
def symbols(language: str) -> Symbols:
    """Return the signs that a language puts into numbers; the digits are always 0 to 9."""
    if language == "en":
        return Symbols()
    found = locale(language).number_symbols["latn"]
    return Symbols(
        decimal=found["decimal"],
        group=found["group"],
        minus=found["minusSign"],
        percent=found["percentSign"],
        per_mille=found["perMille"],
        exponent=found["exponential"],
    )
