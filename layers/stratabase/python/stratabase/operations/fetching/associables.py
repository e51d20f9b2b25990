"""From objects to a page of the objects that an association of theirs may lead to."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any

from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.objects.role_storage import RoleStorage
from stratabase.domain.query.fetch import Associables
from stratabase.domain.query.order import position_of
from stratabase.domain.query.page import Page, PageFields, Paginator, Query, Window
from stratabase.model.model import Class, Role
from stratabase.operations.fetching.stretch import EVERYTHING
from stratabase.operations.fetching.walk import Walk

_LEAST, _MOST = 100, 10_000
"""How many objects are read at once, twice as many each time, where nobody knows how many are free."""


class AssociablesWalk(Walk[Associables]):
    """Shows every owner the same page of a class."""

    def needs(self) -> list[Reference]:
        """Return the wholes of what the page shows, if those are parts."""
        return self.known.unknown(self.known.wholes(self._page.items))

    def arrive(self) -> None:
        """Put the page, which all owners share."""
        items = tuple(filter(self.known.stands, self._page.items))
        views = self.next.views(items, sum(self.branch.times.values()))
        shown = self.wanted.render_page(replace(self._page, items=items), views)
        for owner in self.branch.entities:
            self.branch.put(owner, self.spot, shown)

    @cached_property
    def _page(self) -> Page:
        return self.known.page(self.wanted.query)


def is_exclusive(role: Role, target: Class) -> bool:
    """Return whether a role is one of two that lead to one another's only partner."""
    return role.opposite is not None and not role.many and not target.roles[role.opposite].many


class FreeWalk(Walk[Associables]):
    """Shows, of a one-to-one association, the objects that nothing is associated with but the owner."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._partners: dict[Reference, Reference] = {}

    def needs(self) -> list[Reference]:
        """Return nothing: what there is to choose from is read page by page, until it suffices."""
        return []

    def arrive(self) -> None:
        """Put the page of each owner."""
        cut = Paginator(self.wanted.query, self.target)
        for owner in self.branch.entities:
            free = (entity for entity in self._met.values() if self._is_free(entity, owner))
            page = cut(self.known.in_time(self.target.name, free))
            views = self.next.views(page.items, self.branch.times[owner])
            self.branch.put(owner, self.spot, self.wanted.render_page(page, views))

    @cached_property
    def _met(self) -> Mapping[Reference, Entity]:
        """Objects in the order of the page, read as long as fewer are free than it may show."""
        met: dict[Reference, Entity] = {}
        query = self._wide
        while True:
            found = self.known.page(query).items
            met |= {entity.reference: entity for entity in found}
            self._partners |= self._partners_of(found)
            self.known.settle(chain(self.known.wholes(found), self._partners.values()))
            if len(found) < query.window.size or self._suffices(met.values()):
                return met
            end = position_of(found[0 if query.window.backward else -1].state, query.order)
            size = min(2 * query.window.size, _MOST)
            query = replace(query, window=replace(query.window, size=size, start=end, inclusive=False))

    def _suffices(self, met: Iterable[Entity]) -> bool:
        window = self.wanted.query.window
        free = sum(self._is_free(entity, None) for entity in met)
        return not self._everything and free > window.offset + window.size

    @cached_property
    def _everything(self) -> bool:
        """Whether all are counted, or what lies before the start is asked for."""
        window, wanted = self.wanted.query.window, self.wanted.query.fields
        behind = wanted.has_next if window.backward else wanted.has_prev
        return wanted.total_count or (behind and window.start is not None)

    @property
    def _wide(self) -> Query:
        """The query for whatever may be on the page, or is counted."""
        query, window = self.wanted.query, self.wanted.query.window
        size = max(_LEAST, window.offset + window.size + 1)
        start = Window(size, window.backward) if self._everything else replace(window, size=size, offset=0)
        return replace(query, window=start, fields=PageFields())

    def _is_free(self, entity: Entity, owner: Reference | None) -> bool:
        """Return whether an object is there, and nobody's partner but perhaps the owner's."""
        partner = self._partners.get(entity.reference)
        taken = partner is not None and partner != owner and self.known.get(partner) is not None
        return not taken and self.known.stands(entity)

    def _partners_of(self, found: tuple[Entity, ...]) -> Mapping[Reference, Reference]:
        own, role = self.wanted.name.class_name, self.wanted.role
        assert role.opposite is not None
        if self.way is RoleStorage.OPPOSITE_KEY:
            held = ((each.reference, each.state.get(role.opposite)) for each in found)
            return {reference: Reference(own, str(id_)) for reference, id_ in held if id_ is not None}
        ids = [each.reference.id for each in found]
        back = RoleName(self.target.name, role.opposite)
        led = self.known.linked(back, ids, EVERYTHING)
        return {self.reference(id_): Reference(own, to[0]) for id_, to in zip(ids, led, strict=True) if to}
