"""The types of the attributes and keys of a class, and how to read their values from a state."""

from collections.abc import Callable
from typing import Any

from stratabase.domain.objects.entity import State
from stratabase.domain.objects.version import VERSION_END, VERSION_START
from stratabase.model.api_names import ID
from stratabase.model.attribute import Origin
from stratabase.model.model import Class
from stratabase.model.types import ID_TYPE, TYPES
from stratabase.model.types.base import AttributeType
from stratabase.model.types.storage import TEXT_STORAGE

_ADDITIONAL_TYPES = {ID: ID_TYPE, VERSION_START: TYPES["Datetime"], VERSION_END: TYPES["Datetime"]}
"""The types of the names that a state may contain besides the attributes of its class."""


def type_of(class_: Class, attribute: str) -> AttributeType:
    """Return the type of an attribute of a class, of `_id`, `_versionStart` or `_versionEnd`.

    A to-one role whose key the class holds has the type of IDs, because states contain the ID of its target.
    """
    if attribute in class_.roles:
        return ID_TYPE
    return _ADDITIONAL_TYPES.get(attribute) or class_.attributes[attribute].type


def is_column(class_: Class, name: str) -> bool:
    """Return whether a name is a stored attribute of a class, or a role whose key its objects hold.

    `@unique` and `@index` can have only such columns.
    """
    role = class_.roles.get(name)
    if role is not None:
        return role.is_own_key
    return name in class_.attributes and not is_derived(class_, name)


def is_derived(class_: Class, attribute: str) -> bool:
    """Return whether an attribute is computed at each read, so that no state and no index contains it."""
    definition = class_.attributes.get(attribute)
    return definition is not None and definition.origin is Origin.DERIVED


def value_getter(class_: Class, attribute: str) -> Callable[[State], Any]:
    """Return a function that reads an attribute's value from a state.

    If the model has changed the attribute's type, a state may contain a value that the type cannot store. The
    function returns None for such a value, so comparisons treat it as null.
    """
    storage = type_of(class_, attribute).storage
    if storage is TEXT_STORAGE:  # most attributes
        return lambda state: value if (value := state.get(attribute)).__class__ is str else None
    fits = storage.accepts

    def value(state: State) -> Any:
        stored = state.get(attribute)
        return stored if stored is None or fits(stored) else None

    return value


def equality_getter(class_: Class, attribute: str) -> Callable[[State], Any]:
    """Return a function that reads what `eq` and `ne` compare of an attribute's value, as `value_getter`."""
    return _field_getter(class_, attribute, type_of(class_, attribute).equality_field)


def order_getter(class_: Class, attribute: str) -> Callable[[State], Any]:
    """Return a function that reads what orders compare of an attribute's value, as `value_getter`."""
    return _field_getter(class_, attribute, type_of(class_, attribute).order_field)


def _field_getter(class_: Class, attribute: str, field: str | None) -> Callable[[State], Any]:
    value = value_getter(class_, attribute)
    if field is None:
        return value

    def field_value(state: State) -> Any:
        stored = value(state)
        return None if stored is None else stored.get(field)

    return field_value
