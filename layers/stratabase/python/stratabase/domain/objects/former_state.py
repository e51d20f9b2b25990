"""What an object was, as what it may become again under the model of today."""

from collections.abc import Iterator, Mapping

from stratabase.domain.objects.entity import Entity, State
from stratabase.domain.objects.version import VERSION_END, VERSION_START
from stratabase.formats.preferences import DEFAULT_FORMATS
from stratabase.model.attribute import Attribute, Origin
from stratabase.model.model import Class
from stratabase.model.types.storage import Stored

_TIMES = frozenset({VERSION_START, VERSION_END})


def merge_restored_state(class_: Class, before: Entity | None, former: State) -> dict[str, Stored]:
    """Return a state with the former values of the class's attributes; all else is as it is, if it is.

    So the keys and parts of an object stay as they are, as does what the service records of it, and what
    other models have left there. An object that is there no more (`before` is None) has the former ones.
    """
    kept = {name: value for name, value in former.items() if name not in _TIMES}
    if before is None:
        return {name: None if _leads(class_, name) else value for name, value in kept.items()}
    known = {name: value for name, value in before.state.items() if name not in _TIMES}
    return {**known, **{name: kept.get(name) for name in native_attributes(class_)}}


def incompatible_attributes(class_: Class, state: State) -> Iterator[str]:
    """Yield the attributes whose types cannot have the values that a state has for them."""
    for name, attribute in native_attributes(class_).items():
        value = state.get(name)
        if value is not None and not _fits(attribute, value):
            yield name


def native_attributes(class_: Class) -> Mapping[str, Attribute]:
    """Return the attributes that clients give values."""
    return {name: each for name, each in class_.attributes.items() if each.origin is Origin.NATIVE}


def _leads(class_: Class, name: str) -> bool:
    """Return whether a value is a key, or tells parts: those are looked at one by one."""
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
