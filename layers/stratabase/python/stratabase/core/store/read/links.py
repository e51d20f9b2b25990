"""Reads the ids that a role refers to from links or guards, if they are not in the state of the object.

As of an instant, links and guards give their start, and former links their last end. A pair of objects has at
most one former link, even if it was linked several times. So the result is a superset. The caller reads the
objects as of the instant, and keeps those whose foreign key refers to the owner.

Parts that no whole lists are excluded from `totalCount`. They exist only while a purge is pending or a staged
restoration is running. Other reads of parts also read their wholes, and check the list there.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from stratabase.core.domain.objects.entity import Entity, ListedParts, Reference, RoleName, whole_of
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.derived import Derive
from stratabase.core.domain.query.filter import And, FlagFilter
from stratabase.core.domain.query.page import ALL_IDS, IdRange, Query
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.store.engine.port import ITEMS, Item
from stratabase.core.store.engine.read_limiter import ReadLimiter
from stratabase.core.store.layout import keys, links
from stratabase.core.store.layout.associations import ForeignKey
from stratabase.core.store.layout.object_items import guard_holder
from stratabase.core.store.read import unbuilt_roles
from stratabase.core.store.read.context import StoreContext


def linked(  # noqa: PLR0913, PLR0917 - owners, range, instants and limits
    store: StoreContext,
    role: RoleName,
    ids: Sequence[str],
    range_: IdRange,
    budget: ReadBudget | None,
    at: Sequence[Instant] | None = None,
) -> list[tuple[str, ...]]:
    """Return for each owner the ids of the objects that a role refers to, now or at the owner's instant.

    Raises ReadBudgetExceeded, RoleUnavailable; ValueError if the ids are in the states of the owners.
    """
    unbuilt_roles.refuse_if_stored_elsewhere(store, role)
    limiter = ReadLimiter(budget, role.class_name)
    limiter.check()
    key = store.associations.inverse_key(role)
    if key is not None and key.former_role is not None and at is not None:
        unbuilt_roles.check_past(store, role, at)
        moments = list(zip(ids, at, strict=True))
        return [range_.select(found) for found in _candidates_at(store, key, moments, limiter)]
    owners = list(dict.fromkeys(ids))
    if role in store.write_schema().unbuilt_roles:
        known = _present(store, role, owners, ALL_IDS, limiter)
        answers = unbuilt_roles.linked_by_scan(store, role, owners, range_, budget, known)
    else:
        answers = _present(store, role, owners, range_, limiter)
    found = dict(zip(owners, answers, strict=True))
    return [found[id_] for id_ in ids]


def _present(
    store: StoreContext, role: RoleName, ids: Sequence[str], range_: IdRange, limiter: ReadLimiter
) -> list[tuple[str, ...]]:
    """Return for each owner the ids of the objects that a role refers to now."""
    key = store.associations.inverse_key(role)
    if key is not None and key.exclusive:
        return _by_guards(store, key.role, ids, range_, limiter)
    if key is None and role not in store.associations.by_role:
        raise ValueError(f"What {role} leads to stands in the object itself.")
    return store.parallel_map(
        lambda id_: by_links(store, Reference(role.class_name, id_), role, range_, limiter), ids
    )


def _by_guards(
    store: StoreContext, role: RoleName, ids: Sequence[str], range_: IdRange, limiter: ReadLimiter
) -> list[tuple[str, ...]]:
    """Return for each target the id of the only object that refers to it by a one-to-one role."""
    guards = store.get([keys.one_to_one_guard(role, id_) for id_ in ids], limiter)
    return [
        (found,) if (found := guard_holder(guard)) is not None and range_.contains(found) else ()
        for guard in guards
    ]


def by_links(
    store: StoreContext, owner: Reference, role: RoleName, range_: IdRange, limiter: ReadLimiter
) -> tuple[str, ...]:
    """Return the target ids of the links of one object. Raises ReadBudgetExceeded."""
    found: list[str] = []
    pages = store.engine.range(
        ITEMS,
        keys.head(owner).partition,
        links.bounds(role.role_name, range_.start, backward=range_.backward),
        backward=range_.backward,
        limit=range_.limit,
    )
    for page in pages:
        limiter.record(page)
        limiter.check()
        found += links.ids(page, role.role_name)
    return tuple(found)


def referrers(store: StoreContext, role: RoleName, id_: str, limit: int) -> tuple[str, ...]:
    """Return the ids of objects that refer to an object by a foreign key which has links or guards."""
    key = store.associations.foreign_key(role)
    limiter, range_ = ReadLimiter(None, role.class_name), IdRange(limit=limit)
    if key.exclusive:
        return _by_guards(store, role, [id_], range_, limiter)[0]
    if key.link_role is None:
        return ()
    return by_links(store, Reference(key.target, id_), key.link_role, range_, limiter)


def are_linked(store: StoreContext, role: RoleName, pairs: Sequence[tuple[str, str]]) -> list[bool]:
    """Return for each pair of ids (owner, target) whether the owner has a link to the target."""
    unbuilt_roles.refuse_if_stored_elsewhere(store, role)
    if role in store.write_schema().unbuilt_roles:
        return unbuilt_roles.are_linked_by_scan(store, role, pairs)
    wanted = [keys.link(Reference(role.class_name, owner), role.role_name, other) for owner, other in pairs]
    return [item is not None for item in store.get(wanted)]


# As of an instant.


def _candidates_at(
    store: StoreContext, key: ForeignKey, moments: Sequence[tuple[str, Instant]], limiter: ReadLimiter
) -> list[Iterable[str]]:
    """Return for each pair (owner, instant) the ids of objects that may have referred to the owner then.

    The links of an owner are read only once. Raises ReadBudgetExceeded.
    """
    ids = list(dict.fromkeys(id_ for id_, _ in moments))
    # Read guards before links: a holder that releases its guard in between then has a former link.
    guards = _guards(store, key, ids, limiter) if key.exclusive else {}
    links_by_id = store.parallel_map(lambda id_: [*_links_and_former(store, key, id_, limiter)], ids)
    found = dict(zip(ids, links_by_id, strict=True))
    return [
        chain(_guard_holder_at(guards.get(id_), at), _linked_at(key, found[id_], at)) for id_, at in moments
    ]


def _guards(
    store: StoreContext, key: ForeignKey, ids: Sequence[str], limiter: ReadLimiter
) -> Mapping[str, Item | None]:
    return dict(
        zip(ids, store.get([keys.one_to_one_guard(key.role, id_) for id_ in ids], limiter), strict=True)
    )


def _guard_holder_at(guard: Item | None, at: Instant) -> tuple[str, ...]:
    return (str(guard_holder(guard)),) if guard and _had_begun(guard, at) else ()


def _links_and_former(store: StoreContext, key: ForeignKey, id_: str, limiter: ReadLimiter) -> Iterator[Item]:
    """Yield the links and former links of an owner."""
    assert key.former_role is not None
    name, partition = key.former_role.role_name, keys.head(Reference(key.target, id_)).partition
    for page in store.engine.range(ITEMS, partition, links.all_bounds(name)):
        limiter.record(page)
        limiter.check()
        yield from page


def _linked_at(key: ForeignKey, found: Sequence[Item], at: Instant) -> Iterator[str]:
    assert key.former_role is not None
    name = key.former_role.role_name
    yield from links.ids((item for item in found if _had_begun(item, at)), name)
    yield from links.former_ids((item for item in found if _had_not_ended(item, at)), name)


def _had_begun(item: Item, at: Instant) -> bool:
    """Return whether a link or guard may have existed at an instant. One without a start may have."""
    start = item.attributes.get(links.START, 0)
    return isinstance(start, int) and start <= at


def _had_not_ended(item: Item, at: Instant) -> bool:
    end = item.attributes.get(links.END)
    return isinstance(end, int) and end > at


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
