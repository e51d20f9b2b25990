"""`+`, `-`, `*`, `/`, `%` and the sign."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from stratabase.model.expressions import numbers
from stratabase.model.expressions.checker import Checker
from stratabase.model.expressions.kinds import (
    DATE,
    DATETIME,
    INT,
    REAL,
    TEXT,
    TIME,
    UNKNOWN,
    ValueKind,
    common_kind,
)
from stratabase.model.expressions.meaning import Meaning, Run, as_kind, steps, unknown
from stratabase.model.expressions.operators.calculations import Apply, apply_of, calculation
from stratabase.model.expressions.syntax import Chain, Minus, Word

_TAKES: Mapping[str, str] = {
    "+": "two numbers, two texts or two lists",
    "-": "two numbers",
    "*": "two numbers",
    "/": "two numbers",
    "%": "two whole numbers",
}
_MOMENTS = frozenset({DATE, TIME, DATETIME})


def chain(checker: Checker, node: Chain) -> Meaning:
    """Check a sum or a product, from the left."""
    total, applied = checker.value(node.first), list[tuple[Apply, Run]]()
    for word, operand in node.rest:
        right = checker.value(operand)
        kind = _kind(checker, word, total.kind, right.kind)
        if kind is UNKNOWN:
            total, applied = unknown(node.at), []
            continue
        if total.kind != kind:
            total, applied = as_kind(calculation(total, applied), kind), []
        apply = apply_of(word.text, kind)
        assert apply is not None
        applied.append((apply, as_kind(right, kind).run))
        total = replace(
            total,
            steps=steps(total, right),
            most=total.most + right.most,
            texts=None,
            constant=total.constant and right.constant,
        )
    return calculation(total, applied)


def minus(checker: Checker, node: Minus) -> Meaning:
    """Check a number whose sign is changed."""
    operand = checker.value(node.operand)
    if operand.kind is UNKNOWN:
        return operand
    if operand.kind not in (INT, REAL):
        return checker.refuse(node.at, f"- takes a number; this is {operand.kind.name}.")
    change: Callable[[Any], Any] = _negative if operand.kind is INT else Decimal.copy_negate
    run = operand.run
    return replace(
        operand,
        at=node.at,
        run=lambda environment: None if (value := run(environment)) is None else change(value),
        steps=steps(operand),
    )


def _negative(value: int) -> int | None:
    return numbers.whole(-value)


def _kind(checker: Checker, word: Word, left: ValueKind, right: ValueKind) -> ValueKind:
    """Return the kind in which an operator calculates; UNKNOWN where there is none."""
    kind = common_kind({left, right})
    if kind is UNKNOWN:
        return UNKNOWN
    if kind and kind.values:
        kind = TEXT
    if kind and apply_of(word.text, kind):
        return kind
    given = f"{left.name} and {right.name}"
    text = f"{word.text} takes {_TAKES[word.text]}; here are {given}.{_advice(word.text, left, right)}"
    checker.refuse(word.at, text)
    return UNKNOWN


def _advice(symbol: str, left: ValueKind, right: ValueKind) -> str:
    if symbol == "-" and {left, right} <= _MOMENTS:
        return " The days between two of them are dateDiff(a, b)."
    if symbol == "+" and TEXT in (left, right):
        return " string(x) makes a text of a value."
    return ""
