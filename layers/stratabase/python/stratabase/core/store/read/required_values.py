"""Counts the stored objects that lack a required attribute or role of a model.

It relies on objects and links only, not on counts and guards. So it is correct for a model that is not served
yet. It reads each relevant class once, from its listing, and writes nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple

from stratabase.core.domain.objects.entity import (
    SINGLETON_ID,
    Entity,
    RoleName,
    RoleStorage,
    State,
    part_ids,
    storage_of,
)
from stratabase.core.model.model import Class, ClassKind, Model, Role
from stratabase.core.model.stored_names import StoredNames
from stratabase.core.store.engine.parallel import ParallelMap
from stratabase.core.store.engine.port import Engine, Item
from stratabase.core.store.indexes.listing import listed_objects
from stratabase.core.store.layout import codec, keys, links

_BATCH_SIZE = 100
"""The number of objects whose links are read in parallel."""


class MissingValues(NamedTuple):
    """The number of objects of a class that lack one required attribute or role."""

    class_name: str
    name: str
    """The attribute or role."""
    missing: int
    """The number of objects that lack it."""
    total: int
    """The number of all objects of the class."""


class RequiredValues:
    """A report on the objects in a store that lack required attributes or roles of a model."""

    def __init__(
        self,
        engine: Engine,
        model: Model,
        parallel_map: ParallelMap,
        report: Callable[[int], object] = lambda _: None,
    ) -> None:
        """`model`: with the names that the report has.

        `parallel_map`: runs reads of several ranges, possibly in parallel. `report`: called with the number
        of objects that were read since the last call.
        """
        self._report = report
        self._engine = engine
        self._names = StoredNames(model)
        self._model = self._names.stored_model
        self._parallel_map = parallel_map
        self._ids = cache(self._read_ids)
        self._led_to = cache(self._read_led_to)

    def missing_values(self) -> Iterator[MissingValues]:
        """Yield the required attributes and roles that some objects lack, class by class."""
        for class_ in self._model.classes.values():
            names = self._names.by_stored_name[class_.name]
            for found in self._of_class(class_) if class_.is_stored else ():
                yield found._replace(class_name=names.name, name=names.from_stored[found.name])

    def _of_class(self, class_: Class) -> Iterator[MissingValues]:
        attributes = class_.required_attributes
        roles = [role for role in class_.roles.values() if role.required and not role.whole]
        if not attributes and not roles:
            return
        missing = dict.fromkeys((*attributes, *(role.name for role in roles)), 0)
        total = 0
        for entities in self._batches(class_.name):
            total += len(entities)
            self._report(len(entities))
            for name, number in self._missing(class_, attributes, roles, entities).items():
                missing[name] += number
        yield from (
            MissingValues(class_.name, name, number, total) for name, number in missing.items() if number
        )

    def _missing(
        self, class_: Class, attributes: Sequence[str], roles: list[Role], entities: list[Entity]
    ) -> Mapping[str, int]:
        """Return for each attribute and role the number of objects that lack it."""
        found = dict.fromkeys(attributes, 0)
        for entity in entities if attributes else ():
            for name in attributes:
                found[name] += entity.state.get(name) is None
        for role in roles:
            found[role.name] = self._leads(class_, role, entities).count(False)
        return found

    def _leads(self, class_: Class, role: Role, entities: list[Entity]) -> list[bool]:
        """Return for each object whether a role refers to an existing object."""
        match storage_of(self._model, role):
            case RoleStorage.OWN_KEY:
                there = self._ids(role.target)
                return [entity.state.get(role.name) in there for entity in entities]
            case RoleStorage.PARTS:
                return [bool(part_ids(entity.state.get(role.name))) for entity in entities]
            case RoleStorage.LINKS:
                name = RoleName(class_.name, role.name)
                ids = [entity.reference.id for entity in entities]
                return self._parallel_map(lambda id_: bool(links.read_ids(self._engine, name, id_, 1)), ids)
            case _:  # the opposite holds the foreign key
                led_to = self._led_to(RoleName(role.target, str(role.opposite)))
                return [entity.reference.id in led_to for entity in entities]

    def _read_ids(self, class_name: str) -> frozenset[str]:
        """Return the ids of all objects of a class."""
        is_one = self._model.classes[class_name].kind is ClassKind.SINGLETON
        ids = (keys.id_of(item.key) for item in self._items(class_name))
        return frozenset({SINGLETON_ID} if is_one else ids)

    def _read_led_to(self, role: RoleName) -> frozenset[str]:
        """Return the ids that the foreign keys of a role refer to."""
        states: Iterator[State] = (entity.state for entity in self._entities(role.class_name))
        return frozenset(id_ for state in states if isinstance(id_ := state.get(role.role_name), str))

    def _batches(self, class_name: str) -> Iterator[list[Entity]]:
        batch: list[Entity] = []
        for entity in self._entities(class_name):
            batch.append(entity)
            if len(batch) == _BATCH_SIZE:
                yield batch
                batch = []
        yield batch

    def _entities(self, class_name: str) -> Iterator[Entity]:
        class_ = self._model.classes[class_name]
        return (codec.entity_of(item, class_, version_start=False) for item in self._items(class_name))

    def _items(self, class_name: str) -> Iterator[Item]:
        return chain.from_iterable(listed_objects(self._engine, class_name))
