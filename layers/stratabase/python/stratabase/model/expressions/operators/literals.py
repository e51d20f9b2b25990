"""Numbers, texts, true, false and null."""

from stratabase.model.expressions import literals
from stratabase.model.expressions.checker import Checker
from stratabase.model.expressions.kinds import BOOLEAN, INT, NULL, REAL, TEXT
from stratabase.model.expressions.literals import LiteralMistake
from stratabase.model.expressions.meaning import Meaning, constant
from stratabase.model.expressions.syntax import Constant, Number, Quoted


def number(checker: Checker, node: Number) -> Meaning:
    """Check a number."""
    try:
        value = literals.number(node.text)
    except LiteralMistake as mistake:
        return checker.refuse(node.at, str(mistake))
    return constant(INT if isinstance(value, int) else REAL, value, node.at)


def quoted(checker: Checker, node: Quoted) -> Meaning:
    """Check a text."""
    try:
        return constant(TEXT, literals.text(node.text), node.at)
    except LiteralMistake as mistake:
        return checker.refuse(node.at + mistake.offset, str(mistake))


def word(_: Checker, node: Constant) -> Meaning:
    """Check true, false and null."""
    return constant(NULL if node.value is None else BOOLEAN, node.value, node.at)
