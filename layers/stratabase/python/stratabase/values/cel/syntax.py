"""The nodes of a syntax tree, each with its place in the text, and the errors in a text.

A tree can still have type errors.
"""

from collections.abc import Iterable, Iterator
from dataclasses import fields

from stratabase.values.frozen import frozen


@frozen
class ExpressionError:
    """An error at a character of the text. `at` counts from 0."""

    at: int
    message: str
    suggestion: str | None = None
    """The word that was probably meant, or None."""

    def __str__(self) -> str:
        hint = f' Did you mean "{self.suggestion}"?' if self.suggestion else ""
        return f"{self.message}{hint}"


class InvalidExpression(Exception):
    """The expression has errors. `errors` are all of them, in the order of the text."""

    def __init__(self, errors: Iterable[ExpressionError]) -> None:
        self.errors = tuple(sorted(set(errors), key=lambda one: (one.at, one.message)))
        super().__init__("\n".join(f"at character {one.at + 1}: {one}" for one in self.errors))


@frozen
class Node:
    """A node. `at` is its first character, from 0; `depth` is the number of levels, including its own."""

    at: int
    depth: int


@frozen
class Word:
    """A name or an operator at a character of the text."""

    text: str
    at: int

    @property
    def end(self) -> int:
        """The position after the word."""
        return self.at + len(self.text)


@frozen
class NumberNode(Node):
    """A number such as `12`, `0x1F`, `1.5e3` or `7u`, as written, with its sign."""

    text: str


@frozen
class TextNode(Node):
    """A text as written, in its quotes."""

    text: str


@frozen
class ConstantNode(Node):
    """`true`, `false` or `null`."""

    value: bool | None


@frozen
class NameNode(Node):
    """A name, or several with dots between them: `team.name`."""

    words: tuple[Word, ...]


@frozen
class MemberAccessNode(Node):
    """A name after an expression that is not a name: `[1, 2].name`."""

    operand: Node
    word: Word


@frozen
class IndexNode(Node):
    """An index: `list[position]`."""

    operand: Node
    position: Node


@frozen
class CallNode(Node):
    """A call: `lower(x)`, or `x.lower()`, in which the `receiver` is the first argument."""

    word: Word
    arguments: tuple[Node, ...]
    receiver: bool = False


@frozen
class ListNode(Node):
    """A list: `[1, 2, 3]`."""

    items: tuple[Node, ...]


@frozen
class NotNode(Node):
    """A negated condition: `!x`."""

    operand: Node


@frozen
class NegationNode(Node):
    """A negated number: `-x`."""

    operand: Node


@frozen
class ChainNode(Node):
    """A chain of operators with the same precedence, applied from the left: `a + b - c` or `a * b / c`."""

    first: Node
    rest: tuple[tuple[Word, Node], ...]


@frozen
class ComparisonNode(Node):
    """A comparison: `a < b` or `a in b`."""

    operator: Word
    left: Node
    right: Node


@frozen
class LogicalNode(Node):
    """Conditions joined by one operator: `a && b && c`, or with `||`."""

    operator: str
    parts: tuple[Node, ...]


@frozen
class ConditionalNode(Node):
    """A conditional: `a ? b : c ? d : e`.

    `cases` has the conditions with their values. The first true condition determines the value.
    """

    cases: tuple[tuple[Node, Node], ...]
    otherwise: Node


def children(node: Node) -> Iterator[Node]:
    """Yield the direct children of a node, in the order of the text."""
    for field in fields(node):
        yield from _nodes_in(getattr(node, field.name))


def walk_nodes(node: Node) -> Iterator[Node]:
    """Yield a node and all its descendants, each before its children."""
    yield node
    for child in children(node):
        yield from walk_nodes(child)


def _nodes_in(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes_in(item)
