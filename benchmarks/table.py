"""Figures beside their limits."""

from collections.abc import Sequence
from typing import NamedTuple


class Figure(NamedTuple):
    """What was measured: a value in a unit, and the most that it may be (None: no limit is set)."""

    name: str
    value: float
    unit: str
    limit: float | None = None
    source: str = ""
    """Where the limit comes from."""

    @property
    def verdict(self) -> str:
        """Whether the limit is kept."""
        if self.limit is None:
            return ""
        return "ok" if self.value <= self.limit else "OVER"


def print_table(title: str, figures: Sequence[Figure]) -> None:
    """Print one figure a line, with its limit and the verdict."""
    print(f"\n{title}")
    print(f"  {'':48}{'figure':>10}{'limit':>10}")
    for figure in figures:
        limit = "" if figure.limit is None else f"{figure.limit:g}"
        source = f"({figure.source})" if figure.source else ""
        print(f"  {figure.name:48}{figure.value:10.3f}{limit:>10} {figure.unit:8}{figure.verdict:5}{source}")
