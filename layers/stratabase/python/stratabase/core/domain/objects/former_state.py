"""A former state of an object, adapted to the model of today so that it can be restored."""

from collections.abc import Iterator, Mapping

from stratabase.core.domain.objects.entity import Entity, State
from stratabase.core.domain.objects.version import VERSION_END, VERSION_START
from stratabase.core.model.attribute import Attribute, Origin, with_kept_values
from stratabase.core.model.model import Class
from stratabase.core.model.types.base import Stored

_TIMES = frozenset({VERSION_START, VERSION_END})


def merge_restored_state(class_: Class, before: Entity | None, former: State) -> dict[str, Stored]:
    """Return the state of an object after a restoration, without its keys and parts.

    If the object exists (`before`), only the native attributes of its class become what they were. Keys,
    parts, platform attributes, and values that other models have left stay as they are. What the former state
    keeps of a native attribute is kept again. If it does not exist,
    it gets all former values, but null for keys and parts. The caller restores those one by one.
    """
    former_values = {name: value for name, value in former.items() if name not in _TIMES}
    if before is None:
        return {
            name: None if _is_association(class_, name) else value for name, value in former_values.items()
        }
    present_values = {name: value for name, value in before.state.items() if name not in _TIMES}
    native = native_attributes(class_)
    restored = {**present_values, **{name: former_values.get(name) for name in native}}
    return with_kept_values(restored, former, native)


def native_attributes(class_: Class) -> Mapping[str, Attribute]:
    """Return the attributes that clients write, by name."""
    return {name: each for name, each in class_.attributes.items() if each.origin is Origin.NATIVE}


def kept_in_versions(class_: Class) -> Iterator[str]:
    """Yield the attributes and roles whose values versions store."""
    yield from native_attributes(class_)
    yield from (name for name in class_.roles if _is_association(class_, name))


def _is_association(class_: Class, name: str) -> bool:
    """Return whether a name is a key or a composition."""
    role = class_.roles.get(name)
    return role is not None and (role.holds_key or role.composition)
