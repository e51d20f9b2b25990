"""Tables of figures with their limits."""

from collections.abc import Sequence
from typing import NamedTuple


class Figure(NamedTuple):
    """A measured value with its unit and its limit. A `limit` of None means that there is none."""

    name: str
    value: float
    unit: str
    limit: float | None = None
    source: str = ""
    """The origin of the limit."""

    @property
    def verdict(self) -> str:
        """The word "ok" or "OVER", or an empty text if there is no limit."""
        if self.limit is None:
            return ""
        return "ok" if self.value <= self.limit else "OVER"


def print_table(title: str, figures: Sequence[Figure]) -> None:
    """Print a line for each figure with its limit and verdict."""
    print(f"\n{title}")
    print(f"  {'':48}{'figure':>10}{'limit':>10}")
    for figure in figures:
        limit = "" if figure.limit is None else f"{figure.limit:g}"
        source = f"({figure.source})" if figure.source else ""
        print(f"  {figure.name:48}{figure.value:10.3f}{limit:>10} {figure.unit:8}{figure.verdict:5}{source}")
