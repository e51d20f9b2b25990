"""Dates and times as ISO 8601 writes them, in its extended format."""

import re
from datetime import datetime

DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
TIME = r"(?:[01][0-9]|2[0-3]):[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
OFFSET = "(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)"

_ANY_DAY = "1970-01-01T"
_DATE = re.compile(DATE)
_TIME = re.compile(TIME)
_DATETIME = re.compile(f"{DATE}[T ]{TIME}{OFFSET}?", re.IGNORECASE)


def date(text: str) -> datetime | None:
    """Return the midnight with which a date begins; None when the text is no date."""
    return _moment(text) if _DATE.fullmatch(text) else None


def time(text: str) -> datetime | None:
    """Return a moment at a time of day; None when the text is no time."""
    return _moment(_ANY_DAY + text) if _TIME.fullmatch(text) else None


def datetime_(text: str) -> datetime | None:
    """Return a moment, with a time zone when the text has an offset; None when it is no date and time."""
    return _moment(text.upper()) if _DATETIME.fullmatch(text) else None


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
