"""`@domain(values)` of an attribute with an order: the list of its only values."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

from stratabase.core.model.constraints.base import (
    VALUES,
    Arguments,
    Constraint,
    ConstraintArgument,
    Violation,
    read_argument,
)
from stratabase.core.model.constraints.value_range import RANGE_ISSUE, show_value
from stratabase.core.model.types.base import AttributeType, OrderedType, Stored
from stratabase.values.formats.preferences import Formats
from stratabase.values.frozen import frozen
from stratabase.values.messages import _, or_list


@frozen
class AllowedValues(Constraint):
    """The only allowed values, in their stored form, in the order of the model."""

    arguments: ClassVar[Mapping[str, ConstraintArgument]] = {"values": VALUES}
    issues: ClassVar[tuple[str, ...]] = (RANGE_ISSUE,)
    types: ClassVar[tuple[type[AttributeType], ...]] = (OrderedType,)

    values: tuple[Stored, ...]

    @classmethod
    def build(cls, arguments: Arguments, type_: AttributeType) -> Self | None:
        """Return the constraint, or None if no values are listed."""
        values = arguments.get("values")
        return cls(tuple(read_argument(type_, value) for value in values)) if values else None

    def violations(self, stored: Any, type_: AttributeType, formats: Formats | None) -> Iterator[Violation]:
        """Yield a violation if a value is not listed."""
        if stored not in self.values:
            show = show_value(type_, formats)
            message = _(
                "{value} is not allowed. Use {values}.",
                value=show(stored),
                values=or_list(map(show, self.values)),
            )
            yield Violation(RANGE_ISSUE, message)
