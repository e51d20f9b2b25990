"""Collect the fields of a selection: expand fragments, leave out skipped fields, and merge equal keys."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLField,
    GraphQLIncludeDirective,
    GraphQLSkipDirective,
    InlineFragmentNode,
    ListValueNode,
    Node,
    ObjectValueNode,
    SelectionSetNode,
    ValueNode,
    VariableNode,
    get_argument_values,
    get_directive_values,
)

from stratabase.domain.issues.issue import Path


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


def fragments_of(document: DocumentNode) -> dict[str, FragmentDefinitionNode]:
    """Return the fragments of a document by name."""
    return {
        node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)
    }


def names_of(collected: Collected) -> frozenset[str]:
    """Return the names of the fields behind response keys."""
    return frozenset(node.name.value for nodes in collected.values() for node in nodes)


class FieldArguments:
    """The arguments of a field in a document, coerced for each request."""

    def __init__(self, field: GraphQLField, node: FieldNode) -> None:
        self._field = field
        self._node = node

    def values(self, variables: Any) -> Mapping[str, Any]:
        """Return the coerced values by name. Callers must not change them. Raises GraphQLError."""
        names, constants, known = self._variables, self._constants, variables.coerced
        if constants is not None and all(known.get(variable) is not None for variable in names.values()):
            args = self._field.args
            given = {args[name].out_name or name: known[variable] for name, variable in names.items()}
            return constants | given
        # graphql-core must decide about a variable that is null or has no value: the argument may have a
        # default value, or must not be null.
        return get_argument_values(self._field, self._node, variables)

    # Only compiled operations ask for the values again and again, so this is not prepared before.
    @cached_property
    def _variables(self) -> dict[str, str]:
        """By argument that is a variable: the name of the variable."""
        return {
            each.name.value: each.value.name.value
            for each in self._node.arguments or ()
            if isinstance(each.value, VariableNode)
        }

    @cached_property
    def _constants(self) -> dict[str, Any] | None:
        """The other arguments, coerced. None if a variable is part of one. Raises GraphQLError."""
        names = self._variables
        others = [each for each in self._node.arguments or () if each.name.value not in names]
        if any(_has_variable(each.value) for each in others):
            return None
        args = {name: each for name, each in self._field.args.items() if name not in names}
        node = FieldNode(name=self._node.name, arguments=tuple(others))
        return get_argument_values(GraphQLField(self._field.type, args), node)

    def unset(self, variables: Any) -> list[tuple[str, Path]]:
        """Return the variables in the arguments that have no value, each with its path.

        GraphQL treats an input field as missing if its variable has no value.
        """
        waiting: deque[tuple[ValueNode, Path]] = deque(
            (argument.value, (argument.name.value,)) for argument in self._node.arguments or ()
        )
        found: list[tuple[str, Path]] = []
        while waiting:
            value, path = waiting.popleft()
            if isinstance(value, VariableNode):
                found += [] if value.name.value in variables.coerced else [(value.name.value, path)]
            elif isinstance(value, ListValueNode):
                waiting += [(each, (*path, number)) for number, each in enumerate(value.values)]
            elif isinstance(value, ObjectValueNode):
                waiting += [(field.value, (*path, field.name.value)) for field in value.fields]
        return found


def _has_variable(value: ValueNode) -> bool:
    """Return whether a value contains a variable."""
    if isinstance(value, ListValueNode):
        return any(map(_has_variable, value.values))
    if isinstance(value, ObjectValueNode):
        return any(_has_variable(field.value) for field in value.fields)
    return isinstance(value, VariableNode)


def selects_the_same(document: DocumentNode) -> bool:
    """Return whether a document selects the same fields for all values of its variables."""
    return not any(
        isinstance(argument.value, VariableNode)
        for node in walk(document.definitions, selected_nodes)
        for directive in getattr(node, "directives", None) or ()
        for argument in directive.arguments or ()
    )
