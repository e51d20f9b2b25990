"""What a write that is not stored yet, or not in every index yet, makes of objects and links."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from stratabase.domain.objects.change import Creation, EffectIndex
from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.query.id_range import IdRange
from stratabase.domain.query.page import Page

LinkSource = Callable[[Sequence[str], IdRange], Sequence[Sequence[str]]]
"""Loads what a role leads to, for each of some owners, in a range."""


class PendingWrite:
    """The effects of a write, as a layer on top of what is stored."""

    def __init__(self, index: EffectIndex) -> None:
        self._index = index
        self.objects: dict[Reference, Entity | None] = {
            reference: effect.after for reference, effect in index.objects.items()
        }
        """The objects that the write makes or changes, as they are after it; None for those that it ends."""
        self._created = {each for each, effect in index.objects.items() if isinstance(effect, Creation)}

    def linked(
        self, role: RoleName, ids: Sequence[str], id_range: IdRange, load: LinkSource
    ) -> list[tuple[str, ...]]:
        """Return for each owner the ids that a role leads to; `load` is asked for what is stored."""
        stored = [id_ for id_ in ids if Reference(role.class_name, id_) not in self._created]
        found = dict(zip(stored, load(stored, self._widen(id_range)), strict=True)) if stored else {}
        return [id_range.select(self._merge(role, id_, found.get(id_, ()))) for id_ in ids]

    def now(self, entity: Entity) -> Entity:
        """Return an object as it is after the write; one that ends as it was."""
        return self.objects.get(entity.reference) or entity

    def apply(self, page: Page) -> Page:
        """Return a page that the store has found as the write leaves it. New objects are not in it."""
        kept = (each for each in page.items if self.objects.get(each.reference, each) is not None)
        return replace(page, items=tuple(kept))

    def _merge(self, role: RoleName, owner: str, found: Iterable[str]) -> list[str]:
        """Return the ids that are found as the write leaves them, without those of objects that end."""
        target = self._index.model.classes[role.class_name].roles[role.role_name].target
        leads = dict.fromkeys(found, True) | self._index.by_owner.get((role, owner), {})
        return [id_ for id_ in leads if leads[id_] and self.objects.get(Reference(target, id_), True)]

    def _widen(self, id_range: IdRange) -> IdRange:
        """Return a range of enough ids, since the write may take some away."""
        if id_range.limit is None:
            return id_range
        fewer = max(map(len, self._index.by_owner.values()), default=0)
        fewer += sum(not each for each in self.objects.values())
        return id_range._replace(limit=id_range.limit + fewer)
