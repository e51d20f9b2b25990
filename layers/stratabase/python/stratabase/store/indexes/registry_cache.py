"""The registry as this process knows it, and what objects are written with because of it.

Objects are written with places for all slots, and guards for all constraints, that the registry lists, also
where the model of this process does not name them (any more, or yet). Pages are read from slots that are
READY. A process whose model does not name a constraint refuses nobody a value: if it writes a duplicate,
the same commit notes in the registry that the constraint is violated. So does the commit of a process whose
model does not keep a required role, when it changes what the role leads to.

A process reads the registry again after MAX_AGE seconds, so all processes know of a change soon after it.
Where the engine judges fences, no commit that is based on an earlier registry is done at all.
"""

import secrets
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import cached_property

from stratabase.domain.objects.change import Change, ObjectEffect, reference_of
from stratabase.domain.objects.entity import RoleName
from stratabase.model.model import Class, Model, Unique
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
"""Seconds for which a process goes by what it has read."""


def now_in_milliseconds() -> int:
    """Return the time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class WriteSchema:
    """What objects of a model's classes are written with, as the registry was when it was read."""

    def __init__(
        self,
        registry: Registry,
        model: Model,
        now: Callable[[], int],
        associations: Associations | None = None,
    ) -> None:
        """`associations`: those of the model, if the caller has them."""
        self.registry = registry
        self._model = model
        self._now = now
        self._associations = associations or Associations(model)
        self._paths: dict[str, tuple[AccessPath, ...]] = {}
        self._constraints: dict[str, tuple[UniqueConstraint, ...]] = {}

    def paths(self, class_name: str) -> tuple[AccessPath, ...]:
        """Return the indexes of a class that its objects lie in."""
        if class_name not in self._paths:
            self._paths[class_name] = self.registry.paths(class_name)
        return self._paths[class_name]

    def constraints(self, class_name: str) -> tuple[UniqueConstraint, ...]:
        """Return the uniqueness constraints of a class, those that its model names last."""
        if class_name not in self._constraints:
            class_, known = self._model.classes[class_name], self.registry.uniques.get(class_name, ())
            found = (_constraint(class_, one) for one in known)
            self._constraints[class_name] = tuple(sorted(found, key=lambda one: one.in_model))
        return self._constraints[class_name]

    @cached_property
    def unfinished_roles(self) -> tuple[RequiredRoleStorage, ...]:
        """The required roles of the model of which objects may not be linked or counted yet."""
        return tuple(one.requirement for one in self.registry.unfinished_roles(self._required))

    def broken_foreign_roles(self, change: Change) -> tuple[RequiredRoleEntry, ...]:
        """Return the required roles that a change changes, and that only models of other processes have."""
        return tuple(one for one in self._foreign_roles if self._changes_role(change, one.requirement))

    @cached_property
    def _required(self) -> frozenset[RequiredRoleStorage]:
        classes = self._model.classes
        return frozenset(each for name in classes for each in self._associations.requirements(name))

    @cached_property
    def _foreign_roles(self) -> tuple[RequiredRoleEntry, ...]:
        """The required roles that the model does not have, and that are not noted as violated yet."""
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
        # The model of this process may have another opposite for the role, from which it is written as well.
        names = {role, RoleName(requirement.target, str(requirement.opposite))}
        ends = (self._associations.by_role[link.role] for link in change.link_effects())
        return any(not names.isdisjoint({near.role, far.role}) for near, far in ends)

    @cached_property
    def fence(self) -> Check:
        """The expectation that the registry is still as it was read."""
        return registry_fence(self.registry)

    def violation_note(
        self, constraints: Collection[UniqueConstraint], roles: Collection[RequiredRoleEntry] = ()
    ) -> Put | None:
        """Return the write that notes violations in the registry; None where they are noted already.

        A constraint is violated by a duplicate, and a required role by a change that does not keep it.
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
    """Return whether an effect changes a key of its object."""
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
    """The registry of a store, read again when it is too old, with all that the model asks for."""

    def __init__(
        self,
        engine: Engine,
        model: Model,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], int] = now_in_milliseconds,
        associations: Associations | None = None,
    ) -> None:
        """`associations`: those of the model, if the caller has them."""
        self._engine = engine
        self._model = model
        self._associations = associations or Associations(model)
        self._clock = clock
        self._now = now
        self._rules = WriteSchema(Registry(), model, now, self._associations)
        self._stale_at = clock()
        self._read_at = 0
        """By the wall clock, in milliseconds."""

    def paths(self, class_name: str) -> tuple[AccessPath, ...]:
        """Return the indexes of a class that its objects lie in."""
        return self.rules().paths(class_name)

    def is_guarded(self, class_: Class, unique: Unique) -> bool:
        """Return whether every object of a class holds its guard of a uniqueness constraint."""
        return self.registry().is_guarded(class_, unique)

    def unfinished_labels(self) -> tuple[str, ...]:
        """Return what a reindex has to build, as a person knows it: `Employee @unique(email)`."""
        registry = self.registry()
        return tuple(
            f"{class_.name} {name}"
            for class_ in self._stored()
            for name in self.unfinished_labels_of(registry, class_)
        )

    def unfinished_labels_of(self, registry: Registry, class_: Class) -> tuple[str, ...]:
        """Return what a reindex has to build for a class, as a person knows it."""
        roles = registry.unfinished_roles(self._associations.requirements(class_.name))
        return (*registry.unfinished_labels(class_), *(one.label for one in roles))

    def registry(self) -> Registry:
        """Return the registry, read MAX_AGE seconds ago at most."""
        return self.rules().registry

    def rules(self) -> WriteSchema:
        """Return what objects are written with, by the registry as it was MAX_AGE seconds ago at most."""
        read_at, now = self._clock(), self._now()
        # The monotonic clock may stand still while a process is frozen, as those of Lambda are.
        if read_at >= self._stale_at or not 0 <= now - self._read_at < MAX_AGE * 1000:
            registry = self.update(self.add_missing)
            self._rules = WriteSchema(registry, self._model, self._now, self._associations)
            self._stale_at, self._read_at = read_at + MAX_AGE, now
        return self._rules

    def invalidate(self) -> None:
        """Read the registry again when it is needed next, since it has changed."""
        self._stale_at = self._clock()

    def update(self, changed: Callable[[Registry], Registry]) -> Registry:
        """Apply a change to the registry as it is now, and return the result; others may change it too."""
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
            # It may have been written and only the answer lost. Reading it again tells.
            return False
        return True

    def add_missing(self, registry: Registry) -> Registry:
        """Return the registry with all that the model asks for, as far as there are slots."""
        for class_ in self._stored():
            # A class that is not listed yet has no objects, unless they are older than the registry.
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
