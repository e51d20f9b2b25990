"""Read the views of objects: all that is selected of them, level by level, in few batches per level."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from types import NoneType
from typing import Any

from stratabase.core.domain.access.visibility import key_despite_grants
from stratabase.core.domain.objects.entity import (
    Entity,
    Reference,
    RoleName,
    RoleStorage,
    State,
    UnmadeEntities,
)
from stratabase.core.domain.objects.version import revision_of
from stratabase.core.domain.query.fetch import LOCK, Associables, Fetch, RoleFetch, ToMany, ToOne, View
from stratabase.core.domain.query.order import position_of
from stratabase.core.domain.query.page import Page, PageFields, Paginator, Query, Window
from stratabase.core.model.api_names import REVISION
from stratabase.core.model.model import Class, Role
from stratabase.core.operations.read.as_of import refuse_page_of_past
from stratabase.core.operations.read.batched_reads import BatchedRead, run
from stratabase.core.operations.read.derived_values import DerivedValues
from stratabase.core.operations.read.identity_map import RoleLoader
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.read.related_views import (
    RelatedViews,
    ShownObject,
    ToManyViews,
    ToOneViews,
    ViewGroup,
)
from stratabase.core.operations.read.totals import page_with_totals

_LEAST, _MOST = 100, 10_000
"""The first and the largest batch of candidates. Each batch is twice as large as the one before."""


def associable_views(
    key: str, wanted: Associables, group: ViewGroup, reader: Reader
) -> RelatedViews[Associables]:
    """Return the loader of the objects that an association may lead to. Raises Refused for the past."""
    if reader.as_of is not None:
        refuse_page_of_past(wanted.role.target)
    is_exclusive = _is_exclusive(wanted.role, reader.model.classes[wanted.role.target])
    return (_FreePartnerViews if is_exclusive else _SharedPageViews)(key, wanted, group, reader)


def _is_exclusive(role: Role, target: Class) -> bool:
    """Return whether a role is a side of a one-to-one association."""
    return role.opposite is not None and not role.many and not target.roles[role.opposite].many


class _SharedPageViews(RelatedViews[Associables]):
    """Shows the same page of the target class to all owners: they may share partners."""

    _page: Page | None = None

    def needs(self) -> BatchedRead[Sequence[Reference]]:
        """Read the page, and return the wholes of its objects if they are parts."""
        if self._page is None:
            query, fetch = self.wanted.query, self.wanted.fetch
            self._page = (
                page_with_totals(self.reader, query, fetch) if fetch.totals else self.reader.page(query)
            )
        yield from ()  # no load here: the wholes are loaded together with what the other roles need
        return self.reader.missing(self.reader.owners(self._page.items))

    def finish(self) -> None:
        """Put the page into the view of each owner."""
        assert self._page is not None
        items = tuple(filter(self.reader.is_attached, self._page.items))
        views = self.next.views(items, sum(owner.times for owner in self.group.shown))
        answer = self.wanted.render_page(replace(self._page, items=items), views)
        for owner in self.group.shown:
            owner.view[self.key] = answer


class _FreePartnerViews(RelatedViews[Associables]):
    """Shows the objects that a one-to-one association can lead to: those without partner, and the owner's."""

    def __init__(self, key: str, wanted: Associables, group: ViewGroup, reader: Reader) -> None:
        super().__init__(key, wanted, group, reader)
        self._candidates: dict[Reference, Entity] = {}
        """The objects of the class, in the order of the query, as far as they were read."""
        self._partners: dict[Reference, Reference] = {}
        """By candidate: its partner."""
        self._is_read = False

    def needs(self) -> BatchedRead[Sequence[Reference]]:
        """Read candidates until there are enough free ones. Nothing remains to be loaded."""
        if not self._is_read:
            yield from self._read_candidates()
            self._is_read = True
        return ()

    def finish(self) -> None:
        """Put the page of its free candidates into the view of each owner."""
        paginator = Paginator(self.wanted.query, self.target, partial(self.reader.compare, self.target.name))
        self.show_pages([paginator.page(self._free_for(owner)) for owner in self.group.shown])

    def _free_for(self, owner: ShownObject) -> Iterator[Entity]:
        reference = owner.entity.reference
        free = (entity for entity in self._candidates.values() if self._is_free(entity, reference))
        return self.reader.within_budget(self.target.name, free)

    def _read_candidates(self) -> BatchedRead[None]:
        query = self._wide_query
        while True:
            found = self.reader.page(query).items
            self._candidates |= {entity.reference: entity for entity in found}
            self._partners |= yield from self._find_partners(found)
            yield from self.reader.load_with_wholes(chain(self.reader.owners(found), self._partners.values()))
            # Either the class has no more objects, or enough of those that were read are free.
            if len(found) < query.window.size or self._suffices(self._candidates.values()):
                return
            # Otherwise, go on after the last one, with a batch of twice the size.
            end = position_of(found[0 if query.window.backward else -1].state, query.order)
            size = min(2 * query.window.size, _MOST)
            query = replace(query, window=replace(query.window, size=size, start=end, inclusive=False))

    def _suffices(self, candidates: Iterable[Entity]) -> bool:
        window = self.wanted.query.window
        free = sum(self._is_free(entity, None) for entity in candidates)
        return not self._needs_all and free > window.offset + window.size

    @property
    def _needs_all(self) -> bool:
        """Whether all candidates must be read: to count them, or to know what precedes the start."""
        window, fields = self.wanted.query.window, self.wanted.query.fields
        behind = fields.has_next if window.backward else fields.has_prev
        needs_matches = fields.total_count or fields.totals is not None
        return needs_matches or (behind and window.start is not None)

    @property
    def _wide_query(self) -> Query:
        """The query for all candidates that may be on a page, or that must be counted."""
        query, window = self.wanted.query, self.wanted.query.window
        size = max(_LEAST, window.offset + window.size + 1)
        start = Window(size, window.backward) if self._needs_all else replace(window, size=size, offset=0)
        fields = PageFields(revision=query.fields.revision, totals=query.fields.totals)
        return replace(query, window=start, fields=fields)

    def _is_free(self, entity: Entity, owner: Reference | None) -> bool:
        """Return whether a candidate exists, and has no partner except possibly the owner."""
        partner = self._partners.get(entity.reference)
        taken = partner is not None and partner != owner and self.reader.find(partner) is not None
        return not taken and self.reader.is_attached(entity)

    def _find_partners(self, found: Sequence[Entity]) -> BatchedRead[Mapping[Reference, Reference]]:
        """Return the partners of objects that the caller may know by the role or by its opposite."""
        opposite = RoleName(self.target.name, str(self.role.opposite))
        if self.storage is RoleStorage.OPPOSITE_KEY:
            held = {each.reference.id: key_despite_grants(each, opposite.role_name) for each in found}
        else:
            ids = [each.reference.id for each in found]
            linked = yield from self.reader.links_despite_grants(opposite, ids)
            held = {id_: next(iter(others), None) for id_, others in zip(ids, linked, strict=True)}
        partners = {id_: str(other) for id_, other in held.items() if other is not None}
        by_role = {*(yield from self.reader.showing(self.name, [*partners.values()]))}
        by_opposite = {*(yield from self.reader.showing(opposite, [*partners]))}
        return {
            self.reference(id_): Reference(self.name.class_name, other)
            for id_, other in partners.items()
            if other in by_role or id_ in by_opposite
        }


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
    if type(entities) is UnmadeEntities and reader.shows_stored_states(entities.class_name):
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
    if fetch.derived or fetch.revision or fetch.render_lock is not None:
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
        _show_revisions(level)
        yield from self._show_locks(level)
        # 1. Load the selected roles, one level after the other.
        while related := self._related(level):
            yield from self._load(related)
            level = [each.next for each in related]
            _show_revisions(level)
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


def _show_revisions(level: Sequence[ViewGroup]) -> None:
    """Put revisions into the views. They are those of the states that the views show."""
    for group in level:
        for shown in group.shown if group.fetch.revision else ():
            entity = shown.entity
            shown.view[REVISION] = None if entity.end is not None else revision_of(entity.start)


def _references(groups: Sequence[ViewGroup]) -> Iterator[Reference]:
    return (entity.reference for group in groups for entity in group.entities)
