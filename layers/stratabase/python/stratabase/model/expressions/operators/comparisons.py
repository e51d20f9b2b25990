"""`==`, `!=`, `<`, `<=`, `>`, `>=` and `in`: between values of kinds that compare."""

from stratabase.model.expressions.checker import Checker
from stratabase.model.expressions.kinds import BOOLEAN, NULL, ORDERED, UNKNOWN
from stratabase.model.expressions.meaning import Meaning, Run, steps, unknown
from stratabase.model.expressions.operators.comparable import comparable
from stratabase.model.expressions.operators.comparing import EQUALITIES, LIST_EQUALITIES, ORDERS, compared
from stratabase.model.expressions.operators.membership import membership
from stratabase.model.expressions.syntax import Comparison, Names, Node, Word


def comparison(checker: Checker, node: Comparison) -> Meaning:
    """Check two values that are compared."""
    left, right = checker.value(node.left, null=True), checker.value(node.right, null=True)
    if NULL in (left.kind, right.kind):
        asked = _asked(node.right if left.kind is NULL else node.left)
        return checker.refuse(node.operator.at, f"Nothing compares with null: write isNull({asked}).")
    if UNKNOWN in (left.kind, right.kind):
        return unknown(node.at)
    find = membership if node.operator.text == "in" else _comparison
    run = find(checker, node.operator, left, right)
    if run is None:
        return unknown(node.at)
    constant = left.constant and right.constant
    return Meaning(BOOLEAN, run, node.at, steps=steps(left, right), constant=constant)


def _asked(node: Node) -> str:
    return ".".join(word.text for word in node.words) if isinstance(node, Names) else "x"


def _comparison(checker: Checker, word: Word, left: Meaning, right: Meaning) -> Run | None:
    """Return what compares two values, or None after reporting why they do not compare."""
    kind = comparable(checker, word, left, right)
    if kind is None:
        return None
    if word.text in ORDERS:
        unordered = next((one for one in (left.kind, right.kind) if one not in ORDERED), None)
        if unordered is not None:
            checker.refuse(word.at, f"{unordered.name} has no order: compare by == or !=.")
            return None
    table = LIST_EQUALITIES if kind.element else {**EQUALITIES, **ORDERS}
    return compared(left, table[word.text], right)
