"""The registry as an immutable value: index slots, uniqueness constraints and required roles, with states.

Processes with different models can share a store. So every process maintains all entries, including those
that its own model does not need: another process may serve a newer or older model. Only a reindex removes
entries, namely those that its model does not need.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import orjson

from stratabase.model.model import Class, Index, Unique
from stratabase.model.stored_names import ClassNames
from stratabase.store.engine.port import (
    INDEX_NAMES,
    NOT_EXISTS,
    Check,
    Condition,
    ConditionOperator,
    Expectation,
    Item,
    Put,
)
from stratabase.store.indexes.entries import (
    INDEX,
    UNIQUE,
    BuildState,
    IndexSlot,
    RegistryEntry,
    RequiredRoleEntry,
    UniqueEntry,
    directive_label,
    parse_required_role,
    parse_slot,
    parse_unique,
    serialize_entry,
)
from stratabase.store.layout import keys
from stratabase.store.layout.access_path import AccessPath, Column, columns_of
from stratabase.store.layout.associations import RequiredRoleStorage

_REVISION = "revision"
_SLOTS = tuple(name for name in INDEX_NAMES if name != keys.LISTING)
_MARKER: dict[str, Any] = {"columns": [], "number": 0, "state": BuildState.BUILDING.value, "since": 0}
"""A uniqueness constraint without attributes: see `_serialize_uniques`."""

_UNFINISHED = frozenset({BuildState.BUILDING, BuildState.ENFORCED})
Entry = TypeVar("Entry", bound=RegistryEntry)

Slots = tuple[IndexSlot, ...]
UniqueEntries = tuple[UniqueEntry, ...]
RequiredRoleEntries = tuple[RequiredRoleEntry, ...]


@dataclass(frozen=True, slots=True)
class Registry:
    """All entries of the store, for all classes that were ever served."""

    revision: int = 0
    """The number of times that the registry was written."""
    last_number: int = 0
    """The highest number that an entry was ever given."""
    classes: Mapping[str, Slots] = field(default_factory=dict)
    """The indexes by class name. Contains every class that was ever served."""
    uniques: Mapping[str, UniqueEntries] = field(default_factory=dict)
    """The uniqueness constraints by class name. Contains only classes that have some."""
    roles: Mapping[str, RequiredRoleEntries] = field(default_factory=dict)
    """The required roles by class name. Contains only classes that have some."""

    def paths(self, class_name: str) -> tuple[AccessPath, ...]:
        """Return the indexes of a class."""
        return tuple(access_path(class_name, slot) for slot in self.classes.get(class_name, ()))

    def is_guarded(self, class_: Class, unique: Unique) -> bool:
        """Return whether every object of a class has its guard of a uniqueness constraint."""
        columns = _guarded(class_, unique)
        return any(
            entry.columns == columns and entry.state is BuildState.READY
            for entry in self.uniques.get(class_.name, ())
        )

    def unfinished(self, class_: Class) -> tuple[RegistryEntry, ...]:
        """Return the entries for the model's indexes and constraints of a class that are not READY."""
        found = (entry for entry in self._indexes_and_uniques(class_.name) if is_wanted(class_, entry))
        return tuple(entry for entry in found if entry.state in _UNFINISHED)

    def unfinished_labels(self, class_: Class, names: ClassNames | None = None) -> tuple[str, ...]:
        """Return labels of the model's indexes and constraints of a class that are not READY.

        `names`: the names to show instead of stored ones.
        """
        ready = {
            (entry.directive, entry.columns)
            for entry in self._indexes_and_uniques(class_.name)
            if entry.state is BuildState.READY
        }
        return tuple(
            directive_label(directive, names)
            for key, directive in _wanted(class_).items()
            if key not in ready
        )

    def unfinished_roles(self, requirements: Iterable[RequiredRoleStorage]) -> tuple[RequiredRoleEntry, ...]:
        """Return the entries of required roles that are not READY."""
        known = {entry.requirement: entry for roles in self.roles.values() for entry in roles}
        found = (known[each] for each in requirements if each in known)
        return tuple(entry for entry in found if entry.state is not BuildState.READY)

    def _indexes_and_uniques(self, class_name: str) -> Iterator[RegistryEntry]:
        yield from self.classes.get(class_name, ())
        yield from self.uniques.get(class_name, ())

    def with_class(self, class_: Class, state: BuildState, now: int) -> "Registry":
        """Return the registry with the indexes and constraints that a model needs for a class.

        New entries get the given state. Existing entries do not move, and none are removed.
        """
        return self.with_indexes(class_, state, now).with_constraints(class_, state, now)

    def with_indexes(self, class_: Class, state: BuildState, now: int) -> "Registry":
        """Return the registry with slots for the missing indexes of a class, as far as slots are free."""
        slots = [_revived(slot, class_, now) for slot in self.classes.get(class_.name, ())]
        free = [name for name in _SLOTS if name not in {slot.index_name for slot in slots}]
        missing = _missing(class_, INDEX, slots)
        new = [
            IndexSlot(columns, self.last_number + number, state, now, index_name)
            for number, (index_name, columns) in enumerate(zip(free, missing, strict=False), start=1)
        ]
        return self.with_slots(class_.name, (*slots, *new))

    def with_constraints(self, class_: Class, state: BuildState, now: int) -> "Registry":
        """Return the registry with the missing uniqueness constraints of a class."""
        kept = self.uniques.get(class_.name, ())
        new = [
            UniqueEntry(columns, self.last_number + number, state, now)
            for number, columns in enumerate(_missing(class_, UNIQUE, kept), start=1)
        ]
        return self.with_uniques(class_.name, (*kept, *new))

    def with_required_roles(
        self, class_name: str, requirements: Iterable[RequiredRoleStorage], state: BuildState, now: int
    ) -> "Registry":
        """Return the registry with the missing required roles of a class."""
        kept = self.roles.get(class_name, ())
        existing = {entry.requirement for entry in kept}
        missing = [each for each in requirements if each not in existing]
        new = [
            RequiredRoleEntry((), self.last_number + number, state, now, each)
            for number, each in enumerate(missing, start=1)
        ]
        return self.with_roles(class_name, (*kept, *new))

    def with_roles(self, class_name: str, roles: RequiredRoleEntries) -> "Registry":
        """Return the registry with these required roles for a class. Return itself if nothing changes."""
        if self.roles.get(class_name, ()) == roles:
            return self
        return replace(self, last_number=self._highest_number(roles), roles={**self.roles, class_name: roles})

    def without_roles(self, class_name: str, requirements: Collection[RequiredRoleStorage]) -> "Registry":
        """Return the registry without the required roles of a class that are not among `requirements`."""
        kept = (entry for entry in self.roles.get(class_name, ()) if entry.requirement in requirements)
        return self.with_roles(class_name, tuple(kept))

    def with_slots(self, class_name: str, slots: Slots) -> "Registry":
        """Return the registry with these index slots for a class. Return itself if nothing changes."""
        if self.classes.get(class_name) == slots:
            return self
        return replace(
            self, last_number=self._highest_number(slots), classes={**self.classes, class_name: slots}
        )

    def with_uniques(self, class_name: str, uniques: UniqueEntries) -> "Registry":
        """Return the registry with these constraints for a class. Return itself if nothing changes."""
        if self.uniques.get(class_name, ()) == uniques:
            return self
        return replace(
            self, last_number=self._highest_number(uniques), uniques={**self.uniques, class_name: uniques}
        )

    def without_violations(self, class_name: str, now: int) -> "Registry":
        """Return the registry with all violations of a class cleared, so that a build notices new ones."""
        uniques = (
            replace(entry, violated=False, since=now) if entry.violated else entry
            for entry in self.uniques.get(class_name, ())
        )
        roles = (
            replace(entry, violated=False, since=now) if entry.violated else entry
            for entry in self.roles.get(class_name, ())
        )
        return self.with_uniques(class_name, tuple(uniques)).with_roles(class_name, tuple(roles))

    def with_violations(self, class_name: str, numbers: Collection[int], now: int) -> "Registry":
        """Return the registry with the entries of a class that have these numbers marked as violated."""
        uniques = (
            _violated(entry, now) if entry.number in numbers else entry
            for entry in self.uniques.get(class_name, ())
        )
        roles = (
            replace(entry.with_state(BuildState.BUILDING, now), violated=True)
            if entry.number in numbers
            else entry
            for entry in self.roles.get(class_name, ())
        )
        return self.with_uniques(class_name, tuple(uniques)).with_roles(class_name, tuple(roles))

    def without_unwanted(self, class_name: str, class_: Class | None) -> "Registry":
        """Return the registry without the uniqueness constraints of a class that the model does not have."""
        kept = (entry for entry in self.uniques.get(class_name, ()) if is_wanted(class_, entry))
        return self.with_uniques(class_name, tuple(kept))

    def with_finished(
        self, class_name: str, begun: Sequence[RegistryEntry], refused: Collection[RegistryEntry], now: int
    ) -> "Registry":
        """Return the registry after a build of a class.

        `begun`: the entries as they were when the build began. `refused`: the entries that some objects could
        not get. Entries that were meanwhile removed, or created again with another number, do not change.
        """
        known = {entry.number: entry for entry in begun}
        slots = (_finished(entry, known, refused, now) for entry in self.classes.get(class_name, ()))
        uniques = (_finished(entry, known, refused, now) for entry in self.uniques.get(class_name, ()))
        roles = (_finished(entry, known, refused, now) for entry in self.roles.get(class_name, ()))
        with_both = self.with_slots(class_name, tuple(slots)).with_uniques(class_name, tuple(uniques))
        return with_both.with_roles(class_name, tuple(roles))

    def _highest_number(self, entries: Iterable[RegistryEntry]) -> int:
        return max([self.last_number, *(entry.number for entry in entries)])


def access_path(class_name: str, slot: IndexSlot) -> AccessPath:
    """Return the access path of an index slot."""
    ready = slot.state is BuildState.READY
    return AccessPath(slot.index_name, keys.index_partition(class_name, slot.number), slot.columns, ready)


def _wanted(class_: Class) -> dict[tuple[str, tuple[Column, ...]], Index | Unique]:
    """Return the indexes and constraints of a class in the model, by (directive, columns)."""
    indexes = {(INDEX, columns_of(class_, index.attributes)): index for index in class_.indexes}
    uniques = {(UNIQUE, _guarded(class_, unique)): unique for unique in class_.uniques}
    return {**indexes, **uniques}


def _missing(class_: Class, directive: str, entries: Iterable[RegistryEntry]) -> list[tuple[Column, ...]]:
    """Return the columns of those directives of a class for which there is no entry yet."""
    existing = {entry.columns for entry in entries}
    return [columns for name, columns in _wanted(class_) if name == directive and columns not in existing]


def _guarded(class_: Class, unique: Unique) -> tuple[Column, ...]:
    """Return the columns of a uniqueness constraint, sorted by name."""
    return columns_of(class_, tuple(sorted(unique.attributes)))


def is_wanted(class_: Class | None, entry: RegistryEntry) -> bool:
    """Return whether the model needs an entry. `class_`: None if the model does not have the class."""
    return class_ is not None and (entry.directive, entry.columns) in _wanted(class_)


def entry_label(class_: Class, entry: RegistryEntry, names: ClassNames | None = None) -> str:
    """Return the label of an entry for messages: `@unique(last_name, first_name)`.

    `names`: the names to show instead of stored ones.
    """
    if isinstance(entry, RequiredRoleEntry):
        return entry.label(names)
    return directive_label(_wanted(class_)[entry.directive, entry.columns], names)


def unique_of(class_: Class, entry: UniqueEntry) -> Unique:
    """Return the uniqueness constraint of the model that an entry is for."""
    return next(unique for unique in class_.uniques if _guarded(class_, unique) == entry.columns)


def _violated(entry: UniqueEntry, now: int) -> UniqueEntry:
    """Return a constraint marked as violated by a duplicate. READY becomes ENFORCED, BUILDING stays."""
    state = BuildState.ENFORCED if entry.state is BuildState.READY else entry.state
    return replace(entry.with_state(state, now), violated=True)


def _finished(
    entry: Entry, begun: Mapping[int, RegistryEntry], refused: Collection[RegistryEntry], now: int
) -> Entry:
    """Return an entry in its state after a build. If another build has begun meanwhile, that one decides."""
    before = begun.get(entry.number)
    if before is None or entry.state not in _UNFINISHED:
        return entry
    if isinstance(entry, RequiredRoleEntry) and (before in refused or entry.violated):
        return entry
    if before in refused or (isinstance(entry, UniqueEntry) and entry.violated):
        return entry.with_state(BuildState.ENFORCED, now)
    return entry.with_state(BuildState.READY, now) if entry == before else entry


def _revived(slot: IndexSlot, class_: Class, now: int) -> IndexSlot:
    revived = slot.state is BuildState.RETIRED and is_wanted(class_, slot)
    return slot.with_state(BuildState.BUILDING, now) if revived else slot


def parse_registry(item: Item | None) -> Registry:
    """Return the registry that an item contains, an empty one if there is no item."""
    if item is None:
        return Registry()
    content: dict[str, Any] = orjson.loads(item.state or "{}")
    classes = {name: tuple(map(parse_slot, slots)) for name, slots in content["classes"].items()}
    uniques = {
        name: found
        for name, known in content.get("uniques", {}).items()
        if (found := tuple(parse_unique(entry) for entry in known if entry != _MARKER))
    }
    roles = {name: tuple(map(parse_required_role, known)) for name, known in content.get("roles", {}).items()}
    return Registry(int(str(item.attributes[_REVISION])), content["lastNumber"], classes, uniques, roles)


def registry_fence(registry: Registry) -> Check:
    """Return the check that the stored registry still has the revision of this one."""
    return Check(keys.REGISTRY, _expect_unchanged(registry))


def _expect_unchanged(registry: Registry) -> Expectation:
    if not registry.revision:
        return NOT_EXISTS
    return Expectation(conditions=(Condition(_REVISION, ConditionOperator.EQUALS, registry.revision),))


def registry_put(registry: Registry) -> Put:
    """Return the action that replaces the stored registry, if it still has the revision of this one."""
    content = {
        "lastNumber": registry.last_number,
        "classes": {name: list(map(serialize_entry, slots)) for name, slots in registry.classes.items()},
        "uniques": dict(_serialize_uniques(registry)),
        "roles": {name: list(map(serialize_entry, known)) for name, known in registry.roles.items()},
    }
    item = Item(keys.REGISTRY, {_REVISION: registry.revision + 1}, orjson.dumps(content).decode())
    return Put(item, _expect_unchanged(registry))


def _serialize_uniques(registry: Registry) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the constraints of each class, with an additional marker if there are required roles.

    The marker is a constraint that no model has. Versions of the service that do not know required roles drop
    such constraints before they write anything, and lose all required roles with that. So required roles are
    built again after such a version has served in between.
    """
    marker = [_MARKER] if any(registry.roles.values()) else []
    for name in dict.fromkeys((*registry.uniques, *registry.classes)) if marker else registry.uniques:
        yield name, [*map(serialize_entry, registry.uniques.get(name, ())), *marker]
