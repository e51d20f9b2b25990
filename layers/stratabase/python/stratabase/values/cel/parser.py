"""Parsing an expression: text to syntax tree, or the first syntax error."""

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from stratabase.values.cel.syntax import ExpressionError, InvalidExpression, Node
from stratabase.values.wording import shorten

if TYPE_CHECKING:
    from lark import UnexpectedInput


MAX_EXPRESSION_LENGTH = 4096
"""The maximum length of an expression, in characters."""
_FOREIGN_OPERATORS: Mapping[str, str] = {
    "=": "==",
    "===": "==",
    "<>": "!=",
    "!==": "!=",
    "&": "&&",
    "|": "||",
    "and": "&&",
    "or": "||",
    "not": "!",
    "is": "isNull(x)",
    "like": "x.matches('…')",
    "if": "a ? b : c",
    "^": "a * a",
}
"""The operators for common operators of other languages, as suggestions."""
_HINTS: Mapping[str, str] = {
    "'": "The text has no closing quote. Add ' at its end, and write \\' for a quote inside it.",
    '"': 'The text has no closing quote. Add " at its end, and write \\" for a quote inside it.',
    "{": "Expressions can't contain maps or messages.",
    "`": "Backquotes can't be used. Write a text as 'text', and a name without quotes.",
    ";": "An expression must be one value. Remove the semicolon.",
}
_PIECE = re.compile(r"[A-Za-z_]\w*|[=!<>&|]+|.", re.DOTALL)
_SIGNS = "=!<>&|"


# A quote without an end matches up to the end of the text. Searching from each later quote again would take
# quadratic time.
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*+'?|\"(?:[^\"\\]|\\.)*+\"?|//[^\n]*", re.DOTALL)
_PAIRS = {")": "(", "]": "["}
_preloaded: dict[str, Callable[[], Node]] = {}
"""For texts that were parsed when the model was prepared: functions that return the trees."""


def parse(text: str) -> Node:
    """Return the syntax tree of a text. Raises InvalidExpression with the first error."""
    if text in _preloaded:
        return _preloaded[text]()
    _check(text)
    # Importing lark takes a tenth of a second. So it is imported only when there is an expression to parse.
    from lark import UnexpectedInput  # noqa: PLC0415

    from stratabase.values.cel.grammar import parser  # noqa: PLC0415

    try:
        return parser().parse(text)  # type: ignore[return-value] # the builder makes nodes of all rules
    except UnexpectedInput as unexpected:
        raise InvalidExpression([_find_error(text, unexpected)]) from None


def preload_trees(trees: Mapping[str, Callable[[], Node]]) -> None:
    """Make `parse` use trees that were parsed before.

    Keys are texts; values are functions that return the trees.
    """
    _preloaded.update(trees)


def _check(text: str) -> None:
    if not text.strip():
        raise InvalidExpression([ExpressionError(0, "The expression is empty.")])
    if len(text) > MAX_EXPRESSION_LENGTH:
        message = f"The expression has {len(text)} characters. The maximum is {MAX_EXPRESSION_LENGTH}."
        raise InvalidExpression([ExpressionError(0, message)])
    if not text.isascii():
        _refuse_surrogates(text)


def _refuse_surrogates(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as half:
        message = "A lone surrogate is not a character. Use both halves of the pair."
        raise InvalidExpression([ExpressionError(half.start, message)]) from None


def _find_error(text: str, unexpected: "UnexpectedInput") -> ExpressionError:
    at, token = unexpected.pos_in_stream, getattr(unexpected, "token", None)
    ended = token is not None and token.type == "$END"
    piece = None if at is None or ended else _PIECE.match(text, at)
    # 1. The text ends too early.
    if piece is None:
        return _find_early_end(text)
    # 2. A sign that expressions don't have, such as a semicolon.
    at, word = _whole_operator(text, piece)
    if word in _HINTS:
        return ExpressionError(at, _HINTS[word])
    # 3. A word operator of another language, such as `and`. The parser reads a name, and fails after it.
    start, before = _word_before(text[:at])
    if before in _FOREIGN_OPERATORS:
        at, word = start, before
    # 4. A closing bracket without an opening one.
    if word in _PAIRS and not _open_brackets(text[:at]):
        return ExpressionError(at, f"This {word} has no matching {_PAIRS[word]}.")
    # 5. Anything else.
    return ExpressionError(at, f'Unexpected "{shorten(word)}".', _FOREIGN_OPERATORS.get(word))


def _word_before(text: str) -> tuple[int, str]:
    """Return the start of the last word of a text, and the word."""
    # A regular expression anchored at the end would try every start, which takes quadratic time.
    text = text.rstrip()
    start = len(text)
    while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    word = text[start:].lstrip("0123456789")
    return len(text) - len(word), word


def _whole_operator(text: str, piece: re.Match[str]) -> tuple[int, str]:
    """Return an operator of another language (`<>`) as a whole, where only its end was unexpected."""
    before = text[: piece.start()]
    signs = before[len(before.rstrip(_SIGNS)) :]
    whole = signs + piece[0]
    return (piece.start() - len(signs), whole) if whole in _FOREIGN_OPERATORS else (piece.start(), piece[0])


def _find_early_end(text: str) -> ExpressionError:
    """Return the error of a text that ends too early."""
    if opening := _open_brackets(text):
        at = opening[-1]
        closing = next(right for right, left in _PAIRS.items() if left == text[at])
        return ExpressionError(at, f"This {text[at]} has no matching {closing}.")
    at = len(text.rstrip())
    return ExpressionError(at, "The expression is incomplete. Add a value at its end.")


def _open_brackets(text: str) -> list[int]:
    """Return the positions of the brackets that are not closed."""
    plain = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), text)
    opening: list[int] = []
    for at, character in enumerate(plain):
        if character in _PAIRS.values():
            opening.append(at)
        elif character in _PAIRS and opening:
            opening.pop()
    return opening
