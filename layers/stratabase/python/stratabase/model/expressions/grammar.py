"""The parser, made from the grammar. Imported when there is an expression to read: lark takes a while."""

from functools import cache
from importlib.resources import files

from lark import Lark, Token, Transformer, v_args

from stratabase.model.expressions.mistakes import ExpressionMistake, ExpressionMistakes
from stratabase.model.expressions.syntax import (
    Call,
    Chain,
    Choice,
    Comparison,
    Constant,
    Index,
    Items,
    Junction,
    Minus,
    Names,
    Node,
    Not,
    Number,
    Quoted,
    Selection,
    Word,
)

DEEPEST = 50
"""Levels; what is evaluated level by level must have an end, and nobody reads as many."""
_CONSTANTS = {"true": True, "false": False, "null": None}


@cache
def parser() -> Lark:
    """Return the parser; its trees are nodes. It may be used by several threads at once."""
    grammar = files("stratabase.model.expressions").joinpath("cel.lark").read_text(encoding="utf-8")
    return Lark(grammar, start="expression", parser="lalr", transformer=_Builder())


def _at(token: Token) -> int:
    assert token.start_pos is not None
    return token.start_pos


def _word(token: Token) -> Word:
    return Word(str(token), _at(token))


def _above(*nodes: Node) -> int:
    """Return the depth of a node above others. Raises ExpressionMistakes where there are too many levels."""
    depth = 1 + max((node.depth for node in nodes), default=0)
    if depth > DEEPEST:
        text = f"More than {DEEPEST} levels within one another: write it flatter, or in several attributes."
        raise ExpressionMistakes([ExpressionMistake(nodes[0].at, text)])
    return depth


@v_args(inline=True)
class _Builder(Transformer[Token, Node]):
    """Makes a node of each rule, from the inside out."""

    def number(self, token: Token) -> Node:
        return Number(_at(token), 1, str(token))

    def quoted(self, token: Token) -> Node:
        return Quoted(_at(token), 1, str(token))

    def constant(self, token: Token) -> Node:
        return Constant(_at(token), 1, _CONSTANTS[token])

    def name(self, token: Token) -> Node:
        return Names(_at(token), 1, (_word(token),))

    def selection(self, operand: Node, token: Token) -> Node:
        if isinstance(operand, Names):
            return Names(operand.at, 1, (*operand.words, _word(token)))
        return Selection(operand.at, _above(operand), operand, _word(token))

    def arguments(self, *nodes: Node) -> tuple[Node, ...]:
        return nodes

    def call(self, token: Token, arguments: tuple[Node, ...] = ()) -> Node:
        return Call(_at(token), _above(*arguments), _word(token), arguments)

    def method(self, receiver: Node, token: Token, arguments: tuple[Node, ...] = ()) -> Node:
        everything = (receiver, *arguments)
        return Call(receiver.at, _above(*everything), _word(token), everything, receiver=True)

    def index(self, operand: Node, position: Node) -> Node:
        return Index(operand.at, _above(operand, position), operand, position)

    def items(self, token: Token, *items: Node) -> Node:
        return Items(_at(token), _above(*items), items)

    def negation(self, token: Token, operand: Node) -> Node:
        return Not(_at(token), _above(operand), operand)

    def minus(self, token: Token, operand: Node) -> Node:
        if isinstance(operand, Number) and not operand.text.startswith("-"):
            return Number(_at(token), 1, f"-{operand.text}")
        return Minus(_at(token), _above(operand), operand)

    def sum(self, first: Node, *rest: Node | Token) -> Node:
        operators = [_word(one) for one in rest[::2] if isinstance(one, Token)]
        operands = [one for one in rest[1::2] if not isinstance(one, Token)]
        pairs = tuple(zip(operators, operands, strict=True))
        return Chain(first.at, _above(first, *operands), first, pairs)

    def product(self, first: Node, *rest: Node | Token) -> Node:
        return self.sum(first, *rest)

    def comparison(self, left: Node, token: Token, right: Node) -> Node:
        return Comparison(left.at, _above(left, right), _word(token), left, right)

    def both(self, *parts: Node) -> Node:
        return Junction(parts[0].at, _above(*parts), "&&", parts)

    def either(self, *parts: Node) -> Node:
        return Junction(parts[0].at, _above(*parts), "||", parts)

    def choice(self, condition: Node, value: Node, otherwise: Node) -> Node:
        case = (condition, value)
        if not isinstance(otherwise, Choice):
            return Choice(condition.at, _above(*case, otherwise), (case,), otherwise)
        depth = max(_above(*case), otherwise.depth)
        return Choice(condition.at, depth, (case, *otherwise.cases), otherwise.otherwise)
