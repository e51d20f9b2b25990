"""What actions mean for items, on every engine: when expectations are met, and what patches make of items.

Commits are tried, and planned again from the start if somebody else has written meanwhile.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from stratabase.core.store.engine.port import (
    Action,
    Batch,
    Condition,
    ConditionOperator,
    Engine,
    Expectation,
    ExpectationFailed,
    Failure,
    Item,
    OutcomeUnknown,
    Patch,
)

T = TypeVar("T")


_ABSENT: Any = object()


def is_met(expect: Expectation, item: Item | None) -> bool:
    """Return whether an item meets an expectation. `item`: None if there is no item under the key."""
    if expect.exists is not None and expect.exists != (item is not None):
        return False
    return conditions_hold(expect, item.attributes if item else {})


def conditions_hold(expect: Expectation, attributes: Mapping[str, Any]) -> bool:
    """Return whether the attributes of an item meet the conditions of an expectation."""
    for condition in expect.conditions:
        if not _condition_holds(condition, attributes):
            return False
    for condition in expect.either:
        if _condition_holds(condition, attributes):
            return True
    return not expect.either


def _condition_holds(condition: Condition, attributes: Mapping[str, Any]) -> bool:
    attribute, operator, value = condition
    found = attributes.get(attribute, _ABSENT)
    # Every write compares these two. A look-up by an enum's member takes several times as long.
    if operator is ConditionOperator.EQUALS:
        # In Python, True == 1. In the port, values of different types are never equal.
        return bool(found == value) and isinstance(found, bool) == isinstance(value, bool)
    if operator is ConditionOperator.ABSENT:
        return found is _ABSENT
    return _COMPARISONS[operator](found, value)


def _is_ordered(found: Any, value: Any) -> bool:
    both = (found, value)
    return all(isinstance(each, str) for each in both) or all(_is_number(each) for each in both)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_COMPARISONS: Mapping[ConditionOperator, Callable[[Any, Any], bool]] = {
    ConditionOperator.PRESENT: lambda found, _: found is not _ABSENT,
    ConditionOperator.AT_MOST: lambda found, value: _is_ordered(found, value) and found <= value,
    ConditionOperator.MORE_THAN: lambda found, value: _is_ordered(found, value) and found > value,
}


def find_failures(engine: Engine, actions: Sequence[Action]) -> tuple[Failure, ...]:
    """Return the actions whose expectations fail now, each with the item that it found. Write nothing.

    `actions` may be longer than a batch.
    """
    found = engine.get([action.key for action in actions])
    return tuple(
        Failure(action, item)
        for action, item in zip(actions, found, strict=True)
        if not is_met(action.expect, item)
    )


def patched_attributes(patch: Patch, found: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the attributes of a patched item. `found`: those of the stored item, empty if there is none."""
    kept = {**found}
    for name in patch.remove:
        kept.pop(name, None)
    sums = {name: _sum(patch, name, kept.get(name, 0)) for name in patch.add}
    return {**kept, **patch.set, **sums}


def _sum(patch: Patch, name: str, found: Any) -> int:
    if not isinstance(found, int) or isinstance(found, bool):
        raise ValueError(  # noqa: TRY004 - the port requires ValueError
            f"A patch adds to {name!r} of {patch.key}, which is {found!r}: it must be a whole number."
        )
    return found + patch.add[name]


def new_commit_id(work: str) -> str:
    """Return a new commit id. `work` names what commits, for those who look into a store."""
    return f"{work}{secrets.token_hex(12)}"


def is_committed(engine: Engine, batch: Batch) -> bool:
    """Commit a batch. Return False if an item is not as expected. Raises Unavailable.

    After a lost response, it is also False, although the batch may have been committed. Read again to know.
    """
    try:
        engine.commit(batch)
    except (ExpectationFailed, OutcomeUnknown):
        return False
    return True


def update_items(engine: Engine, work: str, plan: Callable[[], tuple[T, Sequence[Action]]]) -> T:
    """Commit the actions that `plan` returns beside a result, and return that result. Raises Unavailable.

    `plan` reads items, and its actions expect them as they were read. If one of them has changed, or if a
    response was lost, it is called again. Nothing is committed if it returns no actions.
    """
    while True:
        result, actions = plan()
        if not actions or is_committed(engine, Batch(new_commit_id(work), tuple(actions))):
            return result


def try_commit(engine: Engine, batch: Batch) -> Sequence[Failure]:
    """Commit a batch; return the expectations that failed, none if it was committed. Raises Unavailable."""
    try:
        engine.commit(batch)
    except ExpectationFailed as refusal:
        return refusal.failures
    return ()
