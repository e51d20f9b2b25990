"""What the effects of a change do to the heads of objects, and under which expectations."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from stratabase.domain.objects.change import Creation, Deletion, Modification, ObjectEffect, Restoration
from stratabase.domain.objects.entity import Entity, State
from stratabase.domain.objects.instant import Instant
from stratabase.model.class_ import Class, Kind
from stratabase.model.role import Role
from stratabase.store import codec, keys, since, versions
from stratabase.store.engine.port import (
    NOT_EXISTS,
    Condition,
    ConditionOperator,
    Delete,
    Expectation,
    Item,
    Patch,
    Place,
    Put,
    Value,
)
from stratabase.store.indexes.access_path import AccessPath
from stratabase.store.locks import EVERYBODY, PART_LOCK, Admitting


class Writing(NamedTuple):
    """What the writing of a head depends on beside the object."""

    class_: Class
    paths: tuple[AccessPath, ...]
    """The indexes that objects of the class lie in."""
    commit_id: str
    instant: Instant
    """Since when the object is as it is written."""
    keeps_links: bool = False
    """Objects of the class have links that no key stands for."""
    admitting: Admitting = EVERYBODY
    """What locks must be like for whoever writes."""
    leaves_parts: bool = False
    """A deletion or an update leaves parts that are not looked at again: none must have been locked since."""


def action_on_head(effect: ObjectEffect, writing: Writing) -> Put | Patch | Delete:
    """Return what an effect does to its object's head. Raises TooLarge."""
    return _ACTIONS[type(effect)](effect, writing)


def as_read(entity: Entity) -> Expectation:
    """Return the expectation that an object has not been written since it was read."""
    return _as_named(entity.commit_ids)


def _as_named(commit_ids: tuple[str, ...]) -> Expectation:
    condition = Condition(codec.COMMIT_IDS, ConditionOperator.EQUALS, list(commit_ids))
    return Expectation(exists=True, conditions=(condition,))


def _put(effect: Creation, writing: Writing) -> Put:
    return Put(_head(effect.after, (), writing), NOT_EXISTS)


def _put_back(effect: Restoration, writing: Writing) -> Put:
    gone, after = effect.tombstone, effect.after
    head = _head(after, gone.commit_ids, writing)
    attributes = {**head.attributes, **since.told_previous(gone.previous_start)}
    return Put(replace(head, attributes=attributes), _as_named(gone.commit_ids))


def _head(after: Entity, commit_ids: tuple[str, ...], writing: Writing) -> Item:
    """Return the head of an object that begins to be there."""
    return Item(
        keys.head(after.reference),
        _stamps(commit_ids, writing),
        codec.state_text(after),
        {keys.LISTING: keys.listed(after.reference), **places(after, writing.paths)},
    )


def _stamps(commit_ids: tuple[str, ...], writing: Writing) -> dict[str, Value]:
    """Return the attributes of a head that tell of what wrote it, after some commits."""
    return {
        codec.COMMIT_IDS: codec.remembered(commit_ids, writing.commit_id),
        since.VERSION_START: writing.instant,
    }


def places(entity: Entity, paths: Iterable[AccessPath]) -> dict[str, Place]:
    """Return where an object lies in the indexes of its class."""
    return {path.index_name: path.place(entity) for path in paths}


def _patch(effect: Modification, writing: Writing) -> Patch:
    before, after = effect.before, effect.after
    kept = Entity(after.reference, _unknown(before.state, writing.class_) | dict(after.state))
    first = writing.class_.kind is Kind.SINGLETON and not before.commit_ids
    closes = writing.class_.versioned and not first
    read = _NEVER_WRITTEN if first else as_read(before)
    more = [_still(PART_LOCK, before.part_lock)] if writing.leaves_parts else []
    return Patch(
        keys.head(before.reference),
        replace(read, conditions=(*read.conditions, *more), either=writing.admitting),
        set={
            **_stamps(before.commit_ids, writing),
            **since.told_previous(since.start_of_entity(before) if closes else None),
        },
        state=codec.state_text(kept),
        places={keys.LISTING: keys.listed(after.reference)} if first else _moves(before, kept, writing.paths),
    )


_NEVER_WRITTEN = Expectation(conditions=(Condition(codec.COMMIT_IDS, ConditionOperator.ABSENT),))
"""A singleton that has not been written yet may have a head all the same, with a count."""


def _moves(before: Entity, after: Entity, paths: Iterable[AccessPath]) -> dict[str, Place]:
    """Return the places that an update changes; in an index that is not ready there may be none yet."""
    old = places(before, (path for path in paths if path.ready))
    return {name: place for name, place in places(after, paths).items() if old.get(name) != place}


def _unknown(state: State, class_: Class) -> dict[str, Any]:
    """Return the values of what the model has not; no write that does not name them loses them."""
    return {
        name: value
        for name, value in state.items()
        if name not in class_.attributes and not _is_kept_in_state(class_.roles.get(name))
    }


def _is_kept_in_state(role: Role | None) -> bool:
    return role is not None and (role.holds or role.composition or role.whole)


def _delete(effect: Deletion, writing: Writing) -> Delete | Put:
    before, read = effect.before, as_read(effect.before)
    more = [_still(codec.LINKED, before.linked)] if writing.keeps_links else []
    more += [_still(PART_LOCK, before.part_lock)] if writing.leaves_parts else []
    expect = replace(read, conditions=(*read.conditions, *more), either=writing.admitting)
    if writing.class_.versioned:
        tombstone = versions.tombstone(before, writing.instant, writing.commit_id, effect.withdrawn)
        return Put(tombstone, expect)
    return Delete(keys.head(before.reference), expect)


def _still(attribute: str, commit_id: str | None) -> Condition:
    """Return the condition that a head names the same commit as when it was read."""
    return Condition(
        attribute, ConditionOperator.ABSENT if commit_id is None else ConditionOperator.EQUALS, commit_id
    )


_ACTIONS: Mapping[type[Any], Callable[[Any, Writing], Put | Patch | Delete]] = {
    Creation: _put,
    Modification: _patch,
    Deletion: _delete,
    Restoration: _put_back,
}
