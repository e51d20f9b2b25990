"""Tables of figures with their limits and goals."""

from collections.abc import Sequence
from typing import NamedTuple


class Figure(NamedTuple):
    """A measured value with its unit, its limit and its goal. None means that there is none."""

    name: str
    value: float
    unit: str
    limit: float | None = None
    source: str = ""
    """The origin of the limit."""
    goal: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether the value is over its limit."""
        return self.limit is not None and self.value > self.limit

    @property
    def verdict(self) -> str:
        """The words "OVER" (the limit), "above goal" or "ok", or an empty text if there is no limit."""
        if self.limit is None:
            return ""
        if self.is_over:
            return "OVER"
        return "ok" if self.goal is None or self.value <= self.goal else "above goal"


over: list[str] = []
"""The printed figures that are over their limits, each with the title of its table."""


def print_table(title: str, figures: Sequence[Figure]) -> None:
    """Print a line for each figure with its limit, goal and verdict, and note those over their limits."""
    with_goals = any(figure.goal is not None for figure in figures)
    print(f"\n{title}")
    print(f"  {'':48}{'figure':>10}{'limit':>10}{'goal' if with_goals else '':>10}".rstrip())
    for figure in figures:
        goal = f"{_number(figure.goal):>10}" if with_goals else ""
        source = f"({figure.source})" if figure.source else ""
        columns = f"  {figure.name:48}{figure.value:10.3f}{_number(figure.limit):>10}{goal}"
        print(f"{columns} {figure.unit:8}{figure.verdict:11}{source}".rstrip())
    over.extend(f"{title}: {figure.name}" for figure in figures if figure.is_over)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
