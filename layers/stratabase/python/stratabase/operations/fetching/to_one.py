"""From objects to the one object that a role leads to."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain

from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.objects.role_storage import RoleStorage
from stratabase.domain.query.fetch import ToOne
from stratabase.operations.fetching.stretch import EVERYTHING
from stratabase.operations.fetching.walk import Walk


class OneWalk(Walk[ToOne]):
    """Follows a key, a part, a whole, or the one link of the side of a one-to-one that holds no key."""

    def needs(self) -> list[Reference]:
        """Return what the role leads to, as far as it was not read yet."""
        return self.unread(map(self.reference, self._different))

    def arrive(self) -> None:
        """Put the view of the object there, None where there is none."""
        found = {id_: self.there(self.reference(id_)) for id_ in self._different}
        for owner in self.branch.entities:
            entity = self._leads_to(owner, found)
            view = None if entity is None else self.next.view(entity, self.branch.times[owner])
            self.branch.put(owner, self.spot, view)

    def _leads_to(self, owner: Reference, found: Mapping[str, Entity | None]) -> Entity | None:
        for id_ in self._ids.get(owner, ()):
            entity = found[id_]
            if entity is not None and self.leads_back(entity, owner.id):
                return entity
        return None

    @cached_property
    def _different(self) -> Sequence[str]:
        """All ids that it may lead to, each once: many objects may lead to one."""
        return list(dict.fromkeys(chain.from_iterable(self._ids.values())))

    @cached_property
    def _ids(self) -> Mapping[Reference, Sequence[str]]:
        """The ids that it may lead to: one; of what was once, perhaps several."""
        return self._linked() if self.way is RoleStorage.OPPOSITE_KEY else self._kept()

    def _kept(self) -> Mapping[Reference, Sequence[str]]:
        """Return the ids that the owners' states tell."""
        name = self.wanted.role.name
        found = ((owner, entity.state.get(name)) for owner, entity in self.branch.entities.items())
        return {owner: (str(id_),) for owner, id_ in found if id_ is not None}

    def _linked(self) -> Mapping[Reference, Sequence[str]]:
        owners = list(self.branch.entities)
        found = self.known.linked(self.name, [owner.id for owner in owners], EVERYTHING)
        return dict(zip(owners, found, strict=True))
