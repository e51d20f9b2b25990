"""Conditions on the head of an object: that the object exists, and is as it was read.

A deleted object of a versioned class leaves a tombstone under the key of its head. Reads and conditions take
it for no object, also when the class is not versioned any more.
"""

from collections.abc import Iterable

from stratabase.domain.objects.entity import Entity
from stratabase.store.engine.port import Condition, ConditionOperator, Expectation, IndexKey, Item
from stratabase.store.layout.access_path import AccessPath
from stratabase.store.layout.codec import COMMIT_IDS

DELETED = "deleted"
"""The attribute that only tombstones have."""
OBJECT_EXISTS = Expectation(exists=True, conditions=(Condition(DELETED, ConditionOperator.ABSENT),))
"""The object exists, and has a head."""
OBJECT_ABSENT = Expectation(
    either=(Condition(COMMIT_IDS, ConditionOperator.ABSENT), Condition(DELETED, ConditionOperator.PRESENT))
)
"""The object does not exist. A head that no commit has written yet is a singleton's, with counts alone."""
NOT_DELETED = Expectation(conditions=(Condition(DELETED, ConditionOperator.ABSENT),))
"""The object exists, or is a singleton without a head."""
NEVER_WRITTEN = Expectation(conditions=(Condition(COMMIT_IDS, ConditionOperator.ABSENT),))
"""No commit has written the object: a singleton may have a head all the same, with counts alone."""


def live_head(item: Item | None) -> Item | None:
    """Return the head of an object that exists; None of a tombstone."""
    return None if item is None or DELETED in item.attributes else item


def expect_unchanged(entity: Entity) -> Expectation:
    """Return the expectation that no commit has written an object since it was read."""
    return expect_commit_ids(entity.commit_ids)


def expect_commit_ids(commit_ids: tuple[str, ...]) -> Expectation:
    """Return the expectation that these are the last commits that wrote a head."""
    condition = Condition(COMMIT_IDS, ConditionOperator.EQUALS, list(commit_ids))
    return Expectation(exists=True, conditions=(condition,))


def index_places(entity: Entity, paths: Iterable[AccessPath]) -> dict[str, IndexKey]:
    """Return the places of an object in the indexes of its class, by the index's name."""
    return {path.index_name: path.place(entity) for path in paths}


def expect_same_commit(attribute: str, commit_id: str | None) -> Condition:
    """Return the condition that an attribute names the same commit as when it was read."""
    return Condition(
        attribute, ConditionOperator.ABSENT if commit_id is None else ConditionOperator.EQUALS, commit_id
    )
