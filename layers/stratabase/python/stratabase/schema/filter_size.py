"""How much a filter asks of each object, counted before it is read."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

MOST_COMPARISONS = 500
MOST_MEMBERS = 10_000
"""Of all lists of values together."""
_JUNCTIONS = frozenset({"AND", "OR", "NOT"})


class FilterSize(NamedTuple):
    """How many comparisons a filter makes, and with how many values in lists."""

    comparisons: int
    members: int

    @property
    def excess(self) -> str | None:
        """What is too much, for a message; None for nothing."""
        if self.comparisons > MOST_COMPARISONS:
            return (
                f"the filter makes {self.comparisons:,} comparisons: "
                f"at most {MOST_COMPARISONS:,} are possible; "
                "one with in, which names many values, counts 1"
            )
        if self.members > MOST_MEMBERS:
            return f"the filter lists {self.members:,} values: at most {MOST_MEMBERS:,} are possible"
        return None


def _nothing(_: str, __: Any) -> bool:
    return False


def size_of(given: Mapping[str, Any], is_left_out: Callable[[str, Any], bool] = _nothing) -> FilterSize:
    """Return the size of a filter as a client gives it; `is_left_out` tells of fields that do not count."""
    comparisons = members = 0
    waiting = [given]
    while waiting:
        for name, value in waiting.pop().items():
            if name not in _JUNCTIONS:
                comparisons += not is_left_out(name, value)
                members += len(value) if isinstance(value, list) else 0
            elif value is not None:
                waiting += value if isinstance(value, list) else [value]
    return FilterSize(comparisons, members)
