"""How many values a request gives: they are counted before any of them is read."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from graphql import (
    DocumentNode,
    GraphQLError,
    ListValueNode,
    Node,
    ObjectValueNode,
    ValueNode,
)

MOST_VALUES = 20_000
"""Of all variables together, or in a document: each value in a list or an object counts, and these too."""


def excess_of(variables: Mapping[str, Any]) -> GraphQLError | None:
    """Return why the variables of a request are not read, if they are too much."""
    counts = {name: _count(value) for name, value in variables.items()}
    total = sum(counts.values())
    if total <= MOST_VALUES:
        return None
    largest = max(counts, key=lambda name: counts[name])
    alone = "" if len(counts) == 1 else f", of which ${largest} has {counts[largest]:,}"
    those = f"The variable ${largest} has" if len(counts) == 1 else "The variables have"
    return GraphQLError(
        f"{those} {total:,} values{alone}: at most {MOST_VALUES:,} are possible. Ask in several requests."
    )


def excess_in(document: DocumentNode) -> Iterator[GraphQLError]:
    """Yield why the values in a document are not read, if they are too much."""
    count = sum(isinstance(node, ValueNode) for node in _nodes(document.definitions))
    if count > MOST_VALUES:
        yield GraphQLError(
            f"The document has {count:,} values: at most {MOST_VALUES:,} are possible. "
            "Ask in several requests."
        )


def _count(value: Any) -> int:
    count, waiting = 0, [value]
    while waiting:
        here = waiting.pop()
        count += 1
        if isinstance(here, dict):
            waiting += here.values()
        elif isinstance(here, list):
            waiting += here
    return count


def _nodes(tops: Iterable[Node]) -> Iterator[Node]:
    """Yield nodes with all that they select, and the values that they are given."""
    waiting = [*tops]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += _inside(node)


def _inside(node: Node) -> Iterator[Node]:
    if isinstance(node, ListValueNode):
        yield from node.values
    elif isinstance(node, ObjectValueNode):
        yield from (field.value for field in node.fields)
    elif not isinstance(node, ValueNode):
        for key in ("selection_set", "value", "default_value"):
            if (inner := getattr(node, key, None)) is not None:
                yield inner
        for key in ("selections", "arguments", "directives", "variable_definitions"):
            yield from getattr(node, key, None) or ()
