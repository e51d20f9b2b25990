"""Converts conditions and updates to DynamoDB expressions, with placeholders for all names and values."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stratabase.core.store.engine.port import Condition, ConditionOperator, Expectation, Patch
from stratabase_aws.dynamodb.records import TypedValue, place_attributes, typed_value
from stratabase_aws.dynamodb.table import BLANK, PARTITION, STATE, stored_name


class Placeholders:
    """The placeholders in the expressions of one request."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._values: dict[str, TypedValue] = {}

    def name(self, stored: str) -> str:
        """Return the placeholder for an attribute. `stored`: its name in the table."""
        return self._names.setdefault(stored, f"#{len(self._names)}")

    def value(self, value: TypedValue) -> str:
        """Return a new placeholder for a value."""
        placeholder = f":{len(self._values)}"
        self._values[placeholder] = value
        return placeholder

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of a request that define its placeholders. DynamoDB rejects empty ones."""
        names = {placeholder: name for name, placeholder in self._names.items()}
        parameters = {"ExpressionAttributeNames": names, "ExpressionAttributeValues": self._values}
        return {parameter: content for parameter, content in parameters.items() if content}


_EXISTENCE_FUNCTIONS = {True: "attribute_exists", False: "attribute_not_exists"}


def condition_expression(expect: Expectation, placeholders: Placeholders) -> str:
    """Return the condition expression of an expectation; an empty text if it expects nothing."""
    parts = _conditions(expect.conditions, placeholders)
    if expect.exists is not None:
        parts.insert(0, f"{_EXISTENCE_FUNCTIONS[expect.exists]}({placeholders.name(PARTITION)})")
    either = _conditions(expect.either, placeholders)
    # DynamoDB rejects redundant parentheses.
    parts += [f"({' OR '.join(either)})"] if len(either) > 1 else either
    return " AND ".join(parts)


def _conditions(conditions: Sequence[Condition], placeholders: Placeholders) -> list[str]:
    return [_CONDITIONS[condition.operator](condition, placeholders) for condition in conditions]


def _compare(condition: Condition, placeholders: Placeholders) -> str:
    name = placeholders.name(stored_name(condition.attribute))
    value = typed_value(condition.value)
    # DynamoDB only compares values of the same type. Emulators may not, so the condition tests the type.
    (type_,) = value
    has_type = f"attribute_type({name}, {placeholders.value(typed_value(type_))})"
    if condition.value is None:
        return has_type
    return f"{has_type} AND {name} {condition.operator.value} {placeholders.value(value)}"


def _compare_order(condition: Condition, placeholders: Placeholders) -> str:
    # DynamoDB rejects order comparisons with values that have no order. The port defines them as false.
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
    """Return the update expression of a patch; an empty text if it changes nothing."""
    places = place_attributes(patch.places)
    added = {stored_name(name): typed_value(number) for name, number in patch.add.items()}
    removed = [
        *map(stored_name, sorted(patch.remove)),
        *(name for name, text in places.items() if text is None),
    ]
    changed = _new_values(patch, places)
    if not changed and not added and patch.expect.exists is not True:
        changed = {BLANK: typed_value(None)}  # an update that only removes attributes creates no item
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
