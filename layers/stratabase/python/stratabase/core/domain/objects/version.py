"""The authors of versions, and their starts and ends: as numbers, in states, and in formats of the API.

All versions that one commit creates begin at the instant of the commit, and their predecessors end at it.
"""

from collections.abc import Iterable
from datetime import UTC
from typing import NamedTuple

from stratabase.core.domain.objects.entity import State
from stratabase.core.domain.objects.instant import Instant, format_instant, parse_instant
from stratabase.core.model.model import Class
from stratabase.core.model.types.base import Stored
from stratabase.core.model.types.datetime import DatetimeType
from stratabase.core.model.types.temporal import OutOfCalendar
from stratabase.values.formats.preferences import Formats

VERSION_START, VERSION_END = "_versionStart", "_versionEnd"
"""The names under which a state of a versioned class has its start and its end, in stored spelling.

The end of the present version is null.
"""
_TIMES = frozenset({VERSION_START, VERSION_END})


class Author(NamedTuple):
    """Who began a version, or deleted an object."""

    member_id: str
    """The member's ID. Empty for a command on the machine itself."""
    means: str
    """The kind of credentials that the request had: `means` of a `Proof`. Empty if it is unknown."""
    commit_id: str
    """The ID of the commit that the request made. Parts that are deleted later have that of their whole."""


def revision_of(start: Instant | None) -> str:
    """Return the revision of the state that began at an instant. None: a singleton that was never written.

    It is the start of the state, in a spelling that clients need not understand. Starts increase with each
    write of an object, and nothing else changes them.
    """
    return f"{start or 0:x}"


def instant_after(now: Instant, earlier: Iterable[Instant | None]) -> Instant:
    """Return `now`, or one millisecond after the latest of some earlier instants if that is later.

    `core/domain/write/effects.py` chooses the start of new versions with this function. So the starts of an
    object's versions increase even if a clock has stepped back. None stands for an unknown instant and is
    ignored.
    """
    return max([now, *[instant + 1 for instant in earlier if instant is not None]])


def with_version_times(
    class_: Class, state: State, start: Instant | None, end: Instant | None = None
) -> State:
    """Return a state with the start and end of its version; unchanged if its class is not versioned."""
    if not class_.versioned:
        return state
    times: dict[str, Stored] = {}
    if start is not None:
        times[VERSION_START] = format_instant(start)
    if end is not None:
        times[VERSION_END] = format_instant(end)
    # The times come last.
    if VERSION_START in state or VERSION_END in state:
        state = {name: value for name, value in state.items() if name not in _TIMES}
    return {**state, **times}


VERSION_INSTANT_PATTERN = "dd-MM-yyyy HH:mm:ss.SSS"
"""The pattern in which the API takes instants of versions, whatever the member's own formats are.

It also takes ISO 8601 with an offset.
"""

_DATETIME = DatetimeType()


def parse_version_instant(value: object, formats: Formats) -> tuple[Instant, ...]:
    """Return the instants that a text can mean, the earlier one first.

    The text is in VERSION_INSTANT_PATTERN and the member's time zone, or in ISO 8601 with an offset. Without
    an offset, in the hour that occurs twice when clocks are put back, a text has two meanings, otherwise one.
    Raises InvalidValue, which says what would be right.
    """
    try:
        exact = _DATETIME.read_offset(value, formats)
        if exact is not None:
            return (parse_instant(exact),)
        first = str(_DATETIME.read_as(VERSION_INSTANT_PATTERN, value, formats))
    except OutOfCalendar as beyond:
        # A date that the member's calendar has, but UTC's does not (year 0 or 10,000): the nearest instant.
        return (parse_instant(beyond.nearest),)
    moment = _DATETIME.from_stored(_DATETIME.zone(formats))(first)
    again = moment.replace(fold=1)
    if again.utcoffset() == moment.utcoffset():
        return (parse_instant(first),)
    return parse_instant(first), parse_instant(_DATETIME.to_stored(again.astimezone(UTC)))


def describe_version_instant(instant: Instant, formats: Formats, argument: str) -> str:
    """Return an instant for a message: in the member's format, followed by the text to send as `argument`."""
    moment = _DATETIME.serializer("default", formats)(format_instant(instant))
    return f"{moment} ({argument}: {format_version_instant(instant, formats)})"


def format_version_instant(instant: Instant, formats: Formats) -> str:
    """Return an instant in the format and time zone in which a client can send it back."""
    return str(_DATETIME.serializer(VERSION_INSTANT_PATTERN, formats)(format_instant(instant)))
