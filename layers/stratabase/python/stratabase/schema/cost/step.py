"""A step of an operation: a field that leads to objects."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from graphql import FieldNode

from stratabase.schema.cost.window import Options, Variables
from stratabase.wording import pluralize

WRITTEN = 10
"""What an object costs that is written; one that is read costs 1."""
COUNTED = 100
"""What a `totalCount` costs: how many objects must be read for it, nobody knows."""
LISTED = 1
"""What that of an object's parts costs, which it lists itself."""
BULK = 1_000
"""How many objects a service in bulk finds, if it is not said how many it may."""


@dataclass(frozen=True, slots=True)
class Step:
    """A field that leads to objects, and the steps from each of these."""

    node: FieldNode
    keys: tuple[str, ...]
    """The response keys that lead to it, its own the last."""
    weight: int
    """What one object costs."""
    derived: int
    """How many objects its derived attributes lead to."""
    options: Options
    usual: int
    """How many objects there are if the options do not say; 0: whatever they say, since none is shown."""
    counted: int
    """What its `totalCount` costs; 0: it is not asked for."""
    steps: "tuple[Step, ...]"

    @property
    def varies(self) -> bool:
        """Whether variables decide what it costs."""
        return self.options.vary or any(step.varies for step in self.steps)

    def total(self, variables: Variables) -> int:
        """Return what this step costs with all below it, but for the conditions."""
        objects, own = self._own(variables)
        return own + objects * sum(step.total(variables) for step in self.steps)

    def conditions(self, variables: Variables) -> int:
        """Return what the texts of conditions cost, here and below: each is read once."""
        below = sum(step.conditions(variables) for step in self.steps)
        return self.options.window(variables).condition + below

    def costs(self, variables: Variables, times: int = 1, advice: str | None = None) -> Iterator["Share"]:
        """Yield what this step costs by itself when it is done so many times, and what each below it does.

        `advice`: what would make the steps above it cheaper, and so this one.
        """
        objects, own = self._own(variables)
        advice = advice or self._advice_on_size(variables)
        condition = self.options.window(variables).condition
        yield Share(times * own + condition, self, advice or self._advice(variables))
        for step in self.steps:
            yield from step.costs(variables, times * objects, advice)

    def _own(self, variables: Variables) -> tuple[int, int]:
        """Return how many objects there are, and what reading or writing them costs."""
        size, offset, _ = self.options.window(variables)
        objects = self.usual if size is None or not self.usual else size
        passed = offset if self.usual else 0
        read = self.weight * (objects + passed + self.counted)
        return objects, read + self.derived * objects

    def _advice_on_size(self, variables: Variables) -> str | None:
        """Return what would help where as many objects are reckoned with as a service in bulk may find."""
        if self.usual != BULK or self.options.window(variables).size is not None:
            return None
        return f"say in {self.keys[0]} with options.next for how many objects it is, or {BULK:,} are assumed"

    def _advice(self, variables: Variables) -> str:
        """Return what would make it cheaper."""
        size, offset, _ = self.options.window(variables)
        if self.usual and offset > max(self.usual if size is None else size, self.counted):
            passed = pluralize(offset, "object")
            return f"go on from a cursor or fromCursor, rather than pass over {passed} by offset"
        if self.counted or self.usual > 1:
            return "ask for smaller pages, without an offset or totalCount"
        return "ask in several requests"


class Share(NamedTuple):
    """What one step costs of all, and what would make it cheaper."""

    cost: int
    step: Step
    advice: str
