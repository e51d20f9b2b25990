"""Conditions and updates as expressions of DynamoDB, with placeholders for all names and values."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stratabase.store.dynamodb.records import TypedValue, place_attributes, typed_value
from stratabase.store.dynamodb.table import BLANK, PARTITION, STATE, stored_name
from stratabase.store.engine.port import Condition, ConditionOperator, Expectation, Patch


class Placeholders:
    """The names and values of one request's expressions."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._values: dict[str, TypedValue] = {}

    def name(self, stored: str) -> str:
        """Return the placeholder of an attribute."""
        return self._names.setdefault(stored, f"#{len(self._names)}")

    def value(self, value: TypedValue) -> str:
        """Return a placeholder of a value."""
        placeholder = f":{len(self._values)}"
        self._values[placeholder] = value
        return placeholder

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of a request that explain its placeholders. DynamoDB refuses empty ones."""
        names = {placeholder: name for name, placeholder in self._names.items()}
        parameters = {"ExpressionAttributeNames": names, "ExpressionAttributeValues": self._values}
        return {parameter: content for parameter, content in parameters.items() if content}


_EXISTENCE_FUNCTIONS = {True: "attribute_exists", False: "attribute_not_exists"}


def condition_expression(expect: Expectation, placeholders: Placeholders) -> str:
    """Return an expectation as a condition; an empty text when it admits everything."""
    parts = _conditions(expect.conditions, placeholders)
    if expect.exists is not None:
        parts.insert(0, f"{_EXISTENCE_FUNCTIONS[expect.exists]}({placeholders.name(PARTITION)})")
    either = _conditions(expect.either, placeholders)
    # DynamoDB refuses parentheses that change nothing.
    parts += [f"({' OR '.join(either)})"] if len(either) > 1 else either
    return " AND ".join(parts)


def _conditions(conditions: Sequence[Condition], placeholders: Placeholders) -> list[str]:
    return [_CONDITIONS[condition.operator](condition, placeholders) for condition in conditions]


def _compare(condition: Condition, placeholders: Placeholders) -> str:
    name = placeholders.name(stored_name(condition.attribute))
    value = typed_value(condition.value)
    # DynamoDB compares within a type only; that is said here because emulators need to be told.
    (type_,) = value
    has_type = f"attribute_type({name}, {placeholders.value(typed_value(type_))})"
    if condition.value is None:
        return has_type
    return f"{has_type} AND {name} {condition.operator.value} {placeholders.value(value)}"


def _compare_order(condition: Condition, placeholders: Placeholders) -> str:
    # DynamoDB refuses to ask for an order with what has none, where the port says that it does not hold.
    return (_compare if type(condition.value) in (str, int) else _never)(condition, placeholders)


def _never(_: Condition, placeholders: Placeholders) -> str:
    key = placeholders.name(PARTITION)
    return f"(attribute_exists({key}) AND attribute_not_exists({key}))"


def _exists(condition: Condition, placeholders: Placeholders) -> str:
    function = _EXISTENCE_FUNCTIONS[condition.operator is ConditionOperator.PRESENT]
    return f"{function}({placeholders.name(stored_name(condition.attribute))})"


_CONDITIONS: Mapping[ConditionOperator, Callable[[Condition, Placeholders], str]] = {
    ConditionOperator.EQUALS: _compare,
    ConditionOperator.ABSENT: _exists,
    ConditionOperator.PRESENT: _exists,
    ConditionOperator.AT_MOST: _compare_order,
    ConditionOperator.MORE_THAN: _compare_order,
}


def update_expression(patch: Patch, placeholders: Placeholders) -> str:
    """Return what a patch changes; an empty text when it can only leave an item as it is."""
    places = place_attributes(patch.places)
    added = {stored_name(name): typed_value(number) for name, number in patch.add.items()}
    removed = [
        *map(stored_name, sorted(patch.remove)),
        *(name for name, text in places.items() if text is None),
    ]
    changed = _new_values(patch, places)
    if not changed and not added and patch.expect.exists is not True:
        changed = {BLANK: typed_value(None)}  # since removing alone makes no item
    clauses = {
        "SET": [
            f"{placeholders.name(name)} = {placeholders.value(value)}" for name, value in changed.items()
        ],
        "ADD": [f"{placeholders.name(name)} {placeholders.value(value)}" for name, value in added.items()],
        "REMOVE": [placeholders.name(name) for name in removed],
    }
    return " ".join(f"{keyword} {', '.join(parts)}" for keyword, parts in clauses.items() if parts)


def _new_values(patch: Patch, places: Mapping[str, str | None]) -> dict[str, TypedValue]:
    own = {**places} if patch.state is None else {STATE: patch.state, **places}
    return {stored_name(name): typed_value(value) for name, value in patch.set.items()} | {
        name: typed_value(text) for name, text in own.items() if text is not None
    }
