"""Read the views of objects: all that is selected of them, level by level, in few batches per level."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from types import NoneType
from typing import Any

from stratabase.core.domain.objects.entity import Entity, Reference, State, UnmadeEntities
from stratabase.core.domain.objects.role_storage import RoleStorage
from stratabase.core.domain.query.fetch import LOCK, Associables, Fetch, RoleFetch, ToMany, ToOne, View
from stratabase.core.operations.read.associable_views import associable_views
from stratabase.core.operations.read.batched_reads import BatchedRead, run
from stratabase.core.operations.read.derived_values import DerivedValues
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.read.related_views import RelatedViews, ToManyViews, ToOneViews, ViewGroup
from stratabase.core.operations.read.role_loader import RoleLoader

_KINDS: Mapping[type[RoleFetch], Callable[..., RelatedViews[Any]]] = {
    ToOne: ToOneViews,
    ToMany: ToManyViews,
    Associables: associable_views,
}
"""By kind of fetch: what loads a role."""

_IDS = {str, NoneType}
"""The types of what the state of an object has for a key."""


def read_views(reader: Reader, fetch: Fetch, entities: Sequence[Entity]) -> list[View]:
    """Return the views of objects of one class, without parts whose whole no longer exists.

    Raises ReadBudgetExceeded.
    """
    return run(load_views(reader, fetch, entities))


def load_views(reader: Reader, fetch: Fetch, entities: Sequence[Entity]) -> BatchedRead[list[View]]:
    """Return what `read_views` returns, as a batched read."""
    if isinstance(entities, UnmadeEntities) and reader.shows_stored_states(entities.class_name):
        if fetch.has_only_values:
            return list(entities.states)
        views = yield from _views_with_targets(reader, fetch, entities.states)
        if views is not None:
            return views
    there = yield from reader.attached(entities)
    if fetch.has_only_values:
        return list(map(reader.render, there))
    group = ViewGroup(fetch, reader.render)
    views = group.views(there)
    yield from _Descent(reader).complete([group])
    return views


def _views_with_targets(
    reader: Reader, fetch: Fetch, states: Sequence[State]
) -> BatchedRead[list[View] | None]:
    """Return the views of a page that shows only values: of its objects, and of what their keys lead to.

    That is what most pages show, and it needs only a look-up for each object. None for other pages.
    """
    if fetch.derived or fetch.render_lock is not None:
        return None
    # 1. Collect the ids in the keys.
    roles: list[tuple[str, RoleLoader, list[Any]]] = []
    for key, wanted in fetch.roles.items():
        if not isinstance(wanted, ToOne) or not wanted.fetch.has_only_values:
            return None
        role = RoleLoader(wanted.name, reader)
        ids = [state.get(wanted.role.name) for state in states]
        if role.storage is not RoleStorage.OWN_KEY or role.depends_on_wholes or not {*map(type, ids)} <= _IDS:
            return None
        roles.append((key, role, ids))
    # 2. Load the targets of all roles together, each once.
    distinct = [dict.fromkeys(ids) for _, _, ids in roles]
    for each in distinct:
        each.pop(None, None)
    targets = [[*role.references(each)] for (_, role, _), each in zip(roles, distinct, strict=True)]
    yield from reader.load(chain.from_iterable(targets))
    # 3. Put their views into those of the objects.
    views: list[dict[str, Any]] = [{**state} for state in states]
    for (key, role, ids), each, references in zip(roles, distinct, targets, strict=True):
        found = map(role.found, references)
        shown = {
            id_: reader.render(entity) for id_, entity in zip(each, found, strict=True) if entity is not None
        }
        for view, id_ in zip(views, ids, strict=True):
            view[key] = shown.get(id_)
        reader.charge_shown(role.target.name, sum(map(shown.__contains__, ids)))
    return list[View](views)


class _Descent:
    """Completes views level by level. Derived attributes follow their roles on the same levels."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._derived = DerivedValues(reader)
        self._showing_derived: list[ViewGroup] = []
        """The groups whose views show derived attributes."""

    def complete(self, level: Sequence[ViewGroup]) -> BatchedRead[None]:
        """Load everything that is selected, and put it into the views."""
        yield from self._show_locks(level)
        # 1. Load the selected roles, one level after the other.
        while related := self._related(level):
            yield from self._load(related)
            level = [each.next for each in related]
            yield from self._show_locks(level)
        # 2. Derived attributes may need roles below the last level: load the rest, and compute them.
        yield from self._derived.complete()
        for group in self._showing_derived:
            group.complete(self._derived)

    def _related(self, level: Sequence[ViewGroup]) -> list[RelatedViews[Any]]:
        """Return the loaders of the next level: one for each selected role of each group."""
        groups = [group for group in level if group.shown]
        for group in groups:
            if group.fetch.derived:
                group.demand(self._derived)
                self._showing_derived.append(group)
        return [
            _KINDS[type(wanted)](key, wanted, group, self._reader)
            for group in groups
            for key, wanted in group.fetch.roles.items()
        ]

    def _load(self, related: Sequence[RelatedViews[Any]]) -> BatchedRead[None]:
        """Load what all roles of a level lead to, with as few batches of objects as possible."""
        while needed := (yield from self._needs(related)):
            yield from self._reader.load(needed)
        self._derived.advance()
        for each in related:
            each.finish()
            each.charge()

    def _needs(self, related: Sequence[RelatedViews[Any]]) -> BatchedRead[list[Reference]]:
        # Derived values come first: they read all links of a role, and a page can then use a part of these.
        needed = [*(yield from self._derived.needs())]
        for each in related:
            needed += yield from each.needs()
        return needed

    def _show_locks(self, level: Sequence[ViewGroup]) -> BatchedRead[None]:
        """Put locks into the views.

        Each object is read by its key, because pages don't have current locks.
        """
        groups = [group for group in level if group.fetch.render_lock is not None]
        if not groups:
            return
        yield from self._reader.load(list(dict.fromkeys(_references(groups))))
        for group in groups:
            assert group.fetch.render_lock is not None
            for shown in group.shown:
                entity = self._reader[shown.entity.reference]
                shown.view[LOCK] = None if entity is None else group.fetch.render_lock(entity)


def _references(groups: Sequence[ViewGroup]) -> Iterator[Reference]:
    return (entity.reference for group in groups for entity in group.entities)
