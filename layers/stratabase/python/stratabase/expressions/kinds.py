"""The kinds of values in expressions, and which fit where others are wanted."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ValueKind:
    """A kind of value; its name is what messages say.

    In an expression, a value is as it is stored, but for a Real, which is a Decimal, and a list, a tuple.
    """

    name: str
    values: tuple[str, ...] = ()
    """Of an enum: all that there are."""
    element: "ValueKind | None" = None
    """Of a list: what it holds."""


INT = ValueKind("Int")
REAL = ValueKind("Real")
BOOLEAN = ValueKind("Boolean")
TEXT = ValueKind("String")
DATE = ValueKind("Date")
TIME = ValueKind("Time")
DATETIME = ValueKind("Datetime")
FILE = ValueKind("File")
OBJECT = ValueKind("an object")
"""What a to-one role leads to."""
NULL = ValueKind("null")
UNKNOWN = ValueKind("?")
"""A mistake has been reported already: fits everywhere, so that it is reported once."""
ORDERED = frozenset({INT, REAL, BOOLEAN, TEXT, DATE, TIME, DATETIME})
"""What `<` compares."""


def list_of(element: ValueKind) -> ValueKind:
    """Return the kind of a list."""
    return ValueKind(f"a list of {element.name}", element=element)


def is_assignable(kind: ValueKind, target: ValueKind) -> bool:
    """Return whether a value of one kind may stand where another is wanted."""
    if UNKNOWN in (kind, target) or kind in (target, NULL):
        return True
    if kind.element and target.element:
        return is_assignable(kind.element, target.element)
    return (kind is INT and target is REAL) or (bool(kind.values) and target is TEXT)


def common_kind(kinds: frozenset[ValueKind] | set[ValueKind]) -> ValueKind | None:
    """Return the kind that values of all these fit, or None where there is none."""
    kinds = kinds - {NULL}
    if UNKNOWN in kinds:
        return UNKNOWN
    if len(kinds) < 2:
        return next(iter(kinds), NULL)
    if kinds == {INT, REAL}:
        return REAL
    if all(kind is TEXT or kind.values for kind in kinds):
        return TEXT
    elements = {kind.element for kind in kinds if kind.element}
    inner = common_kind(elements) if all(kind.element for kind in kinds) else None
    return list_of(inner) if inner else None
