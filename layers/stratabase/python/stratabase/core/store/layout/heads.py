"""Expectations about the head of an object, such as that the object exists or is unchanged.

If the class is versioned, a deletion replaces the head by a tombstone, under the same key. For reads and
expectations, the object then does not exist. This also holds if the class is no longer versioned.
"""

from collections.abc import Iterable

from stratabase.core.domain.objects.change import Tombstone
from stratabase.core.domain.objects.entity import Entity
from stratabase.core.store.engine.port import Condition, ConditionOperator, Expectation, IndexKey, Item
from stratabase.core.store.layout.access_path import AccessPath
from stratabase.core.store.layout.codec import CLAIMED, COMMIT_IDS, commit_ids

DELETED = "deleted"
"""The attribute that only tombstones have."""
OBJECT_EXISTS = Expectation(exists=True, conditions=(Condition(DELETED, ConditionOperator.ABSENT),))
"""The object exists and has a head."""
OBJECT_ABSENT = Expectation(
    either=(Condition(COMMIT_IDS, ConditionOperator.ABSENT), Condition(DELETED, ConditionOperator.PRESENT))
)
"""The object does not exist. A head without commit ids is that of a singleton, and only has counts."""
NOT_DELETED = Expectation(conditions=(Condition(DELETED, ConditionOperator.ABSENT),))
"""The object exists, or is a singleton without a head."""
IS_DELETED = Expectation(conditions=(Condition(DELETED, ConditionOperator.PRESENT),))
"""The object is deleted, and its versions are kept."""
NEVER_WRITTEN = Expectation(conditions=(Condition(COMMIT_IDS, ConditionOperator.ABSENT),))
"""No commit has written the state of the object. A singleton may still have a head with counts."""


def live_head(item: Item | None) -> Item | None:
    """Return an item if it is the head of an existing object, None for a tombstone or no item."""
    return None if item is None or DELETED in item.attributes else item


def expect_unchanged(entity: Entity) -> Expectation:
    """Return the expectation that no commit has written the state of an object since it was read."""
    return expect_commit_ids(entity.commit_ids)


def expect_commit_ids(commit_ids: tuple[str, ...]) -> Expectation:
    """Return the expectation that a head has these commit ids."""
    condition = Condition(COMMIT_IDS, ConditionOperator.EQUALS, list(commit_ids))
    return Expectation(exists=True, conditions=(condition,))


def expect_as_read(item: Item) -> Expectation:
    """Return the expectation that no commit has written a head or version since it was read."""
    if named := commit_ids(item):
        return expect_commit_ids(named)
    return Expectation(exists=True, conditions=(Condition(COMMIT_IDS, ConditionOperator.ABSENT),))


def expect_tombstone(gone: Tombstone) -> Expectation:
    """Return the expectation that nobody has restored or claimed a deleted object since it was read."""
    expected = expect_commit_ids(gone.commit_ids)
    claimed = expect_same_commit(CLAIMED, gone.claimed)
    return Expectation(expected.exists, (*expected.conditions, claimed))


def index_places(entity: Entity, paths: Iterable[AccessPath]) -> dict[str, IndexKey]:
    """Return the positions of an object in indexes of its class, by the name of the index.

    `paths`: those that writes maintain, with the listing.
    """
    return {path.index_name: path.place(entity) for path in paths}


def moved_places(before: Entity, after: Entity, paths: Iterable[AccessPath]) -> dict[str, IndexKey]:
    """Return the index positions that an update must write.

    These are the changed ones, and those in all indexes that are not READY: there, the object may have none.
    """
    moved = [path for path in paths if not path.ready or path.is_moved(before, after)]
    return index_places(after, moved)


def expect_same_commit(attribute: str, commit_id: str | None) -> Condition:
    """Return the condition that an attribute still has the commit id that was read (None: is absent)."""
    return Condition(
        attribute, ConditionOperator.ABSENT if commit_id is None else ConditionOperator.EQUALS, commit_id
    )
