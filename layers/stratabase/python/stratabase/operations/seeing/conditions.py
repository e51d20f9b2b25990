"""Asks conditions of objects as they are, whoever may see what they look at."""

from collections.abc import Mapping, Sequence
from typing import Any

from stratabase.domain.objects.entity import Entity
from stratabase.expressions.environment import EvaluationContext
from stratabase.expressions.expression import Expression
from stratabase.operations.deriving.deriving import Deriving
from stratabase.operations.fetching.seen import Seen

Asked = Mapping[str, tuple[Sequence[Expression], Sequence[Entity]]]
"""By class: conditions, and the objects that all of these are asked of."""


def values_of(
    seen: Seen, circumstances: EvaluationContext, asked: Asked
) -> Mapping[str, list[tuple[Any, ...]]]:
    """Return by class what the conditions give for each object; all are asked at once. Raises TooMuchRead."""
    deriving = Deriving(seen, circumstances)
    columns = {
        class_name: deriving.expect(class_name, conditions, entities)
        for class_name, (conditions, entities) in asked.items()
    }
    while needed := deriving.all_needs():
        seen.read(needed)
    deriving.compute()
    return {class_name: _rows(column(), len(asked[class_name][1])) for class_name, column in columns.items()}


def _rows(columns: Sequence[Sequence[Any]], number: int) -> list[tuple[Any, ...]]:
    return list(zip(*columns, strict=True)) if columns else [()] * number
