"""Parts that no whole lists, which must not be counted.

There are some only while something is left to be purged, or a restoration runs. Whatever else readers see of
parts they read together with the wholes.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.objects.parts import ListedParts, owner_of
from stratabase.domain.query.derived import Derive
from stratabase.domain.query.filter import And, Marked
from stratabase.domain.query.page import Query
from stratabase.store import keys
from stratabase.store.desk import Desk

_LISTED = Marked(".listed")


def matters(desk: Desk, query: Query) -> bool:
    """Return whether a query counts parts, and there may be some that no whole lists.

    What a page shows is looked at by its reader, who reads the wholes anyway.
    """
    if not (query.fields.total_count and desk.model.classes[query.class_name].part):
        return False
    return any(desk.engine.range(keys.LISTING, keys.PURGES, limit=1))


def narrowed(desk: Desk, query: Query, derive: Derive | None) -> tuple[Query, Derive]:
    """Return a query for the parts that their wholes list, and what finds that out for it."""
    filter_ = _LISTED if query.filter is None else And((_LISTED, query.filter))
    return replace(query, filter=filter_), partial(_marked, desk, derive)


def _marked(desk: Desk, derive: Derive | None, entities: Sequence[Entity]) -> Sequence[Entity]:
    """Return parts with a mark and their derived values, and as they are where no whole lists them."""
    are_listed = _are_listed(desk, entities)
    listed = [entity for entity, is_listed in zip(entities, are_listed, strict=True) if is_listed]
    marked = iter(listed if derive is None else derive(listed))
    return [
        _with_mark(next(marked)) if is_listed else entity
        for entity, is_listed in zip(entities, are_listed, strict=True)
    ]


def _with_mark(entity: Entity) -> Entity:
    return replace(entity, state={**entity.state, _LISTED.mark: True})


def _are_listed(desk: Desk, entities: Sequence[Entity]) -> list[bool]:
    """Return of each object whether it is no part, or its whole lists it, and so on up to the top."""
    listed, known = ListedParts(), dict[Reference, Entity | None]()
    at: list[Entity | None] = list(entities)
    are_listed = [True] * len(at)
    while True:
        ways = [None if each is None else owner_of(desk.class_of(each), each) for each in at]
        unknown = list(dict.fromkeys(way.reference for way in ways if way and way.reference not in known))
        known.update(zip(unknown, desk.read_all(unknown), strict=True))
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
