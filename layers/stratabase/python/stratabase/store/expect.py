"""Whether an item is as an action expects it."""

from collections.abc import Callable, Mapping
from typing import Any

from stratabase.store.engine import Condition, Expectation, Item, Test

_ABSENT: Any = object()


def holds(expect: Expectation, item: Item | None) -> bool:
    """Return whether what is expected is true of an item, or of there being none."""
    if expect.exists is not None and expect.exists != (item is not None):
        return False
    attributes = item.attributes if item else {}
    if not all(_is_met(condition, attributes) for condition in expect.conditions):
        return False
    return not expect.either or any(_is_met(condition, attributes) for condition in expect.either)


def _is_met(condition: Condition, attributes: Mapping[str, Any]) -> bool:
    return _TESTS[condition.test](attributes.get(condition.attribute, _ABSENT), condition.value)


def _equals(found: Any, value: Any) -> bool:
    # Python takes True for 1; the port does not.
    return bool(found == value) and isinstance(found, bool) == isinstance(value, bool)


def _is_ordered(found: Any, value: Any) -> bool:
    both = (found, value)
    return all(isinstance(each, str) for each in both) or all(_is_number(each) for each in both)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_TESTS: Mapping[Test, Callable[[Any, Any], bool]] = {
    Test.EQUALS: _equals,
    Test.ABSENT: lambda found, _: found is _ABSENT,
    Test.PRESENT: lambda found, _: found is not _ABSENT,
    Test.AT_MOST: lambda found, value: _is_ordered(found, value) and found <= value,
    Test.MORE_THAN: lambda found, value: _is_ordered(found, value) and found > value,
}
