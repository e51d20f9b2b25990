"""What every attribute type knows: how its values are read, kept, compared and written."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from stratabase.expressions.kinds import ValueKind
from stratabase.formats.invalid_value import InvalidValue, describe_value
from stratabase.formats.preferences import Formats
from stratabase.messages import _
from stratabase.model.types.operators import (
    EQUALITY_OPERATORS,
    MEMBERSHIP_OPERATORS,
    ORDER_OPERATORS,
    Operator,
)
from stratabase.model.types.storage import TEXT_STORAGE, StorageClass, Stored


class AttributeType(ABC):
    """A type of attribute. Immutable; one instance per type (enums: one per enum of the model)."""

    name: str
    """The name in the model language, which is also the GraphQL type's (`File`: see the schema room)."""
    kind: ValueKind
    """What its values are in expressions."""
    operators: ClassVar[frozenset[Operator]]
    """What its attributes may be filtered by."""
    takes_format: ClassVar[bool] = False
    """Its output takes a `format`."""
    storage: ClassVar[StorageClass] = TEXT_STORAGE
    """How its values are kept."""
    sortable: ClassVar[bool] = True
    """It has Sort values and a place in the Cursor input."""

    @abstractmethod
    def read(self, value: Any, formats: Formats) -> Stored:
        """Return the canonical stored spelling of a JSON value `given` by a client; never called with None.

        Any JSON value may be given. Raises InvalidValue with what would be right.
        """

    def sort_key(self, stored: Any) -> Any:
        """Return what orders a stored value among those of its type (`<`, `==` work between keys)."""
        return stored

    def serializer(self, pattern: str, formats: Formats) -> Callable[[Any], Any]:
        """Return a function from a stored value to JSON; `pattern` is "default" or a Java pattern.

        Raises InvalidValue for a pattern that Java would refuse.
        """
        del pattern, formats
        return _as_it_is

    @property
    def has_serializer(self) -> bool:
        """Whether stored values look different in answers: the type has a serializer of its own."""
        return type(self).serializer is not AttributeType.serializer

    def display(self, stored: Any, formats: Formats) -> str:
        """Return a stored value as a message to a member shows it."""
        del formats
        return describe_value(stored)


class OrderedType(AttributeType):
    """A type of numbers or times."""

    operators: ClassVar[frozenset[Operator]] = EQUALITY_OPERATORS | ORDER_OPERATORS | MEMBERSHIP_OPERATORS


def _as_it_is(stored: Any) -> Any:
    return stored


_INTEGER = re.compile(r"[+-]?[0-9]{1,30}")


def parse_integer(value: Any) -> int | None:
    """Return the whole number that a JSON value is (`3`, `3.0`, `"3"`), None when it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        return int(value)
    return None


def parse_text(value: Any, type_name: str) -> str:
    """Return a JSON value that is a text of Unicode characters. Raises InvalidValue for any other."""
    if not isinstance(value, str):
        message = _(
            "{value} is not a valid {type}. Use text in double quotes.",
            value=describe_value(value),
            type=type_name,
        )
        raise InvalidValue(message)
    if not value.isascii():
        _refuse_surrogates(value, type_name)
    return value


def _refuse_surrogates(text: str, type_name: str) -> None:
    """Raise InvalidValue for half a character, which no other program could read again."""
    try:
        text.encode()
    except UnicodeEncodeError as half:
        message = _(
            "The text is not a valid {type}. The character at position {position} is a lone surrogate "
            "({code}). Use both halves of the surrogate pair.",
            type=type_name,
            position=str(half.start),
            code=f"U+{ord(text[half.start]):04X}",
        )
        raise InvalidValue(message) from None
