"""A role, followed from objects to those at its other end."""

from collections.abc import Iterable

from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.objects.role_storage import RoleStorage, storage_of
from stratabase.model.model import Class, Role
from stratabase.operations.read.identity_map import IdentityMap

_BY_THE_KEY_OF_THE_OTHER = frozenset({RoleStorage.OPPOSITE_KEY, RoleStorage.OPPOSITE_KEYS})


class RoleLoader:
    """What is known of the objects that a role of a class leads to."""

    def __init__(self, name: RoleName, objects: IdentityMap) -> None:
        self.name = name
        self.role: Role = objects.model.classes[name.class_name].roles[name.role_name]
        self.target: Class = objects.model.classes[self.role.target]
        self.storage = storage_of(objects.model, self.role)
        self._key = self.role.opposite if self.storage in _BY_THE_KEY_OF_THE_OTHER else None
        """The key of the objects at the other end that led to them."""
        self._objects = objects

    def reference(self, id_: str) -> Reference:
        """Return an object that the role leads to."""
        return Reference(self.target.name, id_)

    def unread(self, references: Iterable[Reference]) -> list[Reference]:
        """Return what is still to be loaded before `found` can tell."""
        if self.storage is RoleStorage.PARTS:
            return [reference for reference in references if reference not in self._objects]
        return self._objects.missing(references)

    def found(self, reference: Reference) -> Entity | None:
        """Return an object that there is. Parts to which their whole has led are there with it."""
        if self.storage is RoleStorage.PARTS:
            return self._objects[reference]
        return self._objects.find(reference)

    def leads_back(self, entity: Entity, owner: str) -> bool:
        """Return whether an object that links named has not moved on: the key that it holds, if it does."""
        return self._key is None or entity.state.get(self._key) == owner

    def targets(self, owner: str, ids: Iterable[str]) -> list[Entity]:
        """Return those of the objects with some ids that are there, and to which an owner leads."""
        there = (self.found(self.reference(id_)) for id_ in ids)
        return [each for each in there if each is not None and self.leads_back(each, owner)]
