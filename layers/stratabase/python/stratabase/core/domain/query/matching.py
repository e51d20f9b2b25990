"""Filters compiled to predicates: closures that contain the operand and its type's sort key.

For eq, ne, in and not_in, null is a value like others. Otherwise null is neither below nor above an operand,
and contains no text. So the other operators are false for null, and their negations are true.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from typing import Any

from stratabase.core.domain.attributes import equality_getter, folded_getter, type_of
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
from stratabase.core.model.model import Class
from stratabase.core.model.types.operators import Operator
from stratabase.values.cel.environment import Environment

Test = Callable[[State], bool]
"""A predicate on states."""
Rank = Callable[[Any], Any]
"""A type's sort key: values are compared by it."""
BeforeSearch = Callable[[int], object]
"""Is called with the length of a long text before it is searched. It may raise an exception."""
_LONG = 1000
"""The length from which a text is long, in characters."""
_Read = Callable[[State], Any]
_Factory = Callable[[_Read, Any, Rank | None], Test]
_SearchFactory = Callable[[_Read, str, BeforeSearch], Test]


def matcher(filter_: Filter, class_: Class, before_search: BeforeSearch = lambda _: None) -> Test:
    """Return the predicate that says whether a state, as the class shows it, matches the filter."""
    return _COMPILERS[type(filter_)](filter_, class_, before_search)


def _comparison(comparison: Comparison, class_: Class, before_search: BeforeSearch) -> Test:
    operand, attribute = comparison.operand, class_.attributes.get(comparison.attribute)
    read = equality_getter(class_, comparison.attribute)
    if attribute is not None and (folding := attribute.type.folding) is not None:
        read, operand = folded_getter(read, folding.after(before_search)), folding.operand(operand)
    search = SEARCHES.get(comparison.operator)
    if search is not None:
        assert isinstance(operand, str), "part of a text"
        return search(read, operand, before_search)
    type_ = type_of(class_, comparison.attribute)
    rank = type_.sort_key if type_.has_sort_key else None
    return COMPARISONS[comparison.operator](read, operand, rank)


def _and(both: And, class_: Class, before_search: BeforeSearch) -> Test:
    tests = [matcher(part, class_, before_search) for part in both.parts]

    def every(state: State) -> bool:
        for test in tests:  # noqa: SIM110 - a loop takes half the time of all()
            if not test(state):
                return False
        return True

    return tests[0] if len(tests) == 1 else every


def _or(either: Or, class_: Class, before_search: BeforeSearch) -> Test:
    tests = [matcher(part, class_, before_search) for part in either.parts]

    def some(state: State) -> bool:
        for test in tests:  # noqa: SIM110 - a loop takes half the time of any()
            if test(state):
                return True
        return False

    return tests[0] if len(tests) == 1 else some


def _not(negation: Not, class_: Class, before_search: BeforeSearch) -> Test:
    test = matcher(negation.part, class_, before_search)
    return lambda state: not test(state)


def _holds(condition: ExpressionFilter, _: Class, _before_search: BeforeSearch) -> Test:
    holds, evaluation = condition.expression.holds, condition.evaluation
    return lambda state: holds(Environment(state, evaluation))


def _flag(flag_filter: FlagFilter | RoleFilter, _: Class, _before_search: BeforeSearch) -> Test:
    mark = flag_filter.mark
    return lambda state: state.get(mark) is True


_COMPILERS: Mapping[type[Any], Callable[[Any, Class, BeforeSearch], Test]] = {
    Comparison: _comparison,
    And: _and,
    Or: _or,
    Not: _not,
    ExpressionFilter: _holds,
    FlagFilter: _flag,
    RoleFilter: _flag,
}


def _equal(read: _Read, operand: Any, _: Rank | None) -> Test:
    # Stored spellings are canonical, and texts are folded, so equal values are spelt the same.
    return lambda state: bool(read(state) == operand)


def _not_equal(read: _Read, operand: Any, _: Rank | None) -> Test:
    return lambda state: bool(read(state) != operand)


def _less(read: _Read, operand: Any, rank: Rank | None) -> Test:
    if rank is None:
        return lambda state: (value := read(state)) is not None and value < operand
    limit = rank(operand)
    return lambda state: (value := read(state)) is not None and rank(value) < limit


def _at_most(read: _Read, operand: Any, rank: Rank | None) -> Test:
    if rank is None:
        return lambda state: (value := read(state)) is not None and value <= operand
    limit = rank(operand)
    return lambda state: (value := read(state)) is not None and rank(value) <= limit


def _greater(read: _Read, operand: Any, rank: Rank | None) -> Test:
    if rank is None:
        return lambda state: (value := read(state)) is not None and value > operand
    limit = rank(operand)
    return lambda state: (value := read(state)) is not None and rank(value) > limit


def _at_least(read: _Read, operand: Any, rank: Rank | None) -> Test:
    if rank is None:
        return lambda state: (value := read(state)) is not None and value >= operand
    limit = rank(operand)
    return lambda state: (value := read(state)) is not None and rank(value) >= limit


def _null(read: _Read, wanted: bool, _: Rank | None) -> Test:  # noqa: FBT001 - an operand
    return lambda state: (read(state) is None) is wanted


def _not_null(read: _Read, wanted: bool, _: Rank | None) -> Test:  # noqa: FBT001 - an operand
    return lambda state: (read(state) is not None) is wanted


def _in(read: _Read, operand: tuple[Any, ...], _: Rank | None) -> Test:
    admitted = frozenset(operand)
    return lambda state: read(state) in admitted


def _not_in(read: _Read, operand: tuple[Any, ...], _: Rank | None) -> Test:
    excluded = frozenset(operand)
    return lambda state: read(state) not in excluded


def _within(read: _Read, operand: tuple[Any, ...], rank: Rank | None) -> Test:
    rank = rank or _itself
    starts, ends = [*map(rank, operand[::2])], [*map(rank, operand[1::2])]

    def is_within(state: State) -> bool:
        value = read(state)
        if value is None:
            return False
        key = rank(value)
        position = bisect_right(starts, key) - 1
        return position >= 0 and bool(key <= ends[position])

    return is_within


def _itself(value: Any) -> Any:
    return value


def _contains(read: _Read, operand: str, before_search: BeforeSearch) -> Test:
    def contains(state: State) -> bool:
        value = read(state)
        if value is None:
            return False
        if len(value) > _LONG:
            before_search(len(value))
        return operand in value

    return contains


def _not_contains(read: _Read, operand: str, before_search: BeforeSearch) -> Test:
    contains = _contains(read, operand, before_search)
    return lambda state: not contains(state)


def _starts_with(read: _Read, operand: str, _: Rank | None) -> Test:
    return lambda state: (value := read(state)) is not None and value.startswith(operand)


def _not_starts_with(read: _Read, operand: str, _: Rank | None) -> Test:
    return lambda state: (value := read(state)) is None or not value.startswith(operand)


def _ends_with(read: _Read, operand: str, _: Rank | None) -> Test:
    return lambda state: (value := read(state)) is not None and value.endswith(operand)


def _not_ends_with(read: _Read, operand: str, _: Rank | None) -> Test:
    return lambda state: (value := read(state)) is None or not value.endswith(operand)


COMPARISONS: Mapping[Operator, _Factory] = {
    Operator.EQ: _equal,
    Operator.NE: _not_equal,
    Operator.LT: _less,
    Operator.LTE: _at_most,
    Operator.GT: _greater,
    Operator.GTE: _at_least,
    Operator.NULL: _null,
    Operator.NOT_NULL: _not_null,
    Operator.IN: _in,
    Operator.NOT_IN: _not_in,
    Operator.STARTS_WITH: _starts_with,
    Operator.NOT_STARTS_WITH: _not_starts_with,
    Operator.ENDS_WITH: _ends_with,
    Operator.NOT_ENDS_WITH: _not_ends_with,
    Operator.WITHIN: _within,
}
"""By operator: a function of the attribute's reader, the operand and the type's sort key, to a predicate."""
SEARCHES: Mapping[Operator, _SearchFactory] = {
    Operator.CONTAINS: _contains,
    Operator.NOT_CONTAINS: _not_contains,
}
"""By operator that searches a whole text: a function of the attribute's reader, the text to find, and what to
call before a long search."""
