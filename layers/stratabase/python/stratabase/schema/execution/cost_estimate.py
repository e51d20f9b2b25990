"""What the options of a page ask for, in the document itself or by variables: how many objects, and how."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from graphql import FieldNode, ObjectValueNode, ValueNode, VariableNode, value_from_ast_untyped

from stratabase.messages import Message, _, ngettext
from stratabase.model.api_names import FILTER_EXP

_SIZES, _OFFSET = ("next", "prev"), "offset"


_SAID = (*_SIZES, _OFFSET, FILTER_EXP)


Variables = Mapping[str, Any]


class EstimatedWindow(NamedTuple):
    """So many objects, after so many that are passed over; None: it is not said."""

    size: int | None = None
    offset: int = 0
    condition: int = 0
    """How many characters the text has that says which objects are wanted."""


class PageSizeOptions:
    """The options of a page, as far as they say how much is read."""

    __slots__ = ("_always", "_given", "_variable")

    def __init__(self, node: ValueNode | None) -> None:
        self._variable = node.name.value if isinstance(node, VariableNode) else None
        fields = node.fields if isinstance(node, ObjectValueNode) else ()
        self._given = {each.name.value: each.value for each in fields if each.name.value in _SAID}
        self._always = None if self.vary else self._window({})

    @property
    def vary(self) -> bool:
        """Whether variables decide."""
        return self._variable is not None or any(
            isinstance(value, VariableNode) for value in self._given.values()
        )

    def window(self, variables: Variables) -> EstimatedWindow:
        """Return how much is read. What makes no sense counts as not said, since it is refused elsewhere."""
        return self._always or self._window(variables)

    def _window(self, variables: Variables) -> EstimatedWindow:
        said = self._said(variables)
        sizes = [size for name in _SIZES if (size := _number(said.get(name))) is not None]
        text = said.get(FILTER_EXP)
        length = len(text) if isinstance(text, str) else 0
        return EstimatedWindow(max(sizes, default=None), _number(said.get(_OFFSET)) or 0, length)

    def _said(self, variables: Variables) -> Variables:
        if self._variable is None:
            given = dict(variables)
            return {name: value_from_ast_untyped(value, given) for name, value in self._given.items()}
        said = variables.get(self._variable)
        return said if isinstance(said, Mapping) else {}


def _number(value: Any) -> int | None:
    """Return what GraphQL takes for a whole number, if it is one."""
    if isinstance(value, float) and value.is_integer():
        return max(int(value), 0)
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else None


WRITTEN = 10
"""What an object costs that is written; one that is read costs 1."""


COUNTED = 100
"""What a `totalCount` costs: how many objects must be read for it, nobody knows."""


LISTED = 1
"""What that of an object's parts costs, which it lists itself."""


BULK = 1_000
"""How many objects a service in bulk finds, if it is not said how many it may."""


@dataclass(frozen=True, slots=True)
class CostStep:
    """A field that leads to objects, and the steps from each of these."""

    node: FieldNode
    keys: tuple[str, ...]
    """The response keys that lead to it, its own the last."""
    weight: int
    """What one object costs."""
    derived: int
    """How many objects its derived attributes lead to."""
    options: PageSizeOptions
    usual: int
    """How many objects there are if the options do not say; 0: whatever they say, since none is shown."""
    counted: int
    """What its `totalCount` costs; 0: it is not asked for."""
    steps: "tuple[CostStep, ...]"

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

    def costs(
        self, variables: Variables, times: int = 1, advice: Message | None = None
    ) -> Iterator["CostShare"]:
        """Yield what this step costs by itself when it is done so many times, and what each below it does.

        `advice`: what would make the steps above it cheaper, and so this one.
        """
        objects, own = self._own(variables)
        advice = advice or self._advice_on_size(variables)
        condition = self.options.window(variables).condition
        yield CostShare(times * own + condition, self, advice or self._advice(variables))
        for step in self.steps:
            yield from step.costs(variables, times * objects, advice)

    def _own(self, variables: Variables) -> tuple[int, int]:
        """Return how many objects there are, and what reading or writing them costs."""
        size, offset, _condition = self.options.window(variables)
        objects = self.usual if size is None or not self.usual else size
        passed = offset if self.usual else 0
        read = self.weight * (objects + passed + self.counted)
        return objects, read + self.derived * objects

    def _advice_on_size(self, variables: Variables) -> Message | None:
        """Return what would help where as many objects are reckoned with as a service in bulk may find."""
        if self.usual != BULK or self.options.window(variables).size is not None:
            return None
        return _(
            "Specify the number of objects for {field} in options.next. "
            "Otherwise, the estimate assumes {count}.",
            field=self.keys[0],
            count=BULK,
        )

    def _advice(self, variables: Variables) -> Message:
        """Return what would make it cheaper."""
        size, offset, _condition = self.options.window(variables)
        if self.usual and offset > max(self.usual if size is None else size, self.counted):
            return ngettext(
                "Use cursor or fromCursor instead of an offset that skips {count} object.",
                "Use cursor or fromCursor instead of an offset that skips {count} objects.",
                offset,
            )
        if self.counted or self.usual > 1:
            return _("Request smaller pages, without offset or totalCount.")
        return _("Split the request into several requests.")


class CostShare(NamedTuple):
    """What one step costs of all, and what would make it cheaper."""

    cost: int
    step: CostStep
    advice: Message
