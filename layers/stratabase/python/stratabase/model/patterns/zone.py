"""Time zones by their IANA names."""

from datetime import UTC, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from stratabase.model.malformed import Malformed, shown

_OF_THE_MACHINE = frozenset({"localtime", "Factory"})


def known_time_zone(name: str) -> bool:
    """Return whether there is such a time zone (`Europe/Rome`), spelled like this."""
    return name in _names()


@lru_cache(maxsize=128)
def zone(name: str) -> tzinfo:
    """Return a time zone. Raises Malformed for one that does not exist."""
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        raise Malformed(f"{shown(name)} is no known time zone: give one such as 'Europe/Rome'") from None


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    return frozenset(available_timezones()) - _OF_THE_MACHINE
