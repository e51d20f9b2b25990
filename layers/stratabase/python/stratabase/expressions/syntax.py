"""The syntax tree of an expression: what is written, each word with its place, be it right or not."""

from collections.abc import Iterator
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Node:
    """A part of an expression, from its character `at`; `depth` is how many levels it has below."""

    at: int
    depth: int


@dataclass(frozen=True, slots=True)
class Word:
    """A name or an operator, and where it stands."""

    text: str
    at: int

    @property
    def end(self) -> int:
        """Where what follows it begins."""
        return self.at + len(self.text)


@dataclass(frozen=True, slots=True)
class NumberLiteral(Node):
    """`12`, `0x1F`, `1.5e3`, `7u`, as it is written, with its sign."""

    text: str


@dataclass(frozen=True, slots=True)
class TextLiteral(Node):
    """A text in its quotes, as it is written."""

    text: str


@dataclass(frozen=True, slots=True)
class ConstantLiteral(Node):
    """`true`, `false` or `null`."""

    value: bool | None


@dataclass(frozen=True, slots=True)
class DottedName(Node):
    """`team.name`: names with dots between them."""

    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class MemberAccess(Node):
    """A name after something that is no name: `[1, 2].name`."""

    operand: Node
    word: Word


@dataclass(frozen=True, slots=True)
class Index(Node):
    """`list[position]`."""

    operand: Node
    position: Node


@dataclass(frozen=True, slots=True)
class Call(Node):
    """`lower(x)`, or `x.lower()`, which is the same: then `receiver` is the first of the arguments."""

    word: Word
    arguments: tuple[Node, ...]
    receiver: bool = False


@dataclass(frozen=True, slots=True)
class ListLiteral(Node):
    """`[1, 2, 3]`."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not(Node):
    """`!x`."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Negation(Node):
    """`-x`."""

    operand: Node


@dataclass(frozen=True, slots=True)
class OperatorChain(Node):
    """`a + b - c` or `a * b / c`: from the left, however many there are."""

    first: Node
    rest: tuple[tuple[Word, Node], ...]


@dataclass(frozen=True, slots=True)
class Comparison(Node):
    """`a < b` or `a in b`."""

    operator: Word
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class LogicalOperation(Node):
    """`a && b && c`, or with `||`."""

    operator: str
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Conditional(Node):
    """`a ? b : c ? d : e`: the value of the first condition that holds, or else the last."""

    cases: tuple[tuple[Node, Node], ...]
    otherwise: Node


def children(node: Node) -> Iterator[Node]:
    """Yield the nodes directly below a node, in the order in which they are written."""
    for field in fields(node):
        yield from _nodes_in(getattr(node, field.name))


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all nodes below it, each before its children."""
    yield node
    for child in children(node):
        yield from walk(child)


def _nodes_in(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes_in(item)
