"""Random objects of any small model. They are few, so that many are related, and some are deleted."""

from random import Random
from typing import Any

from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.model.model import Class, Model, Role
from tests.core.operations.read.derived.random_models import values
from tests.fakes import DictEntities
from tests.role_rules import is_linked

IDS = ["a", "b", "c", "d"]
"""The ids in each class that is not a part. Those without an object are the targets of broken references."""


def objects_of(chance: Random, model: Model) -> DictEntities:
    """Draw the objects of a model. Both ends of each association agree."""
    objects = _Objects(chance, model)
    for class_ in model.classes.values():
        for id_ in chance.sample(IDS, chance.randint(0, 4)) if not class_.part else ():
            objects.put(class_, id_, {})
    for class_ in model.classes.values():
        for role in class_.roles.values():
            objects.link(RoleName(class_.name, role.name), role)
    objects.forget(chance.choice([0, 0, 1, 2]))
    return objects.entities


class _Objects:
    """Objects under construction."""

    def __init__(self, chance: Random, model: Model) -> None:
        self.entities = DictEntities(model)
        self._chance = chance
        self._model = model

    def put(self, class_: Class, id_: str, state: dict[str, Any]) -> None:
        """Add an object and its parts."""
        state |= {"_id": id_, **values(self._chance)}
        for role in class_.roles.values():
            kept: Any = self._key(class_, role) if role.holds_key else None
            if role.composition:
                parts = self._parts(id_, role)
                kept = parts if role.many else next(iter(parts), None)
            if kept:
                state[role.name] = kept
        reference = Reference(class_.name, id_)
        self.entities.objects[reference] = Entity(reference, state)

    def link(self, name: RoleName, role: Role) -> None:
        """Add random links for a role without a key."""
        opposite = self._opposite(role)
        if is_linked(role) and (opposite is None or opposite.many):
            named = self._named(role.target)
            for owner in self._ids(name.class_name):
                others = self._chance.sample(named, min(len(named), self._chance.randint(0, 2)))
                for other in others:
                    self.entities.graph.link(self._model, name, owner, other)

    def forget(self, number: int) -> None:
        """Remove some objects and their parts. Links to them become broken."""
        for _ in range(number):
            if self.entities.objects:
                del self.entities.objects[self._chance.choice([*self.entities.objects])]

    def _ids(self, class_name: str) -> list[str]:
        return [reference.id for reference in self.entities.objects if reference.class_name == class_name]

    def _named(self, class_name: str) -> list[str]:
        """Return the ids of a class, whether or not the objects exist."""
        return self._ids(class_name) if self._model.classes[class_name].part else IDS

    def _opposite(self, role: Role) -> Role | None:
        return self._model.classes[role.target].roles[role.opposite] if role.opposite else None

    def _key(self, class_: Class, role: Role) -> str | None:
        key = self._chance.choice([None, *self._named(role.target)])
        opposite = self._opposite(role)
        if opposite is None or opposite.many:
            return key
        owners = (each for ref, each in self.entities.objects.items() if ref.class_name == class_.name)
        return None if key in {each.state.get(role.name) for each in owners} else key

    def _parts(self, id_: str, role: Role) -> list[str]:
        assert role.opposite
        ids = [f"{id_}.{number}" for number in range(self._chance.randint(0, 2 if role.many else 1))]
        for part in ids:
            self.put(self._model.classes[role.target], part, {role.opposite: id_})
        return ids
