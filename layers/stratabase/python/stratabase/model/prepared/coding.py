"""From a model, or a piece of one, to JSON.

What is no text, number, truth or null says in `is` what it stands for. A field that has its default is left
out; tuples are lists.
"""

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from enum import Enum
from typing import Any

from stratabase.model.prepared.pieces import CLASSES, MAPPING, NAMES, SET, TYPE
from stratabase.model.types.base import AttributeType

_PLAIN = (str, int, bool, type(None))


def coded(value: Any) -> Any:
    """Return a value as JSON."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, tuple | list):
        return [coded(each) for each in value]
    if NAMES.get(type(value)) in CLASSES:
        return {"is": NAMES[type(value)], **_given(value)}
    return _coded_otherwise(value)


def _coded_otherwise(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {"is": MAPPING, "of": {name: coded(each) for name, each in value.items()}}
    if isinstance(value, frozenset):
        return {"is": SET, "of": sorted((coded(each) for each in value), key=str)}
    if isinstance(value, Enum):
        return {"is": NAMES[type(value)], "of": value.name}
    if isinstance(value, AttributeType):
        return {"is": TYPE, "of": value.name}
    raise TypeError(f"no model holds a {type(value).__name__}")


def _given(value: Any) -> dict[str, Any]:
    return {each.name: coded(getattr(value, each.name)) for each in fields(value) if _is_told(value, each)}


def _is_told(value: Any, field: "Field[Any]") -> bool:
    default = field.default if field.default_factory is MISSING else field.default_factory()
    return default is MISSING or getattr(value, field.name) != default
