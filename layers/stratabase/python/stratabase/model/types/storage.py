"""The few ways in which values are kept as JSON, each with what a value lies by in an index."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

_MIDDLE = 500
"""Added to an exponent, so that it is a number of three digits for everything that is kept."""
_COMPLEMENT = str.maketrans("0123456789", "9876543210")
_HIGHEST = "~"
"""Above every digit: of two negative numbers, the one with more digits is the smaller."""


@dataclass(frozen=True, slots=True)
class StorageClass:
    """A way to keep values; types that share one can take over each other's values and indexes."""

    name: str
    """What the registry of index slots calls it: never to be changed."""
    accepts: Callable[[Any], bool]
    """Whether a value (not null) is kept in this way; one that is not, left by an earlier model, is null."""
    index_text: Callable[[Any], str]
    """From a value to a text; the texts are in the order of the values, and no two are the same."""


def number_text(number: Decimal) -> str:
    """Return a text for a number: its sign, its size, and its digits."""
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    significant = "".join(map(str, digits)).rstrip("0")
    if not significant:
        return "1"
    size = f"{exponent + len(digits) - 1 + _MIDDLE:03}{significant}"
    return f"0{size.translate(_COMPLEMENT)}{_HIGHEST}" if sign else f"2{size}"


def _itself(value: Any) -> str:
    return str(value)


TEXT_STORAGE = StorageClass("text", lambda value: type(value) is str, _itself)
INTEGER_STORAGE = StorageClass(
    "whole", lambda value: type(value) is int, lambda value: number_text(Decimal(value))
)
BOOLEAN_STORAGE = StorageClass(
    "boolean", lambda value: type(value) is bool, lambda value: "1" if value else "0"
)
MAPPING_STORAGE = StorageClass("mapping", lambda value: isinstance(value, dict), _itself)
"""Files, which have no order."""
Stored = str | int | bool | None | list[str] | Mapping[str, "Stored"]
"""A value as the store keeps it: JSON, in the one spelling that its type calls canonical.

A list has the ids of an object's parts, which lie beside its attributes.
"""
