"""A role, walked from objects to those that it leads to: what they are called, and whether they are there."""

from collections.abc import Iterable

from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.objects.role_storage import RoleStorage, storage_of
from stratabase.model.model import Class, Role
from stratabase.operations.fetching.seen import Seen

_BY_THE_KEY_OF_THE_OTHER = frozenset({RoleStorage.OPPOSITE_KEY, RoleStorage.OPPOSITE_KEYS})


class Passage:
    """A role of a class, and what is known of the objects at its other end."""

    def __init__(self, name: RoleName, role: Role, seen: Seen) -> None:
        self.name = name
        self.role = role
        self.target: Class = seen.model.classes[role.target]
        self.way = storage_of(seen.model, role)
        self._key = role.opposite if self.way in _BY_THE_KEY_OF_THE_OTHER else None
        """The key of the objects at the other end that led to them."""
        self._seen = seen

    def reference(self, id_: str) -> Reference:
        """Return an object that the role leads to."""
        return Reference(self.target.name, id_)

    def unread(self, references: Iterable[Reference]) -> list[Reference]:
        """Return what is still to be read before `there` can tell."""
        if self.way is RoleStorage.PARTS:
            return [reference for reference in references if reference not in self._seen]
        return self._seen.unknown(references)

    def there(self, reference: Reference) -> Entity | None:
        """Return an object that there is. Parts to which their whole has led are there with it."""
        return self._seen[reference] if self.way is RoleStorage.PARTS else self._seen.get(reference)

    def leads_back(self, entity: Entity, owner: str) -> bool:
        """Return whether an object that links named has not moved on: the key that it holds, if it does."""
        return self._key is None or entity.state.get(self._key) == owner
