"""Limit repetition in documents: validation compares equal fields in pairs, which takes quadratic time."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    Node,
    OperationDefinitionNode,
    SelectionSetNode,
)

from stratabase.core.schema.execution.selections import selected_nodes, walk
from stratabase.values.messages import _

MAX_FIELDS = 2_000
"""In a document, with each fragment counted once."""
MAX_EQUAL_FIELDS = 50
"""Fields with one name in one place, and fragments in one place."""
MAX_VISITS = 50_000
"""Fields to visit. Those of a fragment count in each place where it is spread."""
SelectionSets = tuple[SelectionSetNode, ...]
"""Selection sets that validation merges, because equal fields have them."""


def repetitions(document: DocumentNode) -> Iterator[GraphQLError]:
    """Yield the first error if a document selects too often."""
    fields = sum(isinstance(node, FieldNode) for node in walk(document.definitions, selected_nodes))
    if fields > MAX_FIELDS:
        message = _(
            "The document has {count} fields. The maximum is {maximum}. Split it into several requests.",
            count=fields,
            maximum=MAX_FIELDS,
        )
        yield GraphQLError(message, document.definitions[0])
    else:
        yield from _Places(document).repetitions()


def _set_of(node: Node) -> SelectionSetNode | None:
    set_: SelectionSetNode | None = getattr(node, "selection_set", None)
    return set_


class _Places:
    """The places of a document where fields are selected. Each is visited once."""

    def __init__(self, document: DocumentNode) -> None:
        definitions = document.definitions
        self._fragments: Mapping[str, FragmentDefinitionNode] = {
            each.name.value: each for each in definitions if isinstance(each, FragmentDefinitionNode)
        }
        tops = [
            each for each in definitions if isinstance(each, OperationDefinitionNode | FragmentDefinitionNode)
        ]
        self._waiting: list[SelectionSets] = [(each.selection_set,) for each in tops]
        self._met: set[tuple[int, ...]] = set()
        self._visits = 0

    def repetitions(self) -> Iterator[GraphQLError]:
        """Yield the first error."""
        while self._waiting:
            place = self._waiting.pop()
            # Places with the same selection sets are equal, for example if a fragment is spread twice.
            identity = tuple(map(id, place))
            if identity not in self._met:
                self._met.add(identity)
                if error := self._look(place):
                    yield error
                    return

    def _look(self, place: SelectionSets) -> GraphQLError | None:
        """Return the error of a place, or None, and add the places below it."""
        fields, spread = self._collected(place)
        # Fragments can multiply the places, so their number is limited too.
        self._visits += len(fields)
        if self._visits > MAX_VISITS:
            message = _("The document spreads its fragments too many times. Split it into several requests.")
            return GraphQLError(message)
        if len(spread) > MAX_EQUAL_FIELDS:
            message = _(
                "With its fragments expanded, the document spreads {count} fragments in one selection set. "
                "The maximum is {maximum}.",
                count=len(spread),
                maximum=MAX_EQUAL_FIELDS,
            )
            return GraphQLError(message, spread[0])
        names = [node.alias.value if node.alias else node.name.value for node in fields]
        name, times = max(Counter(names).items(), key=lambda item: item[1], default=("", 0))
        if times > MAX_EQUAL_FIELDS:
            message = _(
                "With its fragments expanded, the document selects {field} {count} times in one selection "
                "set. The maximum is {maximum}.",
                field=name,
                count=times,
                maximum=MAX_EQUAL_FIELDS,
            )
            return GraphQLError(message, fields[names.index(name)])
        self._waiting += _below(names, fields)
        return None

    def _collected(self, place: SelectionSets) -> tuple[list[FieldNode], list[FragmentSpreadNode]]:
        """Return the fields and the fragment spreads of a place. Each fragment counts once."""
        fields: list[FieldNode] = []
        spread: dict[str, FragmentSpreadNode] = {}
        waiting = [node for set_ in reversed(place) for node in reversed(set_.selections)]
        while waiting:
            node = waiting.pop()
            if isinstance(node, FieldNode):
                fields.append(node)
                continue
            inside = _set_of(node)
            if isinstance(node, FragmentSpreadNode) and node.name.value not in spread:
                spread[node.name.value] = node
                fragment = self._fragments.get(node.name.value)
                inside = fragment.selection_set if fragment else None
            waiting.extend(reversed(inside.selections) if inside else ())
        return fields, [*spread.values()]


def _below(names: Sequence[str], fields: Sequence[FieldNode]) -> Iterable[SelectionSets]:
    """Return the places below the fields of a place."""
    sets: dict[str, list[SelectionSetNode]] = {}
    for name, field in zip(names, fields, strict=True):
        if field.selection_set:
            sets.setdefault(name, []).append(field.selection_set)
    return map(tuple, sets.values())
