"""From objects to the one object that a role leads to."""

from collections.abc import Mapping, Sequence
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
        return self.unread(self.reference(id_) for ids in self._ids.values() for id_ in ids)

    def arrive(self) -> None:
        """Put the view of the object there, None where there is none."""
        for reference in self.branch.entities:
            entity = self._leads_to(reference)
            view = None if entity is None else self.next.view(entity, self.branch.times[reference])
            self.branch.put(reference, self.spot, view)

    def _leads_to(self, owner: Reference) -> Entity | None:
        found = (self.there(self.reference(id_)) for id_ in self._ids.get(owner, ()))
        return next((each for each in found if each is not None and self.leads_back(each, owner.id)), None)

    @cached_property
    def _ids(self) -> Mapping[Reference, Sequence[str]]:
        """The ids that it may lead to: one; of what was once, perhaps several."""
        return self._linked() if self.way is Way.FACED else self._kept()

    def _kept(self) -> Mapping[Reference, Sequence[str]]:
        """Return the ids that the owners' states tell."""
        name = self.wanted.role.name
        found = ((owner, entity.state.get(name)) for owner, entity in self.branch.entities.items())
        return {owner: (str(id_),) for owner, id_ in found if id_ is not None}

    def _linked(self) -> Mapping[Reference, Sequence[str]]:
        owners = list(self.branch.entities)
        found = self.known.linked(self.name, [owner.id for owner in owners], EVERYTHING)
        return dict(zip(owners, found, strict=True))
