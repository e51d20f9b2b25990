"""Logic: `!`, `&&`, `||`, `a ? b : c`, isNull, has and firstNotNull. In conditions, null means unknown."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from stratabase.values.cel.environment import Environment
from stratabase.values.cel.function import Function, argument_error
from stratabase.values.cel.implied import implied_by_all, implied_by_any, implied_by_negation
from stratabase.values.cel.kinds import BOOLEAN, NULL, TEXT, UNKNOWN, ValueKind
from stratabase.values.cel.syntax import CallNode, ConditionalNode, LogicalNode, NameNode, Node, NotNode
from stratabase.values.cel.typed_expression import (
    Checker,
    Evaluator,
    TypedExpression,
    all_possible_texts,
    common_kind_of,
    convert_to,
    count_steps,
)
from stratabase.values.folding import coarser


def check_not(checker: Checker, node: NotNode) -> TypedExpression:
    """Check a negated condition."""
    operand = checker.check_kind(node.operand, BOOLEAN, "The operand of !")
    evaluate = operand.evaluate
    return TypedExpression(
        BOOLEAN,
        lambda environment: None if (value := evaluate(environment)) is None else not value,
        node.at,
        steps=count_steps(operand),
        is_constant=operand.is_constant,
        implied=implied_by_negation(operand),
    )


def check_logical_operation(checker: Checker, node: LogicalNode) -> TypedExpression:
    """Check conditions joined by `&&` or by `||`."""
    parts = [checker.check_kind(part, BOOLEAN, f"Each side of {node.operator}") for part in node.parts]
    evaluate = _LOGICAL_EVALUATORS[node.operator]([part.evaluate for part in parts])
    constant = all(part.is_constant for part in parts)
    implied = _IMPLIED_BY[node.operator](parts)
    return TypedExpression(
        BOOLEAN, evaluate, node.at, steps=count_steps(*parts), is_constant=constant, implied=implied
    )


_IMPLIED_BY = {"&&": implied_by_all, "||": implied_by_any}


def _logical_evaluator(decisive: bool, evaluators: Sequence[Evaluator]) -> Evaluator:  # noqa: FBT001 - a value
    """Return an evaluator of `&&` (`decisive` is False) or `||` (`decisive` is True).

    Its value is `decisive` if a condition has that value, otherwise null if a condition is null, or else the
    opposite of `decisive`.
    """
    otherwise = not decisive

    def decided(environment: Environment) -> bool | None:
        known = True
        for evaluate in evaluators:
            value: bool | None = evaluate(environment)
            if value is decisive:
                return value
            if value is None:
                known = False
        return otherwise if known else None

    return decided


_LOGICAL_EVALUATORS: Mapping[str, Callable[[Sequence[Evaluator]], Evaluator]] = {
    "&&": partial(_logical_evaluator, False),
    "||": partial(_logical_evaluator, True),
}


def check_conditional(checker: Checker, node: ConditionalNode) -> TypedExpression:
    """Check a conditional. Its value is that of the first true condition, or else the last value."""
    conditions = [
        checker.check_kind(condition, BOOLEAN, "The condition before ?") for condition, _ in node.cases
    ]
    values = check_alternatives(
        checker, [*(value for _, value in node.cases), node.otherwise], "The values of ? :"
    )
    parts = [*conditions, *values]
    return TypedExpression(
        values[0].kind,
        _conditional_evaluator(
            [condition.evaluate for condition in conditions], [value.evaluate for value in values]
        ),
        node.at,
        steps=count_steps(*parts),
        max_items=max(value.max_items for value in values),
        possible_texts=all_possible_texts(values),
        is_constant=all(part.is_constant for part in parts),
        folding=coarser(*(value.folding for value in values)),
    )


def check_alternatives(checker: Checker, nodes: Sequence[Node], where: str) -> list[TypedExpression]:
    """Check values of which one is used. They must have a common kind; messages call them `where`."""
    values = [checker.check_value(node, null=True) for node in nodes]
    kind = common_kind_of(values)
    if kind is None:
        others, other = _find_misfit(values)
        text = f"{where} must be of one type, but these are {others.name} and {other.kind.name}."
        checker.report(other.at, text)
        kind = UNKNOWN
    return [convert_to(value, kind) for value in values]


def _find_misfit(values: Sequence[TypedExpression]) -> tuple[ValueKind, TypedExpression]:
    """Return the first value without a common kind with those before it, and the kind of those."""
    before = {values[0].kind: values[0]}
    for value in values:
        if common_kind_of([*before.values(), value]) is None:
            return common_kind_of([*before.values()]) or NULL, value
        before[value.kind] = value
    raise AssertionError


def _conditional_evaluator(conditions: Sequence[Evaluator], values: Sequence[Evaluator]) -> Evaluator:
    if len(conditions) == 1:
        (condition,), (value, otherwise) = conditions, values
        return lambda environment: (value if condition(environment) else otherwise)(environment)
    *firsts, last = values
    cases = tuple(zip(conditions, firsts, strict=True))

    def chosen(environment: Environment) -> Any:
        for condition, value in cases:
            if condition(environment):
                return value(environment)
        return last(environment)

    return chosen


_FIRST_NOT_NULL = "firstNotNull(a, b, …)"


def _check_is_null(checker: Checker, call: CallNode) -> TypedExpression:
    return _check_null_test(checker, call, "isNull(x)", expects_null=True)


def _check_has(checker: Checker, call: CallNode) -> TypedExpression:
    if len(call.arguments) == 1 and not isinstance(call.arguments[0], NameNode):
        checker.check(call.arguments[0])
        return checker.report(call.arguments[0].at, "has needs the name of an attribute or a role.")
    return _check_null_test(checker, call, "has(x)", expects_null=False)


def _check_null_test(checker: Checker, call: CallNode, usage: str, *, expects_null: bool) -> TypedExpression:
    """Check a test for null of a value, a file, or the object of a role."""
    arguments = [checker.check(argument) for argument in call.arguments]
    if len(arguments) != 1:
        return checker.report(call.word.at, f"{usage} takes one value, but it got {len(arguments)}.")
    (operand,) = arguments
    return TypedExpression(
        BOOLEAN,
        _null_test_evaluator(operand.evaluate, expects_null=expects_null),
        call.at,
        steps=count_steps(operand),
        is_constant=operand.is_constant,
    )


def _null_test_evaluator(evaluate: Evaluator, *, expects_null: bool) -> Evaluator:
    return lambda environment: (evaluate(environment) is None) is expects_null


def _check_first_not_null(checker: Checker, call: CallNode) -> TypedExpression:
    if not call.arguments:
        return checker.report(call.word.at, argument_error(_FIRST_NOT_NULL, [[TEXT, TEXT]], []))
    values = check_alternatives(checker, call.arguments, "The arguments of firstNotNull")
    return TypedExpression(
        values[0].kind,
        _first_evaluator(tuple(value.evaluate for value in values)),
        call.at,
        steps=count_steps(*values),
        max_items=max(value.max_items for value in values),
        possible_texts=all_possible_texts(values),
        is_constant=all(value.is_constant for value in values),
        folding=coarser(*(value.folding for value in values)),
    )


def _first_evaluator(evaluators: tuple[Evaluator, ...]) -> Evaluator:
    def first(environment: Environment) -> object:
        for evaluate in evaluators:
            value = evaluate(environment)
            if value is not None:
                return value
        return None

    return first


NULL_FUNCTIONS = (
    Function("isNull", "isNull(x)", _check_is_null),
    Function("firstNotNull", _FIRST_NOT_NULL, _check_first_not_null),
    Function("has", "has(x)", _check_has),
)
