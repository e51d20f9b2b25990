"""From objects to the one object that a role leads to."""

from collections.abc import Mapping
from functools import cached_property

from stratabase.domain.entity import Entity, Reference
from stratabase.domain.fetch import ToOne
from stratabase.domain.way import Way
from stratabase.operations.fetching.stretch import EVERYTHING
from stratabase.operations.fetching.walk import Walk


class OneWalk(Walk[ToOne]):
    """Follows a key, a part, a whole, or the one link of the side of a one-to-one that holds no key."""

    def needs(self) -> list[Reference]:
        """Return what the role leads to, as far as it was not read yet."""
        return self.unread(map(self.reference, self._ids.values()))

    def arrive(self) -> None:
        """Put the view of the object there, None where there is none."""
        for reference in self.branch.entities:
            entity = self._leads_to(reference)
            view = None if entity is None else self.next.view(entity, self.branch.times[reference])
            self.branch.put(reference, self.spot, view)

    def _leads_to(self, owner: Reference) -> Entity | None:
        id_ = self._ids.get(owner)
        entity = None if id_ is None else self.there(self.reference(id_))
        return entity if entity is not None and self.leads_back(entity, owner.id) else None

    @cached_property
    def _ids(self) -> Mapping[Reference, str]:
        return self._linked() if self.way is Way.FACED else self._kept()

    def _kept(self) -> Mapping[Reference, str]:
        """Return the ids that the owners' states tell."""
        name = self.wanted.role.name
        found = ((owner, entity.state.get(name)) for owner, entity in self.branch.entities.items())
        return {owner: str(id_) for owner, id_ in found if id_ is not None}

    def _linked(self) -> Mapping[Reference, str]:
        owners = list(self.branch.entities)
        found = self.known.linked(self.name, [owner.id for owner in owners], EVERYTHING)
        return {owner: ids[0] for owner, ids in zip(owners, found, strict=True) if ids}
