"""The lock of an object: attributes of its head, and the conditions under which a member may write it.

The attributes stay after the lock has expired. So readers compare its end with the clock.
"""

from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.store.engine.port import Condition, ConditionOperator, Item, Value

OWNER, UNTIL, NAME = "lockOwner", "lockedUntil", "lockedBy"
"""The attributes of a head with the id of the lock's owner, the end of the lock, and the owner's name."""
ATTRIBUTES = frozenset({OWNER, UNTIL, NAME})
PART_LOCK = "partLock"
"""The attribute of a head with the id of the last commit that locked a part of the object, at any depth."""
LockConditions = tuple[Condition, ...]
"""Conditions of which at least one must hold so that a member may write; empty if locks do not matter."""
NO_LOCK_CONDITIONS: LockConditions = ()


def lock_of(item: Item) -> Lock | None:
    """Return the lock of a head, also if it has expired; None if there is none."""
    until = item.attributes.get(UNTIL)
    if not isinstance(until, int):
        return None
    return Lock(str(item.attributes.get(OWNER)), str(item.attributes.get(NAME)), until)


def part_lock_of(item: Item) -> str | None:
    """Return the id of the last commit that locked a part of the object, None if there is none."""
    named = item.attributes.get(PART_LOCK)
    return None if named is None else str(named)


def lock_attributes(lock: Lock) -> dict[str, Value]:
    """Return the attributes of a head for a lock."""
    return {OWNER: lock.owner, UNTIL: lock.until, NAME: lock.name}


def lock_conditions(member_id: str | None, now: Instant) -> LockConditions:
    """Return the conditions of which one must hold so that a member may write an object.

    They are: no lock, an expired lock, a lock of the member. `member_id`: None to ignore locks, such as in
    cleanup.
    """
    if member_id is None:
        return NO_LOCK_CONDITIONS
    return (
        Condition(UNTIL, ConditionOperator.ABSENT),
        Condition(UNTIL, ConditionOperator.AT_MOST, now),
        Condition(OWNER, ConditionOperator.EQUALS, member_id),
    )
