"""The shape of a query: all that the choice of its plan depends on.

Clients repeat their queries with other values, so the planner keeps the choice for a shape. Queries of the
same shape have the same order, the same fields, and windows of the same size, and their filters compare the
same attributes by the same operators. Only the compared values differ.
"""

from collections.abc import Hashable
from typing import Any

from stratabase.core.domain.query.filter import And, Comparison, Filter, conjuncts
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.model.api_names import ID
from stratabase.core.model.model import Class
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.query.filter_analysis import index_constraints

QueryShape = tuple[Hashable, ...]
_LONGEST = 100
"""In characters. Several values of this length still fit into one sort key of an index."""
_MAX_VALUES = 100
"""The maximum number of values of a comparison. A kept choice keeps the query for which it was made."""


def query_shape(class_: Class, query: Query) -> QueryShape | None:
    """Return the shape of a query on a class.

    Return None if its plan depends on more: if a filter names ids, or is not a conjunction of comparisons.
    Also return None if a filter or a cursor has long texts, or many values.
    """
    start = query.window.start
    if start is not None and any(map(_is_long, start.values)):
        return None
    shapes: list[Hashable] = []
    attributes: list[str] = []
    for filter_ in (query.filter, query.implied, query.implied_by_grants):
        shape = [_part_shape(part, class_) for part in conjuncts(filter_)]
        if None in shape:
            return None
        shapes.append(tuple(shape))
        attributes += [each[0] for each in shape if each is not None]
    if len(set(attributes)) < len(attributes):
        shapes.append(_ranges_shape(class_, query))
    wanted = query.fields
    return (
        class_.name,
        tuple([(term.attribute, term.descending) for term in query.order.terms]),
        *_window_shape(query.window),
        (wanted.items, wanted.total_count, wanted.has_next, wanted.has_prev),
        (wanted.version_start, wanted.revision),
        wanted.attributes,
        wanted.totals,
        *shapes,
    )


def _part_shape(part: Filter, class_: Class) -> tuple[str, Hashable, Hashable] | None:
    if not isinstance(part, Comparison) or part.attribute == ID:
        return None
    operand, attribute = part.operand, class_.attributes.get(part.attribute)
    if attribute is not None and attribute.type.folding is not None:
        operand = attribute.type.folding.operand(operand)
    if isinstance(operand, tuple):
        if len(operand) > _MAX_VALUES or any(map(_is_long, operand)):
            return None
        # Plans count a repeated value once, but bounds of ranges are in pairs.
        number = len(operand) if part.operator is Operator.WITHIN else len(set(operand))
        return part.attribute, part.operator, (number, None in operand)
    if _is_long(operand):
        return None
    # A bool can say whether null is wanted, and every text starts with an empty one.
    is_special = operand is None or isinstance(operand, bool) or operand == ""
    return part.attribute, part.operator, str(operand) if is_special else "value"


def _is_long(operand: Any) -> bool:
    """Return whether an index may have only the beginning of a value, so that its range is not exact."""
    return isinstance(operand, str) and len(operand) > _LONGEST


def _ranges_shape(class_: Class, query: Query) -> Hashable:
    """Return which ranges of each attribute several comparisons leave: perhaps a single value, or none."""
    parts = (query.filter, query.implied, query.implied_by_grants)
    constraints = index_constraints(And(tuple(part for part in parts if part is not None)), class_)
    return tuple(
        (name, tuple(range_.is_single_value for range_ in each.ranges)) for name, each in constraints.items()
    )


def _window_shape(window: Window) -> QueryShape:
    start = window.start
    nulls = None if start is None else tuple([value is None for value in start.values])
    # An offset only matters by its magnitude: each page of a list has another one.
    return window.size, window.backward, window.offset.bit_length(), nulls, window.inclusive
