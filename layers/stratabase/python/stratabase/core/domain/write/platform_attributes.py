"""The platform attributes: who created, last modified and owns an object, and when.

With a member's name, the service also records the member's ID (`core/model/member_names.py`).
"""

from collections.abc import Iterable
from typing import NamedTuple

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.entity import Entity, State
from stratabase.core.domain.objects.instant import Instant, format_instant
from stratabase.core.model.member_names import MEMBER_IDS, member_id, with_ids
from stratabase.core.model.model import Class, ClassKind, PlatformAttribute
from stratabase.core.model.types.storage import Stored

Named = tuple[str, bool]
"""The name of an attribute, and whether its value is a member's name (otherwise an instant)."""


class NewOwner(NamedTuple):
    """The member who becomes the owner of an object."""

    id: str
    username: str


def _named(*attributes: PlatformAttribute) -> tuple[Named, ...]:
    return tuple((attribute.value, attribute.value.endswith("by")) for attribute in attributes)


OWNED_BY, OWNED_ON = PlatformAttribute.OWNED_BY.value, PlatformAttribute.OWNED_ON.value
_CREATION = _named(*PlatformAttribute)
_MODIFICATION = _named(PlatformAttribute.LAST_MODIFIED_BY, PlatformAttribute.LAST_MODIFIED_ON)


def creation_values(class_: Class, caller: Caller, instant: Instant) -> State:
    """Return the platform values of an object that a caller creates."""
    return _values(class_, _CREATION, caller, instant, {})


def modification_values(class_: Class, before: Entity, caller: Caller, instant: Instant) -> State:
    """Return the platform values that an update changes. The first write of a singleton is its creation."""
    is_first = class_.kind is ClassKind.SINGLETON and not before.commit_ids
    return _values(class_, _CREATION if is_first else _MODIFICATION, caller, instant, before.state)


def hand_over_values(
    class_: Class, before: Entity, owner: NewOwner, caller: Caller, instant: Instant
) -> State:
    """Return the platform values of an object that a caller hands over to another member."""
    modified = _values(class_, _MODIFICATION, caller, instant, before.state)
    owned: dict[str, Stored] = {OWNED_BY: owner.username}
    if OWNED_ON in class_.attributes:
        owned[OWNED_ON] = format_instant(instant)
    ids = with_ids({**before.state, **modified, **owned}, {OWNED_BY: owner.id})
    return {**modified, **owned, MEMBER_IDS: ids}


def last_owner_values(class_: Class, former: State, last: State) -> State:
    """Return the platform values that give an object in a former state its last owner."""
    owned = {name: last.get(name) for name in (OWNED_BY, OWNED_ON) if name in class_.attributes}
    if OWNED_BY not in owned:
        return owned
    return {**owned, MEMBER_IDS: with_ids({**former, **owned}, {OWNED_BY: member_id(last, OWNED_BY)})}


def _values(
    class_: Class, attributes: Iterable[Named], caller: Caller, instant: Instant, before: State
) -> dict[str, Stored]:
    # Every write comes here. To look names up in `attributes` is several times faster than to look up enum
    # members in `class_.platform`. It is as safe, because no other attribute's name begins with `_`.
    moment = ""
    values: dict[str, Stored] = {}
    ids: dict[str, str] = {}
    for name, tells_who in attributes:
        if name in class_.attributes:
            moment = moment or format_instant(instant)
            values[name] = caller.username if tells_who else moment
            if tells_who:
                ids[name] = caller.id
    if ids:
        values[MEMBER_IDS] = with_ids({**before, **values}, ids)
    return values
