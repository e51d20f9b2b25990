"""Estimate the cost of an operation from a tree of steps, each of which reads or writes objects."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from graphql import (
    FieldNode,
    ListValueNode,
    ObjectValueNode,
    ValueNode,
    VariableNode,
    value_from_ast_untyped,
)

from stratabase.core.model.api_names import FILTER_EXP, filter_suffix
from stratabase.core.schema.execution.derived_reads import DerivedReads
from stratabase.core.schema.inputs.filter_size import ROLE_SUFFIXES
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message, _, and_list, ngettext

_SIZES, _OFFSET, _FILTER = ("next", "prev"), "offset", "filter"
_SAID = (*_SIZES, _OFFSET, _FILTER, FILTER_EXP)
_NO_READS = DerivedReads()
Variables = Mapping[str, Any]
ReadsOfFilter = Callable[[Any], DerivedReads]
"""Returns the reads that a filter makes, as the client sent it."""


class EstimatedWindow(NamedTuple):
    """How many objects a page shows, and how many it skips."""

    size: int | None = None
    """None if the options don't say it."""
    offset: int = 0
    condition: int = 0
    """The length of the condition in `filter_exp`, in characters."""
    filter: DerivedReads = _NO_READS
    """The reads that the filter makes along roles and for derived attributes."""


class PageSizeOptions:
    """The options of a page that decide how much it reads."""

    __slots__ = ("_always", "_filter", "_given", "_reads_of_filter", "_variable")

    def __init__(self, node: ValueNode | None, reads_of_filter: ReadsOfFilter) -> None:
        self._reads_of_filter = reads_of_filter
        self._variable = node.name.value if isinstance(node, VariableNode) else None
        fields = node.fields if isinstance(node, ObjectValueNode) else ()
        self._given = {each.name.value: each.value for each in fields if each.name.value in _SAID}
        self._filter: DerivedReads | None = None
        """The reads of the filter, if they are the same for each request."""
        filter_ = self._given.get(_FILTER)
        if self._variable is None and not _varies(filter_):
            self._filter = self._reads(None if filter_ is None else value_from_ast_untyped(filter_, {}))
            self._given.pop(_FILTER, None)
        self._always = None if self.vary else self._window({})

    @property
    def vary(self) -> bool:
        """Whether these options depend on variables."""
        return (
            self._variable is not None
            or self._filter is None
            or any(isinstance(value, VariableNode) for value in self._given.values())
        )

    @property
    def deciding(self) -> frozenset[str] | None:
        """The names of the variables that decide, if each stands for one value. Otherwise None."""
        if self._variable is not None or self._filter is None:
            return None
        return frozenset(
            value.name.value for value in self._given.values() if isinstance(value, VariableNode)
        )

    def window(self, variables: Variables) -> EstimatedWindow:
        """Return how much a page reads. Invalid options count as missing, because they are refused later."""
        return self._always or self._window(variables)

    def _window(self, variables: Variables) -> EstimatedWindow:
        said = self._said(variables)
        sizes = [size for name in _SIZES if (size := _number(said.get(name))) is not None]
        text = said.get(FILTER_EXP)
        length = len(text) if isinstance(text, str) else 0
        reads = self._reads(said.get(_FILTER)) if self._filter is None else self._filter
        return EstimatedWindow(max(sizes, default=None), _number(said.get(_OFFSET)) or 0, length, reads)

    def _reads(self, filter_: Any) -> DerivedReads:
        return self._reads_of_filter(filter_) if isinstance(filter_, Mapping) else _NO_READS

    def _said(self, variables: Variables) -> Variables:
        if self._variable is None:
            return {
                name: variables.get(value.name.value)
                if isinstance(value, VariableNode)
                else value_from_ast_untyped(value, dict(variables))
                for name, value in self._given.items()
            }
        said = variables.get(self._variable)
        return said if isinstance(said, Mapping) else {}


def _varies(filter_: ValueNode | None) -> bool:
    """Return whether variables decide along which roles a filter goes, besides operands of comparisons."""
    waiting = [] if filter_ is None else [filter_]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ListValueNode):
            waiting += node.values
        elif isinstance(node, ObjectValueNode):
            waiting += [each.value for each in node.fields if filter_suffix(each.name.value) in ROLE_SUFFIXES]
        elif isinstance(node, VariableNode):
            return True
    return False


def _number(value: Any) -> int | None:
    """Return a value as a whole number as GraphQL coerces it, at least 0. None if it is none."""
    if isinstance(value, float) and value.is_integer():
        return max(int(value), 0)
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else None


SizeOf = Callable[[str], int | None]
"""Returns how many objects a class has at most, None if that is unknown."""
MAX_KNOWN_SIZE = 1_000
"""The number of objects up to which the size of a class is looked up."""


def no_size(_: str) -> None:
    """Know the size of no class."""


WRITTEN = 10
"""The cost of an object that is written. One that is read costs 1."""
COUNTED = 100
"""The cost of a `totalCount` of a class: an assumption, because the number of objects to read is unknown."""
LISTED = 1
"""The cost of a `totalCount` of parts, which the object itself lists."""
BULK = 1_000
"""The assumed number of objects of a bulk service if the options don't limit it."""


@frozen
class CostStep:
    """A field that leads to objects, with the fields below it that lead on from each of these."""

    node: FieldNode
    keys: tuple[str, ...]
    """The path of response keys from the root field to this one."""
    weight: int
    """The cost of one object."""
    derived: DerivedReads
    """The reads that the derived attributes of the objects make."""
    options: PageSizeOptions
    usual: int
    """The assumed number of objects if the options don't say it. 0 if the field shows no objects at all."""
    counted: int
    """The cost of its `totalCount`, 0 if it is not selected."""
    steps: "tuple[CostStep, ...]"
    class_name: str | None = None
    """The class that has no fewer objects than a page shows, None if there is none."""

    @property
    def varies(self) -> bool:
        """Whether the cost depends on variables."""
        return self.options.vary or any(step.varies for step in self.steps)

    @property
    def deciding(self) -> frozenset[str] | None:
        """The names of the variables that decide the cost, if each stands for one value. Otherwise None."""
        names = self.options.deciding
        below = [step.deciding for step in self.steps]
        if names is None or None in below:
            return None
        return names.union(*(each for each in below if each is not None))

    def total(self, variables: Variables, size_of: SizeOf = no_size, times: int = 1) -> int:
        """Return the cost of this step and all below it if it runs `times` times."""
        window = self.options.window(variables)
        size = None if self.class_name is None else size_of(self.class_name)
        objects, own = self._own(window, times, size)
        # The text of a condition is parsed only once.
        return own + window.condition + sum(step.total(variables, size_of, objects) for step in self.steps)

    def costs(
        self, variables: Variables, times: int = 1, advice: Message | None = None
    ) -> Iterator["CostShare"]:
        """Yield the cost of this step alone if it runs `times` times, then those of all steps below it.

        `advice` is what would make the steps above cheaper, and so this one.
        """
        window = self.options.window(variables)
        objects, own = self._own(window, times)
        advice = advice or self._advice_on_size(variables)
        own_advice = (
            advice
            or self._advice_on_derived(objects, own)
            or self._advice_on_filter(variables, objects, own)
            or self._advice(variables)
        )
        yield CostShare(own + window.condition, self, own_advice)
        for step in self.steps:
            yield from step.costs(variables, objects, advice)

    def _own(self, window: EstimatedWindow, times: int, size: int | None = None) -> tuple[int, int]:
        """Return the number of objects of all times, and the cost of reading or writing them.

        `size`: how many objects the class has, if that is known.
        """
        shown = self.usual if window.size is None or not self.usual else window.size
        # Objects that the offset skips are read too.
        passed = window.offset if self.usual else 0
        counted = self.counted
        if size is not None:
            shown, passed, counted = min(shown, size), min(passed, size), min(counted, max(size, 1))
        objects = times * shown
        found = objects + times * (passed + counted)
        return objects, self.weight * found + self.derived.of(objects) + window.filter.of(found)

    def _advice_on_size(self, variables: Variables) -> Message | None:
        """Return the advice to limit a bulk service, if its size is assumed."""
        if self.usual != BULK or self.options.window(variables).size is not None:
            return None
        return _(
            "Specify the number of objects for {field} in options.next. "
            "Otherwise, the estimate assumes {count}.",
            field=self.keys[0],
            count=BULK,
        )

    def _advice_on_derived(self, objects: int, own: int) -> Message | None:
        """Return the advice to leave out derived attributes, if most of the cost is their reads."""
        reads = self.derived.of(objects)
        if 2 * reads <= own:
            return None
        return _(
            "Request smaller pages, or leave out derived attributes: {names} alone cost {reads}.",
            names=and_list(self.derived.names),
            reads=reads,
        )

    def _advice_on_filter(self, variables: Variables, objects: int, own: int) -> Message | None:
        """Return the advice to leave out filters on roles, if most of the cost is their reads."""
        filter_ = self.options.window(variables).filter
        reads = filter_.of(objects)
        if 2 * reads <= own:
            return None
        return _(
            "Request smaller pages, or don't filter by {names}, which alone costs {reads}.",
            names=and_list(filter_.names),
            reads=reads,
        )

    def _advice(self, variables: Variables) -> Message:
        """Return what would make this step cheaper."""
        window = self.options.window(variables)
        size, offset = window.size, window.offset
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
    """The cost of one step alone, and the advice how to make it cheaper."""

    cost: int
    step: CostStep
    advice: Message
