"""Answers about the schema itself, which are the same for all callers as long as the schema is."""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from threading import Lock

from graphql import DocumentNode, FieldNode, FragmentSpreadNode, OperationDefinitionNode, OperationType
from graphql.language import SelectionNode

from stratabase.operations.executor import Answer
from stratabase.schema.selections import fragments_of

MOST_KEPT = 4
"""Answers: tools ask the same each time."""
LARGEST_KEPT = 8_000_000
"""Bytes of an answer. The standard query about 100 classes takes most of a second for half as many."""
LONGEST_KEPT = 16_384
"""Characters of a document."""
_ABOUT_SCHEMA = frozenset({"__schema", "__type", "__typename"})

Asked = tuple[str, str | None]
"""A document's text, and the name of its operation."""


class Introspections:
    """Keeps the answers that were given last to requests without variables."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Asked, Answer] = OrderedDict()
        self._door = Lock()

    def answer(self, asked: Asked, answer: Callable[[], Answer]) -> Answer:
        """Return what was answered to the same before, or else what `answer` answers."""
        with self._door:
            known = self._kept.pop(asked, None)
            if known is not None:
                self._kept[asked] = known
                return known
        return self._keep(asked, answer())

    def _keep(self, asked: Asked, answer: Answer) -> Answer:
        if answer.began and len(answer.body) <= LARGEST_KEPT and len(asked[0]) <= LONGEST_KEPT:
            with self._door:
                self._kept[asked] = answer
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
        return answer


def is_about_schema(document: DocumentNode, operation: OperationDefinitionNode) -> bool:
    """Return whether an operation asks for nothing but the schema."""
    roots = _roots(document, operation)
    return operation.operation is OperationType.QUERY and roots <= _ABOUT_SCHEMA


def _roots(document: DocumentNode, operation: OperationDefinitionNode) -> set[str]:
    """Return the names of all root fields, be they skipped or not."""
    fragments, names, spread = fragments_of(document), set[str](), set[str]()
    waiting: list[SelectionNode] = [*operation.selection_set.selections]
    while waiting:
        node = waiting.pop()
        inside: Iterable[SelectionNode] = ()
        if isinstance(node, FieldNode):
            names.add(node.name.value)
        elif not isinstance(node, FragmentSpreadNode):
            inside = node.selection_set.selections  # type: ignore[attr-defined] # an inline fragment
        elif node.name.value not in spread:
            spread.add(node.name.value)
            inside = fragments[node.name.value].selection_set.selections
        waiting += inside
    return names
