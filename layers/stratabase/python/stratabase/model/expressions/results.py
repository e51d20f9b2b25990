"""What becomes of an expression's value: the spelling in which it is stored."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from stratabase.model.attribute import Stored
from stratabase.model.expressions.checker import Checker
from stratabase.model.expressions.kinds import REAL, TEXT, fits, kind_of
from stratabase.model.expressions.meaning import Meaning
from stratabase.model.expressions.operators.comparable import check_values
from stratabase.model.formats import DEFAULT_FORMATS
from stratabase.model.malformed import Malformed
from stratabase.model.types.base import AttributeType
from stratabase.model.types.real import canonical

Store = Callable[[Any], Any]
"""From a value, null included, to what is stored."""
_NARROWER = frozenset({"Int", "Year"})
"""The types that do not hold all values of their kind."""


def check_result(checker: Checker, meaning: Meaning, wanted: AttributeType) -> None:
    """Report an expression that does not give what an attribute of a type holds."""
    kind = kind_of(wanted)
    if kind.values and meaning.kind is TEXT and meaning.texts is not None:
        check_values(checker, kind, meaning)
    elif not fits(meaning.kind, kind):
        checker.refuse(meaning.at, f"This is {meaning.kind.name}, where {wanted.name} is wanted.")


def store_of(meaning: Meaning, wanted: AttributeType | None) -> Store:
    """Return what stores the values of an expression, as an attribute of a type does if there is one."""
    if meaning.kind is REAL or (wanted and wanted.name == "Real"):
        return _real
    if meaning.kind is TEXT:
        return _text
    return _read_by(wanted) if wanted and wanted.name in _NARROWER else _itself


def _real(value: Any) -> Stored:
    return None if value is None else canonical(Decimal(value))


def _itself(value: Any) -> Any:
    return value


def _text(value: Any) -> str | None:
    # A member's name is stored as a plain text: what compares with it later goes by that.
    return None if value is None else str(value)


def _read_by(type_: AttributeType) -> Store:
    def read(value: Any) -> Stored:
        try:
            return None if value is None else type_.read(value, DEFAULT_FORMATS)
        except Malformed:
            return None

    return read
