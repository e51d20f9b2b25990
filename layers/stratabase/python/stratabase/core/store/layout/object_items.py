"""The items of an object: its head, its guards, closed versions, and the tombstone of a deleted object.

Expectations about a head say, for example, that the object exists or is unchanged, or that no other member
has locked it. If the class is versioned, a deletion replaces the head by a tombstone, under the same key. For
reads and expectations, the object then does not exist. This also holds if the class is no longer versioned.

A guard reserves unique values, or the target of a one-to-one foreign key, for one object. Its key contains a
hash of the values, or the id of the target. The item has the id of its holder.

Like the head, each version has the start of the previous one. So the history is a linked list, and a reader
notices if a version is missing.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from stratabase.core.domain.objects.change import Change, Deletion, ObjectEffect, Tombstone
from stratabase.core.domain.objects.entity import Entity, Reference, State, differ
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.version import Author, with_version_times
from stratabase.core.model.model import Class, Unique
from stratabase.core.store.engine.port import (
    NOT_EXISTS,
    Condition,
    ConditionOperator,
    DeleteItem,
    Expectation,
    IndexKey,
    Item,
    Key,
    Put,
    Value,
)
from stratabase.core.store.layout import codec, keys
from stratabase.core.store.layout.access_path import AccessPath, Column, columns_of
from stratabase.core.store.layout.codec import (
    CLAIMED,
    COMMIT_IDS,
    LOCK_OWNER,
    LOCKED_UNTIL,
    commit_ids,
)
from stratabase.core.store.layout.deleted_listing import DeletedListing

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
LockConditions = tuple[Condition, ...]
"""Conditions of which at least one must hold so that a member may write; empty if locks do not matter."""
NO_LOCK_CONDITIONS: LockConditions = ()
_NO_LOCK = Condition(LOCKED_UNTIL, ConditionOperator.ABSENT)


def live_head(item: Item | None) -> Item | None:
    """Return an item if it is the head of an existing object, None for a tombstone or no item."""
    return None if item is None or DELETED in item.attributes else item


def expect_unchanged(
    entity: Entity, more: Iterable[Condition] = (), either: LockConditions = NO_LOCK_CONDITIONS
) -> Expectation:
    """Return the expectation that no commit has written the state of an object since it was read.

    `more`, `either`: the further conditions of the expectation.
    """
    is_last = Condition(COMMIT_IDS, ConditionOperator.EQUALS, list(entity.commit_ids))
    return Expectation(exists=True, conditions=(is_last, *more), either=either)


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


def lock_conditions(member_id: str | None, now: Instant) -> LockConditions:
    """Return the conditions of which one must hold so that a member may write an object.

    They are: no lock, an expired lock, a lock of the member. `member_id`: None to ignore locks, such as in
    cleanup.
    """
    if member_id is None:
        return NO_LOCK_CONDITIONS
    return (
        _NO_LOCK,
        Condition(LOCKED_UNTIL, ConditionOperator.AT_MOST, now),
        Condition(LOCK_OWNER, ConditionOperator.EQUALS, member_id),
    )


def index_places(entity: Entity, paths: Iterable[AccessPath]) -> dict[str, IndexKey]:
    """Return the positions of an object in indexes of its class, by the name of the index.

    `paths`: those that writes maintain, with the listing.
    """
    return {path.index_name: path.place(entity) for path in paths}


def moved_places(before: Entity, after: Entity, paths: Iterable[AccessPath]) -> dict[str, IndexKey]:
    """Return the index positions that an update must write.

    These are the changed ones, and those in all indexes that are not READY: there, the object may have none.
    """
    moved: dict[str, IndexKey] = {}
    for path in paths:
        # Most changes leave most indexes alone, which is cheaper to see by the values than by the places.
        if path.ready and not differ(before.state, after.state, path.attributes):
            continue
        place = path.place(after)
        if not path.ready or place != path.place(before):
            moved[path.index_name] = place
    return moved


def expect_same_commit(attribute: str, commit_id: str | None) -> Condition:
    """Return the condition that an attribute still has the commit id that was read (None: is absent)."""
    return Condition(
        attribute, ConditionOperator.ABSENT if commit_id is None else ConditionOperator.EQUALS, commit_id
    )


START, END = "start", "end"
"""The attributes of a closed version with its start and end, in milliseconds.

The guard of a one-to-one target has the start of the association.
"""
LAST_END = "lastEnd"
"""The attribute of a tombstone with the instant of the deletion."""


def closed_version(effect: ObjectEffect, class_: Class, change: Change) -> Iterator[Put]:
    """Yield the write of the version that an effect closes, if the class is versioned. Raises TooLarge."""
    before = effect.before
    # To withdraw a restoration is to undo it, which leaves no version behind.
    if isinstance(effect, Deletion) and effect.withdrawn is not None:
        return
    if class_.versioned and before is not None and before.commit_ids:
        yield Put(_version(before, change), NOT_EXISTS)


def tombstone_item(
    tombstone: Tombstone,
    commit_id: str,
    listing: DeletedListing | None,
    earlier: tuple[str, ...] = (),
) -> Item:
    """Return the item of a tombstone that a commit writes.

    `listing`: where the class lists its deleted objects, None if it does not. `earlier`: the ids of the last
    commits that wrote the object.
    """
    attributes: dict[str, Value] = {
        codec.COMMIT_IDS: codec.append_commit_id(earlier, commit_id),
        DELETED: True,
        LAST_END: tombstone.last_end,
        codec.PREVIOUS_START_ATTRIBUTE: tombstone.previous_start,
        **codec.author_attributes(tombstone.author, tombstone.last_end),
    }
    places = {} if listing is None else listing.places(tombstone)
    return Item(keys.head(tombstone.reference), attributes, places=places)


def read_version(item: Item, class_: Class) -> Entity:
    """Return an object as it was in a closed version."""
    reference, (start, end) = keys.reference_of(item.key), _times(item)
    return Entity(
        reference,
        with_version_times(class_, codec.version_state(item, reference.id, class_), start, end),
        start=start,
        end=end,
        previous=codec.previous_start(item),
    )


def read_tombstone(item: Item | None) -> Tombstone | None:
    """Return the content of a tombstone, None for any other item or no item."""
    if item is None or DELETED not in item.attributes:
        return None
    end: Any = item.attributes[LAST_END]
    previous: Any = item.attributes[codec.PREVIOUS_START_ATTRIBUTE]
    claimed: Any = item.attributes.get(codec.CLAIMED)
    author = codec.recorded_author(item.attributes, end)
    return Tombstone(keys.reference_of(item.key), end, previous, codec.commit_ids(item), claimed, author)


def _version(before: Entity, change: Change) -> Item:
    start = codec.entity_start(before)
    if change.instant <= start:
        raise ValueError(
            f"A version that began at {start} cannot end at {change.instant}: {before.reference}"
        )
    frame = VersionFrame(start, change.instant, before.previous, codec.recorded_author(before.seen, start))
    state = codec.state_text(before.reference, before.state)
    return version_item(before.reference, frame, change.commit_id, state)


class VersionFrame(NamedTuple):
    """When a closed version began and ended, and who began it."""

    start: Instant
    end: Instant
    previous: Instant | None
    """The start of the version before it, None if it is the first one."""
    author: Author | None


def version_item(reference: Reference, frame: VersionFrame, commit_id: str, state: str) -> Item:
    """Return a closed version of an object. `commit_id`: of the commit that closed it. `state`: as JSON."""
    start, end, previous, author = frame
    attributes: dict[str, Value] = {
        START: start,
        END: end,
        codec.COMMIT_IDS: [commit_id],
        **codec.previous_start_attributes(previous),
        **codec.author_attributes(author, start),
    }
    return Item(keys.version(reference, start), attributes, state)


def _times(item: Item) -> tuple[Instant, Instant]:
    start: Any = item.attributes[START]
    end: Any = item.attributes[END]
    return start, end


class HistoryEntry(NamedTuple):
    """One entry of an object's history: a closed version, the current version, or the deletion."""

    start: Instant
    previous: Instant | None
    """The start of the previous version, None for the first one."""
    version: Entity | None
    """The object in this version. None: the object was deleted at `start`."""

    @property
    def end(self) -> Instant | None:
        """The end of a closed version, None for other entries."""
        return None if self.version is None else self.version.end


def history_entry(item: Item, class_: Class) -> HistoryEntry | None:
    """Return the history entry of a closed version, head or tombstone.

    None for the head of a singleton whose state was never written.
    """
    if item.key.sort != keys.HEAD:
        return _of(read_version(item, class_))
    if DELETED in item.attributes:
        end: Any = item.attributes[LAST_END]
        return HistoryEntry(end, codec.previous_start(item), None)
    return _of(codec.entity_of(item, class_)) if codec.commit_ids(item) else None


def _of(version: Entity) -> HistoryEntry:
    assert version.start is not None
    return HistoryEntry(version.start, version.previous, version)


HOLDER = "holder"
"""The attribute of a guard with the id of the object for which it is reserved."""


class UniqueConstraint(NamedTuple):
    """A uniqueness constraint of a class, with its status in the registry."""

    class_name: str
    unique: Unique
    columns: tuple[Column, ...]
    """The attributes, sorted by name."""
    number: int = 0
    """The number of the registry entry."""
    in_model: bool = True
    """Whether the model of this process has it. If not, guards are kept, but no value is refused."""
    built: bool = True
    """Whether the constraint is built, so that a free guard means that the values are free."""

    def guard_key(self, state: State) -> Key | None:
        """Return the key of the guard of a state, None if a value is null or not read."""
        values = {column.attribute: column.value(state) for column in self.columns}
        return keys.guard(self.class_name, self.unique, values)


def unique_constraint(class_: Class, unique: Unique) -> UniqueConstraint:
    """Return a uniqueness constraint of a model with the status of a built one."""
    return UniqueConstraint(class_.name, unique, columns_of(class_, tuple(sorted(unique.attributes))))


def guard_key(class_: Class, unique: Unique, state: State) -> Key | None:
    """Return the key of the guard of a state, None if a value is null or not read."""
    return unique_constraint(class_, unique).guard_key(state)


def delete_guard(key: Key, holder: str) -> DeleteItem:
    """Return the action that deletes the guard of an object, if the object still holds it."""
    return DeleteItem(
        key, Expectation(exists=True, conditions=(Condition(HOLDER, ConditionOperator.EQUALS, holder),))
    )


def guard_item(key: Key, holder: str, start: Instant | None = None) -> Item:
    """Return a guard. `start`: when the association began, None for unique values."""
    started: dict[str, Value] = {} if start is None else {START: start}
    return Item(key, {HOLDER: holder, **started})


def guard_holder(item: Item | None) -> str | None:
    """Return the id of the object that holds a guard, None if there is no guard."""
    return None if item is None else str(item.attributes[HOLDER])
