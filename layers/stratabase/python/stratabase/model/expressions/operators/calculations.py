"""How sums and products are calculated: one operator for each kind of value, one operand after the other."""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from stratabase.model.expressions import numbers, texts
from stratabase.model.expressions.environment import Environment
from stratabase.model.expressions.kinds import INT, REAL, TEXT, ValueKind
from stratabase.model.expressions.meaning import Meaning, Run

Apply = Callable[[Environment, Any, Any], Any]


def _plain(calculate: Callable[[Any, Any], Any]) -> Apply:
    return lambda _, left, right: calculate(left, right)


def _whole(calculate: Callable[[int, int], int]) -> Apply:
    return lambda _, left, right: numbers.whole(calculate(left, right))


_OPERATORS: Mapping[tuple[str, ValueKind], Apply] = {
    ("+", INT): _whole(operator.add),
    ("-", INT): _whole(operator.sub),
    ("*", INT): _whole(operator.mul),
    ("/", INT): _plain(numbers.quotient),
    ("%", INT): _plain(numbers.remainder),
    ("+", REAL): _plain(numbers.sum_of),
    ("-", REAL): _plain(numbers.difference_of),
    ("*", REAL): _plain(numbers.product_of),
    ("/", REAL): _plain(numbers.quotient_of),
    ("+", TEXT): texts.joined,
}
_LISTS: Mapping[str, Apply] = {"+": _plain(operator.add)}


def apply_of(symbol: str, kind: ValueKind) -> Apply | None:
    """Return what an operator does with two values of a kind, None if nothing."""
    return _LISTS.get(symbol) if kind.element else _OPERATORS.get((symbol, kind))


def calculation(total: Meaning, applied: Sequence[tuple[Apply, Run]]) -> Meaning:
    """Return the meaning of a value to which others are added, or the like, one after the other."""
    if not applied:
        return total
    return replace(
        total, run=_once(total.run, *applied[0]) if len(applied) == 1 else _all(total.run, applied)
    )


def _once(first: Run, apply: Apply, second: Run) -> Run:
    def value(environment: Environment) -> Any:
        left = first(environment)
        if left is None:
            return None
        right = second(environment)
        return None if right is None else apply(environment, left, right)

    return value


def _all(first: Run, applied: Sequence[tuple[Apply, Run]]) -> Run:
    def value(environment: Environment) -> Any:
        total = first(environment)
        for apply, operand in applied:
            right = None if total is None else operand(environment)
            if right is None:
                return None
            total = apply(environment, total, right)
        return total

    return value
