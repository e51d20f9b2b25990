"""A step of an operation: a field that leads to objects."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphql import FieldNode

from stratabase.schema.cost.window import Options, Variables

WRITTEN = 10
"""What an object costs that is written; one that is read costs 1."""
COUNTED = 100
"""What a `totalCount` costs: how many objects must be read for it, nobody knows."""


@dataclass(frozen=True, slots=True)
class Step:
    """A field that leads to objects, and the steps from each of these."""

    node: FieldNode
    keys: tuple[str, ...]
    """The response keys that lead to it, its own the last."""
    weight: int
    """What one object costs."""
    options: Options
    usual: int
    """How many objects there are if the options do not say."""
    counted: bool
    steps: "tuple[Step, ...]"

    @property
    def varies(self) -> bool:
        """Whether variables decide what it costs."""
        return self.options.vary or any(step.varies for step in self.steps)

    def total(self, variables: Variables) -> int:
        """Return what this step costs with all below it."""
        objects, own = self._own(variables)
        return own + objects * sum(step.total(variables) for step in self.steps)

    def costs(self, variables: Variables, times: int = 1) -> Iterator[tuple[int, "Step"]]:
        """Yield what this step costs by itself when it is done so many times, and what each below it does."""
        objects, own = self._own(variables)
        yield times * own, self
        for step in self.steps:
            yield from step.costs(variables, times * objects)

    def _own(self, variables: Variables) -> tuple[int, int]:
        """Return how many objects there are, and what this step costs by itself."""
        size, offset = self.options.window(variables)
        objects = self.usual if size is None else size
        return objects, self.weight * (objects + offset + COUNTED * self.counted)

    @property
    def advice(self) -> str:
        """What would make it cheaper."""
        if self.counted or self.usual > 1:
            return "ask for smaller pages, without an offset or totalCount"
        return "ask in several requests"
