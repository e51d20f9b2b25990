"""What type an attribute of an object has, `_id` included, and how its value is read from a state."""

from collections.abc import Callable
from typing import Any

from stratabase.domain.objects.entity import State
from stratabase.domain.objects.version import VERSION_END, VERSION_START
from stratabase.model.attribute import Origin
from stratabase.model.model import Class
from stratabase.model.types import ID_TYPE, TYPES
from stratabase.model.types.base import AttributeType

_BESIDE = {"_id": ID_TYPE, VERSION_START: TYPES["Datetime"], VERSION_END: TYPES["Datetime"]}
"""What a state tells beside the attributes of the class."""


def type_of(class_: Class, attribute: str) -> AttributeType:
    """Return the type of a class's attribute, of `_id`, or of when a version begins or ends."""
    return _BESIDE.get(attribute) or class_.attributes[attribute].type


def is_derived(class_: Class, attribute: str) -> bool:
    """Return whether an attribute is computed at each read: no state keeps it, and no index."""
    found = class_.attributes.get(attribute)
    return found is not None and found.origin is Origin.DERIVED


def value_getter(class_: Class, attribute: str) -> Callable[[State], Any]:
    """Return what reads an attribute's value from a state.

    A value that the attribute's type does not keep was written when the model gave it another type: it counts
    as null wherever values are compared.
    """
    fits = type_of(class_, attribute).storage.accepts

    def value(state: State) -> Any:
        stored = state.get(attribute)
        return stored if stored is None or fits(stored) else None

    return value
