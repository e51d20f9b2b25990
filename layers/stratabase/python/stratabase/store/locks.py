"""The lock of an object, as its head keeps it, and what admits a member to write."""

from collections.abc import Sequence
from dataclasses import replace

from stratabase.domain.objects.entity import Reference
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.lock import Lock
from stratabase.store import keys
from stratabase.store.engine.expectations import is_met
from stratabase.store.engine.port import Condition, ConditionOperator, Failure, Item, Value

OWNER, UNTIL, NAME = "lockOwner", "lockedUntil", "lockedBy"
"""The attributes of a head that tell who has locked it, until when, and his name; they may outlive that."""
ATTRIBUTES = frozenset({OWNER, UNTIL, NAME})
PART_LOCK = "partLock"
"""The attribute of a head that names the last commit that locked a part of it, at any depth."""

Admitting = tuple[Condition, ...]
"""Of these one must hold; none where everybody is admitted."""
EVERYBODY: Admitting = ()


def lock_of(item: Item) -> Lock | None:
    """Return the lock that a head keeps, also when it has ended."""
    until = item.attributes.get(UNTIL)
    if not isinstance(until, int):
        return None
    return Lock(str(item.attributes.get(OWNER)), str(item.attributes.get(NAME)), until)


def part_lock_of(item: Item) -> str | None:
    """Return the last commit that locked a part of the object whose head this is."""
    named = item.attributes.get(PART_LOCK)
    return None if named is None else str(named)


def attributes(lock: Lock) -> dict[str, Value]:
    """Return what a head keeps of a lock."""
    return {OWNER: lock.owner, UNTIL: lock.until, NAME: lock.name}


def admitting(member_id: str | None, now: Instant) -> Admitting:
    """Return what must be true of a head for a member to be admitted; None is everybody."""
    if member_id is None:
        return EVERYBODY
    return (
        Condition(UNTIL, ConditionOperator.ABSENT),
        Condition(UNTIL, ConditionOperator.AT_MOST, now),
        Condition(OWNER, ConditionOperator.EQUALS, member_id),
    )


def held(failures: Sequence[Failure]) -> list[tuple[Reference, Lock]]:
    """Return the objects whose locks alone were in the way.

    None if another that is asked to admit is not as it is expected to be: then it is not certain that these
    are still to be written.
    """
    asked = [failure for failure in failures if _asks_for_a_lock(failure)]
    locks = {keys.reference_of(failure.action.key): holding(failure) for failure in asked}
    if None in locks.values():
        return []
    return [(reference, lock) for reference, lock in locks.items() if lock is not None]


def holding(failure: Failure) -> Lock | None:
    """Return the lock that alone is in the way of an action; None if something else is."""
    is_as_expected = is_met(replace(failure.action.expect, either=()), failure.found)
    return lock_of(failure.found) if is_as_expected and failure.found else None


def _asks_for_a_lock(failure: Failure) -> bool:
    return any(condition.attribute == UNTIL for condition in failure.action.expect.either)
