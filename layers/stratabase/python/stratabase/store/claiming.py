"""Guards for objects that were written while their class did not have a uniqueness constraint."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from stratabase.domain.objects.change import Change, Creation
from stratabase.domain.objects.commit_refusals import Conflict, UniqueViolation
from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.model.attribute import Stored
from stratabase.model.class_ import Class, Unique
from stratabase.model.model import Model
from stratabase.store import codec, keys
from stratabase.store.associations import Associations
from stratabase.store.claims import constraint_of, holder
from stratabase.store.engine.port import Batch, Check, Engine, ExpectationFailed, Failure, Item, Key
from stratabase.store.guards import Guards
from stratabase.store.heads import as_read
from stratabase.store.indexes.entries import RegistryEntry, UniqueEntry
from stratabase.store.indexes.registry import unique_of
from stratabase.store.presence import living

_ROUNDS = 3
MOST_REFUSED = 10_000
"""Objects without their guard that a build remembers, so that its memory has a limit."""
_TOGETHER = 25
"""Objects in one commit. Each is its head, its guard, and in each further round perhaps one who held that."""


class Duplicate(NamedTuple):
    """Values of a uniqueness constraint that several objects have.

    Or an object that the keys of several lead to, by a role of a one-to-one association.
    """

    unique: Unique | RoleName
    values: Mapping[str, Stored]
    ids: tuple[str, ...]


class Duplicates(NamedTuple):
    """What keeps a uniqueness constraint from being READY."""

    found: tuple[Duplicate, ...]
    more: int = 0
    """Further objects whose values another one has; they are counted, but not remembered."""


class UniqueBuilder:
    """Gives objects of a class the guards that they lack of uniqueness constraints that are built."""

    def __init__(
        self,
        engine: Engine,
        model: Model,
        class_: Class,
        uniquenesses: Sequence[UniqueEntry],
        most: int = MOST_REFUSED,
    ) -> None:
        """`most`: how many objects without a guard to remember of each constraint."""
        self._class = class_
        self._claimings = {
            one: Claiming(engine, model, class_, unique_of(class_, one), most) for one in uniquenesses
        }

    def build(self, items: Sequence[Item]) -> None:
        """Give objects, of which these are the heads as they were read, their guards."""
        entities = [codec.entity_of(item, self._class) for item in items]
        for claiming in self._claimings.values():
            claiming.claim(entities)

    def finish(self) -> Mapping[RegistryEntry, Duplicates]:
        """Try once more for all that were refused; return the duplicates of each constraint that has some."""
        found = {one: claiming.duplicates() for one, claiming in self._claimings.items()}
        return {one: duplicates for one, duplicates in found.items() if duplicates != NO_DUPLICATES}


NO_DUPLICATES = Duplicates(())


class Claiming:
    """Gives objects of a class the guards of one uniqueness constraint that they lack.

    Each under the condition that it is as it was read. Whose values another object holds gets none.
    """

    def __init__(
        self, engine: Engine, model: Model, class_: Class, unique: Unique, most: int = MOST_REFUSED
    ) -> None:
        self._engine = engine
        self._unique = unique
        self._most = most
        self._constraint = constraint_of(class_, unique)
        self._class = replace(class_, roles={})
        self._associations = Associations(replace(model, classes={class_.name: self._class}))
        self._number = 0
        """How many are among those that were refused."""
        self._more = 0
        """How many were refused beside them."""
        self._refused: dict[Key, set[str]] = {}
        """Who has values that another holds, and who holds them."""
        self._values: dict[Key, Mapping[str, Stored]] = {}

    def claim(self, entities: Sequence[Entity]) -> None:
        """Give objects, as they were read, the guards that they lack."""
        lacking = self._lacking(entities)
        for first in range(0, len(lacking), _TOGETHER):
            self._together(lacking[first : first + _TOGETHER])

    def duplicates(self) -> Duplicates:
        """Try once more for all that were refused, and return the values that several objects have still."""
        again = sorted(set().union(*self._refused.values()))
        self._refused.clear()
        self._number = 0
        for first in range(0, len(again), _TOGETHER):
            self.claim(list(self._read(again[first : first + _TOGETHER])))
        found = (
            Duplicate(self._unique, self._values[key], tuple(sorted(ids)))
            for key, ids in self._refused.items()
        )
        return Duplicates(tuple(found), self._more)

    def _read(self, ids: Sequence[str]) -> Iterator[Entity]:
        items = self._engine.get([keys.head(Reference(self._class.name, id_)) for id_ in ids])
        return (codec.entity_of(item, self._class) for item in map(living, items) if item is not None)

    def _key(self, entity: Entity) -> Key | None:
        return self._constraint.key(entity.state)

    def _lacking(self, entities: Sequence[Entity]) -> list[Entity]:
        """Return the objects that need a guard and do not hold it."""
        needed = [(key, entity) for entity in entities if (key := self._key(entity)) is not None]
        found = self._engine.get([key for key, _ in needed])
        return [
            entity
            for (_, entity), guard in zip(needed, found, strict=True)
            if holder(guard) != entity.reference.id
        ]

    def _together(self, entities: Sequence[Entity]) -> None:
        """Give all of some objects their guards at once; where that cannot be, as many as can have them."""
        if not entities:
            return
        try:
            self._commit(entities)
        except UniqueViolation as refusal:
            lost = {reference for reference, _ in refusal.violations}
            self._together([entity for entity in entities if entity.reference not in lost])
            self._one_by_one([entity for entity in entities if entity.reference in lost])
        except Conflict:
            self._one_by_one(entities)

    def _one_by_one(self, entities: Sequence[Entity]) -> None:
        for entity in entities:
            lacking = [entity]
            while lacking and not self._settled(lacking[0]):
                lacking = self._lacking(list(self._read([entity.reference.id])))

    def _settled(self, entity: Entity) -> bool:
        """Give an object its guard, or note who holds that; return False when something else came between."""
        try:
            self._commit([entity])
        except Conflict:
            return False
        except UniqueViolation:
            return self._noted(entity)
        return True

    def _noted(self, entity: Entity) -> bool:
        """Note that another object holds an object's values; return False when it does so no more."""
        key = self._key(entity)
        assert key is not None
        other = holder(self._engine.get([key])[0])
        if other is None or other == entity.reference.id:
            return False
        if self._number >= self._most:
            self._more += 1
            return True
        self._number += 1
        self._refused.setdefault(key, set()).update({entity.reference.id, other})
        self._values[key] = {name: entity.state[name] for name in self._unique.attributes}
        return True

    def _commit(self, entities: Sequence[Entity]) -> None:
        """Write the guards of objects, as if these were made now. Raises Conflict, Taken."""
        change = Change("", 0, tuple(map(Creation, entities)))
        guards = Guards(change, lambda _: (self._constraint,), self._read_one, self._associations)
        heads = tuple(Check(keys.head(entity.reference), as_read(entity)) for entity in entities)
        for _ in range(_ROUNDS):
            actions = (*heads, *guards.actions(), *guards.bystanders.values())
            failures = self._attempt(Batch(f"reindex{secrets.token_hex(12)}", actions))
            if not failures:
                return
            guards.learn(failures).refuse()
        raise Conflict

    def _read_one(self, reference: Reference) -> Entity | None:
        return next(self._read([reference.id]), None)

    def _attempt(self, batch: Batch) -> tuple[Failure, ...]:
        try:
            self._engine.commit(batch)
        except ExpectationFailed as refusal:
            return refusal.failures
        return ()
