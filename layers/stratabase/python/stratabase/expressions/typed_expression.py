"""A part of an expression after the check: the kind of its value, and the function that computes it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from stratabase.expressions.environment import Environment
from stratabase.expressions.kinds import INT, NULL, REAL, TEXT, UNKNOWN, ValueKind, common_kind

Evaluator = Callable[[Environment], Any]
"""Returns a value for an environment; None is null. It never raises: what cannot be computed is null."""
PossibleTexts = tuple[tuple[str, int], ...]
"""Texts, and where they are written."""


@dataclass(frozen=True, slots=True)
class TypedExpression:
    """A part of an expression that has been checked; it begins at the character `at` of the text."""

    kind: ValueKind
    evaluate: Evaluator
    at: int
    steps: int = 1
    """How many parts are evaluated at most, each as often as it is."""
    max_items: int = 0
    """Of a list: how many items it has at most."""
    possible_texts: PossibleTexts | None = None
    """All the texts that it, or an item of it, can be; None where it can be any."""
    is_constant: bool = False
    """It has one value, whatever the environment."""


def literal(kind: ValueKind, value: Any, at: int) -> TypedExpression:
    """Return the typed expression of a literal."""
    texts: PossibleTexts | None = () if kind is NULL else None
    if kind is TEXT:
        texts = ((value, at),)
    return TypedExpression(kind, lambda _: value, at, possible_texts=texts, is_constant=True)


def unknown_at(at: int) -> TypedExpression:
    """Return the typed expression of a part that has been reported as an error: it fits everywhere."""
    return TypedExpression(UNKNOWN, lambda _: None, at)


def empty_environment() -> Environment:
    """Return an environment for constants."""
    return Environment({})


def count_steps(*parts: TypedExpression) -> int:
    """Return the steps of an expression that evaluates each of these parts once."""
    return 1 + sum(typed.steps for typed in parts)


def common_kind_of(parts: Sequence[TypedExpression]) -> ValueKind | None:
    """Return the kind that all parts can have, or None where there is none.

    A text that is written may be an enum's value.
    """
    kinds = {typed.kind for typed in parts}
    enums = [kind for kind in kinds if kind.values]
    if len(enums) == 1 and all(_is_of_enum(typed, enums[0]) for typed in parts if typed.kind is TEXT):
        kinds.discard(TEXT)
    return common_kind(kinds)


def _is_of_enum(typed: TypedExpression, enum: ValueKind) -> bool:
    return typed.possible_texts is not None and all(text in enum.values for text, _ in typed.possible_texts)


def all_possible_texts(parts: Sequence[TypedExpression]) -> PossibleTexts | None:
    """Return all the texts that any of the parts can be; None where one can be any text."""
    texts: PossibleTexts = ()
    for typed in parts:
        if typed.possible_texts is None:
            return None
        texts += typed.possible_texts
    return texts


def convert_to(typed: TypedExpression, kind: ValueKind) -> TypedExpression:
    """Return a part converted to a kind to which it is assignable, such as an Int to a Real."""
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
