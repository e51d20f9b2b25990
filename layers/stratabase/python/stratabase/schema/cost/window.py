"""What the options of a page ask for, in the document itself or by variables: how many objects, and how."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from graphql import ObjectValueNode, ValueNode, VariableNode, value_from_ast_untyped

from stratabase.model.api_names import FILTER_EXP

_SIZES, _OFFSET = ("next", "prev"), "offset"
_SAID = (*_SIZES, _OFFSET, FILTER_EXP)

Variables = Mapping[str, Any]


class Window(NamedTuple):
    """So many objects, after so many that are passed over; None: it is not said."""

    size: int | None = None
    offset: int = 0
    condition: int = 0
    """How many characters the text has that says which objects are wanted."""


class Options:
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

    def window(self, variables: Variables) -> Window:
        """Return how much is read. What makes no sense counts as not said, since it is refused elsewhere."""
        return self._always or self._window(variables)

    def _window(self, variables: Variables) -> Window:
        said = self._said(variables)
        sizes = [size for name in _SIZES if (size := _number(said.get(name))) is not None]
        text = said.get(FILTER_EXP)
        length = len(text) if isinstance(text, str) else 0
        return Window(max(sizes, default=None), _number(said.get(_OFFSET)) or 0, length)

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
