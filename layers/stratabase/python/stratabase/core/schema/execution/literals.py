"""Take literals out of the text of a document, so that texts that differ only in these share one document.

Many clients write values into the text, and so send a new text with almost each request. Here, a text becomes
a template, in which a variable of our own stands for each literal. The template is parsed, validated and
compiled once. The literals of each text are coerced as graphql-core coerces literals.

Nothing here reports errors. In doubt, the text is read as it is.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from graphql import (
    FloatValueNode,
    GraphQLError,
    GraphQLInputType,
    IntValueNode,
    StringValueNode,
    Undefined,
    ValueNode,
    parse_value,
)
from graphql.utilities.coerce_input_value import coerce_input_literal

LITERAL_VARIABLE = "___"
"""How the names of variables begin that stand for literals. A text with such names is not a template."""
_LITERAL = re.compile(
    r"""(
      "(?!"")(?:[^"\\\n\r\ud800-\udfff]|\\[^\n\r])*"  # a string
    | ["#]                                            # what can't be split: a block string, a comment
    | (?<![\w.])-?\d[\w.+-]*                          # a number, which is not a part of a name
    )""",
    re.ASCII | re.VERBOSE,
)
_UNCLEAR = frozenset('"#')
_INT = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_EXPONENT = r"[eE][+-]?[0-9]{1,3}"
_FLOAT = re.compile(rf"-?(?:0|[1-9][0-9]{{0,99}})(?:\.[0-9]{{1,99}}(?:{_EXPONENT})?|{_EXPONENT})")
_IGNORED = " \t\n\r,\ufeff"
_FIXED = ("=", "format:")
"""What precedes literals that stay: default values of variables, which must be constant, and the formats of
attributes, which are compiled."""


class DocumentTemplate(NamedTuple):
    """A text without its literals."""

    parts: tuple[str, ...]
    """What is before, between and after the literals. Equal parts have the same template."""
    literals: Sequence[str]

    @property
    def text(self) -> str:
        """The text with a variable in place of each literal."""
        names = [f"${name} " for name in _names(len(self.literals))]
        return "".join(map("".join, zip(self.parts, [*names, ""], strict=True)))

    def nodes(self) -> dict[str, ValueNode] | None:
        """Return the literals by the variables that stand for them. None if one is not valid."""
        nodes = [_literal_node(literal) for literal in self.literals]
        if None in nodes:
            return None
        return {name: node for name, node in zip(_names(len(nodes)), nodes, strict=True) if node}


def _names(count: int) -> Iterable[str]:
    return (f"{LITERAL_VARIABLE}{number}" for number in range(count))


def split_literals(text: str) -> DocumentTemplate | None:
    """Return the template of a text. None if it has no literals, or must be read as it is."""
    pieces = _LITERAL.split(text)
    if len(pieces) == 1 or f"${LITERAL_VARIABLE}" in text:
        return None
    parts, literals = [pieces[0]], []
    for literal, after in zip(pieces[1::2], pieces[2::2], strict=True):
        if literal in _UNCLEAR:
            return None
        if parts[-1].rstrip(_IGNORED).endswith(_FIXED):
            parts[-1] += literal + after
        else:
            literals.append(literal)
            parts.append(after)
    return DocumentTemplate(tuple(parts), literals) if literals else None


def _literal_node(text: str) -> ValueNode | None:
    """Return the node of a literal as graphql-core parses it. None if it is not valid."""
    if text[0] != '"':
        if _INT.fullmatch(text):
            return IntValueNode(value=text)
        return FloatValueNode(value=text) if _FLOAT.fullmatch(text) else None
    if "\\" not in text:
        return StringValueNode(value=text[1:-1])
    try:
        return parse_value(text, no_location=True)
    except GraphQLError:
        return None


class LiteralValues(NamedTuple):
    """The values of the literals of one text, by the variables that stand for them."""

    untyped: dict[str, Any]
    """As a client would send them in JSON."""
    coerced: dict[str, Any]
    """As graphql-core coerces literals in their places."""


NO_LITERALS = LiteralValues({}, {})


def coerce_literals(
    places: Mapping[str, GraphQLInputType], nodes: Mapping[str, ValueNode]
) -> LiteralValues | None:
    """Return the values of literals. `places` are the types of their places. None if a value is wrong."""
    untyped: dict[str, Any] = {}
    coerced: dict[str, Any] = {}
    for name, node in nodes.items():
        value = coerce_input_literal(node, places[name])
        if value is Undefined:
            return None
        coerced[name] = value
        text: str = node.value  # type: ignore[attr-defined] # of a string or a number
        untyped[name] = _UNTYPED[node.__class__](text)
    return LiteralValues(untyped, coerced)


_UNTYPED: dict[type[ValueNode], Any] = {StringValueNode: str, IntValueNode: int, FloatValueNode: float}
