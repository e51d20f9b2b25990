"""The backfill of uniqueness constraints: writes guards for objects that are older than the constraint.

Each guard is written on the condition that its object is as it was read. If another object holds the guard,
the object gets none and is reported as a duplicate.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import NamedTuple

from stratabase.core.domain.objects.change import Change, Creation
from stratabase.core.domain.objects.commit_refusals import Conflict, UniqueViolation
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.model.model import Class, Model, Unique
from stratabase.core.model.types.base import Stored
from stratabase.core.store.engine.actions import new_commit_id, try_commit
from stratabase.core.store.engine.port import Batch, Check, Engine, Item, Key
from stratabase.core.store.indexes.entries import RegistryEntry, UniqueEntry
from stratabase.core.store.indexes.registry import unique_of
from stratabase.core.store.layout import codec, keys
from stratabase.core.store.layout.associations import Associations
from stratabase.core.store.layout.object_items import (
    UniqueConstraint,
    expect_unchanged,
    guard_holder,
    live_head,
)
from stratabase.core.store.write.guard_writes import GuardWrites

_MAX_ATTEMPTS = 3
MAX_REFUSED = 10_000
"""The maximum number of objects without a guard that a build remembers for each constraint."""
_BATCH = 25
"""The number of objects in one commit. Each takes up to three actions: its head, guard and former holder."""


class Duplicate(NamedTuple):
    """Objects that have the same unique values, or that a role of the model has no room for."""

    unique: Unique | RoleName
    values: Mapping[str, Stored]
    """By attribute; for a role, the id of the target by the role's name.

    If the target leaves no room for others, the values also have the `_id` of the object with the role.
    """
    ids: tuple[str, ...]


class Duplicates(NamedTuple):
    """The reasons why a constraint cannot become READY."""

    found: tuple[Duplicate, ...]
    more: int = 0
    """The number of further objects with duplicates, which are not listed."""


class UniqueBackfill:
    """The backfill of all uniqueness constraints of a class that are not READY."""

    def __init__(
        self,
        engine: Engine,
        model: Model,
        class_: Class,
        uniquenesses: Sequence[UniqueEntry],
        max_refused: int = MAX_REFUSED,
    ) -> None:
        """`max_refused`: the maximum number of objects without a guard to remember for each constraint."""
        self._class = class_
        self._backfills = {
            one: GuardBackfill(
                engine,
                model,
                class_,
                # The entry can have more values of an enum than the model of this process.
                UniqueConstraint(class_.name, unique_of(class_, one), one.columns),
                max_refused,
            )
            for one in uniquenesses
        }

    def build(self, items: Sequence[Item]) -> None:
        """Write the guards of objects. `items`: the heads of the objects, as they were read."""
        entities = [codec.entity_of(item, self._class) for item in items]
        for backfill in self._backfills.values():
            backfill.claim(entities)

    def refused_ids(self) -> Collection[str]:
        """Return the ids of the objects without a guard, at most `max_refused`, and of those that hold it."""
        return {id_ for backfill in self._backfills.values() for id_ in backfill.refused_ids()}

    def finish(self) -> Mapping[RegistryEntry, Duplicates]:
        """Try all refused objects again; return the duplicates by constraint."""
        found = {one: backfill.duplicates() for one, backfill in self._backfills.items()}
        return {one: duplicates for one, duplicates in found.items() if duplicates != NO_DUPLICATES}


NO_DUPLICATES = Duplicates(())


class GuardBackfill:
    """The backfill of the guards of one constraint."""

    def __init__(
        self,
        engine: Engine,
        model: Model,
        class_: Class,
        constraint: UniqueConstraint,
        max_refused: int = MAX_REFUSED,
    ) -> None:
        self._engine = engine
        self._unique = constraint.unique
        self._max_refused = max_refused
        self._constraint = constraint
        # Without roles, so that `GuardWrites` only handles the guards of this constraint.
        self._class = replace(class_, roles={})
        self._associations = Associations(replace(model, classes={class_.name: self._class}))
        self._lock = Lock()
        """Held to change the attributes below."""
        self._number = 0
        """The number of refused objects in `_refused`."""
        self._more = 0
        """The number of further refused objects."""
        self._refused: dict[Key, set[str]] = {}
        """By the key of a guard: the ids of the objects that need it."""
        self._values: dict[Key, Mapping[str, Stored]] = {}
        """By the key of a guard: the unique values."""

    def claim(self, entities: Sequence[Entity]) -> None:
        """Write the guards that objects lack. `entities`: the objects, as they were read."""
        lacking = self._lacking(entities)
        for first in range(0, len(lacking), _BATCH):
            self._claim_together(lacking[first : first + _BATCH])

    def refused_ids(self) -> Collection[str]:
        """Return the ids of the objects without a guard, and of those that hold it."""
        with self._lock:
            return set().union(*self._refused.values())

    def duplicates(self) -> Duplicates:
        """Try all refused objects again; return the values that several objects still have."""
        again = sorted(set().union(*self._refused.values()))
        self._refused.clear()
        self._number = 0
        for first in range(0, len(again), _BATCH):
            self.claim(list(self._read(again[first : first + _BATCH])))
        found = (
            Duplicate(self._unique, self._values[key], tuple(sorted(ids)))
            for key, ids in self._refused.items()
        )
        return Duplicates(tuple(found), self._more)

    def _read(self, ids: Sequence[str]) -> Iterator[Entity]:
        items = self._engine.get([keys.head(Reference(self._class.name, id_)) for id_ in ids])
        return (codec.entity_of(item, self._class) for item in map(live_head, items) if item is not None)

    def _key(self, entity: Entity) -> Key | None:
        return self._constraint.guard_key(entity.state)

    def _lacking(self, entities: Sequence[Entity]) -> list[Entity]:
        """Return the objects that need a guard and do not hold it."""
        needed = [(key, entity) for entity in entities if (key := self._key(entity)) is not None]
        found = self._engine.get([key for key, _ in needed])
        return [
            entity
            for (_, entity), guard in zip(needed, found, strict=True)
            if guard_holder(guard) != entity.reference.id
        ]

    def _claim_together(self, entities: Sequence[Entity]) -> None:
        """Write the guards of objects in one commit. If it is refused, write as many as possible."""
        if not entities:
            return
        try:
            self._commit(entities)
        except UniqueViolation as refusal:
            lost = {reference for reference, _ in refusal.violations}
            self._claim_together([entity for entity in entities if entity.reference not in lost])
            self._claim_each([entity for entity in entities if entity.reference in lost])
        except Conflict:
            self._claim_each(entities)

    def _claim_each(self, entities: Sequence[Entity]) -> None:
        for entity in entities:
            lacking = [entity]
            while lacking and not self._claim_one(lacking[0]):
                lacking = self._lacking(list(self._read([entity.reference.id])))

    def _claim_one(self, entity: Entity) -> bool:
        """Write the guard of an object, or record a duplicate; return False if it was changed meanwhile."""
        try:
            self._commit([entity])
        except Conflict:
            return False
        except UniqueViolation:
            return self._note_duplicate(entity)
        return True

    def _note_duplicate(self, entity: Entity) -> bool:
        """Record a duplicate with the object that holds the guard; return False if none holds it any more."""
        key = self._key(entity)
        assert key is not None
        other = guard_holder(self._engine.get([key])[0])
        if other is None or other == entity.reference.id:
            return False
        with self._lock:
            if self._number >= self._max_refused:
                self._more += 1
                return True
            self._number += 1
            self._refused.setdefault(key, set()).update({entity.reference.id, other})
            self._values[key] = {name: entity.state[name] for name in self._unique.attributes}
        return True

    def _commit(self, entities: Sequence[Entity]) -> None:
        """Write the guards of objects as if the objects were new. Raises Conflict, UniqueViolation."""
        change = Change("", 0, tuple(map(Creation, entities)))
        guards = GuardWrites(change, lambda _: (self._constraint,), self._read_one, self._associations)
        heads = tuple(Check(keys.head(entity.reference), expect_unchanged(entity)) for entity in entities)
        for _ in range(_MAX_ATTEMPTS):
            actions = (*heads, *guards.actions(), *guards.other_heads.values())
            failures = try_commit(self._engine, Batch(new_commit_id("reindex"), actions))
            if not failures:
                return
            guards.learn(failures).raise_refusal()
        raise Conflict

    def _read_one(self, reference: Reference) -> Entity | None:
        return next(self._read([reference.id]), None)
