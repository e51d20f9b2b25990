"""Excludes parts that no whole lists from `totalCount`.

Such parts exist only while a purge is pending or a staged restoration is running. Other reads of parts also
read their wholes, and check the list there.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from stratabase.core.domain.objects.entity import Entity, ListedParts, Reference, whole_of
from stratabase.core.domain.query.derived import Derive
from stratabase.core.domain.query.filter import And, FlagFilter
from stratabase.core.domain.query.page import Query
from stratabase.core.store.layout import keys
from stratabase.core.store.read.context import StoreContext

_LISTED = FlagFilter(".listed")


def may_count_unlisted_parts(store: StoreContext, query: Query) -> bool:
    """Return whether a query counts parts while there are ledgers, so that some parts may not be listed."""
    is_part = store.model.classes[query.class_name].part
    return is_part and any(store.engine.range(keys.LISTING, keys.PURGES, limit=1))


def exclude_unlisted_parts(store: StoreContext, query: Query, derive: Derive | None) -> tuple[Query, Derive]:
    """Return a query that only matches listed parts, and the derive function that marks these parts.

    The query filters by the mark as if it were a derived attribute.
    """
    filter_ = _LISTED if query.filter is None else And((_LISTED, query.filter))
    return replace(query, filter=filter_), partial(_mark_listed, store, derive)


def _mark_listed(store: StoreContext, derive: Derive | None, entities: Sequence[Entity]) -> Sequence[Entity]:
    """Mark the parts that their wholes list, and derive their values. Return other parts unchanged."""
    are_listed = _are_listed(store, entities)
    listed = [entity for entity, is_listed in zip(entities, are_listed, strict=True) if is_listed]
    marked = iter(listed if derive is None else derive(listed))
    return [
        _with_mark(next(marked)) if is_listed else entity
        for entity, is_listed in zip(entities, are_listed, strict=True)
    ]


def _with_mark(entity: Entity) -> Entity:
    return replace(entity, state={**entity.state, _LISTED.mark: True})


def _are_listed(store: StoreContext, entities: Sequence[Entity]) -> list[bool]:
    """Return for each object whether its whole lists it, and so on up to the outermost whole.

    All objects go up one level at a time, so that the wholes of a level are read in one batch.
    """
    listed, known = ListedParts(), dict[Reference, Entity | None]()
    at: list[Entity | None] = list(entities)
    are_listed = [True] * len(at)
    while True:
        ways = [None if each is None else whole_of(store.class_of(each), each.state) for each in at]
        unknown = list(dict.fromkeys(way.reference for way in ways if way and way.reference not in known))
        known.update(zip(unknown, store.read_all(unknown), strict=True))
        if not any(ways):
            return are_listed
        for number, (each, way) in enumerate(zip(at, ways, strict=True)):
            whole = None if way is None else known[way.reference]
            if each is not None and way is not None:
                is_listed = whole is not None and listed.has(whole, way.composition, each.reference.id)
                are_listed[number] &= is_listed
                at[number] = whole if is_listed else None
            else:
                at[number] = None
