"""A filter over states, as data; `matching.py` compiles it to a test."""

from collections.abc import Iterator
from dataclasses import dataclass

from stratabase.model.attribute import Stored
from stratabase.model.expressions import Circumstances, Expression
from stratabase.model.operator import Operator

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
class Holds:
    """A condition over the class's own attributes holds; where it is null, it does not."""

    expression: Expression
    circumstances: Circumstances


@dataclass(frozen=True, slots=True)
class Marked:
    """A mark is in the state, which somebody puts there before it is tested; no attribute has its name."""

    mark: str


Filter = Comparison | And | Or | Not | Holds | Marked


def conjuncts(filter_: Filter | None) -> Iterator[Filter]:
    """Yield the filters that must all hold."""
    if isinstance(filter_, And):
        for part in filter_.parts:
            yield from conjuncts(part)
    elif filter_ is not None:
        yield filter_


def labour(filter_: Filter) -> int:
    """Return how much a test of an object may take: a comparison counts 1."""
    if isinstance(filter_, And | Or):
        return sum(map(labour, filter_.parts))
    if isinstance(filter_, Not):
        return labour(filter_.part)
    return _CONDITION if isinstance(filter_, Holds) else 1
