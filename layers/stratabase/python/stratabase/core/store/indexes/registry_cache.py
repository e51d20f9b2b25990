"""This process's cached registry, and what writes must maintain because of it.

Processes with different models can share a store. Writes maintain index entries for all slots of the
registry, and guards for all its constraints, including those that the process's own model does not have.
Pages are read only from READY slots.

A process refuses no values because of a constraint that its model does not have. If it writes a duplicate,
the same commit records in the registry that the constraint is violated. If it changes a role for which
another model keeps more items than its own, the commit records that the role is violated. If it stores a
text that an enum column does not read, the commit records that too: the column cannot get more values then.

A process reads the registry again after at most MAX_AGE seconds, so a change becomes known to all processes
within this time. On an embedded engine, the fence of each commit also rejects writes based on an older
registry.
"""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from random import uniform
from types import MappingProxyType
from typing import Any

from stratabase.core.domain.objects.change import Change, ObjectEffect, reference_of
from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.model.attribute import ABSENT, stored_value
from stratabase.core.model.model import Class, Model, Unique
from stratabase.core.model.stored_names import ClassNames, StoredNames
from stratabase.core.store.engine.actions import update_items
from stratabase.core.store.engine.port import Action, Check, Engine, Put
from stratabase.core.store.indexes.entries import BuildState, RoleEntry, UniqueEntry
from stratabase.core.store.indexes.registry import (
    Registry,
    lists_deleted,
    registry_fence,
    registry_put,
    stored_registry,
    unique_of,
    wanted_entries,
)
from stratabase.core.store.indexes.role_changes import former_entries, has_all_links
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.access_path import ENUM, AccessPath, Column
from stratabase.core.store.layout.associations import Associations, StoredRole
from stratabase.core.store.layout.deleted_listing import DeletedListing
from stratabase.core.store.layout.object_items import UniqueConstraint

MAX_AGE = 5.0
"""The maximum age of the cached registry, in seconds."""
_MIN_AGE = 0.7
"""The age from which on a process reads the registry again, as a fraction of MAX_AGE."""


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
        self._indexed: dict[str, frozenset[str] | None] = {}
        self._listings: dict[str, AccessPath] = {}
        self._deleted: dict[str, DeletedListing | None] = {}
        self._constraints: dict[str, tuple[UniqueConstraint, ...]] = {}
        self._enum_columns: dict[str, tuple[tuple[int, Column], ...]] = {}
        self.plan_choices: dict[Any, Any] = {}
        """By shape of a query: the plan that the planner has chosen. The choice depends on these indexes."""

    def paths(self, class_name: str) -> tuple[AccessPath, ...]:
        """Return all indexes of a class that writes maintain, READY or not, with its listing.

        An index of a role whose associations must be moved is not READY, because objects still lack the keys.
        """
        if class_name not in self._paths:
            found = self.registry.paths(class_name)
            if moved := {role.role_name for role in self.changed_roles if role.class_name == class_name}:
                found = tuple(replace(path, ready=path.ready and not path.names(moved)) for path in found)
            self._paths[class_name] = found
        return self._paths[class_name]

    def indexed_attributes(self, class_name: str) -> frozenset[str] | None:
        """Return the attributes and roles in the indexes of a class, None if an index is not READY.

        An update that changes none of these leaves all indexes alone.
        """
        if class_name not in self._indexed:
            paths = self.paths(class_name)
            names = frozenset(name for path in paths for name in path.attributes)
            self._indexed[class_name] = names if all(path.ready for path in paths) else None
        return self._indexed[class_name]

    def listing(self, class_name: str) -> AccessPath:
        """Return the listing from which the objects of a class are read."""
        if class_name not in self._listings:
            self._listings[class_name] = self.registry.listing(class_name)
        return self._listings[class_name]

    def deleted_listing(self, class_name: str) -> DeletedListing | None:
        """Return where the deleted objects of a class are listed, None if they are not."""
        if class_name not in self._deleted:
            self._deleted[class_name] = self.registry.deleted_listing(class_name)
        return self._deleted[class_name]

    def constraints(self, class_name: str) -> tuple[UniqueConstraint, ...]:
        """Return the uniqueness constraints of a class, those of this process's model last."""
        if class_name not in self._constraints:
            class_, known = self._model.classes[class_name], self.registry.uniques.get(class_name, ())
            wanted = wanted_entries(class_, known)
            found = (_constraint(class_, one, in_model=one.number in wanted) for one in known)
            self._constraints[class_name] = tuple(sorted(found, key=lambda one: one.in_model))
        return self._constraints[class_name]

    def newly_unread(self, change: Change) -> Mapping[str, set[int]]:
        """Return the entries with an enum column that does not read a text which a change stores.

        By class name: their numbers. A restoration stores values that were removed from an enum, and a model
        in which the attribute is not an enum stores any text.
        """
        found: dict[str, set[int]] = {}
        for effect in change.object_effects():
            if effect.after is None:
                continue
            class_name = effect.after.reference.class_name
            for number, column in self._enum_columns_of(class_name):
                if _stores_unread(effect, column):
                    found.setdefault(class_name, set()).add(number)
        return found

    def _enum_columns_of(self, class_name: str) -> tuple[tuple[int, Column], ...]:
        """Return the enum columns of a class that read all stored texts until now, each with its entry."""
        if class_name not in self._enum_columns:
            registry = self.registry
            entries = (*registry.classes.get(class_name, ()), *registry.uniques.get(class_name, ()))
            self._enum_columns[class_name] = tuple(
                (entry.number, column)
                for entry in entries
                for column in entry.columns
                if column.reading == ENUM and not entry.has_unread
            )
        return self._enum_columns[class_name]

    @cached_property
    def unfinished_roles(self) -> tuple[StoredRole, ...]:
        """The required roles of this process's model that are not READY."""
        return tuple(one for one in self._unfinished if one.is_required)

    @cached_property
    def changed_roles(self) -> frozenset[RoleName]:
        """The roles of this process's model whose associations are stored elsewhere, until they are moved."""
        roles, entries = self._associations.by_name, self.registry.roles
        return frozenset(one.role for one in self._unfinished if former_entries(entries, one, roles))

    @cached_property
    def unbuilt_roles(self) -> frozenset[RoleName]:
        """The roles of this process's model that must be answered from where their associations are kept."""
        entries = self.registry.roles
        lacking = (one.role for one in self._unfinished if not has_all_links(entries, one))
        return frozenset(lacking) - self.changed_roles

    def past_from(self, role: RoleName) -> int | None:
        """Return the instant from which all former links of a role are kept, None if it is not known yet."""
        stored = self._associations.by_name[role]
        entries = (one for one in self.registry.roles.get(role.class_name, ()) if one.stored == stored)
        return next((entry.past_from for entry in entries), 0)

    def moved_at(self, role: RoleName) -> int:
        """Return when the associations of a role were moved to where they are, 0 if they were not moved."""
        stored = self._associations.by_name[role]
        entries = (one for one in self.registry.roles.get(role.class_name, ()) if one.stored == stored)
        return next((entry.moved_at or 0 for entry in entries), 0)

    @cached_property
    def _unfinished(self) -> tuple[StoredRole, ...]:
        roles = self._associations.by_name.values()
        return tuple(one.stored for one in self.registry.unfinished_roles(roles))

    def broken_foreign_roles(self, change: Change) -> tuple[RoleEntry, ...]:
        """Return the roles that a change alters and for which only other processes' models keep items."""
        foreign = self._foreign_roles
        return tuple([one for one in foreign if self._changes_role(change, one.stored)]) if foreign else ()

    @cached_property
    def _foreign_roles(self) -> tuple[RoleEntry, ...]:
        """The roles whose items the model of this process does not keep, and that are not violated."""
        roles = self._associations.by_name
        listed = (one for roles in self.registry.roles.values() for one in roles)
        return tuple(
            one
            for one in listed
            if one.stored.items
            and not one.violated
            and not ((own := roles.get(one.stored.role)) is not None and own.covers(one.stored))
        )

    def _changes_role(self, change: Change, stored: StoredRole) -> bool:
        """Return whether a change sets or clears an association of a role."""
        role, key = stored.role, stored.key_role
        if key is not None:
            return any(changes_key(effect, key) for effect in change.object_effects())
        class_names = {role.class_name, stored.target}
        deleted = (reference_of(effect) for effect in change.object_effects() if effect.after is None)
        if any(each.class_name in class_names for each in deleted):
            return True
        # In this process's model, the role may have another opposite, and change from that side too.
        names = {role, RoleName(stored.target, str(stored.opposite))}
        ends = (self._associations.by_role[link.role] for link in change.link_effects())
        return any(not names.isdisjoint({near.role, far.role}) for near, far in ends)

    @cached_property
    def fence(self) -> Check:
        """The check that the registry has not changed since it was read."""
        return registry_fence(self.registry)

    def violation_record(
        self,
        constraints: Collection[UniqueConstraint],
        roles: Collection[RoleEntry] = (),
        unread: Mapping[str, Collection[int]] = MappingProxyType({}),
    ) -> Put | None:
        """Return the write that records violations in the registry, None if all are recorded already.

        `constraints`: those of which the change writes a duplicate. `roles`: those that the change alters
        without keeping their items. `unread`: as `newly_unread` returns them.
        """
        registry = self.registry
        for class_name, numbers in unread.items():
            registry = registry.with_unread(class_name, numbers)
        for one in roles:
            class_name = one.stored.role.class_name
            registry = registry.with_violations(class_name, {one.number}, self._now())
        for class_name in sorted({one.class_name for one in constraints}):
            numbers = {
                one.number
                for one in registry.uniques[class_name]
                if not one.violated and any(one.number == each.number for each in constraints)
            }
            registry = registry.with_violations(class_name, numbers, self._now())
        return None if registry is self.registry else registry_put(registry)


def _stores_unread(effect: ObjectEffect, column: Column) -> bool:
    """Return whether an effect stores a text that a column does not read, and that was not stored before."""
    stored, before = (
        ABSENT if entity is None else stored_value(entity.state, column.attribute)
        for entity in (effect.after, effect.before)
    )
    return stored not in (ABSENT, None, before) and column.type.read_stored(stored) is None


def changes_key(effect: ObjectEffect, key: RoleName) -> bool:
    """Return whether an effect changes a foreign key of its object."""
    if reference_of(effect).class_name != key.class_name:
        return False
    before, after = (
        None if entity is None else entity.state.get(key.role_name)
        for entity in (effect.before, effect.after)
    )
    return before != after


def _constraint(class_: Class, one: UniqueEntry, *, in_model: bool) -> UniqueConstraint:
    unique = unique_of(class_, one) if in_model else Unique(tuple(each.attribute for each in one.columns))
    return UniqueConstraint(
        class_.name, unique, one.columns, one.number, in_model, one.state is not BuildState.BUILDING
    )


class RegistryCache:
    """A cache of the store's registry. It adds missing entries for the model when it reads the registry.

    A read-only cache adds them for itself alone, and only a repository that never writes may use it. It uses
    no index that it adds, because another process may give the same index to another slot.
    """

    def __init__(  # noqa: PLR0913 - the settings of a cache
        self,
        engine: Engine,
        model: Model,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], int] = now_in_milliseconds,
        associations: Associations | None = None,
        mark_served: Callable[[Registry], Registry] | None = None,
        read_only: bool = False,
    ) -> None:
        """`associations`: of the model; computed if they are not given.

        `mark_served`: returns the registry with the mark that this process serves the model.
        """
        self._mark_served = mark_served
        self._read_only = read_only
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
        """Return all indexes of a class that writes maintain, with its listing."""
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
        roles = registry.unfinished_roles(self._associations.stored_roles(class_.name))
        return (*registry.unfinished_labels(class_, names), *(one.label(names) for one in roles))

    def registry(self) -> Registry:
        """Return the registry, which is at most MAX_AGE seconds old."""
        return self.write_schema().registry

    def write_schema(self) -> WriteSchema:
        """Return the schema for writes, from a registry that is at most MAX_AGE seconds old."""
        read_at, now = self._clock(), self._now()
        # Check both clocks: the monotonic clock stops while Lambda freezes a process.
        if read_at >= self._stale_at or not 0 <= now - self._read_at < MAX_AGE * 1000:
            registry = self.add_missing(self._read()) if self._read_only else self.update(self._served)
            if registry != self._schema.registry:
                self._schema = WriteSchema(registry, self._model, self._now, self._associations)
            # At random, so that processes that started together do not read the registry together for ever.
            age = MAX_AGE * uniform(_MIN_AGE, 1)  # noqa: S311 - no secret
            self._stale_at, self._read_at = read_at + age, now
        return self._schema

    def _served(self, registry: Registry) -> Registry:
        added = self.add_missing(registry)
        return added if self._mark_served is None else self._mark_served(added)

    def invalidate(self) -> None:
        """Invalidate the cache, because the registry has changed."""
        self._stale_at = self._clock()

    def update(self, changed: Callable[[Registry], Registry]) -> Registry:
        """Apply a change to the stored registry, and return the result.

        If another process changes the registry concurrently, read it and apply the change again.
        `changed`: returns its argument if nothing is to be written.
        """

        def plan() -> tuple[Registry, Sequence[Action]]:
            before = self._read()
            after = changed(before)
            if after is before:
                return after, ()
            return replace(after, revision=before.revision + 1), (registry_put(after),)

        return update_items(self._engine, "slots", plan)

    def _read(self) -> Registry:
        return stored_registry(self._engine)

    def add_missing(self, registry: Registry) -> Registry:
        """Return the registry with all entries that the model needs, as far as there are free slots."""
        wanted, new = self._associations.by_name.values(), set[str]()
        states: dict[str, BuildState] = {}
        for class_ in self._stored():
            # A class that is new to the registry has no objects, unless they are older than the registry.
            # Without objects, there is nothing to build.
            is_new = class_.name not in registry.classes
            asks = (
                class_.indexes
                or class_.uniques
                or lists_deleted(class_)
                or any(class_.name in {one.role.class_name, one.target} for one in wanted)
            )
            ready = is_new and (not asks or self._is_empty(registry, class_.name))
            new |= {class_.name} if ready else set()
            state = BuildState.READY if ready and not self._read_only else BuildState.BUILDING
            states[class_.name] = state
            registry = registry.with_class(class_, state, self._now())
        if not registry.lists_all_roles:
            registry = registry.with_past(wanted)
        registry = registry.with_stored_roles(wanted, self._associations.by_name, new, self._now())
        for class_ in self._stored():
            registry = registry.with_deleted(class_, states[class_.name], self._now())
        return registry

    def _stored(self) -> Iterator[Class]:
        return (class_ for class_ in self._model.classes.values() if class_.is_stored)

    def _is_empty(self, registry: Registry, class_name: str) -> bool:
        """Return whether a class that is new to a registry has no objects."""
        if self._read_only:
            # A process that only reads objects by key may not be allowed to read an index. No process has
            # served the class, unless the store is older than the present kind of registry.
            return registry.lists_all_roles
        pages = self._engine.range(keys.LISTING, keys.listing_partition(class_name), limit=1)
        return not any(pages)
