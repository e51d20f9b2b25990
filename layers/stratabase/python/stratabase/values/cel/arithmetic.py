"""Arithmetic on integers of 64 bits and decimal numbers of 38 digits. Results that fit neither are null."""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal, DecimalException
from typing import Any

from stratabase.values.cel.environment import Environment
from stratabase.values.cel.kinds import (
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
from stratabase.values.cel.literals import MAX_INT64, MIN_INT64
from stratabase.values.cel.syntax import ChainNode, NegationNode, Word
from stratabase.values.cel.texts import join_two
from stratabase.values.cel.typed_expression import (
    Checker,
    Evaluator,
    TypedExpression,
    convert_to,
    count_steps,
    unknown_at,
)
from stratabase.values.formats.decimals import decimal_context

# All calculations share these contexts. Each changes only their flags, which nothing reads.
_CONTEXT = decimal_context()
_ROUNDING = decimal_context()
_ROUNDING.rounding = ROUND_HALF_UP


def int_or_null(number: int) -> int | None:
    """Return an integer, or None if it has more than 64 bits."""
    return number if MIN_INT64 <= number <= MAX_INT64 else None


def divide_ints(left: int, right: int) -> int | None:
    """Return a quotient, truncated toward zero; None for a division by zero."""
    if right == 0:
        return None
    result = abs(left) // abs(right)
    return int_or_null(result if (left < 0) is (right < 0) else -result)


def remainder_of_ints(left: int, right: int) -> int | None:
    """Return the remainder of a division, which has the sign of the dividend; None for a division by zero."""
    if right == 0:
        return None
    result = abs(left) % abs(right)
    return -result if left < 0 else result


def null_on_error(
    calculate: Callable[[Decimal, Decimal], Decimal],
) -> Callable[[Decimal, Decimal], Decimal | None]:
    """Return a function that calculates with decimals, and returns None if there is no result."""

    def result(left: Decimal, right: Decimal) -> Decimal | None:
        try:
            return calculate(left, right)
        except DecimalException:
            return None

    return result


add_decimals = null_on_error(_CONTEXT.add)
subtract_decimals = null_on_error(_CONTEXT.subtract)
multiply_decimals = null_on_error(_CONTEXT.multiply)
divide_decimals = null_on_error(_CONTEXT.divide)


def round_decimal(number: Decimal, digits: int) -> Decimal | None:
    """Return a number with at most `digits` decimal places, rounded half away from zero.

    If `digits` is negative, that many digits before the decimal point become zero. Returns None if the result
    has too many digits.
    """
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    if exponent >= -digits:
        return number
    if number.adjusted() + 1 < -digits:
        return Decimal(0)
    try:
        return _ROUNDING.quantize(number, Decimal((0, (1,), -digits)))
    except DecimalException:
        return None


def truncate_decimal(number: Decimal) -> int | None:
    """Return the integer part of a number, or None if it has more than 64 bits."""
    return int_or_null(int(number)) if number.adjusted() < 20 else None


BinaryOperator = Callable[[Environment, Any, Any], Any]


def _pure(calculate: Callable[[Any, Any], Any]) -> BinaryOperator:
    return lambda _, left, right: calculate(left, right)


def _in_64_bits(calculate: Callable[[int, int], int]) -> BinaryOperator:
    return lambda _, left, right: int_or_null(calculate(left, right))


_OPERATORS: Mapping[tuple[str, ValueKind], BinaryOperator] = {
    ("+", INT): _in_64_bits(operator.add),
    ("-", INT): _in_64_bits(operator.sub),
    ("*", INT): _in_64_bits(operator.mul),
    ("/", INT): _pure(divide_ints),
    ("%", INT): _pure(remainder_of_ints),
    ("+", REAL): _pure(add_decimals),
    ("-", REAL): _pure(subtract_decimals),
    ("*", REAL): _pure(multiply_decimals),
    ("/", REAL): _pure(divide_decimals),
    ("+", TEXT): join_two,
}
_LISTS: Mapping[str, BinaryOperator] = {"+": _pure(operator.add)}


def find_operator(symbol: str, kind: ValueKind) -> BinaryOperator | None:
    """Return the function of a binary operator for two values of a kind, or None if there is none."""
    return _LISTS.get(symbol) if kind.element else _OPERATORS.get((symbol, kind))


def apply_operators(
    total: TypedExpression, applied: Sequence[tuple[BinaryOperator, Evaluator]]
) -> TypedExpression:
    """Return a typed expression with operators applied from the left.

    `applied` has pairs: the function of the operator, and the evaluator of its right operand.
    """
    if not applied:
        return total
    return replace(
        total,
        evaluate=_apply_one(total.evaluate, *applied[0])
        if len(applied) == 1
        else _apply_all(total.evaluate, applied),
    )


def _apply_one(first: Evaluator, apply: BinaryOperator, second: Evaluator) -> Evaluator:
    def value(environment: Environment) -> Any:
        left = first(environment)
        if left is None:
            return None
        right = second(environment)
        return None if right is None else apply(environment, left, right)

    return value


def _apply_all(first: Evaluator, applied: Sequence[tuple[BinaryOperator, Evaluator]]) -> Evaluator:
    def value(environment: Environment) -> Any:
        total = first(environment)
        for apply, operand in applied:
            right = None if total is None else operand(environment)
            if right is None:
                return None
            total = apply(environment, total, right)
        return total

    return value


_OPERANDS: Mapping[str, str] = {
    "+": "two numbers, two texts, or two lists",
    "-": "two numbers",
    "*": "two numbers",
    "/": "two numbers",
    "%": "two whole numbers",
}
_MOMENTS = frozenset({DATE, TIME, DATETIME})


def check_chain(checker: Checker, node: ChainNode) -> TypedExpression:
    """Check a chain of sums or of products, from the left."""
    total, applied = checker.check_value(node.first), list[tuple[BinaryOperator, Evaluator]]()
    for word, operand in node.rest:
        right = checker.check_value(operand)
        kind = _operand_kind(checker, word, total.kind, right.kind)
        if kind is UNKNOWN:
            total, applied = unknown_at(node.at), []
            continue
        # The operators so far calculate in another kind, such as Int. Apply them before the conversion.
        if total.kind != kind:
            total, applied = convert_to(apply_operators(total, applied), kind), []
        apply = find_operator(word.text, kind)
        assert apply is not None
        applied.append((apply, convert_to(right, kind).evaluate))
        total = replace(
            total,
            steps=count_steps(total, right),
            max_items=total.max_items + right.max_items,
            possible_texts=None,
            is_constant=total.is_constant and right.is_constant,
            path=None,
            folding=None,
        )
    return apply_operators(total, applied)


def check_negation(checker: Checker, node: NegationNode) -> TypedExpression:
    """Check a negated number."""
    operand = checker.check_value(node.operand)
    if operand.kind is UNKNOWN:
        return operand
    if operand.kind not in (INT, REAL):
        return checker.report(node.at, f"- needs a number, but this is {operand.kind.name}.")
    change: Callable[[Any], Any] = _negative if operand.kind is INT else Decimal.copy_negate
    evaluate = operand.evaluate
    return replace(
        operand,
        at=node.at,
        evaluate=lambda environment: None if (value := evaluate(environment)) is None else change(value),
        steps=count_steps(operand),
        path=None,
    )


def _negative(value: int) -> int | None:
    return int_or_null(-value)


def _operand_kind(checker: Checker, word: Word, left: ValueKind, right: ValueKind) -> ValueKind:
    """Return the kind in which an operator calculates; UNKNOWN if there is none, which is then reported."""
    kind = common_kind({left, right})
    if kind is UNKNOWN:
        return UNKNOWN
    if kind and kind.values:
        kind = TEXT
    if kind and find_operator(word.text, kind):
        return kind
    text = f"{word.text} needs {_OPERANDS[word.text]}, but these are {left.name} and {right.name}."
    checker.report(word.at, text + _advice(word.text, left, right))
    return UNKNOWN


def _advice(symbol: str, left: ValueKind, right: ValueKind) -> str:
    if symbol == "-" and {left, right} <= _MOMENTS:
        return " For the days between them, use dateDiff(a, b)."
    if symbol == "+" and TEXT in (left, right):
        return " To convert a value to a text, use string(x)."
    return ""
