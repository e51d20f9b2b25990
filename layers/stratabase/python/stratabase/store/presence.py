"""Whether there is an object, as its head tells: a deleted one may have left a tombstone in place of it.

Only here stands what that means. It holds whether the class is versioned (any more) or not.
"""

from stratabase.store.codec import COMMIT_IDS
from stratabase.store.engine.port import Condition, ConditionOperator, Expectation, Item

DELETED = "deleted"
"""The attribute of a tombstone that tells it from a head."""

THERE = Expectation(exists=True, conditions=(Condition(DELETED, ConditionOperator.ABSENT),))
"""There is an object."""
GONE = Expectation(
    either=(Condition(COMMIT_IDS, ConditionOperator.ABSENT), Condition(DELETED, ConditionOperator.PRESENT))
)
"""There is none (any more). No singleton is ever gone: it may have a head that no commit has written yet."""
UNDELETED = Expectation(conditions=(Condition(DELETED, ConditionOperator.ABSENT),))
"""There is an object, or a singleton without a head."""


def living(item: Item | None) -> Item | None:
    """Return the head of an object that is there; None of a tombstone."""
    return None if item is None or DELETED in item.attributes else item
