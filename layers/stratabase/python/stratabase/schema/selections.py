"""The fields that a selection comes to: fragments followed, skipped ones left out, same keys merged."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLIncludeDirective,
    GraphQLSkipDirective,
    InlineFragmentNode,
    SelectionSetNode,
    get_directive_values,
)

Collected = dict[str, list[FieldNode]]
"""The nodes of each response key, in the order of the answer."""


class Selections:
    """Collects the fields of one document, for one set of variable values.

    Generated types have no interfaces or unions, so every fragment that is valid here applies.
    """

    def __init__(self, fragments: Mapping[str, FragmentDefinitionNode], variables: Any = None) -> None:
        self._fragments = fragments
        self._variables = variables

    def collect(self, sets: Sequence[SelectionSetNode | None]) -> Collected:
        """Return the fields of several selection sets on the same object."""
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
        """Return what a fragment selects; nothing when it has been spread here before."""
        # It would add nothing, and fragments that spread one another twice would take time without end.
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


def fragments_of(document: DocumentNode) -> dict[str, FragmentDefinitionNode]:
    """Return the fragments of a document by name."""
    return {
        node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)
    }


def names_of(collected: Collected) -> frozenset[str]:
    """Return the names of the fields behind the response keys."""
    return frozenset(node.name.value for nodes in collected.values() for node in nodes)
