"""Lists that are written, and one of their items."""

from typing import Any

from stratabase.model.expressions.checker import Checker
from stratabase.model.expressions.environment import Environment
from stratabase.model.expressions.kinds import INT, NULL, UNKNOWN, list_of
from stratabase.model.expressions.meaning import Meaning, Run, all_texts, steps, unknown
from stratabase.model.expressions.operators.logic import alternatives
from stratabase.model.expressions.syntax import Index, Items


def items(checker: Checker, node: Items) -> Meaning:
    """Check a list: its items are of one kind, or of kinds that fit one."""
    values = alternatives(checker, node.items, "The items of a list") if node.items else []
    for value in values:
        if value.kind.element:
            return checker.refuse(value.at, "A list holds values, and no lists.")
    kind = values[0].kind if values else NULL
    return Meaning(
        list_of(kind) if kind is not UNKNOWN else UNKNOWN,
        _listed(tuple(value.run for value in values)),
        node.at,
        steps=steps(*values),
        most=len(values),
        texts=all_texts(values),
        constant=all(value.constant for value in values),
    )


def _listed(runs: tuple[Run, ...]) -> Run:
    return lambda environment: tuple([run(environment) for run in runs])


def index(checker: Checker, node: Index) -> Meaning:
    """Check an item of a list, found by its number from 0; there may be none."""
    operand, position = checker.value(node.operand), checker.of_kind(node.position, INT, "A place in a list")
    if operand.kind is UNKNOWN:
        return unknown(node.at)
    if operand.kind.element is None:
        return checker.refuse(node.at, f"Only a list has places; this is {operand.kind.name}.")
    return Meaning(
        operand.kind.element,
        _item(operand.run, position.run),
        node.at,
        steps=steps(operand, position),
        texts=operand.texts,
        constant=operand.constant and position.constant,
    )


def _item(operand: Run, position: Run) -> Run:
    def item(environment: Environment) -> Any:
        values, place = operand(environment), position(environment)
        if values is None or place is None or not 0 <= place < len(values):
            return None
        return values[place]

    return item
