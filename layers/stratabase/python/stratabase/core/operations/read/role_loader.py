"""A role of some objects, with what is loaded at its other end."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any

from stratabase.core.domain.objects.entity import Entity, Reference, RoleName, State
from stratabase.core.domain.objects.role_storage import RoleStorage, storage_of
from stratabase.core.model.member_names import member_key
from stratabase.core.model.model import Class, Role
from stratabase.core.operations.read.identity_map import IdentityMap

_BY_THE_KEY_OF_THE_OTHER = frozenset({RoleStorage.OPPOSITE_KEY, RoleStorage.OPPOSITE_KEYS})

_IN_STATES = frozenset({RoleStorage.OWN_KEY, RoleStorage.PARTS, RoleStorage.WHOLE})


class RoleLoader:
    """A role of a class, and the loaded objects that it leads to."""

    def __init__(self, name: RoleName, objects: IdentityMap) -> None:
        self.name = name
        self.role: Role = objects.model.classes[name.class_name].roles[name.role_name]
        self.target: Class = objects.model.classes[self.role.target]
        self.storage = storage_of(objects.model, self.role)
        self._key = self.role.opposite if self.storage in _BY_THE_KEY_OF_THE_OTHER else None
        """The key in the targets that must lead back to the owner, if the role is stored in such keys."""
        self.is_stored_in_targets = self._key is not None
        self._objects = objects
        self.depends_on_wholes = self.target.part and self.storage is not RoleStorage.PARTS
        """Whether a target exists only if its whole, which must be loaded too, lists it."""
        self.found = objects.find if self.depends_on_wholes else objects.loaded
        """Returns the target with a reference if it exists and was loaded, else None."""
        # The store checks roles that it answers itself.
        if self.storage in _IN_STATES:
            objects.check_role(name)

    def reference(self, id_: str) -> Reference:
        """Return the reference of a target with an id."""
        # Every role passes here for each object. The constructor would take twice as long.
        return tuple.__new__(Reference, (self.role.target, id_))

    def references(self, ids: Iterable[str]) -> Iterator[Reference]:
        """Return the references of targets with these ids."""
        return map(tuple.__new__, repeat(Reference), zip(repeat(self.role.target), ids))

    def all_stored_ids(self, owners: Iterable[State]) -> list[Sequence[str]]:
        """Return what `stored_ids` returns for each owner."""
        if self.role.recorded_in is not None:
            return list(map(self.stored_ids, owners))
        # Most owners have one id.
        name, stored_ids = self.role.name, self.stored_ids
        return [
            (stored,) if (stored := owner.get(name)).__class__ is str else stored_ids(owner)
            for owner in owners
        ]

    def stored_ids(self, owner: State) -> Sequence[str]:
        """Return the ids that the state of an owner has for the role: one id, a list of parts, or none."""
        recorded_in = self.role.recorded_in
        stored: Any = (
            owner.get(self.name.role_name) if recorded_in is None else member_key(owner, recorded_in)
        )
        if stored is None:
            return ()
        if isinstance(stored, list):
            return stored
        # Keep the class of a text, because a RecordedMember is more than its text.
        return (stored if isinstance(stored, str) else str(stored),)

    def unread(self, references: Iterable[Reference]) -> list[Reference]:
        """Return what to load before `found` can answer."""
        if self.depends_on_wholes:
            return self._objects.missing(references)
        return self._objects.not_loaded(references)

    def leads_back(self, entity: Entity, owner: str) -> bool:
        """Return whether the key of a target still leads to the owner.

        True if the role is not stored in keys.
        """
        return self._key is None or entity.state.get(self._key) == owner

    def targets(self, owner: str, ids: Iterable[str]) -> list[Entity]:
        """Return the existing objects with these ids that the owner still leads to."""
        there = (self.found(self.reference(id_)) for id_ in ids)
        return [each for each in there if each is not None and self.leads_back(each, owner)]
