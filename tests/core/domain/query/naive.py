"""A naive model of queries, written from the sentences of the API contract."""

from collections.abc import Iterable
from datetime import date, datetime, time
from decimal import Decimal
from functools import cmp_to_key, partial
from typing import Any, NamedTuple
from unicodedata import category, normalize

from stratabase.core.domain.objects.entity import State
from stratabase.core.domain.query.filter import (
    And,
    Comparison,
    ExpressionFilter,
    Filter,
    FlagFilter,
    Not,
    Or,
    RoleFilter,
)
from stratabase.core.domain.query.order import Order, Position
from stratabase.core.domain.query.page import Window
from stratabase.core.model.model import Class
from stratabase.core.model.types.operators import Operator
from stratabase.values.cel.environment import Environment

NEGATED = {
    Operator.NE: Operator.EQ,
    Operator.NOT_IN: Operator.IN,
    Operator.NOT_CONTAINS: Operator.CONTAINS,
    Operator.NOT_STARTS_WITH: Operator.STARTS_WITH,
    Operator.NOT_ENDS_WITH: Operator.ENDS_WITH,
    Operator.NOT_NULL: Operator.NULL,
}


MEANING: dict[str, Any] = {
    "Real": Decimal,
    "Date": date.fromisoformat,
    "Time": time.fromisoformat,
    "Datetime": datetime.fromisoformat,
}


OF_ALL_CLASSES = {"_id": "ID", "_versionStart": "Datetime", "_versionEnd": "Datetime"}
"""The types of attributes that no class declares."""


def comparable_value(class_: Class, attribute: str, value: Any) -> Any:
    """Return a stored value in a form that Python compares as the API does."""
    if value is None:
        return None
    type_name = OF_ALL_CLASSES.get(attribute) or class_.attributes[attribute].type.name
    value = folded(class_, attribute, value)
    if type_name in MEANING:
        return MEANING[type_name](value)
    if type_name == "File" and isinstance(value, dict):  # in an order
        value = value["name"]
    return [ord(character) for character in value] if isinstance(value, str) else value


def folded(class_: Class, attribute: str, value: Any) -> Any:
    """Return a text of an attribute as `@text` compares it. Other values stay as they are."""
    definition = class_.attributes.get(attribute)
    folding = None if definition is None else definition.type.folding
    if folding is None or not isinstance(value, str):
        return value
    text = normalize("NFKC", normalize("NFKC", value).casefold())
    if folding.name == "FOLDED":
        return text
    return normalize("NFKC", "".join(each for each in normalize("NFD", text) if category(each) != "Mn"))


def matches(filter_: Filter, state: State, class_: Class) -> bool:
    """Return whether a state matches a filter."""
    match filter_:
        case And(parts):
            return {matches(part, state, class_) for part in parts} <= {True}
        case Or(parts):
            return True in {matches(part, state, class_) for part in parts}
        case Not(part):
            return matches(part, state, class_) is False
        case ExpressionFilter() | FlagFilter() | RoleFilter():
            return expression_or_flag_holds(filter_, state)
        case Comparison(attribute, operator, operand):
            if operator in NEGATED:
                positive = Comparison(attribute, NEGATED[operator], operand)
                return matches(positive, state, class_) is False
            value: Any = state.get(attribute)
            compared = value["fileId"] if isinstance(value, dict) else value
            test = is_within if operator is Operator.WITHIN else partial(compares, operator)
            return test(attribute, compared, operand, class_)


def is_within(attribute: str, value: Any, operand: Any, class_: Class) -> bool:
    """Return whether a value is within one of several ranges."""
    return any(
        compares(Operator.GTE, attribute, value, first, class_)
        and compares(Operator.LTE, attribute, value, last, class_)
        for first, last in zip(operand[::2], operand[1::2], strict=True)
    )


def expression_or_flag_holds(filter_: ExpressionFilter | FlagFilter | RoleFilter, state: State) -> bool:
    if isinstance(filter_, FlagFilter | RoleFilter):
        return state.get(filter_.mark) is True
    return filter_.expression.evaluate(Environment(state, filter_.evaluation)) is True


def compares(operator: Operator, attribute: str, value: Any, operand: Any, class_: Class) -> bool:
    """Return whether a comparison with a non-negated operator holds."""
    if operator is Operator.NULL:
        return bool((value is None) == operand)
    if operator is Operator.IN:
        return any(compares(Operator.EQ, attribute, value, one, class_) for one in operand)
    if value is None or operand is None:
        return operator is Operator.EQ and value is None and operand is None
    if operator in {Operator.CONTAINS, Operator.STARTS_WITH, Operator.ENDS_WITH}:
        return _has(operator, *(list(folded(class_, attribute, text)) for text in (value, operand)))
    mine, other = comparable_value(class_, attribute, value), comparable_value(class_, attribute, operand)
    if mine == other:
        return operator in {Operator.EQ, Operator.LTE, Operator.GTE}
    return operator in ({Operator.LT, Operator.LTE} if mine < other else {Operator.GT, Operator.GTE})


def _has(operator: Operator, text: list[str], piece: list[str]) -> bool:
    """Return whether a text contains another at a place that the operator considers."""
    last = len(text) - len(piece)
    places = {
        Operator.CONTAINS: range(last + 1),
        Operator.STARTS_WITH: [0],
        Operator.ENDS_WITH: [last] if last >= 0 else [],
    }
    return any(text[place : place + len(piece)] == piece for place in places[operator])


def direction(order: Order, class_: Class, left: Iterable[Any], right: Iterable[Any]) -> int:
    """Return -1, 0 or 1 if the values `left` sort before, with or after the values `right`."""
    left, right = list(left), list(right)
    compared = [
        (
            comparable_value(class_, term.attribute, mine),
            comparable_value(class_, term.attribute, other),
            term.descending,
        )
        for term, mine, other in zip(order.terms, left, right, strict=False)
    ]
    if len(compared) == len(order.terms):  # before the last one, what was written
        compared[-1:-1] = [
            (mine, other, term.descending)
            for term, mine, other in zip(order.terms, left, right, strict=False)
            if folded(class_, term.attribute, "A") == "a"
        ]
    for a, b, descending in compared:
        if a != b:
            first = a is None or (b is not None and a < b)
            return -1 if first is not descending else 1
    return 0


def values(order: Order, state: State) -> list[Any]:
    """Return the values of a state by which an order sorts."""
    return [state.get(term.attribute) for term in order.terms]


def in_order(states: Iterable[State], order: Order, class_: Class) -> list[State]:
    """Return the states sorted."""

    def compare(left: State, right: State) -> int:
        return direction(order, class_, values(order, left), values(order, right))

    return sorted(states, key=cmp_to_key(compare))


class ExpectedPage(NamedTuple):
    """The expected content of a page."""

    ids: list[Any]
    total_count: int
    has_next: bool
    has_prev: bool


def page(
    states: Iterable[State], filter_: Filter | None, order: Order, window: Window, class_: Class
) -> ExpectedPage:
    """Return the expected page: a window of all matches in order."""
    found = in_order(
        (state for state in states if filter_ is None or matches(filter_, state, class_)), order, class_
    )
    first, end = _slice(found, order, window, class_)
    ids = [state["_id"] for state in found[first:end]]
    return ExpectedPage(ids, len(found), end < len(found), first > 0)


def _slice(found: list[State], order: Order, window: Window, class_: Class) -> tuple[int, int]:
    sides = [_side(state, order, window.start, class_) for state in found]
    if window.backward:
        reach = len(found) if window.start is None else sides.count(-1)
        if window.start is not None and window.inclusive:
            reach += sides.count(0)
        end = max(0, reach - window.offset)
        return max(0, end - window.size), end
    passed = 0 if window.start is None else sides.count(-1)
    if window.start is not None and not window.inclusive:
        passed += sides.count(0)
    first = min(len(found), passed + window.offset)
    return first, min(len(found), first + window.size)


def _side(state: State, order: Order, start: Position | None, class_: Class) -> int:
    return 1 if start is None else direction(order, class_, values(order, state), start.values)
