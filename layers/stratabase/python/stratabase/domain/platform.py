"""What the service records of an object by itself: who made and changed it, and when."""

from collections.abc import Iterable

from stratabase.domain.entity import State
from stratabase.domain.instant import Instant, stored
from stratabase.model.attribute import Stored
from stratabase.model.class_ import Class, PlatformAttribute

_MODIFICATION = (PlatformAttribute.LAST_MODIFIED_BY, PlatformAttribute.LAST_MODIFIED_ON)


def at_creation(class_: Class, username: str, instant: Instant) -> State:
    """Return the platform values of an object that is made now."""
    return _values(class_, PlatformAttribute, username, instant)


def at_update(class_: Class, username: str, instant: Instant) -> State:
    """Return the platform values that an update now changes."""
    return _values(class_, _MODIFICATION, username, instant)


def _values(
    class_: Class, which: Iterable[PlatformAttribute], username: str, instant: Instant
) -> dict[str, Stored]:
    moment = stored(instant)
    return {
        attribute.value: username if attribute.value.endswith("by") else moment
        for attribute in which
        if attribute in class_.platform
    }
