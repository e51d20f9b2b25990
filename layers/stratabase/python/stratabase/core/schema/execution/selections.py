"""Collect the fields of a selection: expand fragments, leave out skipped fields, and merge equal keys."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLIncludeDirective,
    GraphQLSkipDirective,
    InlineFragmentNode,
    Node,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableNode,
    get_directive_values,
)


def walk(tops: Iterable[Node], children: Callable[[Node], Iterable[Node]]) -> Iterator[Node]:
    """Yield nodes and all nodes below them, as `children` returns them. It does not recurse."""
    waiting = [*tops]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(children(node))


def selected_nodes(node: Node) -> Sequence[Node]:
    """Return the selections directly in a node."""
    selected: SelectionSetNode | None = getattr(node, "selection_set", None)
    return selected.selections if selected else ()


Collected = dict[str, list[FieldNode]]
"""By response key, in the order of the answer: the nodes of the field."""


class Selections:
    """Collects the fields of one document, for one set of variable values.

    Generated types have no interfaces or unions, so every valid fragment applies.
    """

    def __init__(self, fragments: Mapping[str, FragmentDefinitionNode], variables: Any = None) -> None:
        self._fragments = fragments
        self._variables = variables

    def collect(self, sets: Sequence[SelectionSetNode | None]) -> Collected:
        """Return the fields of several selection sets of the same object."""
        collected: Collected = {}
        spread: set[str] = set()
        for set_ in sets:
            for node in self._fields(set_, spread):
                key = node.alias.value if node.alias else node.name.value
                collected.setdefault(key, []).append(node)
        return collected

    def _fields(self, set_: SelectionSetNode | None, spread: set[str]) -> Iterator[FieldNode]:
        for node in set_.selections if set_ else ():
            if not self._included(node):
                continue
            if isinstance(node, FieldNode):
                yield node
            elif isinstance(node, FragmentSpreadNode):
                yield from self._fields(self._first_spread(node.name.value, spread), spread)
            elif isinstance(node, InlineFragmentNode):
                yield from self._fields(node.selection_set, spread)

    def _first_spread(self, name: str, spread: set[str]) -> SelectionSetNode | None:
        """Return the selection set of a fragment, or None if it was spread in this place before."""
        # A second spread adds nothing. Fragments that spread one another twice would take exponential time.
        if name in spread:
            return None
        spread.add(name)
        return self._fragments[name].selection_set

    def _included(self, node: Any) -> bool:
        if not node.directives:
            return True
        skip = get_directive_values(GraphQLSkipDirective, node, self._variables)
        include = get_directive_values(GraphQLIncludeDirective, node, self._variables)
        return not (skip and skip["if"]) and not (include and not include["if"])


def document_with(
    document: DocumentNode, operation: OperationDefinitionNode, nodes: Sequence[FieldNode]
) -> DocumentNode:
    """Return a document whose operation has only the root field with these nodes."""
    only = OperationDefinitionNode(
        operation=operation.operation,
        name=operation.name,
        variable_definitions=operation.variable_definitions,
        directives=operation.directives,
        selection_set=SelectionSetNode(selections=tuple(nodes)),
        loc=operation.loc,
    )
    others = (each for each in document.definitions if each is not operation)
    return DocumentNode(definitions=(only, *others), loc=document.loc)


def fragments_of(document: DocumentNode) -> dict[str, FragmentDefinitionNode]:
    """Return the fragments of a document by name."""
    return {
        node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)
    }


def names_of(collected: Collected) -> frozenset[str]:
    """Return the names of the fields behind response keys."""
    return frozenset(node.name.value for nodes in collected.values() for node in nodes)


def selects_the_same(document: DocumentNode) -> bool:
    """Return whether a document selects the same fields for all values of its variables."""
    return not any(
        isinstance(argument.value, VariableNode)
        for node in walk(document.definitions, selected_nodes)
        for directive in getattr(node, "directives", None) or ()
        for argument in directive.arguments or ()
    )
