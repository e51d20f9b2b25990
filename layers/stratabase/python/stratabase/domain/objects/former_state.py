"""A former state of an object, adapted to the model of today so that it can be restored."""

from collections.abc import Iterator, Mapping

from stratabase.domain.objects.entity import Entity, State
from stratabase.domain.objects.version import VERSION_END, VERSION_START
from stratabase.formats.preferences import DEFAULT_FORMATS
from stratabase.model.attribute import Attribute, Origin
from stratabase.model.model import Class
from stratabase.model.types.storage import Stored

_TIMES = frozenset({VERSION_START, VERSION_END})


def merge_restored_state(class_: Class, before: Entity | None, former: State) -> dict[str, Stored]:
    """Return the state of an object after a restoration, without its keys and parts.

    If the object exists (`before`), only the native attributes of its class become what they were. Keys,
    parts, platform attributes, and values that other models have left stay as they are. If it does not exist,
    it gets all former values, but null for keys and parts. The caller restores those one by one.
    """
    former_values = {name: value for name, value in former.items() if name not in _TIMES}
    if before is None:
        return {
            name: None if _is_association(class_, name) else value for name, value in former_values.items()
        }
    present_values = {name: value for name, value in before.state.items() if name not in _TIMES}
    return {**present_values, **{name: former_values.get(name) for name in native_attributes(class_)}}


def incompatible_attributes(class_: Class, state: State) -> Iterator[str]:
    """Yield the native attributes whose types cannot have the values that a state contains for them."""
    for name, attribute in native_attributes(class_).items():
        value = state.get(name)
        if value is not None and not _fits(attribute, value):
            yield name


def native_attributes(class_: Class) -> Mapping[str, Attribute]:
    """Return the attributes that clients write, by name."""
    return {name: each for name, each in class_.attributes.items() if each.origin is Origin.NATIVE}


def _is_association(class_: Class, name: str) -> bool:
    """Return whether a name is a key or a composition."""
    role = class_.roles.get(name)
    return role is not None and (role.holds_key or role.composition)


def _fits(attribute: Attribute, value: Stored) -> bool:
    if not attribute.type.storage.accepts(value):
        return False
    if not isinstance(value, str):
        return True
    try:
        return attribute.type.read(value, DEFAULT_FORMATS) == value
    except ValueError:
        return False
