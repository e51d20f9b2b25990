"""This process's cached registry, and what writes must maintain because of it.

Processes with different models can share a store. Writes maintain index entries for all slots of the
registry, and guards for all its constraints, including those that the process's own model does not have.
Pages are read only from READY slots.

A process refuses no values because of a constraint that its model does not have. If it writes a duplicate,
the same commit records in the registry that the constraint is violated. If it changes a role that only
another model requires, the commit records that the required role is violated.

A process reads the registry again after MAX_AGE seconds, so a change becomes known to all processes within
this time. On an embedded engine, the fence of each commit also rejects writes based on an older registry.
"""

import secrets
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import cached_property

from stratabase.domain.objects.change import Change, ObjectEffect, reference_of
from stratabase.domain.objects.entity import RoleName
from stratabase.model.model import Class, Model, Unique
from stratabase.model.stored_names import ClassNames, StoredNames
from stratabase.store.engine.port import Batch, Check, Engine, ExpectationFailed, OutcomeUnknown, Put
from stratabase.store.indexes.entries import BuildState, RequiredRoleEntry, UniqueEntry
from stratabase.store.indexes.registry import (
    Registry,
    is_wanted,
    parse_registry,
    registry_fence,
    registry_put,
    unique_of,
)
from stratabase.store.layout import keys
from stratabase.store.layout.access_path import AccessPath
from stratabase.store.layout.associations import Associations, RequiredRoleStorage
from stratabase.store.layout.guards import UniqueConstraint

MAX_AGE = 5.0
"""The maximum age of the cached registry, in seconds."""


def now_in_milliseconds() -> int:
    """Return the time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class WriteSchema:
    """The indexes and constraints that writes must maintain, according to one state of the registry."""

    def __init__(
        self,
        registry: Registry,
        model: Model,
        now: Callable[[], int],
        associations: Associations | None = None,
    ) -> None:
        """`associations`: of the model; computed if they are not given."""
        self.registry = registry
        self._model = model
        self._now = now
        self._associations = associations or Associations(model)
        self._paths: dict[str, tuple[AccessPath, ...]] = {}
        self._constraints: dict[str, tuple[UniqueConstraint, ...]] = {}

    def paths(self, class_name: str) -> tuple[AccessPath, ...]:
        """Return all indexes of a class, READY or not."""
        if class_name not in self._paths:
            self._paths[class_name] = self.registry.paths(class_name)
        return self._paths[class_name]

    def constraints(self, class_name: str) -> tuple[UniqueConstraint, ...]:
        """Return the uniqueness constraints of a class, those of this process's model last."""
        if class_name not in self._constraints:
            class_, known = self._model.classes[class_name], self.registry.uniques.get(class_name, ())
            found = (_constraint(class_, one) for one in known)
            self._constraints[class_name] = tuple(sorted(found, key=lambda one: one.in_model))
        return self._constraints[class_name]

    @cached_property
    def unfinished_roles(self) -> tuple[RequiredRoleStorage, ...]:
        """The required roles of this process's model that are not READY."""
        return tuple(one.requirement for one in self.registry.unfinished_roles(self._required))

    def broken_foreign_roles(self, change: Change) -> tuple[RequiredRoleEntry, ...]:
        """Return the required roles that a change alters and that only other processes' models have."""
        return tuple(one for one in self._foreign_roles if self._changes_role(change, one.requirement))

    @cached_property
    def _required(self) -> frozenset[RequiredRoleStorage]:
        classes = self._model.classes
        return frozenset(each for name in classes for each in self._associations.requirements(name))

    @cached_property
    def _foreign_roles(self) -> tuple[RequiredRoleEntry, ...]:
        """The required roles that the model of this process lacks, and that are not marked as violated."""
        listed = (one for roles in self.registry.roles.values() for one in roles)
        return tuple(one for one in listed if not one.violated and one.requirement not in self._required)

    def _changes_role(self, change: Change, requirement: RequiredRoleStorage) -> bool:
        """Return whether a change sets or clears an association of a required role."""
        role, key = requirement.role, requirement.key_role
        if key is not None:
            return any(_changes_key(effect, key) for effect in change.object_effects())
        class_names = {role.class_name, requirement.target}
        deleted = (reference_of(effect) for effect in change.object_effects() if effect.after is None)
        if any(each.class_name in class_names for each in deleted):
            return True
        # In this process's model, the role may have another opposite, and change from that side too.
        names = {role, RoleName(requirement.target, str(requirement.opposite))}
        ends = (self._associations.by_role[link.role] for link in change.link_effects())
        return any(not names.isdisjoint({near.role, far.role}) for near, far in ends)

    @cached_property
    def fence(self) -> Check:
        """The check that the registry has not changed since it was read."""
        return registry_fence(self.registry)

    def violation_record(
        self, constraints: Collection[UniqueConstraint], roles: Collection[RequiredRoleEntry] = ()
    ) -> Put | None:
        """Return the write that records violations in the registry, None if all are recorded already.

        `constraints`: those of which the change writes a duplicate. `roles`: those that the change alters
        without maintaining their links and counts.
        """
        registry = self.registry
        for one in roles:
            class_name = one.requirement.role.class_name
            registry = registry.with_violations(class_name, {one.number}, self._now())
        for class_name in sorted({one.class_name for one in constraints}):
            numbers = {
                one.number
                for one in registry.uniques[class_name]
                if not one.violated and any(one.number == each.number for each in constraints)
            }
            registry = registry.with_violations(class_name, numbers, self._now())
        return None if registry is self.registry else registry_put(registry)


def _changes_key(effect: ObjectEffect, key: RoleName) -> bool:
    """Return whether an effect changes a foreign key of its object."""
    if reference_of(effect).class_name != key.class_name:
        return False
    before, after = (
        None if entity is None else entity.state.get(key.role_name)
        for entity in (effect.before, effect.after)
    )
    return before != after


def _constraint(class_: Class, one: UniqueEntry) -> UniqueConstraint:
    named = is_wanted(class_, one)
    unique = unique_of(class_, one) if named else Unique(tuple(column.attribute for column in one.columns))
    return UniqueConstraint(
        class_.name, unique, one.columns, one.number, named, one.state is not BuildState.BUILDING
    )


class RegistryCache:
    """A cache of the store's registry. It adds missing entries for the model when it reads the registry."""

    def __init__(
        self,
        engine: Engine,
        model: Model,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], int] = now_in_milliseconds,
        associations: Associations | None = None,
    ) -> None:
        """`associations`: of the model; computed if they are not given."""
        self._engine = engine
        self._model = model
        self._associations = associations or Associations(model)
        self._clock = clock
        self._now = now
        self._schema = WriteSchema(Registry(), model, now, self._associations)
        self._stale_at = clock()
        self._read_at = 0
        """The time of the last read by the wall clock, in milliseconds."""

    def paths(self, class_name: str) -> tuple[AccessPath, ...]:
        """Return all indexes of a class, READY or not."""
        return self.write_schema().paths(class_name)

    def is_guarded(self, class_: Class, unique: Unique) -> bool:
        """Return whether every object of a class has its guard of a uniqueness constraint."""
        return self.registry().is_guarded(class_, unique)

    def unfinished_labels(self, names: StoredNames | None = None) -> tuple[str, ...]:
        """Return labels of everything that a reindex must build, such as `Employee @unique(email)`.

        `names`: the names to show instead of stored ones.
        """
        registry, shown = self.registry(), {} if names is None else names.by_stored_name
        return tuple(
            f"{shown[class_.name].name if shown else class_.name} {label}"
            for class_ in self._stored()
            for label in self.unfinished_labels_of(registry, class_, shown.get(class_.name))
        )

    def unfinished_labels_of(
        self, registry: Registry, class_: Class, names: ClassNames | None = None
    ) -> tuple[str, ...]:
        """Return labels of everything that a reindex must build for a class, such as `@unique(email)`."""
        roles = registry.unfinished_roles(self._associations.requirements(class_.name))
        return (*registry.unfinished_labels(class_, names), *(one.label(names) for one in roles))

    def registry(self) -> Registry:
        """Return the registry, which is at most MAX_AGE seconds old."""
        return self.write_schema().registry

    def write_schema(self) -> WriteSchema:
        """Return the schema for writes, from a registry that is at most MAX_AGE seconds old."""
        read_at, now = self._clock(), self._now()
        # Check both clocks: the monotonic clock stops while Lambda freezes a process.
        if read_at >= self._stale_at or not 0 <= now - self._read_at < MAX_AGE * 1000:
            registry = self.update(self.add_missing)
            self._schema = WriteSchema(registry, self._model, self._now, self._associations)
            self._stale_at, self._read_at = read_at + MAX_AGE, now
        return self._schema

    def invalidate(self) -> None:
        """Invalidate the cache, because the registry has changed."""
        self._stale_at = self._clock()

    def update(self, changed: Callable[[Registry], Registry]) -> Registry:
        """Apply a change to the stored registry, and return the result.

        If another process changes the registry concurrently, read it and apply the change again.
        `changed`: returns its argument if nothing is to be written.
        """
        while True:
            before = parse_registry(self._engine.get([keys.REGISTRY])[0])
            after = changed(before)
            if after is before:
                return after
            if self._commit(after):
                return replace(after, revision=before.revision + 1)

    def _commit(self, registry: Registry) -> bool:
        try:
            self._engine.commit(Batch(f"slots{secrets.token_hex(12)}", (registry_put(registry),)))
        except (ExpectationFailed, OutcomeUnknown):
            # After a lost response, the registry may have been written. The next read shows it.
            return False
        return True

    def add_missing(self, registry: Registry) -> Registry:
        """Return the registry with all entries that the model needs, as far as there are free slots."""
        for class_ in self._stored():
            # A class that is new to the registry has no objects, unless they are older than the registry.
            # Without objects, there is nothing to build.
            new = class_.name not in registry.classes
            required = self._associations.requirements(class_.name)
            asks = class_.indexes or class_.uniques or required
            ready = new and (not asks or self._is_empty(class_.name))
            state = BuildState.READY if ready else BuildState.BUILDING
            registry = registry.with_class(class_, state, self._now())
            registry = registry.with_required_roles(class_.name, required, state, self._now())
        return registry

    def _stored(self) -> Iterator[Class]:
        return (class_ for class_ in self._model.classes.values() if class_.is_stored)

    def _is_empty(self, class_name: str) -> bool:
        pages = self._engine.range(keys.LISTING, keys.listing_partition(class_name), limit=1)
        return not any(pages)
