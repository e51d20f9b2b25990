"""A layer that shows objects and links as a write leaves them, before the store or its indexes have it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from stratabase.core.domain.objects.change import Creation, EffectIndex
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.query.page import IdRange, Page

LinkSource = Callable[[Sequence[str], IdRange], Sequence[Sequence[str]]]
"""Loads, for each owner, the ids in a range that a role leads to."""


class PendingWrite:
    """The effects of a write, as a layer over the stored objects."""

    def __init__(self, index: EffectIndex) -> None:
        self._index = index
        self.objects: dict[Reference, Entity | None] = {
            reference: effect.after for reference, effect in index.objects.items()
        }
        """By object that the write creates, changes, or deletes: its state afterwards, or None."""
        self._created = {each for each, effect in index.objects.items() if isinstance(effect, Creation)}

    def linked(
        self, role: RoleName, ids: Sequence[str], id_range: IdRange, load: LinkSource
    ) -> list[tuple[str, ...]]:
        """Return, for each owner, the ids in a range that a role leads to. `load` loads the stored ones."""
        stored = [id_ for id_ in ids if Reference(role.class_name, id_) not in self._created]
        found = dict(zip(stored, load(stored, self._widen(id_range)), strict=True)) if stored else {}
        return [id_range.select(self._merge(role, id_, found.get(id_, ()))) for id_ in ids]

    def now(self, entity: Entity) -> Entity:
        """Return an object as it is after the write. A deleted object stays as it was."""
        return self.objects.get(entity.reference) or entity

    def apply(self, page: Page) -> Page:
        """Return a page of the store without objects that the write deletes. It does not get new objects."""
        kept = (each for each in page.items if self.objects.get(each.reference, each) is not None)
        return replace(page, items=tuple(kept))

    def _merge(self, role: RoleName, owner: str, found: Iterable[str]) -> list[str]:
        """Return the stored ids as the write leaves them.

        The result has the links that the write adds, and not the links and objects that it removes.
        """
        target = self._index.model.classes[role.class_name].roles[role.role_name].target
        leads = dict.fromkeys(found, True) | self._index.by_owner.get((role, owner), {})
        return [id_ for id_ in leads if leads[id_] and self.objects.get(Reference(target, id_), True)]

    def _widen(self, id_range: IdRange) -> IdRange:
        """Return a range with as many more ids as the write may remove."""
        if id_range.limit is None:
            return id_range
        fewer = max(map(len, self._index.by_owner.values()), default=0)
        fewer += sum(not each for each in self.objects.values())
        return id_range._replace(limit=id_range.limit + fewer)
