"""Enums: types whose values the model lists."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from stratabase.core.model.types.base import AttributeType, Renames, Stored
from stratabase.core.model.types.operators import (
    DISTINCT_TOTALS,
    EQUALITY_OPERATORS,
    MEMBERSHIP_OPERATORS,
    ORDER_AGGREGATES,
    Aggregate,
    Operator,
    Total,
)
from stratabase.values.cel.kinds import ValueKind
from stratabase.values.formats.invalid_value import InvalidValue, describe_value
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages import _, or_list


class EnumType(AttributeType):
    """The type of one enum. Stored as the first name that the value had, and ordered by it."""

    operators: ClassVar[frozenset[Operator]] = EQUALITY_OPERATORS | MEMBERSHIP_OPERATORS
    aggregates: ClassVar[frozenset[Aggregate]] = ORDER_AGGREGATES
    totals: ClassVar[tuple[Total, ...]] = DISTINCT_TOTALS
    groups_by_value = True
    reading = "Enum"

    def __init__(
        self, name: str, values: Iterable[str], renamed_from: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """`renamed_from`: the stored names of values that are stored under another name."""
        self.name = name
        self.values = tuple(values)
        self.renames = Renames({value: renamed_from.get(value, value) for value in self.values})
        self.kind = ValueKind(name, self.values)
        self.distinct_values = max(1, len(self.values))
        self.readable_texts = f"the values {', '.join(self.values)}"

    def read(self, value: Any, formats: Formats) -> Stored:
        """Return the name of one of the enum's values."""
        del formats
        if not isinstance(value, str) or value not in self.values:
            message = _(
                "{value} is not a value of {enumeration}. Use {values}.",
                value=describe_value(value),
                enumeration=self.name,
                values=or_list(self.values),
            )
            raise InvalidValue(message)
        return value

    def sort_key(self, stored: Any, /) -> Any:
        """Return the stored name of a value, so that a renamed value keeps its place in orders."""
        return self.renames.to_stored.get(stored, stored)

    def value_of(self, text: str) -> Stored:
        """Return the name of one of the enum's values."""
        return text if text in self.values else None
