"""The lark parser, built from `cel.lark`. `parser` imports this module only when it parses a text."""

from functools import cache
from importlib.resources import files

from lark import Lark, Token, Transformer, v_args

from stratabase.values.cel.syntax import (
    CallNode,
    ChainNode,
    ComparisonNode,
    ConditionalNode,
    ConstantNode,
    ExpressionError,
    IndexNode,
    InvalidExpression,
    ListNode,
    LogicalNode,
    MemberAccessNode,
    NameNode,
    NegationNode,
    Node,
    NotNode,
    NumberNode,
    TextNode,
    Word,
)

MAX_EXPRESSION_DEPTH = 50
"""The limit on nested levels. Evaluation is recursive, and nobody can read deeper expressions."""
_CONSTANTS = {"true": True, "false": False, "null": None}


@cache
def parser() -> Lark:
    """Return the parser, which makes a tree of nodes. Threads can use it at the same time."""
    grammar = files("stratabase.values.cel").joinpath("cel.lark").read_text(encoding="utf-8")
    return Lark(grammar, start="expression", parser="lalr", transformer=_Builder())


def _at(token: Token) -> int:
    assert token.start_pos is not None
    return token.start_pos


def _word(token: Token) -> Word:
    return Word(str(token), _at(token))


def _above(*nodes: Node) -> int:
    """Return the depth of a node above others. Raises InvalidExpression if it exceeds the limit."""
    depth = 1 + max((node.depth for node in nodes), default=0)
    if depth > MAX_EXPRESSION_DEPTH:
        text = (
            f"The expression is nested more than {MAX_EXPRESSION_DEPTH} levels deep. Simplify it or split it."
        )
        raise InvalidExpression([ExpressionError(nodes[0].at, text)])
    return depth


@v_args(inline=True)
class _Builder(Transformer[Token, Node]):
    """Makes a node of each rule of the grammar, from the inside out."""

    def number(self, token: Token) -> Node:
        return NumberNode(_at(token), 1, str(token))

    def quoted(self, token: Token) -> Node:
        return TextNode(_at(token), 1, str(token))

    def constant(self, token: Token) -> Node:
        return ConstantNode(_at(token), 1, _CONSTANTS[token])

    def name(self, token: Token) -> Node:
        return NameNode(_at(token), 1, (_word(token),))

    def selection(self, operand: Node, token: Token) -> Node:
        if isinstance(operand, NameNode):
            return NameNode(operand.at, 1, (*operand.words, _word(token)))
        return MemberAccessNode(operand.at, _above(operand), operand, _word(token))

    def arguments(self, *nodes: Node) -> tuple[Node, ...]:
        return nodes

    def call(self, token: Token, arguments: tuple[Node, ...] = ()) -> Node:
        return CallNode(_at(token), _above(*arguments), _word(token), arguments)

    def method(self, receiver: Node, token: Token, arguments: tuple[Node, ...] = ()) -> Node:
        everything = (receiver, *arguments)
        return CallNode(receiver.at, _above(*everything), _word(token), everything, receiver=True)

    def index(self, operand: Node, position: Node) -> Node:
        return IndexNode(operand.at, _above(operand, position), operand, position)

    def items(self, token: Token, *items: Node) -> Node:
        return ListNode(_at(token), _above(*items), items)

    def negation(self, token: Token, operand: Node) -> Node:
        return NotNode(_at(token), _above(operand), operand)

    def minus(self, token: Token, operand: Node) -> Node:
        if isinstance(operand, NumberNode) and not operand.text.startswith("-"):
            return NumberNode(_at(token), 1, f"-{operand.text}")
        return NegationNode(_at(token), _above(operand), operand)

    def sum(self, first: Node, *rest: Node | Token) -> Node:
        operators = [_word(one) for one in rest[::2] if isinstance(one, Token)]
        operands = [one for one in rest[1::2] if not isinstance(one, Token)]
        pairs = tuple(zip(operators, operands, strict=True))
        return ChainNode(first.at, _above(first, *operands), first, pairs)

    def product(self, first: Node, *rest: Node | Token) -> Node:
        return self.sum(first, *rest)

    def comparison(self, left: Node, token: Token, right: Node) -> Node:
        return ComparisonNode(left.at, _above(left, right), _word(token), left, right)

    def both(self, *parts: Node) -> Node:
        return LogicalNode(parts[0].at, _above(*parts), "&&", parts)

    def either(self, *parts: Node) -> Node:
        return LogicalNode(parts[0].at, _above(*parts), "||", parts)

    def choice(self, condition: Node, value: Node, otherwise: Node) -> Node:
        case = (condition, value)
        if not isinstance(otherwise, ConditionalNode):
            return ConditionalNode(condition.at, _above(*case, otherwise), (case,), otherwise)
        depth = max(_above(*case), otherwise.depth)
        return ConditionalNode(condition.at, depth, (case, *otherwise.cases), otherwise.otherwise)
