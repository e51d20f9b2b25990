"""The views of objects with all that is selected of them: level by level, each in a few batches."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.query.fetch import LOCK, Associables, Fetch, RoleFetch, ToMany, ToOne, View
from stratabase.operations.read.associable_views import associable_views
from stratabase.operations.read.derived_values import DerivedValues
from stratabase.operations.read.loading import Reading, run
from stratabase.operations.read.reader import Reader
from stratabase.operations.read.related_views import RelatedViews, ToManyViews, ToOneViews, ViewGroup

_KINDS: Mapping[type[RoleFetch], Callable[..., RelatedViews[Any]]] = {
    ToOne: ToOneViews,
    ToMany: ToManyViews,
    Associables: associable_views,
}


def read_views(reader: Reader, fetch: Fetch, entities: Sequence[Entity]) -> list[View]:
    """Return the views of objects of one class, without parts whose whole is there no more.

    Raises ReadBudgetExceeded.
    """
    return run(load_views(reader, fetch, entities))


def load_views(reader: Reader, fetch: Fetch, entities: Sequence[Entity]) -> Reading[list[View]]:
    """Return the same as `read_views`."""
    there = yield from reader.attached(entities)
    if not fetch.roles and not fetch.derived and fetch.render_lock is None:
        return list(map(reader.render, there))
    group = ViewGroup(fetch, reader.render)
    views = group.views(there)
    yield from _Descent(reader).complete([group])
    return views


class _Descent:
    """Completes views from level to level; derived attributes follow their roles on the same way."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._derived = DerivedValues(reader)
        self._showing_derived: list[ViewGroup] = []
        """The groups whose views show derived attributes."""

    def complete(self, level: Sequence[ViewGroup]) -> Reading[None]:
        """Load until nothing more is wanted, and put it into the views."""
        yield from self._show_locks(level)
        while related := self._related(level):
            yield from self._load(related)
            level = [each.next for each in related]
            yield from self._show_locks(level)
        yield from self._derived.complete()
        for group in self._showing_derived:
            group.complete(self._derived)

    def _related(self, level: Sequence[ViewGroup]) -> list[RelatedViews[Any]]:
        """Return what finds the next level: one for each role that is selected."""
        groups = [group for group in level if group.entities]
        for group in groups:
            if group.fetch.derived:
                group.demand(self._derived)
                self._showing_derived.append(group)
        return [
            _KINDS[type(wanted)](key, wanted, group, self._reader)
            for group in groups
            for key, wanted in group.fetch.roles.items()
        ]

    def _load(self, related: Sequence[RelatedViews[Any]]) -> Reading[None]:
        """Load what all roles of a level lead to, in one batch of objects as far as possible."""
        while needed := (yield from self._needs(related)):
            yield from self._reader.load(needed)
        self._derived.advance()
        for each in related:
            each.finish()
            each.charge()

    def _needs(self, related: Sequence[RelatedViews[Any]]) -> Reading[list[Reference]]:
        # Derived values follow links to their end. After them, a page need not ask for a part of these.
        needed = dict.fromkeys((yield from self._derived.needs()))
        for each in related:
            needed |= dict.fromkeys((yield from each.needs()))
        return list(needed)

    def _show_locks(self, level: Sequence[ViewGroup]) -> Reading[None]:
        """Put locks into the views: each object is read by its key, since pages do not tell its lock."""
        groups = [group for group in level if group.fetch.render_lock is not None]
        yield from self._reader.load(list(dict.fromkeys(_references(groups))))
        for group in groups:
            assert group.fetch.render_lock is not None
            for reference in group.entities:
                entity = self._reader[reference]
                group.put(reference, LOCK, None if entity is None else group.fetch.render_lock(entity))


def _references(groups: Sequence[ViewGroup]) -> Iterator[Reference]:
    return (reference for group in groups for reference in group.entities)
