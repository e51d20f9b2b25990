"""When the versions of an object begin, and how a state tells it.

The versions that one commit makes all begin at its instant, and the ones before them end at it.
"""

from collections.abc import Iterable
from datetime import UTC

from stratabase.domain.objects.entity import State
from stratabase.domain.objects.instant import Instant, format_instant, parse_instant
from stratabase.formats.preferences import Formats
from stratabase.model.model import Class
from stratabase.model.types.datetime import DatetimeType
from stratabase.model.types.temporal import OutOfCalendar

VERSION_START, VERSION_END = "_versionStart", "_versionEnd"


"""What a state of a versioned class tells beside its attributes, spelled as Datetimes are; the end of the
version that still holds is null."""


def instant_after(now: Instant, earlier: Iterable[Instant | None]) -> Instant:
    """Return since when a change holds that is made now: later than any `earlier` start or end.

    So the starts of an object increase, also where a clock has stepped back. None is at no time.
    """
    return max((now, *(instant + 1 for instant in earlier if instant is not None)))


def with_version_times(
    class_: Class, state: State, start: Instant | None, end: Instant | None = None
) -> State:
    """Return a state that tells since when it is so, and until when it was, if its class is versioned."""
    if not class_.versioned:
        return state
    times = {VERSION_START: start, VERSION_END: end}
    known = {name: format_instant(instant) for name, instant in times.items() if instant is not None}
    return {**{name: value for name, value in state.items() if name not in times}, **known}


VERSION_INSTANT_PATTERN = "dd-MM-yyyy HH:mm:ss.SSS"
"""In which the API takes them, whatever a member's own formats are."""


_DATETIME = DatetimeType()


def parse_version_instant(given: object, formats: Formats) -> tuple[Instant, ...]:
    """Return what a text may mean, the earlier first: where clocks are put back, an hour occurs twice.

    Raises InvalidValue with what would be right.
    """
    try:
        first = str(_DATETIME.read_as(VERSION_INSTANT_PATTERN, given, formats))
    except OutOfCalendar as beyond:
        return (parse_instant(beyond.nearest),)
    moment = _DATETIME.from_stored(_DATETIME.zone(formats))(first)
    again = moment.replace(fold=1)
    if again.utcoffset() == moment.utcoffset():
        return (parse_instant(first),)
    return parse_instant(first), parse_instant(_DATETIME.to_stored(again.astimezone(UTC)))


def describe_version_instant(instant: Instant, formats: Formats, argument: str) -> str:
    """Return an instant as a message shows it: in the member's format, and as an argument takes it."""
    moment = _DATETIME.serializer("default", formats)(format_instant(instant))
    return f"{moment} ({argument}: {format_version_instant(instant, formats)})"


def format_version_instant(instant: Instant, formats: Formats) -> str:
    """Return an instant as it can be given back."""
    return str(_DATETIME.serializer(VERSION_INSTANT_PATTERN, formats)(format_instant(instant)))
