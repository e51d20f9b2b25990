"""Lists: literals, indexes, `size`, and the macros that evaluate an expression for each item.

If the list is null, the result is null.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from stratabase.values.cel.environment import Environment
from stratabase.values.cel.function import Function, Signature, apply_signature, argument_error
from stratabase.values.cel.kinds import BOOLEAN, INT, NULL, TEXT, UNKNOWN, ValueKind, list_of
from stratabase.values.cel.logic import check_alternatives
from stratabase.values.cel.syntax import CallNode, IndexNode, ListNode, NameNode, Node
from stratabase.values.cel.texts import size
from stratabase.values.cel.typed_expression import (
    Checker,
    Evaluator,
    TypedExpression,
    all_possible_texts,
    count_steps,
    unknown_at,
)
from stratabase.values.folding import coarser
from stratabase.values.frozen import frozen


def check_list(checker: Checker, node: ListNode) -> TypedExpression:
    """Check a list literal. Its items must have a common kind."""
    values = check_alternatives(checker, node.items, "The items of a list") if node.items else []
    for value in values:
        if value.kind.element:
            return checker.report(value.at, "A list can't contain lists.")
    kind = values[0].kind if values else NULL
    return TypedExpression(
        list_of(kind) if kind is not UNKNOWN else UNKNOWN,
        _list_evaluator(tuple(value.evaluate for value in values)),
        node.at,
        steps=count_steps(*values),
        max_items=len(values),
        possible_texts=all_possible_texts(values),
        is_constant=all(value.is_constant for value in values),
        folding=coarser(*(value.folding for value in values)),
    )


def _list_evaluator(evaluators: tuple[Evaluator, ...]) -> Evaluator:
    return lambda environment: tuple([evaluate(environment) for evaluate in evaluators])


def check_index(checker: Checker, node: IndexNode) -> TypedExpression:
    """Check an index of a list. It counts from 0; an index out of range gives null."""
    operand, position = (
        checker.check_value(node.operand),
        checker.check_kind(node.position, INT, "The index of a list"),
    )
    if operand.kind is UNKNOWN:
        return unknown_at(node.at)
    if operand.kind.element is None:
        return checker.report(node.at, f"Only a list can have an index, but this is {operand.kind.name}.")
    return TypedExpression(
        operand.kind.element,
        _item_evaluator(operand.evaluate, position.evaluate),
        node.at,
        steps=count_steps(operand, position),
        possible_texts=operand.possible_texts,
        is_constant=operand.is_constant and position.is_constant,
        folding=operand.folding,
    )


def _item_evaluator(operand: Evaluator, position: Evaluator) -> Evaluator:
    def item(environment: Environment) -> Any:
        values, place = operand(environment), position(environment)
        if values is None or place is None or not 0 <= place < len(values):
            return None
        return values[place]

    return item


_Items = tuple[Any, ...]


def quantifier_evaluator(items: Evaluator, number: int, condition: Evaluator, *, decisive: bool) -> Evaluator:
    """Return an evaluator of a condition over all items.

    Its value is `decisive` if the condition has that value for an item. Otherwise it is null if the condition
    is null for an item, or else the opposite of `decisive`.
    """
    otherwise = not decisive

    def decided(environment: Environment) -> bool | None:
        values, variables, known = items(environment), environment.variables, True
        # The loop assigns each item to the variable of the macro.
        for variables[number] in values or ():
            value: bool | None = condition(environment)
            if value is decisive:
                return value
            if value is None:
                known = False
        return otherwise if known and values is not None else None

    return decided


def exactly_one_evaluator(items: Evaluator, number: int, condition: Evaluator) -> Evaluator:
    """Return an evaluator that tests whether a condition is true for exactly one item.

    Its value is null if that depends on an item for which the condition is null.
    """

    def exactly_one(environment: Environment) -> bool | None:
        values, variables, found, known = items(environment), environment.variables, 0, True
        for variables[number] in values or ():
            value = condition(environment)
            found += value is True
            known = known and value is not None
        if values is None or (found < 2 and not known):
            return None
        return found == 1

    return exactly_one


def map_evaluator(items: Evaluator, number: int, value: Evaluator) -> Evaluator:
    """Return an evaluator of the list of the values for all items."""

    def mapped(environment: Environment) -> _Items | None:
        values, variables = items(environment), environment.variables
        if values is None:
            return None
        result = []
        for variables[number] in values:
            result.append(value(environment))
        return tuple(result)

    return mapped


def filter_evaluator(items: Evaluator, number: int, condition: Evaluator) -> Evaluator:
    """Return an evaluator of the list of the items for which a condition is true."""

    def filtered(environment: Environment) -> _Items | None:
        values, variables = items(environment), environment.variables
        if values is None:
            return None
        result = []
        for item in values:
            variables[number] = item
            if condition(environment):
                result.append(item)
        return tuple(result)

    return filtered


_SIZE = "size(x)"
_ANY_LIST = ValueKind("a list")


def _check_size(checker: Checker, call: CallNode) -> TypedExpression:
    arguments = [checker.check_value(argument) for argument in call.arguments]
    if len(arguments) == 1:
        kind = arguments[0].kind
        if kind.element or kind.values or kind in (TEXT, UNKNOWN):
            return apply_signature(call, Signature((kind,), INT, size), arguments)
    return checker.report(call.word.at, argument_error(_SIZE, [[TEXT], [_ANY_LIST]], arguments))


@frozen
class _Comprehension:
    """A checked call of a macro.

    `number` is the key of the variable for the items. `bodies` are the expressions that are evaluated for
    each item.
    """

    call: CallNode
    items: TypedExpression
    number: int
    bodies: tuple[TypedExpression, ...]

    def result(
        self, kind: ValueKind, evaluate: Evaluator, body: TypedExpression | None = None
    ) -> TypedExpression:
        """Return the typed expression of the call. `body` gives the items, if the result is a list."""
        return TypedExpression(
            kind,
            evaluate,
            self.call.at,
            steps=count_steps(self.items) + self.items.max_items * count_steps(*self.bodies),
            max_items=self.items.max_items if kind.element else 0,
            possible_texts=body.possible_texts if body else None,
            folding=body.folding if body else None,
        )


def _check_comprehension(
    checker: Checker, call: CallNode, usage: str, *, value: bool
) -> _Comprehension | None:
    """Check a list, the variable, and the bodies: conditions, and with `value` a last one of any kind.

    Returns None after reporting an error.
    """
    items, variable, *bodies = call.arguments
    typed_items = checker.check_value(items)
    if not isinstance(variable, NameNode) or len(variable.words) > 1:
        checker.report(variable.at, f"The first argument must be a name for the items. Write {usage}.")
        return None
    if typed_items.kind.element is None and typed_items.kind is not UNKNOWN:
        checker.report(call.word.at, f"{call.word.text} needs a list, but this is {typed_items.kind.name}.")
        return None
    with checker.declare_variable(variable.words[0].text, typed_items) as number:
        conditions = bodies[:-1] if value else bodies
        typed_bodies = [
            checker.check_kind(body, BOOLEAN, f"The condition of {call.word.text}") for body in conditions
        ]
        typed_bodies += [_check_new_item(checker, body) for body in bodies[len(conditions) :]]
    return _Comprehension(call, typed_items, number, tuple(typed_bodies))


def _check_new_item(checker: Checker, node: Node) -> TypedExpression:
    """Check the expression of an item of a new list."""
    item = checker.check_value(node, null=True)
    if item.kind.element:
        return checker.report(item.at, "A list can't contain lists.")
    return item


_MakeEvaluator = Callable[[Evaluator, int, Evaluator], Evaluator]


def _quantifier(name: str, make_evaluator: _MakeEvaluator) -> Function:
    """Return a macro that tests for how many items a condition is true."""
    usage = f"list.{name}(x, condition)"

    def check(checker: Checker, call: CallNode) -> TypedExpression:
        if not call.receiver or len(call.arguments) != 3:
            return checker.report(call.word.at, f"{name} has the wrong arguments. Write {usage}.")
        comprehension = _check_comprehension(checker, call, usage, value=False)
        if comprehension is None:
            return unknown_at(call.at)
        return comprehension.result(
            BOOLEAN,
            make_evaluator(
                comprehension.items.evaluate, comprehension.number, comprehension.bodies[0].evaluate
            ),
        )

    return Function(name, usage, check)


_FILTER = "list.filter(x, condition)"


def _check_filter(checker: Checker, call: CallNode) -> TypedExpression:
    if not call.receiver or len(call.arguments) != 3:
        return checker.report(call.word.at, f"filter has the wrong arguments. Write {_FILTER}.")
    comprehension = _check_comprehension(checker, call, _FILTER, value=False)
    if comprehension is None:
        return unknown_at(call.at)
    evaluate = filter_evaluator(
        comprehension.items.evaluate, comprehension.number, comprehension.bodies[0].evaluate
    )
    return comprehension.result(comprehension.items.kind, evaluate, comprehension.items)


_MAP = "list.map(x, value)"


def _check_map(checker: Checker, call: CallNode) -> TypedExpression:
    if not call.receiver or len(call.arguments) not in (3, 4):
        text = f"map has the wrong arguments. Write {_MAP} or list.map(x, condition, value)."
        return checker.report(call.word.at, text)
    comprehension = _check_comprehension(checker, call, _MAP, value=True)
    if comprehension is None:
        return unknown_at(call.at)
    *conditions, value = comprehension.bodies
    items = comprehension.items.evaluate
    for condition in conditions:
        items = filter_evaluator(items, comprehension.number, condition.evaluate)
    kind = UNKNOWN if value.kind is UNKNOWN else list_of(value.kind)
    return comprehension.result(kind, map_evaluator(items, comprehension.number, value.evaluate), value)


LIST_FUNCTIONS = (
    Function("size", _SIZE, _check_size),
    _quantifier("all", partial(quantifier_evaluator, decisive=False)),
    _quantifier("exists", partial(quantifier_evaluator, decisive=True)),
    _quantifier("exists_one", exactly_one_evaluator),
    Function("map", _MAP, _check_map),
    Function("filter", _FILTER, _check_filter),
)
