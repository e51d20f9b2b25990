"""Converts each effect of a change (create, update, delete, restore) into an action on the object's head.

heads.py adds the counts that associations require.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from stratabase.core.domain.objects.change import Creation, Deletion, Modification, ObjectEffect, Restoration
from stratabase.core.domain.objects.entity import Entity, State
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.model import Class, ClassKind, Role
from stratabase.core.model.stored_values import KEPT
from stratabase.core.store.engine.port import (
    NOT_EXISTS,
    Condition,
    Delete,
    Expectation,
    Item,
    Patch,
    Put,
    Value,
)
from stratabase.core.store.layout import codec, keys, versions
from stratabase.core.store.layout.access_path import AccessPath
from stratabase.core.store.layout.heads import (
    NEVER_WRITTEN,
    expect_same_commit,
    expect_tombstone,
    expect_unchanged,
    index_places,
    moved_places,
)
from stratabase.core.store.layout.locks import NO_LOCK_CONDITIONS, PART_LOCK, LockConditions


class HeadContext(NamedTuple):
    """The inputs of a head's action, besides the effect."""

    class_: Class
    paths: tuple[AccessPath, ...]
    """The indexes of the class, with its listing."""
    commit_id: str
    instant: Instant
    """The start of the version that is written."""
    has_links: bool = False
    """Whether objects of the class may have links of associations without a foreign key."""
    lock_conditions: LockConditions = NO_LOCK_CONDITIONS
    """The conditions under which the object's lock admits the member who writes."""
    defers_parts: bool = False
    """Whether cleanup deletes parts of the object later. Then no part may have been locked since the read."""
    is_claimed: bool = False
    """Whether the change claims the object. Then no other may have claimed it since the read."""


def head_action(effect: ObjectEffect, context: HeadContext) -> Put | Patch | Delete:
    """Return the action of an effect on the head of its object. Raises TooLarge."""
    return _ACTIONS[type(effect)](effect, context)


def _created(effect: Creation, context: HeadContext) -> Put:
    return Put(_head(effect.after, (), context), NOT_EXISTS)


def _restored(effect: Restoration, context: HeadContext) -> Put:
    gone, after = effect.tombstone, effect.after
    head = _head(after, gone.commit_ids, context)
    previous = codec.previous_start_attributes(gone.previous_start)
    attributes = {**head.attributes, **previous, **_claim(context)}
    return Put(replace(head, attributes=attributes), expect_tombstone(gone))


def _claim(context: HeadContext) -> dict[str, Value]:
    return {codec.CLAIMED: context.commit_id} if context.is_claimed else {}


def _head(after: Entity, commit_ids: tuple[str, ...], context: HeadContext) -> Item:
    """Return the head of a new or restored object."""
    return Item(
        keys.head(after.reference),
        _stamps(commit_ids, context),
        codec.state_text(after),
        index_places(after, context.paths),
    )


def _stamps(commit_ids: tuple[str, ...], context: HeadContext) -> dict[str, Value]:
    """Return the attributes of a head with its last commit ids and its version start."""
    return {
        codec.COMMIT_IDS: codec.append_commit_id(commit_ids, context.commit_id),
        codec.VERSION_START_ATTRIBUTE: context.instant,
    }


def _updated(effect: Modification, context: HeadContext) -> Patch:
    before, after = effect.before, effect.after
    # The new state keeps values of attributes that an edit of the model has removed. They come first in its
    # text, also if the update has them, so that texts stay the same from version to version of the service.
    kept = Entity(after.reference, _unknown_values(before.state, context.class_) | dict(after.state))
    is_first = context.class_.kind is ClassKind.SINGLETON and not before.commit_ids
    closes_version = context.class_.versioned and not is_first
    expected = NEVER_WRITTEN if is_first else expect_unchanged(before)
    more = _more_expected(before, context)
    return Patch(
        keys.head(before.reference),
        Expectation(expected.exists, (*expected.conditions, *more), context.lock_conditions),
        set={
            **_stamps(before.commit_ids, context),
            **_claim(context),
            **codec.previous_start_attributes(codec.entity_start(before) if closes_version else None),
        },
        state=codec.state_text(kept),
        places=index_places(kept, context.paths) if is_first else moved_places(before, kept, context.paths),
        seen=before.seen,
    )


def _more_expected(before: Entity, context: HeadContext) -> list[Condition]:
    """Return the conditions that nobody has locked a part, or claimed the object, since it was read."""
    more = [expect_same_commit(PART_LOCK, before.part_lock)] if context.defers_parts else []
    return [*more, expect_same_commit(codec.CLAIMED, before.claimed)] if context.is_claimed else more


def _unknown_values(state: State, class_: Class) -> dict[str, Any]:
    """Return the values in a state for which the model has no attribute or role."""
    return {
        name: value
        for name, value in state.items()
        if name not in class_.attributes and name != KEPT and not _is_kept_in_state(class_.roles.get(name))
    }


def _is_kept_in_state(role: Role | None) -> bool:
    return role is not None and (role.holds_key or role.composition or role.whole)


def _deleted(effect: Deletion, context: HeadContext) -> Delete | Put:
    before, expected = effect.before, expect_unchanged(effect.before)
    # A link that was created since the object was read would be missed. Its creation has written its commit
    # id to the head, so this expectation then fails.
    more = [expect_same_commit(codec.LINKED, before.linked)] if context.has_links else []
    more += _more_expected(before, context)
    expect = replace(expected, conditions=(*expected.conditions, *more), either=context.lock_conditions)
    if context.class_.versioned:
        tombstone = versions.tombstone_item(before, context.instant, context.commit_id, effect.withdrawn)
        return Put(tombstone, expect)
    return Delete(keys.head(before.reference), expect)


_ACTIONS: Mapping[type[Any], Callable[[Any, HeadContext], Put | Patch | Delete]] = {
    Creation: _created,
    Modification: _updated,
    Deletion: _deleted,
    Restoration: _restored,
}
