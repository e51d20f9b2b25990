"""What the planner knows about the classes of a model: by which items the store finds their objects."""

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from stratabase.core.domain.objects.entity import RoleName, RoleStorage, opposite_name, storage_of
from stratabase.core.model.model import Class, Model, Role, Unique
from stratabase.core.store.indexes.entries import BuildState
from stratabase.core.store.indexes.registry import Registry
from stratabase.core.store.indexes.registry_cache import WriteSchema
from stratabase.core.store.layout.access_path import AccessPath
from stratabase.core.store.layout.associations import Associations
from stratabase.values.frozen import frozen


class Found(Enum):
    """Where the ids of the objects are that a role leads from, if the objects that it leads to are known."""

    STATE = "in the state of the target: a key, or the ids of parts"
    GUARD = "in the guard of the target"
    LINKS = "in the links of the target"


class WayBack(NamedTuple):
    """How the store finds the objects from which a role leads to given targets."""

    found: Found
    name: RoleName
    """The role that leads back, with whose name the state, the guard or the links of a target are read.

    If the model has no such role, the name of the links is made up. The name of a guard is that of the key.
    """


@frozen
class QuerySchema:
    """The indexes, uniqueness constraints and roles of all classes, as far as the store has built them."""

    model: Model
    associations: Associations
    built: WriteSchema

    def paths(self, class_: Class) -> tuple[AccessPath, ...]:
        """Return the indexes from which pages of a class can be read."""
        return tuple(path for path in self.built.paths(class_.name) if path.is_usable_for(class_))

    def is_guarded(self, class_: Class, unique: Unique) -> bool:
        """Return whether every object of a class has its guard of a uniqueness constraint."""
        return self.built.registry.is_guarded(class_, unique)

    def target(self, role: RoleName) -> Class | None:
        """Return the class that a role leads to, None if its objects are not in this store."""
        class_ = self.model.classes.get(self.role(role).target)
        return class_ if class_ is not None and class_.is_stored else None

    def role(self, name: RoleName) -> Role:
        """Return a role of the model."""
        return self.model.classes[name.class_name].roles[name.role_name]

    def way_back(self, name: RoleName) -> WayBack | None:
        """Return how the objects are found from which a role leads to a target.

        None if the store keeps nothing at the targets, or has not built it for all objects.
        """
        role = self.role(name)
        back = opposite_name(role)
        unusable = self.built.unbuilt_roles | self.built.changed_roles
        if name in unusable or back in unusable or name not in self.associations.by_name:
            return None
        storage = storage_of(self.model, role)
        if storage in _IN_STATE:
            return None if back is None else WayBack(Found.STATE, back)
        if storage is RoleStorage.LINKS:
            far = self.associations.by_role[name].far
            return WayBack(Found.LINKS, far.role) if far.has_links else None
        key = self.associations.foreign_key(name)
        if key.exclusive:
            return WayBack(Found.GUARD, key.role)
        return None if key.link_role is None else WayBack(Found.LINKS, key.link_role)


_IN_STATE: Mapping[RoleStorage, None] = dict.fromkeys(
    (RoleStorage.OPPOSITE_KEY, RoleStorage.OPPOSITE_KEYS, RoleStorage.PARTS, RoleStorage.WHOLE)
)
"""The ways of storing a role by which the state of a target has the ids that the role leads from."""


def built_schema(model: Model) -> QuerySchema:
    """Return what the planner knows of a store in which everything is built, as after a reindex."""
    registry = Registry()
    for class_ in model.classes.values():
        registry = registry.with_class(class_, BuildState.READY, now=0)
    associations = Associations(model)
    return QuerySchema(model, associations, WriteSchema(registry, model, lambda: 0, associations))
