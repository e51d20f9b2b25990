"""What the effects of a change do to the heads of objects, and under which expectations."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from stratabase.domain.change import Creation, Deletion, OnObject, Update
from stratabase.domain.entity import Entity, State
from stratabase.model.class_ import Class, Kind
from stratabase.model.role import Role
from stratabase.store import codec, keys
from stratabase.store.access_path import AccessPath
from stratabase.store.engine import (
    FREE,
    Condition,
    Delete,
    Expectation,
    Item,
    Patch,
    Place,
    Put,
    Test,
)


class Writing(NamedTuple):
    """What the writing of a head depends on beside the object."""

    class_: Class
    paths: tuple[AccessPath, ...]
    """The indexes that objects of the class lie in."""
    commit_id: str
    keeps_links: bool = False
    """Objects of the class have links that no key stands for."""


def action_on_head(effect: OnObject, writing: Writing) -> Put | Patch | Delete:
    """Return what an effect does to its object's head. Raises TooLarge."""
    return _ACTIONS[type(effect)](effect, writing)


def as_read(entity: Entity) -> Expectation:
    """Return the expectation that an object has not been written since it was read."""
    condition = Condition(codec.COMMIT_IDS, Test.EQUALS, list(entity.commit_ids))
    return Expectation(exists=True, conditions=(condition,))


def _put(effect: Creation, writing: Writing) -> Put:
    after = effect.after
    item = Item(
        keys.head(after.reference),
        {codec.COMMIT_IDS: codec.remembered((), writing.commit_id)},
        codec.state_text(after),
        {keys.LISTING: keys.listed(after.reference), **places(after, writing.paths)},
    )
    return Put(item, FREE)


def places(entity: Entity, paths: Iterable[AccessPath]) -> dict[str, Place]:
    """Return where an object lies in the indexes of its class."""
    return {path.index_name: path.place(entity) for path in paths}


def _patch(effect: Update, writing: Writing) -> Patch:
    before, after = effect.before, effect.after
    kept = Entity(after.reference, _unknown(before.state, writing.class_) | dict(after.state))
    first = writing.class_.kind is Kind.SINGLETON and not before.commit_ids
    return Patch(
        keys.head(before.reference),
        _NEVER_WRITTEN if first else as_read(before),
        set={codec.COMMIT_IDS: codec.remembered(before.commit_ids, writing.commit_id)},
        state=codec.state_text(kept),
        places={keys.LISTING: keys.listed(after.reference)} if first else _moves(before, kept, writing.paths),
    )


_NEVER_WRITTEN = Expectation(conditions=(Condition(codec.COMMIT_IDS, Test.ABSENT),))
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


def _delete(effect: Deletion, writing: Writing) -> Delete:
    before = effect.before
    return Delete(keys.head(before.reference), _as_linked(before) if writing.keeps_links else as_read(before))


def _as_linked(entity: Entity) -> Expectation:
    """Return the expectation that an object has not been written since it was read, nor got a link."""
    test = Test.ABSENT if entity.linked is None else Test.EQUALS
    conditions = (*as_read(entity).conditions, Condition(codec.LINKED, test, entity.linked))
    return Expectation(exists=True, conditions=conditions)


_ACTIONS: Mapping[type[Any], Callable[[Any, Writing], Put | Patch | Delete]] = {
    Creation: _put,
    Update: _patch,
    Deletion: _delete,
}
