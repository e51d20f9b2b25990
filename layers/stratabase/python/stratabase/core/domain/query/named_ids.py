"""The ids that a filter names: the only ones that its matches can have."""

from collections.abc import Callable, Mapping
from typing import Any

from stratabase.core.domain.query.filter import And, Comparison, Filter, Or
from stratabase.core.model.api_names import ID
from stratabase.core.model.types.operators import Operator

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
