"""The size of a filter in an API request, and its limits."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from stratabase.core.model.api_names import FILTER_COMBINATIONS, RoleTest, filter_suffix
from stratabase.core.model.types.operators import Operator
from stratabase.values.messages import Message, _

MAX_ROLES_IN_A_ROW = 15
"""The same as the default of `Limits.depth`: a filter goes as far along roles as a selection."""
ROLE_SUFFIXES = frozenset(test.value for test in RoleTest if test is not RoleTest.NULL)
"""The ends of the names of fields that take filters: tests of roles, and combinations, which have no end."""
_NEVER_LEFT_OUT = frozenset({Operator.EQ.value, Operator.NE.value, Operator.NULL.value})
"""The ends of the names of fields that are never left out because of a null operand."""


def is_left_out(name: str, value: Any, *, skip_nulls: bool) -> bool:
    """Return whether a field is ignored because its operand is null."""
    return value is None and skip_nulls and filter_suffix(name) not in _NEVER_LEFT_OUT


MAX_COMPARISONS = 500
MAX_LISTED_VALUES = 10_000
"""In all lists of values together."""


class FilterSize(NamedTuple):
    """The size of a filter: its comparisons and tests of roles, the values in its lists, and its depth."""

    comparisons: int
    members: int
    roles_in_a_row: int = 0
    """How many roles it follows one after the other."""

    @property
    def excess(self) -> Message | None:
        """The message if the filter is too large, else None."""
        if self.comparisons > MAX_COMPARISONS:
            return _(
                "The filter has {count} comparisons. The maximum is {maximum}. "
                'A comparison with "{operator}" counts as one, regardless of how many values it '
                "lists.",
                count=self.comparisons,
                maximum=MAX_COMPARISONS,
                operator=Operator.IN.value,
            )
        if self.members > MAX_LISTED_VALUES:
            return _(
                "The filter lists {count} values. The maximum is {maximum}.",
                count=self.members,
                maximum=MAX_LISTED_VALUES,
            )
        if self.roles_in_a_row > MAX_ROLES_IN_A_ROW:
            return _(
                "The filter follows {count} roles one after the other. The maximum is {maximum}.",
                count=self.roles_in_a_row,
                maximum=MAX_ROLES_IN_A_ROW,
            )
        return None


def measure_filter(input_object: Mapping[str, Any], *, skip_nulls: bool = False) -> FilterSize:
    """Return the size of a filter. If `skip_nulls`, fields that are left out don't count."""
    comparisons = members = roles_in_a_row = 0
    waiting = [(input_object, 0)]
    while waiting:
        fields, roles = waiting.pop()
        roles_in_a_row = max(roles_in_a_row, roles)
        for name, value in fields.items():
            if name in FILTER_COMBINATIONS:
                inner = value if isinstance(value, list) else [] if value is None else [value]
                waiting += [(each, roles) for each in inner]
                continue
            comparisons += not is_left_out(name, value, skip_nulls=skip_nulls)
            if isinstance(value, list):
                members += len(value)
            # Besides roles, only comparisons of files have objects as operands.
            elif filter_suffix(name) in ROLE_SUFFIXES and isinstance(value, Mapping):
                waiting.append((value, roles + 1))
    return FilterSize(comparisons, members, roles_in_a_row)
