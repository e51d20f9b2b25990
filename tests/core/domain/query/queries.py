"""Random states, filters, orders and windows over the class THING, of few values, so that many match."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from stratabase.core.domain.files.stored_file import StoredFile
from stratabase.core.domain.query.filter import And, Comparison, Filter, Not, Or
from stratabase.core.domain.query.order import Order, OrderTerm, Position
from stratabase.core.domain.query.page import Window
from stratabase.core.model.types.operators import (
    EXISTENCE_OPERATORS,
    MEMBERSHIP_OPERATORS,
    ORDER_OPERATORS,
    TEXT_OPERATORS,
    Operator,
)
from stratabase.values.formats.preferences import DEFAULT_FORMATS
from tests.fakes import NOON
from tests.models import THING

TEXTS = ["", "a", "A", "b", "ab", "ba", "aba", "é", "e\u0301", "\uffff", "\U0001f600", "10", "9"]
FOLDABLE = ["", "a", "A", "AB", "ab", "é", "E\u0301", "e", "straße", "STRASSE", "ﬁ", "FI", "\u0301"]
"""Texts of which some are the same without case, or without accents."""


_GIVEN: Mapping[str, list[Any]] = {
    "name": TEXTS,
    "notes": [*TEXTS, "line\nline", "\0"],
    "count": [-(2**31), -1, 0, 1, 9, 10, 2**31 - 1],
    "price": ["-10", "-9", "-0.5", "0", "0.5", "9", "10", "10.25", "12345678901234567890.125"],
    "good": [True, False],
    "day": ["1999-12-31", "2000-01-01", "2024-02-29"],
    "hour": ["00:00:00", "09:30:00", "23:59:59"],
    "moment": ["1999-12-31T23:59:59.999Z", "2000-01-01T00:00:00.000Z", "2024-02-29T12:00:00.001Z"],
    "vintage": [1, 1999, 2024],
    "colour": ["RED", "GREEN", "BLUE"],
    "alias": FOLDABLE,
    "remark": FOLDABLE,
}


VALUES: dict[str, list[Any]] = {
    name: [THING.attributes[name].type.read(value, DEFAULT_FORMATS) for value in given]
    for name, given in _GIVEN.items()
}
"""Stored values of each attribute, but `picture`."""


FILES = [
    StoredFile(f"f{number}", name, "image/png", number, NOON).stored()
    for number, name in enumerate(["b", "a", "b", "", "é", "\uffff", "\U0001f600"])
]
"""Stored values of `picture`. Two files have the same name."""


IDS = [f"id{number:02}" for number in range(30)]


states = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(values) for name, values in [*VALUES.items(), ("picture", FILES)]}
)
"""States without their `_id`."""


def numbered(drawn: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the states, each with an id."""
    return [{**state, "_id": id_} for state, id_ in zip(drawn, IDS, strict=False)]


many_states = st.lists(states, max_size=len(IDS)).map(numbered)


def values_of(attribute: str) -> list[Any]:
    """Return stored values of an attribute."""
    known: Mapping[str, list[Any]] = {**VALUES, "_id": IDS, "picture": FILES}
    return known[attribute]


def operands_of(attribute: str) -> list[Any]:
    """Return what comparisons with an attribute can have as their operand."""
    return [file["fileId"] for file in FILES] if attribute == "picture" else values_of(attribute)


def operators_of(attribute: str) -> list[Operator]:
    """Return the operators that filters on an attribute support, in a fixed order."""
    operators = ORDER_OPERATORS | MEMBERSHIP_OPERATORS | EXISTENCE_OPERATORS | {Operator.EQ, Operator.NE}
    if attribute != "_id":
        operators = THING.attributes[attribute].type.operators
    return [operator for operator in Operator if operator in operators]


def operands(attribute: str, operator: Operator) -> st.SearchStrategy[Any]:
    """Return the operands that an operator accepts for an attribute."""
    one = st.sampled_from(operands_of(attribute))
    if operator in EXISTENCE_OPERATORS:
        return st.booleans()
    if operator in MEMBERSHIP_OPERATORS:
        return st.lists(st.none() | one, max_size=3).map(tuple)
    return one if operator in ORDER_OPERATORS | TEXT_OPERATORS else st.none() | one


@st.composite
def comparisons(draw: st.DrawFn) -> Comparison:
    """Draw one comparison."""
    attribute = draw(st.sampled_from(["_id", "picture", *VALUES]))
    if attribute == "moment" and draw(st.booleans()):
        ends = st.lists(st.sampled_from(VALUES[attribute]), min_size=2, max_size=2).map(sorted)
        return Comparison(attribute, Operator.WITHIN, tuple(draw(ends)))
    operator = draw(st.sampled_from(operators_of(attribute)))
    return Comparison(attribute, operator, draw(operands(attribute, operator)))


def _combined(parts: st.SearchStrategy[Filter]) -> st.SearchStrategy[Filter]:
    several = st.lists(parts, max_size=3).map(tuple)
    return several.map(And) | several.map(Or) | parts.map(Not)


filters: st.SearchStrategy[Filter] = st.recursive(comparisons(), _combined, max_leaves=8)


terms = st.builds(OrderTerm, st.sampled_from(["_id", "picture", *VALUES]), st.booleans())


orders = st.lists(terms, max_size=3).map(Order.of)


@st.composite
def positions(draw: st.DrawFn, order: Order) -> Position:
    """Draw a position of one value at least; the shorter, the wider."""
    known = draw(st.integers(1, len(order.terms)))
    return Position(
        tuple(draw(st.none() | st.sampled_from(values_of(term.attribute))) for term in order.terms[:known])
    )


@st.composite
def windows(draw: st.DrawFn, order: Order) -> Window:
    """Draw a window on an order."""
    return Window(
        size=draw(st.integers(0, 6)),
        backward=draw(st.booleans()),
        offset=draw(st.integers(0, 4)),
        start=draw(st.none() | positions(order)),
        inclusive=draw(st.booleans()),
    )
