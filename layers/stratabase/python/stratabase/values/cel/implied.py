"""What a condition implies: comparisons of paths with values that do not depend on the object.

A condition that is true implies its parts. For example, `patient.email == caller.email && year(born) > 1990`
implies that the path `patient.email` equals the caller's email. Filters can use that to find objects. What is
implied is as strong as the condition, or weaker.
"""

from collections.abc import Sequence

from stratabase.values.cel.kinds import BOOLEAN
from stratabase.values.cel.names import CALLER
from stratabase.values.cel.syntax import NameNode, Node, walk_nodes
from stratabase.values.cel.typed_expression import (
    Either,
    Implied,
    PathComparison,
    Together,
    TypedExpression,
)

STARTS_WITH = "startsWith"


def implied_by(typed: TypedExpression) -> Implied | None:
    """Return what a condition implies, None if nothing is known."""
    if typed.path is not None and typed.kind is BOOLEAN:
        return _truth(typed, expected=True)
    return typed.implied


def implied_by_negation(operand: TypedExpression) -> Implied | None:
    """Return what `!x` implies, None if nothing is known."""
    return _truth(operand, expected=False) if operand.path is not None and operand.kind is BOOLEAN else None


def _truth(typed: TypedExpression, *, expected: bool) -> PathComparison:
    assert typed.path is not None
    return PathComparison(typed.path, BOOLEAN, "==", lambda _: expected, BOOLEAN)


def implied_by_all(parts: Sequence[TypedExpression]) -> Implied | None:
    """Return what conditions joined by `&&` imply, None if nothing is known."""
    found = tuple(each for part in parts if (each := implied_by(part)) is not None)
    return Together(found) if found else None


def implied_by_any(parts: Sequence[TypedExpression]) -> Implied | None:
    """Return what conditions joined by `||` imply, None if nothing is known of one of them."""
    found = tuple(each for part in parts if (each := implied_by(part)) is not None)
    return Either(found) if len(found) == len(parts) else None


_MIRRORED = {"==": "==", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""By operator: the operator with both sides exchanged."""


def implied_by_comparison(
    operator: str, left: tuple[Node, TypedExpression], right: tuple[Node, TypedExpression]
) -> Implied | None:
    """Return what a comparison of two nodes implies, None if neither side is a path, or both are."""
    found = _comparison(operator, left[1], right)
    mirrored = _MIRRORED.get(operator)
    return found or (None if mirrored is None else _comparison(mirrored, right[1], left))


def _comparison(
    operator: str, side: TypedExpression, other: tuple[Node, TypedExpression]
) -> PathComparison | None:
    node, operand = other
    if side.path is None or operator not in {*_MIRRORED, "in", STARTS_WITH} or not is_independent(node):
        return None
    return PathComparison(side.path, side.kind, operator, operand.evaluate, operand.kind)


def is_independent(node: Node) -> bool:
    """Return whether the value of a node depends on no object: on constants, the caller and the time only."""
    names = (each.words for each in walk_nodes(node) if isinstance(each, NameNode))
    return all(words[0].text == CALLER and len(words) > 1 for words in names)
