"""What an action expects, as a condition that DynamoDB judges."""

from collections.abc import Callable, Mapping, Sequence

from stratabase.store.dynamodb.expression import Placeholders
from stratabase.store.dynamodb.record import typed
from stratabase.store.dynamodb.table import PARTITION, stored_name
from stratabase.store.engine import Condition, Expectation, Test

_EXISTENCE = {True: "attribute_exists", False: "attribute_not_exists"}


def condition_text(expect: Expectation, placeholders: Placeholders) -> str:
    """Return the condition; an empty text when everything will do."""
    parts = _texts(expect.conditions, placeholders)
    if expect.exists is not None:
        parts.insert(0, f"{_EXISTENCE[expect.exists]}({placeholders.name(PARTITION)})")
    either = _texts(expect.either, placeholders)
    # DynamoDB refuses parentheses that change nothing.
    parts += [f"({' OR '.join(either)})"] if len(either) > 1 else either
    return " AND ".join(parts)


def _texts(conditions: Sequence[Condition], placeholders: Placeholders) -> list[str]:
    return [_TEXTS[condition.test](condition, placeholders) for condition in conditions]


def _compared(condition: Condition, placeholders: Placeholders) -> str:
    name = placeholders.name(stored_name(condition.attribute))
    value = typed(condition.value)
    # DynamoDB compares within a type only; that is said here because emulators need to be told.
    (type_,) = value
    of_its_type = f"attribute_type({name}, {placeholders.value(typed(type_))})"
    if condition.value is None:
        return of_its_type
    return f"{of_its_type} AND {name} {condition.test.value} {placeholders.value(value)}"


def _ordered(condition: Condition, placeholders: Placeholders) -> str:
    # DynamoDB refuses to ask for an order with what has none, where the port says that it does not hold.
    return (_compared if type(condition.value) in (str, int) else _never)(condition, placeholders)


def _never(_: Condition, placeholders: Placeholders) -> str:
    key = placeholders.name(PARTITION)
    return f"(attribute_exists({key}) AND attribute_not_exists({key}))"


def _existence(condition: Condition, placeholders: Placeholders) -> str:
    function = _EXISTENCE[condition.test is Test.PRESENT]
    return f"{function}({placeholders.name(stored_name(condition.attribute))})"


_TEXTS: Mapping[Test, Callable[[Condition, Placeholders], str]] = {
    Test.EQUALS: _compared,
    Test.ABSENT: _existence,
    Test.PRESENT: _existence,
    Test.AT_MOST: _ordered,
    Test.MORE_THAN: _ordered,
}
