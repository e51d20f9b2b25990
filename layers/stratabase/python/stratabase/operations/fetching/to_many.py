"""From objects to a page of the objects that a role leads to."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.objects.role_storage import RoleStorage
from stratabase.domain.query.derived import derived_attributes, simplify
from stratabase.domain.query.fetch import ToMany
from stratabase.domain.query.page import Paginator
from stratabase.operations.deriving.deriving import Deriving
from stratabase.operations.fetching.stretch import stretch_of
from stratabase.operations.fetching.walk import Walk


class ManyWalk(Walk[ToMany]):
    """Follows links, or the lists of parts, no farther than the page needs.

    What is named may be there no more: then it looks on from there, twice as far each time.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._query = simplify(self.wanted.query)
        self._stretch = stretch_of(self._query)
        self._enough = self._stretch.limit
        self._ids: dict[Reference, Sequence[str]] = {}
        self._exhausted: set[Reference] = set()
        """The owners of which there are no more ids."""
        self._names = derived_attributes(self._query, self.target)
        self._deriving: Deriving | None = None
        """Finds the derived attributes that the query is about, of all that may be on a page."""

    def needs(self) -> list[Reference]:
        """Return what the role leads to, as far as it was not read yet."""
        while short := [owner for owner in self.branch.entities if self._is_short(owner)]:
            self._look(short)
        unread = self.unread(self.reference(id_) for ids in self._ids.values() for id_ in ids)
        return unread or (self._derive().all_needs() if self._names else [])

    def arrive(self) -> None:
        """Put what is answered of the page."""
        cut = Paginator(self._query, self.target)
        if self._names:
            self._derive().compute()
        for owner in self.branch.entities:
            page = cut(self.known.in_time(self.target.name, self._derived(self._led_to(owner))))
            views = self.next.views(page.items, self.branch.times[owner])
            self.branch.put(owner, self.spot, self.wanted.render_page(page, views))

    def _is_short(self, owner: Reference) -> bool:
        """Return whether an owner's ids were not looked for yet, or too few of them lead to something."""
        if owner not in self._ids:
            return True
        if self._enough is None or owner in self._exhausted:
            return False
        is_known = not self.unread(map(self.reference, self._ids[owner]))
        return is_known and len(self._led_to(owner)) < self._enough

    def _led_to(self, owner: Reference) -> list[Entity]:
        found = (self.there(self.reference(id_)) for id_ in self._ids[owner])
        return [each for each in found if each is not None and self.leads_back(each, owner.id)]

    def _derive(self) -> Deriving:
        if self._deriving is None:
            self._deriving = self.known.deriving()
            found = chain.from_iterable(map(self._led_to, self.branch.entities))
            self._deriving.demand(self.target.name, self._names, found)
        return self._deriving

    def _derived(self, entities: list[Entity]) -> list[Entity]:
        """Return objects with the derived attributes that the query is about."""
        if not self._names:
            return entities
        return self._derive().completed(self.target.name, self._names, entities)

    def _look(self, owners: Sequence[Reference]) -> None:
        if self._ids and self._stretch.limit is not None:
            self._stretch = self._stretch._replace(limit=2 * self._stretch.limit)
        limit = self._stretch.limit
        look = self._kept if self.way is RoleStorage.PARTS else self._linked
        for owner, ids in zip(owners, look(owners), strict=True):
            self._ids[owner] = ids
            if limit is None or len(ids) < limit:
                self._exhausted.add(owner)

    def _kept(self, owners: Sequence[Reference]) -> Iterable[Sequence[str]]:
        name = self.wanted.role.name
        listed: Iterable[Any] = (self.branch.entities[owner].state.get(name) for owner in owners)
        return (self._stretch.of(ids or ()) for ids in listed)

    def _linked(self, owners: Sequence[Reference]) -> Iterable[Sequence[str]]:
        if self._stretch.limit == 0:
            return ((),) * len(owners)
        return self.known.linked(self.name, [owner.id for owner in owners], self._stretch)
