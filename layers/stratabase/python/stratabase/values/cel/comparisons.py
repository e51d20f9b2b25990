"""Comparisons: `==`, `!=`, `<`, `<=`, `>`, `>=` and `in`. A comparison with null is null."""

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from stratabase.values.cel.dates import whole_day
from stratabase.values.cel.environment import Environment
from stratabase.values.cel.implied import implied_by_comparison
from stratabase.values.cel.kinds import (
    BOOLEAN,
    DATE,
    DATETIME,
    INT,
    NULL,
    ORDERED,
    REAL,
    TEXT,
    TIME,
    UNKNOWN,
    ValueKind,
    common_kind,
    list_of,
)
from stratabase.values.cel.names import CALLER, class_led_to
from stratabase.values.cel.scope import ID
from stratabase.values.cel.syntax import ComparisonNode, ListNode, NameNode, Node, Word
from stratabase.values.cel.typed_expression import (
    Checker,
    Evaluator,
    TypedExpression,
    count_steps,
    empty_environment,
    folded_alike,
    unknown_at,
)
from stratabase.values.messages import and_list
from stratabase.values.wording import shorten

_ADVICE: Mapping[frozenset[ValueKind], str] = {
    frozenset({DATE, TEXT}): "Write a Date as date('2020-12-31').",
    frozenset({TIME, TEXT}): "Write a Time as time('18:30').",
    frozenset({DATETIME, TEXT}): "Write a Datetime as datetime('2020-12-31T18:30:00Z').",
    frozenset({INT, TEXT}): "Write a number without quotes, or convert a text by int(x).",
    frozenset({REAL, TEXT}): "Write a number without quotes, or convert a text by double(x).",
    frozenset({BOOLEAN, TEXT}): "Write true or false without quotes.",
}
"""For two kinds that can't be compared: how to make them comparable."""


def check_comparable(
    checker: Checker, operator: Word, left: TypedExpression, right: TypedExpression
) -> ValueKind | None:
    """Return the common kind in which two values are compared, or None after reporting an error."""
    kind = common_kind({left.kind, right.kind})
    if kind is None or (left.kind.values and right.kind.values and left.kind != right.kind):
        names = f"{left.kind.name} and {right.kind.name}"
        advice = _ADVICE.get(frozenset({left.kind, right.kind}))
        text = f"{operator.text} compares values of one type, but these are {names}."
        checker.report(operator.at, f"{text} {advice}" if advice else text)
        return None
    check_values(checker, left.kind, right)
    check_values(checker, right.kind, left)
    return kind


def check_values(checker: Checker, enum: ValueKind, other: TypedExpression) -> None:
    """Report texts that are not values of an enum. Kinds that are not enums accept all texts."""
    for text, at in other.possible_texts or ():
        if enum.values and text not in enum.values:
            message = f"{enum.name} has no value '{shorten(text)}'. It has {and_list(enum.values)}."
            checker.report(at, message, word=text, among=enum.values)


Compare = Callable[[Any, Any], bool | None]
ORDERS: Mapping[str, Compare] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
EQUALITIES: Mapping[str, Compare] = {"==": operator.eq, "!=": operator.ne}


def comparison_evaluator(left: TypedExpression, compare: Compare, right: TypedExpression) -> Evaluator:
    """Return an evaluator that compares two values."""
    if right.is_constant:
        return _with_constant(left.evaluate, compare, right.evaluate(empty_environment()))
    return binary_evaluator(left.evaluate, compare, right.evaluate)


def binary_evaluator(left: Evaluator, compare: Compare, right: Evaluator) -> Evaluator:
    """Return an evaluator that compares two values, neither of which is constant."""

    def result(environment: Environment) -> bool | None:
        first = left(environment)
        if first is None:
            return None
        second = right(environment)
        return None if second is None else compare(first, second)

    return result


def _with_constant(left: Evaluator, compare: Compare, right: Any) -> Evaluator:
    if right is None:
        return lambda _: None
    return lambda environment: None if (value := left(environment)) is None else compare(value, right)


def _equal_lists(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool | None:
    if len(left) != len(right):
        return False
    pairs = [None if None in pair else pair[0] == pair[1] for pair in zip(left, right, strict=True)]
    if False in pairs:
        return False
    return None if None in pairs else True


def _unequal_lists(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool | None:
    equal = _equal_lists(left, right)
    return None if equal is None else not equal


LIST_EQUALITIES: Mapping[str, Compare] = {"==": _equal_lists, "!=": _unequal_lists}


_DAY_AND_MOMENT = {DATE, DATETIME}
"""If a Date is compared with a Datetime, the Datetime stands for its day in the caller's time zone."""


def _as_day(typed: TypedExpression) -> TypedExpression:
    """Return an expression of the day of a Datetime. A Date remains as it is."""
    if typed.kind is DATE:
        return typed
    evaluate = typed.evaluate

    def day(environment: Environment) -> str | None:
        stored = evaluate(environment)
        return None if stored is None else whole_day(environment, stored)

    # The day depends on the time zone of each evaluation, so even that of a constant is not constant.
    return replace(typed, kind=DATE, evaluate=day, is_constant=False)


def _as_days(typed: TypedExpression) -> TypedExpression:
    """Return an expression of the days of a list of Datetimes. A list of Dates remains as it is."""
    if typed.kind.element is DATE:
        return typed
    evaluate = typed.evaluate

    def days(environment: Environment) -> tuple[str | None, ...] | None:
        items = evaluate(environment)
        if items is None:
            return None
        return tuple(None if stored is None else whole_day(environment, stored) for stored in items)

    return replace(typed, kind=list_of(DATE), evaluate=days, is_constant=False)


def check_membership(
    checker: Checker, word: Word, left: TypedExpression, right: TypedExpression
) -> Evaluator | None:
    """Return an evaluator that tests whether a list contains a value, or None after reporting an error."""
    if right.kind.element is None:
        advice = (
            "To search a text, use x.contains(y)." if right.kind is TEXT else "Write a list as ['a', 'b']."
        )
        checker.report(word.at, f"in needs a list, but this is {right.kind.name}. {advice}")
        return None
    element = right.kind.element
    if {left.kind, element} == _DAY_AND_MOMENT:
        left, right, element = _as_day(left), _as_days(right), DATE
    if check_comparable(checker, word, left, replace(right, kind=element)) is None:
        return None
    left, right = folded_alike(left, right)
    items = right.evaluate(empty_environment()) if right.is_constant else None
    if items is None or None in items:
        return binary_evaluator(left.evaluate, _is_in, right.evaluate)
    return _constant_membership(left.evaluate, items)


def _constant_membership(left: Evaluator, items: tuple[Any, ...]) -> Evaluator:
    allowed = frozenset(items)
    return lambda environment: None if (value := left(environment)) is None else value in allowed


def _is_in(value: Any, items: tuple[Any, ...]) -> bool | None:
    if value in items:
        return True
    return None if None in items else False


def check_comparison(checker: Checker, node: ComparisonNode) -> TypedExpression:
    """Check a comparison. A role that is compared with an ID stands for the `_id` of its object."""
    node = _with_ids_of_roles(checker, node)
    left, right = checker.check_value(node.left, null=True), checker.check_value(node.right, null=True)
    if NULL in (left.kind, right.kind):
        name = _name_in_advice(node.right if left.kind is NULL else node.left)
        return checker.report(node.operator.at, f"Values can't be compared with null. Use isNull({name}).")
    if UNKNOWN in (left.kind, right.kind):
        return unknown_at(node.at)
    check = check_membership if node.operator.text == "in" else _check_ordered_or_equal
    evaluate = check(checker, node.operator, left, right)
    if evaluate is None:
        return unknown_at(node.at)
    constant = left.is_constant and right.is_constant
    return TypedExpression(
        BOOLEAN,
        evaluate,
        node.at,
        steps=count_steps(left, right),
        is_constant=constant,
        implied=implied_by_comparison(node.operator.text, (node.left, left), (node.right, right)),
    )


def _with_ids_of_roles(checker: Checker, node: ComparisonNode) -> ComparisonNode:
    """Return a comparison in which `_id` follows each role that is compared with an ID or another role.

    A role stays as it is, which is an error, if the other side is a role to another class, or no ID.
    """
    if node.operator.text in ORDERS:
        return node
    left, right = (_class_led_to(checker, side) for side in (node.left, node.right))
    if left and right:
        return replace(node, left=_id_of(node.left), right=_id_of(node.right)) if left == right else node
    if left and _is_id(node.right):
        return replace(node, left=_id_of(node.left))
    return replace(node, right=_id_of(node.right)) if right and _is_id(node.left) else node


def _class_led_to(checker: Checker, node: Node) -> str | None:
    return class_led_to(checker, node) if isinstance(node, NameNode) else None


def _is_id(node: Node) -> bool:
    """Return whether a node is an ID of an object or of the caller, or a list of IDs."""
    if isinstance(node, ListNode):
        return all(map(_is_id, node.items))
    if not isinstance(node, NameNode):
        return False
    names = tuple(word.text for word in node.words)
    return names[-1] == ID or names == (CALLER, "id")


def _id_of(role: Node) -> Node:
    assert isinstance(role, NameNode)
    return replace(role, words=(*role.words, Word(ID, role.words[-1].at)))


def _name_in_advice(node: Node) -> str:
    return ".".join(word.text for word in node.words) if isinstance(node, NameNode) else "x"


def _check_ordered_or_equal(
    checker: Checker, word: Word, left: TypedExpression, right: TypedExpression
) -> Evaluator | None:
    """Return an evaluator that compares two values, or None after reporting an error."""
    if {left.kind, right.kind} == _DAY_AND_MOMENT:
        left, right = _as_day(left), _as_day(right)
    kind = check_comparable(checker, word, left, right)
    if kind is None:
        return None
    if word.text in ORDERS:
        unordered = next((one for one in (left.kind, right.kind) if one not in ORDERED), None)
        if unordered is not None:
            checker.report(word.at, f"{unordered.name} has no order. Use == or !=.")
            return None
    table = LIST_EQUALITIES if kind.element else {**EQUALITIES, **ORDERS}
    left, right = folded_alike(left, right)
    return comparison_evaluator(left, table[word.text], right)
