"""When the versions of an object begin, and how a state tells it.

The versions that one commit makes all begin at its instant, and the ones before them end at it.
"""

from collections.abc import Iterable

from stratabase.domain.entity import State
from stratabase.domain.instant import Instant, stored
from stratabase.model.class_ import Class

VERSION_START, VERSION_END = "_versionStart", "_versionEnd"
"""What a state of a versioned class tells beside its attributes, spelled as Datetimes are; the end of the
version that still holds is null."""


def instant_after(now: Instant, earlier: Iterable[Instant | None]) -> Instant:
    """Return since when a change holds that is made now: later than any `earlier` start or end.

    So the starts of an object increase, also where a clock has stepped back. None is at no time.
    """
    return max((now, *(instant + 1 for instant in earlier if instant is not None)))


def dated(class_: Class, state: State, start: Instant | None, end: Instant | None = None) -> State:
    """Return a state that tells since when it is so, and until when it was, if its class is versioned."""
    if not class_.versioned:
        return state
    times = {VERSION_START: start, VERSION_END: end}
    known = {name: stored(instant) for name, instant in times.items() if instant is not None}
    return {**{name: value for name, value in state.items() if name not in times}, **known}
