"""Filters put together from others, without what says nothing; several equalities become a list."""

from collections.abc import Iterable, Iterator, Sequence

from stratabase.domain.filter import And, Comparison, Filter, Not, Or
from stratabase.model.attribute import Stored
from stratabase.model.operator import Operator

EVERYTHING = And(())
NOTHING = Or(())


def every(parts: Sequence[Filter]) -> Filter:
    """Return the filter of what all parts let through."""
    left = tuple(_once(NOTHING, (part for part in parts if part != EVERYTHING)))
    return left[0] if len(left) == 1 else And(left)


def some(parts: Sequence[Filter]) -> Filter:
    """Return the filter of what at least one part lets through."""
    left = _listed(_once(EVERYTHING, (part for part in parts if part != NOTHING)))
    return left[0] if len(left) == 1 else Or(left)


def none(part: Filter) -> Filter:
    """Return the filter of what a part does not let through."""
    if part in (EVERYTHING, NOTHING):
        return NOTHING if part == EVERYTHING else EVERYTHING
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
