"""The types of the attributes and keys of a class, and how to read what is compared of their values.

The store reads states as the class shows them: each value fits the type of its attribute, or is null.
"""

from collections.abc import Callable
from operator import methodcaller
from typing import Any, TypeVar

from stratabase.core.domain.objects.entity import State
from stratabase.core.domain.objects.version import VERSION_END, VERSION_START
from stratabase.core.model.api_names import ID
from stratabase.core.model.model import Class
from stratabase.core.model.types import ID_TYPE, TYPES
from stratabase.core.model.types.base import AttributeType

T = TypeVar("T")
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
    return name in class_.attributes and name not in class_.derived


def equality_getter(class_: Class, attribute: str) -> Callable[[State], Any]:
    """Return a function that reads what `eq` and `ne` compare of an attribute's value from a state."""
    return _field_getter(attribute, type_of(class_, attribute).equality_field)


def order_getter(class_: Class, attribute: str) -> Callable[[State], Any]:
    """Return a function that reads what orders compare of an attribute's value from a state.

    Of a text that is folded, it reads what was written.
    """
    return _field_getter(attribute, type_of(class_, attribute).order_field)


def folded_getter(read: Callable[[T], Any], fold: Callable[[str], str]) -> Callable[[T], Any]:
    """Return a function that reads a text, such as one of a state, and folds it."""

    def folded(owner: T) -> str | None:
        text = read(owner)
        return None if text is None else fold(text)

    return folded


def _field_getter(attribute: str, field: str | None) -> Callable[[State], Any]:
    if field is None:
        return methodcaller("get", attribute)  # it takes less time than a function in Python

    def field_value(state: State) -> Any:
        stored: Any = state.get(attribute)
        return None if stored is None else stored.get(field)

    return field_value
