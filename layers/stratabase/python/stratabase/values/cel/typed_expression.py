"""Typed expressions: the parts of an expression after the check, with their kind and their evaluator."""

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from decimal import Decimal
from typing import Any

from stratabase.values.cel.environment import Environment, Path
from stratabase.values.cel.kinds import INT, NULL, REAL, TEXT, UNKNOWN, ValueKind, common_kind
from stratabase.values.frozen import frozen

Evaluator = Callable[[Environment], Any]
"""Returns the value for an environment, in which None is null.

It never raises: a value that can't be computed is null.
"""
PossibleTexts = tuple[tuple[str, int], ...]
"""Texts, each with its position in the expression."""


@frozen
class PathComparison:
    """A path of to-one roles to an attribute compares with an operand. It does not if one of them is null."""

    path: Path
    kind: ValueKind
    """The kind of the attribute."""
    operator: str
    """One of `==`, `<`, `<=`, `>`, `>=`, `in` and `startsWith`, with the attribute at its left."""
    operand: Evaluator = field(repr=False, compare=False)
    """The operand, which depends on no object."""
    operand_kind: ValueKind
    """The kind of the operand. A Datetime is compared with a Date by its day in the caller's time zone."""


@frozen
class Together:
    """All parts are implied."""

    parts: tuple["Implied", ...]


@frozen
class Either:
    """At least one of the parts holds."""

    parts: tuple["Implied", ...]


Implied = PathComparison | Together | Either
"""What a condition implies (implied.py)."""


@frozen
class TypedExpression:
    """A checked part of an expression. `at` is its first character, counted from 0."""

    kind: ValueKind
    evaluate: Evaluator
    at: int
    steps: int = 1
    """The maximum number of evaluated nodes. A node in a macro counts once for each item."""
    max_items: int = 0
    """The maximum number of items, if the value is a list."""
    possible_texts: PossibleTexts | None = None
    """All texts that the value, or an item of it, can be; None if it can be any text."""
    is_constant: bool = False
    """The value is the same for every environment."""
    path: Path | None = None
    """The path, if the expression is nothing but an attribute of the object, or one that roles lead to."""
    implied: Implied | None = None
    """What the expression implies if it is true; None if nothing is known. A path has none of its own."""


def literal(kind: ValueKind, value: Any, at: int) -> TypedExpression:
    """Return the typed expression of a literal."""
    texts: PossibleTexts | None = () if kind is NULL else None
    if kind is TEXT:
        texts = ((value, at),)
    return TypedExpression(kind, lambda _: value, at, possible_texts=texts, is_constant=True)


def unknown_at(at: int) -> TypedExpression:
    """Return the typed expression of a part with a reported error. Its kind fits everywhere."""
    return TypedExpression(UNKNOWN, lambda _: None, at)


def empty_environment() -> Environment:
    """Return an environment for the evaluation of constants."""
    return Environment({})


def count_steps(*parts: TypedExpression) -> int:
    """Return the number of steps of an expression that evaluates each of these parts once."""
    return 1 + sum(typed.steps for typed in parts)


def common_kind_of(parts: Sequence[TypedExpression]) -> ValueKind | None:
    """Return the kind that all parts fit, or None if there is none.

    A literal text fits an enum that has this value.
    """
    kinds = {typed.kind for typed in parts}
    enums = [kind for kind in kinds if kind.values]
    if len(enums) == 1 and all(_is_of_enum(typed, enums[0]) for typed in parts if typed.kind is TEXT):
        kinds.discard(TEXT)
    return common_kind(kinds)


def _is_of_enum(typed: TypedExpression, enum: ValueKind) -> bool:
    return typed.possible_texts is not None and all(text in enum.values for text, _ in typed.possible_texts)


def all_possible_texts(parts: Sequence[TypedExpression]) -> PossibleTexts | None:
    """Return all texts that any of the parts can be, or None if a part can be any text."""
    texts: PossibleTexts = ()
    for typed in parts:
        if typed.possible_texts is None:
            return None
        texts += typed.possible_texts
    return texts


def convert_to(typed: TypedExpression, kind: ValueKind) -> TypedExpression:
    """Return a part converted to a kind that it is assignable to, such as an Int to a Real."""
    evaluate = typed.evaluate
    if typed.kind is INT and kind is REAL:
        evaluate = _real_evaluator(typed)
    elif typed.kind.element is INT and kind.element is REAL:
        evaluate = _real_list_evaluator(evaluate)
    return replace(typed, kind=kind, evaluate=evaluate)


def _real_evaluator(typed: TypedExpression) -> Evaluator:
    evaluate = typed.evaluate
    if typed.is_constant:
        fixed = Decimal(value) if (value := evaluate(empty_environment())) is not None else None
        return lambda _: fixed
    return lambda environment: None if (value := evaluate(environment)) is None else Decimal(value)


def _real_list_evaluator(evaluate: Evaluator) -> Evaluator:
    def reals(environment: Environment) -> tuple[Decimal | None, ...] | None:
        items = evaluate(environment)
        return None if items is None else tuple(None if item is None else Decimal(item) for item in items)

    return reals
