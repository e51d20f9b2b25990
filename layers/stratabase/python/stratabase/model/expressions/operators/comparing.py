"""How values are compared; null compares with nothing."""

import operator
from collections.abc import Callable, Mapping
from typing import Any

from stratabase.model.expressions.environment import Environment
from stratabase.model.expressions.meaning import Meaning, Run, nowhere

Compare = Callable[[Any, Any], bool | None]

ORDERS: Mapping[str, Compare] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
EQUALITIES: Mapping[str, Compare] = {"==": operator.eq, "!=": operator.ne}


def compared(left: Meaning, compare: Compare, right: Meaning) -> Run:
    """Return what compares two values."""
    if right.constant:
        return _with_constant(left.run, compare, right.run(nowhere()))
    return of_both(left.run, compare, right.run)


def of_both(left: Run, compare: Compare, right: Run) -> Run:
    """Return what compares two values, neither of which is constant."""

    def result(environment: Environment) -> bool | None:
        first = left(environment)
        if first is None:
            return None
        second = right(environment)
        return None if second is None else compare(first, second)

    return result


def _with_constant(left: Run, compare: Compare, right: Any) -> Run:
    if right is None:
        return lambda _: None
    return lambda environment: None if (value := left(environment)) is None else compare(value, right)


def _equal_lists(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool | None:
    if len(left) != len(right):
        return False
    pairs = [None if None in pair else pair[0] == pair[1] for pair in zip(left, right, strict=True)]
    if False in pairs:
        return False
    return None if None in pairs else True


def _unequal_lists(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool | None:
    equal = _equal_lists(left, right)
    return None if equal is None else not equal


LIST_EQUALITIES: Mapping[str, Compare] = {"==": _equal_lists, "!=": _unequal_lists}
