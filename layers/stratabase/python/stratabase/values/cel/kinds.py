"""The kinds of values in expressions, and which kinds fit each other."""

from stratabase.values.frozen import frozen


@frozen
class ValueKind:
    """A kind of value. Messages show its name.

    Values are in their stored form, except that a Real is a Decimal and a list is a tuple.
    """

    name: str
    values: tuple[str, ...] = ()
    """The values of an enum; empty for other kinds."""
    element: "ValueKind | None" = None
    """The kind of the items of a list; None for other kinds."""


INT = ValueKind("Int")
REAL = ValueKind("Real")
BOOLEAN = ValueKind("Boolean")
TEXT = ValueKind("String")
DATE = ValueKind("Date")
TIME = ValueKind("Time")
DATETIME = ValueKind("Datetime")
FILE = ValueKind("File")
OBJECT = ValueKind("an object")
"""The object that a to-one role leads to."""
NULL = ValueKind("null")
UNKNOWN = ValueKind("?")
"""The kind of a part whose error has been reported. It fits everywhere, so that no further errors follow."""
ORDERED = frozenset({INT, REAL, BOOLEAN, TEXT, DATE, TIME, DATETIME})
"""The kinds whose values have an order."""


def list_of(element: ValueKind) -> ValueKind:
    """Return the kind of a list of items of a kind."""
    return ValueKind(f"a list of {element.name}", element=element)


def is_assignable(kind: ValueKind, target: ValueKind) -> bool:
    """Return whether a value of `kind` is valid where `target` is required."""
    if UNKNOWN in (kind, target) or kind in (target, NULL):
        return True
    if kind.element and target.element:
        return is_assignable(kind.element, target.element)
    return (kind is INT and target is REAL) or (bool(kind.values) and target is TEXT)


def common_kind(kinds: frozenset[ValueKind] | set[ValueKind]) -> ValueKind | None:
    """Return the kind that values of all these kinds fit, or None if there is none."""
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
