"""A filter over states, as data; `matching.py` compiles it to a test."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from stratabase.expressions.environment import EvaluationContext
from stratabase.expressions.expression import Expression
from stratabase.model.types.operators import Operator
from stratabase.model.types.storage import Stored

_CONDITION = 200
"""What a condition counts, which may look at much text, as against a comparison."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One attribute (`_id` included) compared with an operand in its stored spelling.

    The attribute may be derived: then a state must have its value before it is tested.

    The operand is a bool for null and not_null, a tuple for in and not_in (None in it means null). It is None
    for eq and ne alone, where it means null.
    """

    attribute: str
    operator: Operator
    operand: Stored | tuple[Stored, ...]


@dataclass(frozen=True, slots=True)
class And:
    """All parts hold; true without any."""

    parts: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one part holds; false without any."""

    parts: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: "Filter"


@dataclass(frozen=True, slots=True)
class ExpressionFilter:
    """A condition over the class's own attributes holds; where it is null, it does not."""

    expression: Expression
    evaluation: EvaluationContext


@dataclass(frozen=True, slots=True)
class FlagFilter:
    """A mark is in the state, which somebody puts there before it is tested; no attribute has its name."""

    mark: str


Filter = Comparison | And | Or | Not | ExpressionFilter | FlagFilter


def conjuncts(filter_: Filter | None) -> Iterator[Filter]:
    """Yield the filters that must all hold."""
    if isinstance(filter_, And):
        for part in filter_.parts:
            yield from conjuncts(part)
    elif filter_ is not None:
        yield filter_


def test_cost(filter_: Filter) -> int:
    """Return how much a test of an object may take: a comparison counts 1."""
    if isinstance(filter_, And | Or):
        return sum(map(test_cost, filter_.parts))
    if isinstance(filter_, Not):
        return test_cost(filter_.part)
    return _CONDITION if isinstance(filter_, ExpressionFilter) else 1


MATCH_ALL = And(())


MATCH_NONE = Or(())


def and_(parts: Sequence[Filter]) -> Filter:
    """Return the filter of what all parts let through."""
    left = tuple(_once(MATCH_NONE, (part for part in parts if part != MATCH_ALL)))
    return left[0] if len(left) == 1 else And(left)


def or_(parts: Sequence[Filter]) -> Filter:
    """Return the filter of what at least one part lets through."""
    left = _listed(_once(MATCH_ALL, (part for part in parts if part != MATCH_NONE)))
    return left[0] if len(left) == 1 else Or(left)


def not_(part: Filter) -> Filter:
    """Return the filter of what a part does not let through."""
    if part in (MATCH_ALL, MATCH_NONE):
        return MATCH_NONE if part == MATCH_ALL else MATCH_ALL
    return part.part if isinstance(part, Not) else Not(part)


def _once(constant: Filter, parts: Iterable[Filter]) -> Iterator[Filter]:
    """Yield the parts, a constant one at its first place only."""
    is_met = False
    for part in parts:
        if part != constant or not is_met:
            yield part
        is_met = is_met or part == constant


def _listed(parts: Iterable[Filter]) -> tuple[Filter, ...]:
    """Return the parts; what compares one attribute with several values is one of them."""
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
