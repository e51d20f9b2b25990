"""Instants as clients write them to name versions: in one pattern, in the member's time zone."""

from datetime import UTC

from stratabase.domain.instant import Instant, instant_of, stored
from stratabase.model.formats import Formats
from stratabase.model.types.datetime import DatetimeType
from stratabase.model.types.temporal import BeyondTime

PATTERN = "dd-MM-yyyy HH:mm:ss.SSS"
"""In which the API takes them, whatever a member's own formats are."""
_DATETIME = DatetimeType()


def readings(given: object, formats: Formats) -> tuple[Instant, ...]:
    """Return what a text may mean, the earlier first: where clocks are put back, an hour occurs twice.

    Raises Malformed with what would be right.
    """
    try:
        first = str(_DATETIME.read_as(PATTERN, given, formats))
    except BeyondTime as beyond:
        return (instant_of(beyond.nearest),)
    moment = _DATETIME.local(_DATETIME.zone(formats))(first)
    again = moment.replace(fold=1)
    if again.utcoffset() == moment.utcoffset():
        return (instant_of(first),)
    return instant_of(first), instant_of(_DATETIME.spelled(again.astimezone(UTC)))


def exactly(instant: Instant, formats: Formats, argument: str) -> str:
    """Return an instant as a message shows it: in the member's format, and as an argument takes it."""
    moment = _DATETIME.writer("default", formats)(stored(instant))
    return f"{moment} ({argument}: {written(instant, formats)})"


def written(instant: Instant, formats: Formats) -> str:
    """Return an instant as it can be given back."""
    return str(_DATETIME.writer(PATTERN, formats)(stored(instant)))
