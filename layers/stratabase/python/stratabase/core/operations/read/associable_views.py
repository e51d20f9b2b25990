"""The objects that an association of each object may lead to, for the fields `<role>___associables`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.objects.role_storage import RoleStorage
from stratabase.core.domain.query.fetch import Associables
from stratabase.core.domain.query.id_range import ALL_IDS
from stratabase.core.domain.query.order import position_of
from stratabase.core.domain.query.page import Page, PageFields, Paginator, Query, Window
from stratabase.core.model.model import Class, Role
from stratabase.core.operations.read.batched_reads import BatchedRead
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.read.related_views import RelatedViews, ViewGroup

_LEAST, _MOST = 100, 10_000
"""The first and the largest batch of candidates. Each batch is twice as large as the one before."""


def associable_views(
    key: str, wanted: Associables, group: ViewGroup, reader: Reader
) -> RelatedViews[Associables]:
    """Return the loader of the objects that an association may lead to."""
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
            self._page = self.reader.page(self.wanted.query)
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
        for owner in self.group.shown:
            reference = owner.entity.reference
            free = (entity for entity in self._candidates.values() if self._is_free(entity, reference))
            page = paginator.page(self.reader.within_budget(self.target.name, free))
            views = self.next.views(page.items, owner.times)
            owner.view[self.key] = self.wanted.render_page(page, views)

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
        return fields.total_count or (behind and window.start is not None)

    @property
    def _wide_query(self) -> Query:
        """The query for all candidates that may be on a page, or that must be counted."""
        query, window = self.wanted.query, self.wanted.query.window
        size = max(_LEAST, window.offset + window.size + 1)
        start = Window(size, window.backward) if self._needs_all else replace(window, size=size, offset=0)
        return replace(query, window=start, fields=PageFields())

    def _is_free(self, entity: Entity, owner: Reference | None) -> bool:
        """Return whether a candidate exists, and has no partner except possibly the owner."""
        partner = self._partners.get(entity.reference)
        taken = partner is not None and partner != owner and self.reader.find(partner) is not None
        return not taken and self.reader.is_attached(entity)

    def _find_partners(self, found: Sequence[Entity]) -> BatchedRead[Mapping[Reference, Reference]]:
        own, role = self.name.class_name, self.role
        assert role.opposite is not None
        if self.storage is RoleStorage.OPPOSITE_KEY:
            held = ((each.reference, each.state.get(role.opposite)) for each in found)
            return {reference: Reference(own, str(id_)) for reference, id_ in held if id_ is not None}
        ids = [each.reference.id for each in found]
        linked = yield from self.reader.load_links(RoleName(self.target.name, role.opposite), ids, ALL_IDS)
        pairs = zip(ids, linked, strict=True)
        return {self.reference(id_): Reference(own, others[0]) for id_, others in pairs if others}
