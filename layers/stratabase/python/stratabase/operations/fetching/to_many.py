"""From objects to a page of the objects that a role leads to."""

from collections.abc import Iterable, Sequence
from typing import Any

from stratabase.domain.cut import Cut
from stratabase.domain.entity import Entity, Reference
from stratabase.domain.fetch import ToMany
from stratabase.domain.way import Way
from stratabase.operations.fetching.stretch import stretch_of
from stratabase.operations.fetching.walk import Walk


class ManyWalk(Walk[ToMany]):
    """Follows links, or the lists of parts, no farther than the page needs.

    What is named may be there no more: then it looks on from there, twice as far each time.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._stretch = stretch_of(self.wanted.query)
        self._enough = self._stretch.limit
        self._ids: dict[Reference, Sequence[str]] = {}
        self._exhausted: set[Reference] = set()
        """The owners of which there are no more ids."""

    def needs(self) -> list[Reference]:
        """Return what the role leads to, as far as it was not read yet."""
        while short := [owner for owner in self.branch.entities if self._is_short(owner)]:
            self._look(short)
        return self.unread(self.reference(id_) for ids in self._ids.values() for id_ in ids)

    def arrive(self) -> None:
        """Put what is answered of the page."""
        cut = Cut(self.wanted.query, self.target)
        for owner in self.branch.entities:
            page = cut(self._led_to(owner))
            views = self.next.views(page.items, self.branch.times[owner])
            self.branch.put(owner, self.spot, self.wanted.shown(page, views))

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

    def _look(self, owners: Sequence[Reference]) -> None:
        if self._ids and self._stretch.limit is not None:
            self._stretch = self._stretch._replace(limit=2 * self._stretch.limit)
        limit = self._stretch.limit
        look = self._kept if self.way is Way.PARTS else self._linked
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
        return self.known.source.linked(
            self.wanted.name,
            [owner.id for owner in owners],
            allowance=self.known.allowance,
            **self._stretch._asdict(),
        )
