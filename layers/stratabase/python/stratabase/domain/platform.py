"""What the service records of an object by itself: who made and changed it, and when."""

from collections.abc import Iterable

from stratabase.domain.entity import Entity, State
from stratabase.domain.instant import Instant, stored
from stratabase.model.attribute import Stored
from stratabase.model.class_ import Class, Kind, PlatformAttribute

Named = tuple[str, bool]
"""The name of an attribute, and whether it tells who (otherwise: when)."""


def _named(*attributes: PlatformAttribute) -> tuple[Named, ...]:
    return tuple((attribute.value, attribute.value.endswith("by")) for attribute in attributes)


_CREATION = _named(*PlatformAttribute)
_MODIFICATION = _named(PlatformAttribute.LAST_MODIFIED_BY, PlatformAttribute.LAST_MODIFIED_ON)


def at_creation(class_: Class, username: str, instant: Instant) -> State:
    """Return the platform values of an object that is made now."""
    return _values(class_, _CREATION, username, instant)


def at_update(class_: Class, before: Entity, username: str, instant: Instant) -> State:
    """Return the platform values that an update now changes; a singleton's first one is its creation."""
    is_first = class_.kind is Kind.SINGLETON and not before.commit_ids
    return _values(class_, _CREATION if is_first else _MODIFICATION, username, instant)


def _values(class_: Class, which: Iterable[Named], username: str, instant: Instant) -> dict[str, Stored]:
    # Every write asks this. The names are as good as `class_.platform`, since no others begin with `_`, and
    # looking them up is several times faster than looking up members of an enum.
    moment = stored(instant)
    return {name: username if tells_who else moment for name, tells_who in which if name in class_.attributes}
