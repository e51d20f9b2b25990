"""The storage classes: how values are stored as JSON, and how they are ordered in indexes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

_MIDDLE = 500
"""Added to an exponent, so that every exponent of a stored number becomes a number of three digits."""
_COMPLEMENT = str.maketrans("0123456789", "9876543210")
_HIGHEST = "~"
"""Greater than every digit. So of two negative numbers, the one with more digits comes first."""


@dataclass(frozen=True, slots=True)
class StorageClass:
    """A way to store values.

    An attribute whose type changes keeps its values and indexes if both types have the same storage class.
    """

    name: str
    """The name in the registry of index slots. It must never change."""
    python_type: type
    """The type of the values in Python, after they are parsed as JSON."""
    accepts: Callable[[Any], bool]
    """Returns whether a value, which is not null, has this form.

    Values of another form, left by an earlier model, count as null.
    """
    index_text: Callable[[Any], str]
    """Maps a value to a text. Texts have the order of their values; different values have different texts."""


def number_text(number: Decimal) -> str:
    """Return a text that orders a number among others: its sign, its exponent, and its digits."""
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    significant = "".join(map(str, digits)).rstrip("0")
    if not significant:
        return "1"
    size = f"{exponent + len(digits) - 1 + _MIDDLE:03}{significant}"
    return f"0{size.translate(_COMPLEMENT)}{_HIGHEST}" if sign else f"2{size}"


def _itself(value: Any) -> str:
    return str(value)


TEXT_STORAGE = StorageClass("text", str, lambda value: type(value) is str, _itself)
INTEGER_STORAGE = StorageClass(
    "whole", int, lambda value: type(value) is int, lambda value: number_text(Decimal(value))
)
BOOLEAN_STORAGE = StorageClass(
    "boolean", bool, lambda value: type(value) is bool, lambda value: "1" if value else "0"
)
MAPPING_STORAGE = StorageClass("mapping", dict, lambda value: isinstance(value, dict), _itself)
"""The storage class of files, which have no order."""
Stored = str | int | bool | None | list[str] | Mapping[str, "Stored"]
"""A value as the store keeps it: JSON in the canonical form of its type.

A list has the IDs of an object's parts, which are stored beside its attributes.
"""
