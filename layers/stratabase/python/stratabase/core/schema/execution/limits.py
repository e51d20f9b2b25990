"""Limits on the size of a request, checked on its text and its shape alone, without the schema."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from graphql import (
    DefinitionNode,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    ListValueNode,
    Node,
    ObjectValueNode,
    OperationDefinitionNode,
    ValueNode,
)

from stratabase.core.schema.execution.repetition import repetitions
from stratabase.core.schema.execution.selections import selected_nodes, walk
from stratabase.values.frozen import frozen
from stratabase.values.messages import _, ngettext

_INTROSPECTION = ("__schema", "__type")
"""Fields below these don't count, so that the standard introspection query passes."""


@frozen
class Limits:
    """The maximums for one document. A service takes them from its settings (`core/settings.py`)."""

    characters: int = 65_536
    """Of its text. Parsing takes time in proportion to the length, and no other request gets that time."""
    depth: int = 15
    """Levels of nested fields, with fragments expanded."""
    aliases: int = 50
    directives: int = 10
    """In one place."""
    cost: int = 100_000
    """Of an operation. An object that is read costs 1."""


def too_long(text: str, maximum: int) -> GraphQLError:
    """Return the error of a text that is too long to be parsed."""
    message = ngettext(
        "The query has {count} character. The maximum is {maximum}. Pass values as variables.",
        "The query has {count} characters. The maximum is {maximum}. Pass values as variables.",
        len(text),
        maximum=maximum,
    )
    return GraphQLError(message)


def limit_violations(document: DocumentNode, limits: Limits) -> list[GraphQLError]:
    """Return the errors of a document that exceeds limits."""
    definitions = _counted(document)
    nodes = list(_nodes(definitions))
    return [
        *_too_deep(definitions, limits.depth),
        *_too_many_aliases(nodes, limits.aliases),
        *_too_many_directives(nodes, limits.directives),
        *repetitions(document),
        *excess_of_literals(document),
    ]


def _counted(document: DocumentNode) -> list[DefinitionNode]:
    """Return the definitions that count: all but fragments that are used only for introspection."""
    fragments = _fragments(document.definitions)
    operations = [each for each in document.definitions if isinstance(each, OperationDefinitionNode)]
    used = _used(operations, fragments, selected_nodes)
    # Fragments that can be reached only through introspection fields.
    introspective = {id(fragments[name]) for name in used - _used(operations, fragments, _selections)}
    return [each for each in document.definitions if id(each) not in introspective]


def _used(
    operations: Sequence[Node],
    fragments: Mapping[str, FragmentDefinitionNode],
    selections: Callable[[Node], Sequence[Node]],
) -> set[str]:
    """Return the names of the fragments that operations spread, directly or through other fragments."""
    found: set[str] = set()
    waiting = list(operations)
    while waiting:
        node = waiting.pop()
        waiting.extend(selections(node))
        name = node.name.value if isinstance(node, FragmentSpreadNode) else ""
        if name in fragments and name not in found:
            found.add(name)
            waiting.append(fragments[name])
    return found


def _fragments(definitions: Iterable[DefinitionNode]) -> dict[str, FragmentDefinitionNode]:
    return {each.name.value: each for each in definitions if isinstance(each, FragmentDefinitionNode)}


def _nodes(definitions: Sequence[DefinitionNode]) -> Iterator[Node]:
    """Yield all nodes that may have an alias or directives, except below introspection."""
    return walk(
        definitions, lambda node: [*(getattr(node, "variable_definitions", None) or ()), *_selections(node)]
    )


def _selections(node: Node) -> Sequence[Node]:
    """Return what a node selects, except below introspection."""
    if isinstance(node, FieldNode) and node.name.value in _INTROSPECTION:
        return ()
    return selected_nodes(node)


def _too_many_aliases(nodes: Sequence[Node], maximum: int) -> Iterator[GraphQLError]:
    aliased = [node for node in nodes if isinstance(node, FieldNode) and node.alias]
    if len(aliased) > maximum:
        message = ngettext(
            "The document has {count} alias. The maximum is {maximum}.",
            "The document has {count} aliases. The maximum is {maximum}.",
            len(aliased),
            maximum=maximum,
        )
        yield GraphQLError(message, min(aliased, key=_position))


def _too_many_directives(nodes: Sequence[Node], maximum: int) -> Iterator[GraphQLError]:
    for node in sorted(nodes, key=_position):
        count = len(getattr(node, "directives", None) or ())
        if count > maximum:
            message = ngettext(
                "The document applies {count} directive to the same element. The maximum is {maximum}.",
                "The document applies {count} directives to the same element. The maximum is {maximum}.",
                count,
                maximum=maximum,
            )
            yield GraphQLError(message, node)
            return


def _too_deep(definitions: Sequence[DefinitionNode], maximum: int) -> Iterator[GraphQLError]:
    fragments = _fragments(definitions)
    depths: dict[str, int] = {}
    for name in fragments:
        _measure_fragment(name, fragments, depths)
    for definition in definitions:
        depth = _depth(definition, depths)
        if depth > maximum:
            message = ngettext(
                "The document nests fields {count} level deep. The maximum is {maximum}. "
                "Split it into several requests.",
                "The document nests fields {count} levels deep. The maximum is {maximum}. "
                "Split it into several requests.",
                depth,
                maximum=maximum,
            )
            yield GraphQLError(message, definition)
            return


def _measure_fragment(
    name: str, fragments: Mapping[str, FragmentDefinitionNode], depths: dict[str, int]
) -> None:
    """Store the depth of a fragment, after the depths of those that it spreads.

    Cycles of fragments are invalid, so their depth does not matter.
    """
    # Iterative instead of recursive, because a client can chain any number of fragments.
    waiting, begun = [name], set[str]()
    while waiting:
        current = waiting[-1]
        needed = [spread for spread in _spreads(fragments[current]) if spread in fragments]
        missing = [spread for spread in needed if spread not in depths and spread not in begun]
        begun.add(current)
        if missing and current not in depths:
            waiting.extend(missing)
        else:
            depths[waiting.pop()] = _depth(fragments[current], depths)


def _spreads(fragment: FragmentDefinitionNode) -> Iterator[str]:
    for node in walk([fragment], _selections):
        if isinstance(node, FragmentSpreadNode):
            yield node.name.value


def _depth(top: Node, fragment_depths: Mapping[str, int]) -> int:
    """Return the number of levels of nested fields below a node."""
    deepest = 0
    waiting: list[tuple[Node, int]] = [(node, 0) for node in _selections(top)]
    while waiting:
        node, above = waiting.pop()
        here = above + isinstance(node, FieldNode)
        spread = fragment_depths.get(node.name.value, 0) if isinstance(node, FragmentSpreadNode) else 0
        deepest = max(deepest, here + spread)
        waiting.extend((child, here) for child in _selections(node))
    return deepest


def _position(node: Node) -> int:
    return node.loc.start if node.loc else 0


@frozen
class ExecutionPolicy:
    """Whether clients may see the schema, whether errors suggest names, and the limits of documents."""

    introspection: bool = True
    suggestions: bool = True
    limits: Limits = field(default_factory=Limits)


MAX_VARIABLE_VALUES = 20_000
"""In all variables together, or in a document. Lists and objects count, and so do the values in them."""


_CONTAINERS = frozenset({dict, list})


def excess_of_variables(variables: Mapping[str, Any]) -> GraphQLError | None:
    """Return the error if the variables of a request have too many values, else None."""
    counts = {
        name: _count_values(value) if value.__class__ in _CONTAINERS else 1
        for name, value in variables.items()
    }
    total = sum(counts.values())
    if total <= MAX_VARIABLE_VALUES:
        return None
    largest = max(counts, key=lambda name: counts[name])
    if len(counts) == 1:
        message = _(
            "The variable ${variable} has {count} values. The maximum is {maximum}. "
            "Split the request into several requests.",
            variable=largest,
            count=total,
            maximum=MAX_VARIABLE_VALUES,
        )
    else:
        message = _(
            "The variables have {count} values in total. ${variable} alone has {largest}. "
            "The maximum is {maximum}. Split the request into several requests.",
            count=total,
            variable=largest,
            largest=counts[largest],
            maximum=MAX_VARIABLE_VALUES,
        )
    return GraphQLError(message)


def excess_of_literals(document: DocumentNode) -> Iterator[GraphQLError]:
    """Yield the error if a document has too many values."""
    count = sum(isinstance(node, ValueNode) for node in walk(document.definitions, _children_with_values))
    if count > MAX_VARIABLE_VALUES:
        message = _(
            "The document has {count} values. The maximum is {maximum}. Split it into several requests.",
            count=count,
            maximum=MAX_VARIABLE_VALUES,
        )
        yield GraphQLError(message)


def _count_values(value: Any) -> int:
    count, waiting = 1, [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict):
            here = here.values()
        elif not isinstance(here, list):
            continue
        count += len(here)
        waiting += [each for each in here if each.__class__ in _CONTAINERS]
    return count


def _children_with_values(node: Node) -> Iterator[Node]:
    """Yield what a node selects, and the values in it."""
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
