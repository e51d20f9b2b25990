"""The lock of an object: attributes of its head, and the conditions under which it admits a member.

The attributes may outlive the lock: a reader compares its end with the clock.
"""

from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.lock import Lock
from stratabase.store.engine.port import Condition, ConditionOperator, Item, Value

OWNER, UNTIL, NAME = "lockOwner", "lockedUntil", "lockedBy"
"""The attributes of a head: the id of the lock's owner, its end, and the owner's name."""
ATTRIBUTES = frozenset({OWNER, UNTIL, NAME})
PART_LOCK = "partLock"
"""The attribute of a head with the id of the last commit that locked a part of the object, at any depth."""
LockConditions = tuple[Condition, ...]
"""One of these must hold; empty where every member is admitted."""
NO_LOCK_CONDITIONS: LockConditions = ()


def lock_of(item: Item) -> Lock | None:
    """Return the lock of a head, also one that has ended."""
    until = item.attributes.get(UNTIL)
    if not isinstance(until, int):
        return None
    return Lock(str(item.attributes.get(OWNER)), str(item.attributes.get(NAME)), until)


def part_lock_of(item: Item) -> str | None:
    """Return the id of the last commit that locked a part of a head's object."""
    named = item.attributes.get(PART_LOCK)
    return None if named is None else str(named)


def lock_attributes(lock: Lock) -> dict[str, Value]:
    """Return a lock as attributes of a head."""
    return {OWNER: lock.owner, UNTIL: lock.until, NAME: lock.name}


def lock_conditions(member_id: str | None, now: Instant) -> LockConditions:
    """Return the conditions under which a head's lock admits a member; None is admitted by every lock."""
    if member_id is None:
        return NO_LOCK_CONDITIONS
    return (
        Condition(UNTIL, ConditionOperator.ABSENT),
        Condition(UNTIL, ConditionOperator.AT_MOST, now),
        Condition(OWNER, ConditionOperator.EQUALS, member_id),
    )
