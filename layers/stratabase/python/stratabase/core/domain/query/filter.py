"""Filters on states, as data; `matching` compiles them to predicates.

A filter can name the only IDs that its matches can have.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.model.api_names import ID
from stratabase.core.model.types.base import Stored
from stratabase.core.model.types.operators import Operator
from stratabase.values.cel.environment import EvaluationContext
from stratabase.values.cel.expression import Expression
from stratabase.values.frozen import frozen

_SEARCH_COST = 10
"""The estimated cost of searching a short text, or of a step of an expression. A comparison costs 1."""
_EXPRESSION_COST = 200
"""The least estimated cost of an expression, because one of its steps can take much longer than others."""
_SEARCHES = frozenset({Operator.CONTAINS, Operator.NOT_CONTAINS})


@frozen
class Comparison:
    """An attribute (or `_id`) compared with an operand in its stored spelling.

    A derived attribute must be in the state before the test. The operand is a bool for null and not_null, and
    a tuple for in and not_in, where None means null. For eq and ne, None means null. Other operators never
    have None. For within, the operand is a tuple of the first and last values of ranges, in ascending order
    and without overlaps: `(first, last, first, last, …)`. A file is compared by its `fileId`, so that is the
    operand.
    """

    attribute: str
    operator: Operator
    operand: Stored | tuple[Stored, ...]


@frozen
class And:
    """All parts hold. It is true without parts."""

    parts: tuple["Filter", ...]


@frozen
class Or:
    """At least one part holds. It is false without parts."""

    parts: tuple["Filter", ...]


@frozen
class Not:
    """The part does not hold."""

    part: "Filter"


@frozen
class ExpressionFilter:
    """A condition over the class's own attributes is true. A null condition does not hold."""

    expression: Expression
    evaluation: EvaluationContext


@frozen
class FlagFilter:
    """A flag is true in the state. The code that tests objects sets it before. No attribute has its name."""

    mark: str


@frozen
class RoleFilter:
    """A role leads to at least one object that matches a filter. Hidden and deleted objects don't count.

    Whether it holds must be in the state before the test, under `mark`.
    """

    role: RoleName
    """A role of the class whose objects are filtered."""
    part: "Filter"
    """The filter on objects of the role's target. MATCH_ALL matches if the role leads to any object."""
    mark: str = field(default="", repr=False, compare=False)
    """The name under which a state has the result. No attribute has such a name. Only a translation to other
    names of classes and roles passes it, because the state keeps the first one."""

    def __post_init__(self) -> None:
        # Made once, because it is as long as the filter, and each batch of objects needs it.
        object.__setattr__(self, "mark", self.mark or f".{self!r}")


Filter = Comparison | And | Or | Not | ExpressionFilter | FlagFilter | RoleFilter


def conjuncts(filter_: Filter | None) -> Iterator[Filter]:
    """Yield the filters that must all hold."""
    if isinstance(filter_, And):
        for part in filter_.parts:
            yield from conjuncts(part)
    elif filter_ is not None:
        yield filter_


def test_cost(filter_: Filter) -> int:
    """Return the estimated cost of testing one object. A comparison costs 1."""
    if isinstance(filter_, And | Or):
        return sum(map(test_cost, filter_.parts))
    if isinstance(filter_, Not):
        return test_cost(filter_.part)
    if isinstance(filter_, ExpressionFilter):
        return max(_EXPRESSION_COST, _SEARCH_COST * filter_.expression.steps)
    return _SEARCH_COST if isinstance(filter_, Comparison) and filter_.operator in _SEARCHES else 1


MATCH_ALL = And(())
MATCH_NONE = Or(())


def and_(parts: Sequence[Filter]) -> Filter:
    """Return the filter that matches what all parts match."""
    if len(parts) == 1:
        return parts[0]
    remaining = tuple(_deduplicate(MATCH_NONE, (part for part in parts if part != MATCH_ALL)))
    return remaining[0] if len(remaining) == 1 else And(remaining)


def or_(parts: Sequence[Filter]) -> Filter:
    """Return the filter that matches what at least one part matches."""
    remaining = _merge_equalities(_deduplicate(MATCH_ALL, (part for part in parts if part != MATCH_NONE)))
    return remaining[0] if len(remaining) == 1 else Or(remaining)


def not_(part: Filter) -> Filter:
    """Return the filter that matches what a part does not match."""
    if part in (MATCH_ALL, MATCH_NONE):
        return MATCH_NONE if part == MATCH_ALL else MATCH_ALL
    return part.part if isinstance(part, Not) else Not(part)


def constant_value(filter_: Filter) -> bool | None:
    """Return whether a filter matches all objects (True) or none (False), whatever values they have.

    None if it depends on their values, as that of every comparison and expression does. Only comparisons with
    an empty list don't depend on them.
    """
    match filter_:
        case And(parts):
            return _constant_of_parts(parts, decisive=False)
        case Or(parts):
            return _constant_of_parts(parts, decisive=True)
        case Not(part):
            value = constant_value(part)
            return None if value is None else not value
        case RoleFilter():
            return False if constant_value(filter_.part) is False else None
        case Comparison(_, operator, ()):
            return operator is Operator.NOT_IN
    return None


def _constant_of_parts(parts: Sequence[Filter], *, decisive: bool) -> bool | None:
    """Return the constant value of a junction, which has the `decisive` value as soon as one part has it."""
    values = {constant_value(part) for part in parts}
    if decisive in values:
        return decisive
    return None if None in values else not decisive


def _deduplicate(constant: Filter, parts: Iterable[Filter]) -> Iterator[Filter]:
    """Yield the parts, but those that equal a constant only once."""
    is_seen = False
    for part in parts:
        if part != constant or not is_seen:
            yield part
        is_seen = is_seen or part == constant


def _merge_equalities(parts: Iterable[Filter]) -> tuple[Filter, ...]:
    """Return the parts with all equality comparisons of one attribute merged into one."""
    values: dict[str, list[Stored]] = {}
    rest: list[Filter] = []
    for part in parts:
        if isinstance(part, Comparison) and part.operator is Operator.EQ:
            assert not isinstance(part.operand, tuple), "eq takes one value"
            values.setdefault(part.attribute, []).append(part.operand)
        else:
            rest.append(part)
    return (*(_equal(name, several) for name, several in values.items()), *rest)


def _equal(attribute: str, values: Sequence[Stored]) -> Comparison:
    if len(values) == 1:
        return Comparison(attribute, Operator.EQ, values[0])
    return Comparison(attribute, Operator.IN, tuple(values))


IdSet = frozenset[str]


def ids_implied_by(filter_: Filter | None) -> IdSet | None:
    """Return a set of ids that contains the id of every match, None if the filter does not limit the ids."""
    finder = _ID_FINDERS.get(type(filter_))
    return None if finder is None else finder(filter_)


def _ids_of_comparison(comparison: Comparison) -> IdSet | None:
    finder = _IDS_BY_OPERATOR.get(comparison.operator) if comparison.attribute == ID else None
    return None if finder is None else finder(comparison.operand)


def _ids_of_and(conjunction: And) -> IdSet | None:
    found = [ids for part in conjunction.parts if (ids := ids_implied_by(part)) is not None]
    return frozenset.intersection(*found) if found else None


def _ids_of_or(disjunction: Or) -> IdSet | None:
    # If one alternative does not limit the ids, any id can match.
    found = [ids_implied_by(part) for part in disjunction.parts]
    known = [ids for ids in found if ids is not None]
    return frozenset[str]().union(*known) if len(known) == len(found) else None


_ID_FINDERS: Mapping[type[Any], Callable[[Any], IdSet | None]] = {
    Comparison: _ids_of_comparison,
    And: _ids_of_and,
    Or: _ids_of_or,
}

_IDS_BY_OPERATOR: Mapping[Operator, Callable[[Any], IdSet | None]] = {
    Operator.EQ: lambda operand: frozenset([operand]) - {None},
    Operator.IN: lambda operand: frozenset(operand) - {None},
    Operator.NULL: lambda operand: frozenset() if operand else None,
    Operator.NOT_NULL: lambda operand: None if operand else frozenset(),
}
"""By operator: from the operand of a comparison with `_id` to the ids that match. No id is null."""
