"""A role, followed from objects to everything that it leads to."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.objects.role_storage import RoleStorage
from stratabase.operations.fetching.passage import Passage
from stratabase.operations.fetching.seen import Seen
from stratabase.operations.fetching.stretch import EVERYTHING

_BY_LINKS = frozenset({RoleStorage.OPPOSITE_KEY, RoleStorage.OPPOSITE_KEYS, RoleStorage.LINKS})


class Pursuit(Passage):
    """Finds what a role leads to from some objects, which are told apart by a number of each."""

    def __init__(self, name: RoleName, owners: Mapping[int, Entity], seen: Seen) -> None:
        super().__init__(name, seen.model.classes[name.class_name].roles[name.role_name], seen)
        self._owners = owners

    def needs(self) -> list[Reference]:
        """Return the objects that are still to be read; asked again once they are, until there are none."""
        return self.unread(self.reference(id_) for ids in self._ids for id_ in ids)

    def found(self) -> Mapping[int, tuple[Entity, ...]]:
        """Return what there is, for each owner."""
        pairs = zip(self._owners.items(), self._ids, strict=True)
        return {number: tuple(self._led_to(owner, ids)) for (number, owner), ids in pairs}

    def _led_to(self, owner: Entity, ids: Sequence[str]) -> Iterable[Entity]:
        found = (self.there(self.reference(id_)) for id_ in ids)
        return (each for each in found if each is not None and self.leads_back(each, owner.reference.id))

    @cached_property
    def _ids(self) -> Sequence[Sequence[str]]:
        owners = self._owners.values()
        if self.way in _BY_LINKS:
            return self._seen.linked(self.name, [owner.reference.id for owner in owners], EVERYTHING)
        return [_listed(owner.state.get(self.role.name)) for owner in owners]


def _listed(kept: Any) -> Sequence[str]:
    """Return the ids that a state keeps under a role's name."""
    if kept is None:
        return ()
    return kept if isinstance(kept, list) else (str(kept),)
