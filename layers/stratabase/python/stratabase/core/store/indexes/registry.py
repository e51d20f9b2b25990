"""The registry as an immutable value: index slots, uniqueness constraints and roles, with states.

Processes with different models can share a store. So every process maintains all entries, including those
that its own model does not need: another process may serve a newer or older model. Only a reindex removes
entries, namely those that its model does not need. Entries of roles stay, because they say how the
associations of a removed role are stored.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, TypeVar

import orjson

from stratabase.core.model.model import Class, ClassKind, Index, Unique
from stratabase.core.model.stored_names import ClassNames
from stratabase.core.store.engine.port import (
    INDEX_NAMES,
    NOT_EXISTS,
    Check,
    Condition,
    ConditionOperator,
    Engine,
    Expectation,
    Item,
    Put,
    Value,
)
from stratabase.core.store.indexes.entries import (
    DELETED_OBJECTS,
    INDEX,
    UNIQUE,
    BuildState,
    DeletedEntry,
    IndexSlot,
    MoveStage,
    RegistryEntry,
    RoleEntry,
    UniqueEntry,
    directive_label,
    parse_deleted,
    parse_role,
    parse_slot,
    parse_unique,
    serialize_entry,
)
from stratabase.core.store.indexes.role_changes import (
    ALL_CLASSES,
    ALL_ROLES,
    EntriesByClass,
    RoleEntries,
    RolesByName,
    entries_of_association,
    first_move,
    first_past,
    first_stage,
    first_state,
)
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.access_path import (
    ENUM,
    AccessPath,
    Column,
    adopted,
    column_of,
    columns_of,
)
from stratabase.core.store.layout.associations import PAST, StoredRole
from stratabase.core.store.layout.deleted_listing import DeletedListing
from stratabase.values.frozen import frozen

_REVISION = "revision"
_MARK = "mark"
_SLOTS = tuple(name for name in INDEX_NAMES if name != keys.LISTING)
_MARKER: dict[str, Any] = {"columns": [], "number": 0, "state": BuildState.BUILDING.value, "since": 0}
"""A uniqueness constraint without attributes: see `_serialize_uniques`."""

_SERVED, _SERVED_SINCE_LISTED = "served", "servedSinceListed"
"""The fields with the marks of the models that are served: see `_marks_field`."""
_STAGES = tuple(MoveStage)
_FIRST_LISTING = IndexSlot((), 0, BuildState.READY, 0, keys.LISTING)
"""The listing that each class has from the beginning. Its number is no other entry's."""
_LIVE = frozenset({BuildState.BUILDING, BuildState.READY})
_UNFINISHED = frozenset({BuildState.BUILDING, BuildState.ENFORCED})
Entry = TypeVar("Entry", bound=RegistryEntry)
T = TypeVar("T")

Slots = tuple[IndexSlot, ...]
UniqueEntries = tuple[UniqueEntry, ...]


class NoFreeSlot(Exception):
    """All generic indexes are in use for a class, so that there is none for a further index."""


@frozen
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
    roles: Mapping[str, RoleEntries] = field(default_factory=dict)
    """The roles by class name: those of this model, of other models, and of former models."""
    served: Mapping[str, int] = field(default_factory=dict)
    """By fingerprint of a served model: when it was last seen, in milliseconds since 1970."""
    deleted: Mapping[str, DeletedEntry] = field(default_factory=dict)
    """The listings of deleted objects by class name."""
    mark: str | None = None
    """The text of the mark of the store (store_mark.py)."""

    def slots(self, class_name: str) -> Slots:
        """Return the slots of the indexes of a class and of its listing.

        The registry lists a listing only when its number of shards has been changed.
        """
        found = self.classes.get(class_name, ())
        return found if any(slot.is_listing for slot in found) else (_FIRST_LISTING, *found)

    def paths(self, class_name: str) -> tuple[AccessPath, ...]:
        """Return the indexes that writes maintain for a class, including its listing."""
        maintained = (slot for slot in self.slots(class_name) if slot.state is not BuildState.CLEARING)
        return tuple(access_path(class_name, slot) for slot in maintained)

    def listing(self, class_name: str) -> AccessPath:
        """Return the listing from which the objects of a class are read, in the order of ids."""
        ready = (
            slot for slot in self.slots(class_name) if slot.is_listing and slot.state is BuildState.READY
        )
        return access_path(class_name, max(ready, key=lambda slot: slot.number))

    def deleted_listing(self, class_name: str) -> DeletedListing | None:
        """Return where the deleted objects of a class are listed, None if they are not."""
        entry = self.deleted.get(class_name)
        if entry is None:
            return None
        partition = keys.deleted_partition(class_name, entry.number)
        return DeletedListing(partition, entry.shards, entry.state is BuildState.READY)

    def is_guarded(self, class_: Class, unique: Unique) -> bool:
        """Return whether every object of a class has its guard of a uniqueness constraint."""
        entries = self.uniques.get(class_.name, ())
        wanted = wanted_entries(class_, entries)
        return any(
            wanted.get(entry.number) == unique and entry.state is BuildState.READY for entry in entries
        )

    def unfinished(self, class_: Class) -> tuple[RegistryEntry, ...]:
        """Return the entries for the model's indexes and constraints of a class that are not READY."""
        entries = tuple(self._indexes_and_uniques(class_.name))
        wanted = wanted_entries(class_, entries)
        return tuple(
            entry
            for entry in entries
            if entry.state in _UNFINISHED and (entry.number in wanted or _is_listing(entry))
        ) + self.unfinished_deleted(class_)

    def unfinished_deleted(self, class_: Class) -> tuple[DeletedEntry, ...]:
        """Return the entry of the deleted objects of a class, if the model lists them and it is not READY."""
        entry = self.deleted.get(class_.name)
        is_unfinished = lists_deleted(class_) and entry is not None and entry.state is not BuildState.READY
        return (entry,) if is_unfinished and entry is not None else ()

    def unfinished_labels(self, class_: Class, names: ClassNames | None = None) -> tuple[str, ...]:
        """Return labels of the model's indexes and constraints of a class that are not READY.

        `names`: the names to show instead of stored ones.
        """
        entries = tuple(self._indexes_and_uniques(class_.name))
        wanted = wanted_entries(class_, entries)
        ready = [wanted.get(entry.number) for entry in entries if entry.state is BuildState.READY]
        labels = (
            directive_label(directive, names)
            for directive in _wanted(class_).values()
            if directive not in ready
        )
        return (*labels, *(DELETED_OBJECTS for _ in self.unfinished_deleted(class_)))

    def unfinished_roles(self, stored: Iterable[StoredRole]) -> tuple[RoleEntry, ...]:
        """Return the entries of roles that are not READY."""
        known = {entry.stored: entry for roles in self.roles.values() for entry in roles}
        found = (known[each] for each in stored if each in known)
        return tuple(entry for entry in found if entry.state is not BuildState.READY)

    @property
    def lists_all_roles(self) -> bool:
        """Whether the entries list all roles that were ever served."""
        return ALL_CLASSES in self.roles

    def _indexes_and_uniques(self, class_name: str) -> Iterator[RegistryEntry]:
        yield from self.classes.get(class_name, ())
        yield from self.uniques.get(class_name, ())

    def with_class(self, class_: Class, state: BuildState, now: int) -> "Registry":
        """Return the registry with the indexes and constraints that a model needs for a class.

        New entries get the given state. Existing entries do not move, and none are removed.
        """
        known = self.with_readings(class_)
        return known.with_indexes(class_, state, now).with_constraints(class_, state, now)

    def with_readings(self, class_: Class) -> "Registry":
        """Return the registry with the readings of a model for columns that need not be built for them.

        - A column that an earlier version of the service wrote has none yet.
        - An enum may have got more values. If no object can have them yet, the columns get them too. If not,
          the entries note that objects may have values that they do not read.
        """
        slots, uniques = self.classes.get(class_.name, ()), self.uniques.get(class_.name, ())
        known = self.with_slots(class_.name, _with_readings(slots, class_)) if slots else self
        return known.with_uniques(class_.name, _with_readings(uniques, class_))

    def with_indexes(self, class_: Class, state: BuildState, now: int) -> "Registry":
        """Return the registry with slots for the missing indexes of a class, as far as slots are free."""
        kept = self.classes.get(class_.name, ())
        slots = [slot if is_replaced(slot, kept) else _revived(slot, class_, now) for slot in kept]
        free = [name for name in _SLOTS if name not in {slot.index_name for slot in slots}]
        missing = _missing(class_, INDEX, slots)
        new = [
            IndexSlot(columns, self.last_number + number, state, now, index_name=index_name)
            for number, (index_name, columns) in enumerate(zip(free, missing, strict=False), start=1)
        ]
        return self.with_slots(class_.name, (*slots, *new))

    def with_constraints(self, class_: Class, state: BuildState, now: int) -> "Registry":
        """Return the registry with the missing uniqueness constraints of a class.

        A constraint whose enum columns have only some of the values of another one is built as far as that
        one: the guards are the same.
        """
        kept = self.uniques.get(class_.name, ())
        new = list[UniqueEntry]()
        for number, columns in enumerate(_missing(class_, UNIQUE, kept), start=self.last_number + 1):
            wider = [each for each in kept if _covers(each.columns, columns)]
            best = next((each for each in wider if each.state is BuildState.READY), next(iter(wider), None))
            new.append(
                UniqueEntry(columns, number, state, now)
                if best is None
                else replace(best, columns=columns, number=number, since=now, has_unread=True)
            )
        return self.with_uniques(class_.name, (*kept, *new))

    def with_stored_roles(
        self, wanted: Iterable[StoredRole], model_roles: RolesByName, new: Collection[str], now: int
    ) -> "Registry":
        """Return the registry with the missing entries of roles. `new`: the classes without objects."""
        registry, before = self, self.roles
        for class_name, roles in _missing_roles(before, wanted).items():
            kept = before.get(class_name, ())
            entries = list[RoleEntry]()
            for number, one in enumerate(roles, start=registry.last_number + 1):
                is_new = class_name in new or one.target in new
                state = first_state(before, one, model_roles, is_new=is_new, are_listed=self.lists_all_roles)
                past = 0 if is_new or not self.lists_all_roles else first_past(before, one, state, now)
                moved = 0 if is_new else first_move(before, one, model_roles)
                stage = MoveStage.BEGUN if is_new else first_stage(before, one, model_roles)
                entries.append(RoleEntry((), number, state, now, one, False, past, moved, stage))
            registry = registry.with_roles(class_name, (*kept, *entries))
        if registry.lists_all_roles:
            return registry
        mark = RoleEntry((), registry.last_number + 1, BuildState.READY, now, stored=ALL_ROLES)
        return registry.with_roles(ALL_CLASSES, (mark,))

    def with_past(self, wanted: Iterable[StoredRole]) -> "Registry":
        """Return a registry of an earlier version of the service, whose entries do not name former links."""
        named = {one._replace(storage=one.storage.removesuffix(PAST)): one for one in wanted}
        registry = self
        for class_name, roles in self.roles.items():
            entries = (replace(entry, stored=named.get(entry.stored, entry.stored)) for entry in roles)
            registry = registry.with_roles(class_name, tuple(entries))
        return registry

    def with_roles(self, class_name: str, roles: RoleEntries) -> "Registry":
        """Return the registry with these roles for a class. Return itself if nothing changes."""
        if self.roles.get(class_name, ()) == roles:
            return self
        return replace(self, last_number=self._highest_number(roles), roles={**self.roles, class_name: roles})

    def without_roles(self, class_name: str, wanted: Collection[StoredRole]) -> "Registry":
        """Return the registry without entries that a model does not need any more.

        `wanted`: the roles of the class. If a role is READY, its entries with the same truth are removed. The
        entries of a removed role stay, so that it is known how it was stored, but nobody maintains them.
        """
        entries, names = self.roles.get(class_name, ()), {one.role for one in wanted}
        ready = {each.stored.role: each for each in entries if each.stored in wanted and each.is_whole}
        kept = (
            entry if entry.stored.role in names or not entry.stored.is_built else _abandoned(entry)
            for entry in entries
            if entry.stored in wanted
            or entry.stored.role not in ready
            or ready[entry.stored.role].stored.truth != entry.stored.truth
        )
        return self.with_roles(class_name, tuple(kept))

    def without_former(
        self, entries: Iterable[RoleEntry], begun: Collection[StoredRole], now: int
    ) -> "Registry":
        """Return the registry at the start of a conversion.

        `entries`: those that say where the associations are kept. Processes that rely on them must refuse the
        role from now on. `begun`: the roles to convert. They count as new, so that a build waits for these
        processes.
        """
        numbers, registry = {entry.number for entry in entries if entry.is_whole}, self
        for class_name, roles in self.roles.items() if numbers else ():
            changed = (
                replace(_abandoned(entry), moved_at=None)
                if entry.number in numbers
                else replace(entry, since=now)
                if entry.stored in begun
                else entry
                for entry in roles
            )
            registry = registry.with_roles(class_name, tuple(changed))
        for one in begun:
            registry = registry.with_stage(one, MoveStage.CLEARING)
        return registry

    def with_stage(self, wanted: StoredRole, stage: MoveStage) -> "Registry":
        """Return the registry after a step of a move of associations. Return itself if it is further.

        `wanted`: how one end of the association is stored from now on.
        """
        before = _STAGES[: _STAGES.index(stage)]
        found = entries_of_association(self.roles, wanted, wanted.truth)
        numbers, registry = {entry.number for entry in found if entry.stage in before}, self
        for class_name in {entry.stored.role.class_name for entry in found} if numbers else ():
            changed = (
                replace(entry, stage=stage) if entry.number in numbers else entry
                for entry in self.roles[class_name]
            )
            registry = registry.with_roles(class_name, tuple(changed))
        return registry

    def with_unbuilt_keys(self, moved: Iterable[StoredRole], now: int) -> "Registry":
        """Return the registry at the start of a conversion of roles, which writes no guards of unique values.

        The uniqueness constraints that name the key of such a role must be built again afterwards.
        """
        registry = self
        for key in filter(None, (one.key_in_state for one in moved)):
            uniques = (
                entry.with_state(BuildState.BUILDING, now) if _names(entry, key.role_name) else entry
                for entry in registry.uniques.get(key.class_name, ())
            )
            registry = registry.with_uniques(key.class_name, tuple(uniques))
        return registry

    def may_clear(self, wanted: StoredRole) -> bool:
        """Return whether the links of an association stand for nothing, because nothing was moved to them."""
        found = entries_of_association(self.roles, wanted, wanted.truth)
        return all(entry.stage is MoveStage.CLEARING for entry in found)

    def with_slots(self, class_name: str, slots: Slots) -> "Registry":
        """Return the registry with these index slots for a class. Return itself if nothing changes."""
        slots = _without_only_listing(slots)
        if self.classes.get(class_name) == slots:
            return self
        return replace(
            self, last_number=self._highest_number(slots), classes={**self.classes, class_name: slots}
        )

    def with_shards(self, class_name: str, columns: tuple[Column, ...], shards: int, now: int) -> "Registry":
        """Return the registry with a slot for another number of shards of an index. Raises NoFreeSlot.

        `columns`: of the index; none for the listing. Return itself if the index has this number already.
        """
        before = self.slots(class_name)
        same = [slot for slot in before if slot.columns == columns and slot.state in _LIVE]
        if any(slot.shards == shards and slot.number == max(each.number for each in same) for slot in same):
            return self
        # An unfinished change to another number is given up.
        slots = tuple(
            slot.with_state(BuildState.RETIRED, now)
            if slot in same and slot.state is BuildState.BUILDING
            else slot
            for slot in before
        )
        if any(slot in slots and slot.shards == shards for slot in same):
            return self.with_slots(class_name, slots)
        used = {slot.index_name for slot in slots}
        free = [name for name in (_SLOTS if columns else INDEX_NAMES) if name not in used]
        if not same or not free:
            raise NoFreeSlot
        number = self.last_number + 1
        new = IndexSlot(columns, number, BuildState.BUILDING, now, index_name=free[0], shards=shards)
        return self.with_slots(class_name, (*slots, new))

    def with_retired(self, class_name: str, now: int) -> "Registry":
        """Return the registry with the slots of a class RETIRED that a READY slot has replaced."""
        slots = self.classes.get(class_name, ())
        ready = [slot for slot in slots if slot.state is BuildState.READY]
        newest = {slot.columns: slot.number for slot in sorted(ready, key=lambda slot: slot.number)}
        return self._with_state(
            class_name,
            [slot for slot in slots if slot.state in _LIVE and slot.number < newest.get(slot.columns, 0)],
            BuildState.RETIRED,
            now,
        )

    def with_clearing(self, class_name: str, now: int) -> "Registry":
        """Return the registry with the RETIRED slots of a class CLEARING that another slot has replaced."""
        slots = self.classes.get(class_name, ())
        retired = [slot for slot in slots if slot.state is BuildState.RETIRED and is_replaced(slot, slots)]
        return self._with_state(class_name, retired, BuildState.CLEARING, now)

    def _with_state(
        self, class_name: str, changed: Collection[IndexSlot], state: BuildState, now: int
    ) -> "Registry":
        slots = self.classes.get(class_name, ())
        if not changed:
            return self
        return self.with_slots(
            class_name, tuple(slot.with_state(state, now) if slot in changed else slot for slot in slots)
        )

    def without_slots(self, class_name: str, numbers: Collection[int]) -> "Registry":
        """Return the registry without the slots of a class that have these numbers."""
        slots = self.classes.get(class_name, ())
        return self.with_slots(class_name, tuple(slot for slot in slots if slot.number not in numbers))

    def with_uniques(self, class_name: str, uniques: UniqueEntries) -> "Registry":
        """Return the registry with these constraints for a class. Return itself if nothing changes."""
        if self.uniques.get(class_name, ()) == uniques:
            return self
        return replace(
            self, last_number=self._highest_number(uniques), uniques={**self.uniques, class_name: uniques}
        )

    def without_violations(self, class_name: str, wanted: Collection[StoredRole], now: int) -> "Registry":
        """Return the registry with the violations of a class cleared, so that a build notices new ones.

        `wanted`: the roles of the model.
        """
        uniques = (
            replace(entry, violated=False, since=now) if entry.violated else entry
            for entry in self.uniques.get(class_name, ())
        )
        roles = (
            replace(entry, violated=False, since=now) if entry.violated and entry.stored in wanted else entry
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
            _abandoned(entry.with_state(BuildState.BUILDING, now)) if entry.number in numbers else entry
            for entry in self.roles.get(class_name, ())
        )
        return self.with_uniques(class_name, tuple(uniques)).with_roles(class_name, tuple(roles))

    def with_unread(self, class_name: str, numbers: Collection[int]) -> "Registry":
        """Return the registry with the note that enum columns of these entries do not read some texts."""
        slots = (
            replace(slot, has_unread=True) if slot.number in numbers else slot
            for slot in self.classes.get(class_name, ())
        )
        uniques = (
            replace(entry, has_unread=True) if entry.number in numbers else entry
            for entry in self.uniques.get(class_name, ())
        )
        return self.with_slots(class_name, tuple(slots)).with_uniques(class_name, tuple(uniques))

    def without_unwanted(self, class_name: str, class_: Class | None) -> "Registry":
        """Return the registry without the uniqueness constraints of a class that the model does not have."""
        entries = self.uniques.get(class_name, ())
        wanted = wanted_entries(class_, entries)
        return self.with_uniques(class_name, tuple(entry for entry in entries if entry.number in wanted))

    def with_finished(
        self,
        class_name: str,
        begun: Sequence[RegistryEntry],
        refused: Collection[RegistryEntry],
        now: int,
        unread: Collection[int] = (),
    ) -> "Registry":
        """Return the registry after a build of a class.

        `unread`: the numbers of the entries with enum columns that do not read the text of some object.

        `begun`: the entries as they were when the build began. `refused`: the entries that some objects could
        not get. Entries that were meanwhile removed, or created again with another number, do not change.
        """
        known = {entry.number: entry for entry in begun}
        slots = (_finished(entry, known, refused, now, unread) for entry in self.classes.get(class_name, ()))
        uniques = (
            _finished(entry, known, refused, now, unread) for entry in self.uniques.get(class_name, ())
        )
        roles = [_finished(entry, known, refused, now, unread) for entry in self.roles.get(class_name, ())]
        built = [each.stored for each in roles if each.number in known and each.is_whole]
        registry = self.with_slots(class_name, tuple(slots)).with_uniques(class_name, tuple(uniques))
        registry = registry.with_roles(class_name, tuple(roles))
        # A conversion has moved everything, so nothing is left where a role was stored before.
        emptied = {
            each.number
            for one in built
            for each in entries_of_association(registry.roles, one)
            if each.stored.truth != one.truth
        }
        return _without_roles(registry, emptied)

    def with_deleted(self, class_: Class, state: BuildState, now: int) -> "Registry":
        """Return the registry with the listing of the deleted objects of a class, if the model has one.

        It has as many shards as the listing of the class. Return itself if nothing changes.
        """
        if class_.name in self.deleted or not lists_deleted(class_):
            return self
        return self._with_new_deleted(class_.name, self.listing(class_.name).shards, state, now)

    def with_deleted_shards(self, class_name: str, shards: int, now: int) -> "Registry":
        """Return the registry with another number of shards of the listing of deleted objects.

        A reindex moves the positions. Until then it is BUILDING. Return itself if nothing changes.
        """
        entry = self.deleted.get(class_name)
        if entry is None or entry.shards == shards:
            return self
        return self._with_new_deleted(class_name, shards, BuildState.BUILDING, now)

    def _with_new_deleted(self, class_name: str, shards: int, state: BuildState, now: int) -> "Registry":
        entry = DeletedEntry((), self.last_number + 1, state, now, shards)
        return replace(self, last_number=entry.number, deleted={**self.deleted, class_name: entry})

    def with_listed(self, begun: Mapping[str, DeletedEntry], now: int) -> "Registry":
        """Return the registry after a build of listings of deleted objects. Return itself if nothing changes.

        `begun`: the entries by class name, as they were when the build began. Entries that were meanwhile
        removed, or created again with another number, do not change.
        """
        changed = {
            name: entry.with_state(BuildState.READY, now)
            for name, entry in self.deleted.items()
            if begun.get(name) == entry and entry.state is not BuildState.READY
        }
        return replace(self, deleted={**self.deleted, **changed}) if changed else self

    def with_served(self, model: str, now: int, *, forget_before: int) -> "Registry":
        """Return the registry with the mark that a model serves now, without marks before an instant."""
        kept = {each: seen for each, seen in self.served.items() if seen >= forget_before}
        return replace(self, served={**kept, model: now})

    def without_class(self, class_name: str) -> "Registry":
        """Return the registry without all entries of a class. Return itself if nothing changes."""
        if not any(class_name in each for each in (self.classes, self.uniques, self.roles, self.deleted)):
            return self
        return replace(
            self,
            classes=_without(self.classes, class_name),
            uniques=_without(self.uniques, class_name),
            roles=_without(self.roles, class_name),
            deleted=_without(self.deleted, class_name),
        )

    def without_attribute(self, class_name: str, name: str, now: int) -> "Registry":
        """Return the registry without the entries of a class that name an attribute or role.

        Its indexes are RETIRED, so that their slots become free when no process writes to them any more.
        """
        slots = (
            slot.with_state(BuildState.RETIRED, now) if _names(slot, name) else slot
            for slot in self.classes.get(class_name, ())
        )
        uniques = (entry for entry in self.uniques.get(class_name, ()) if not _names(entry, name))
        roles = (entry for entry in self.roles.get(class_name, ()) if entry.stored.role.role_name != name)
        changed = self.with_uniques(class_name, tuple(uniques)).with_roles(class_name, tuple(roles))
        return changed.with_slots(class_name, tuple(slots)) if class_name in self.classes else changed

    def _highest_number(self, entries: Iterable[RegistryEntry]) -> int:
        return max([self.last_number, *(entry.number for entry in entries)])


def access_path(class_name: str, slot: IndexSlot) -> AccessPath:
    """Return the access path of an index slot."""
    is_first_listing = slot.number == _FIRST_LISTING.number
    partition = (
        keys.listing_partition(class_name)
        if is_first_listing
        else keys.index_partition(class_name, slot.number)
    )
    return AccessPath(slot.index_name, partition, slot.columns, slot.state is BuildState.READY, slot.shards)


def lists_deleted(class_: Class) -> bool:
    """Return whether the deleted objects of a class are listed, because a service shows them."""
    return class_.versioned and class_.exposed and class_.kind is ClassKind.ORDINARY


def _wanted(class_: Class) -> dict[tuple[str, tuple[Column, ...]], Index | Unique]:
    """Return the indexes and constraints of a class in the model, by (directive, columns)."""
    indexes = {(INDEX, columns_of(class_, index.attributes)): index for index in class_.indexes}
    uniques = {(UNIQUE, _guarded(class_, unique)): unique for unique in class_.uniques}
    return {**indexes, **uniques}


def _missing(class_: Class, directive: str, entries: Iterable[RegistryEntry]) -> list[tuple[Column, ...]]:
    """Return the columns of those directives of a class for which there is no entry yet."""
    known = wanted_entries(class_, entries).values()
    return [
        columns for (name, columns), one in _wanted(class_).items() if name == directive and one not in known
    ]


def _guarded(class_: Class, unique: Unique) -> tuple[Column, ...]:
    """Return the columns of a uniqueness constraint, sorted by name."""
    return columns_of(class_, tuple(sorted(unique.attributes)))


def wanted_entries(class_: Class | None, entries: Iterable[RegistryEntry]) -> Mapping[int, Index | Unique]:
    """Return the numbers of the entries that a model needs for a class, each with what it is for.

    `class_`: None if the model does not have the class.
    """
    if class_ is None:
        return {}
    wanted = _wanted(class_)
    pairs = ((entry.number, wanted.get((entry.directive, entry.columns))) for entry in entries)
    return {number: directive for number, directive in pairs if directive is not None}


def _without_only_listing(slots: Slots) -> Slots:
    """Return slots as the registry lists them: without the first listing if it is the only one."""
    listings = [slot for slot in slots if slot.is_listing]
    return tuple(slot for slot in slots if slot not in listings) if listings == [_FIRST_LISTING] else slots


def _is_listing(entry: RegistryEntry) -> bool:
    return isinstance(entry, IndexSlot) and entry.is_listing


def is_replaced(slot: IndexSlot, slots: Iterable[IndexSlot]) -> bool:
    """Return whether another slot of the class has taken the place of one, or will when it is built."""
    return any(
        other.columns == slot.columns
        and other.number != slot.number
        and (other.state in _LIVE or (other.state is BuildState.RETIRED and other.number > slot.number))
        for other in slots
    )


def _covers(columns: tuple[Column, ...], others: tuple[Column, ...]) -> bool:
    """Return whether columns read all values that others read, and as the same values."""
    return len(columns) == len(others) and all(
        one == other
        or (
            one.reading == ENUM
            and one._replace(values=other.values) == other
            and {*one.values} >= {*other.values}
        )
        for one, other in zip(columns, others, strict=True)
    )


def is_wanted(class_: Class | None, entry: RegistryEntry) -> bool:
    """Return whether the model needs an entry. `class_`: None if the model does not have the class."""
    if _is_listing(entry):
        return class_ is not None
    return entry.number in wanted_entries(class_, (entry,))


def entry_label(class_: Class, entry: RegistryEntry, names: ClassNames | None = None) -> str:
    """Return the label of an entry for messages: `@unique(last_name, first_name)`.

    `names`: the names to show instead of stored ones.
    """
    if isinstance(entry, RoleEntry):
        return entry.label(names)
    if isinstance(entry, DeletedEntry):
        return DELETED_OBJECTS
    if isinstance(entry, IndexSlot) and entry.is_listing:
        return "listing" if entry.shards == 1 else f"listing in {entry.shards} shards"
    return directive_label(wanted_entries(class_, (entry,))[entry.number], names)


def unique_of(class_: Class, entry: UniqueEntry) -> Unique:
    """Return the uniqueness constraint of the model that an entry is for."""
    return next(unique for unique in class_.uniques if _covers(entry.columns, _guarded(class_, unique)))


def _with_readings(entries: tuple[Entry, ...], class_: Class) -> tuple[Entry, ...]:
    entries = tuple(_adopted(entry, class_) for entry in entries)
    taken = {entry.columns for entry in entries}
    return tuple(_extended(entry, class_, taken) for entry in entries)


def _adopted(entry: Entry, class_: Class) -> Entry:
    columns = tuple(adopted(column, class_) for column in entry.columns)
    return entry if columns == entry.columns else replace(entry, columns=columns)


def _extended(entry: Entry, class_: Class, taken: Collection[tuple[Column, ...]]) -> Entry:
    """Return an entry as a model requires that may write values which its enum columns do not read."""
    enums = (column.attribute for column in entry.columns if column.reading == ENUM)
    names = {name for name in enums if name in class_.attributes and name not in class_.derived}
    pairs = [
        (column, column_of(class_, column.attribute) if column.attribute in names else column)
        for column in entry.columns
    ]
    if all(new.reading == old.reading and {*new.values} <= {*old.values} for old, new in pairs):
        return entry
    columns = tuple(new for _, new in pairs)
    may_extend = columns not in taken and all(
        new._replace(values=old.values) == old and {*new.values} >= {*old.values} for old, new in pairs
    )
    if may_extend and (entry.state is BuildState.BUILDING or not entry.has_unread):
        return replace(entry, columns=columns)
    return entry if entry.has_unread else replace(entry, has_unread=True)


def _without_roles(registry: Registry, numbers: Collection[int]) -> Registry:
    """Return a registry without the entries of roles that have these numbers."""
    for class_name, roles in registry.roles.items() if numbers else ():
        registry = registry.with_roles(
            class_name, tuple(each for each in roles if each.number not in numbers)
        )
    return registry


def _without(entries: Mapping[str, T], class_name: str) -> Mapping[str, T]:
    return {name: each for name, each in entries.items() if name != class_name}


def _names(entry: RegistryEntry, attribute: str) -> bool:
    """Return whether an entry has a column for an attribute."""
    return any(column.attribute == attribute for column in entry.columns)


def _violated(entry: UniqueEntry, now: int) -> UniqueEntry:
    """Return a constraint marked as violated by a duplicate. READY becomes ENFORCED, BUILDING stays."""
    state = BuildState.ENFORCED if entry.state is BuildState.READY else entry.state
    return replace(entry.with_state(state, now), violated=True)


def _finished(
    entry: Entry,
    begun: Mapping[int, RegistryEntry],
    refused: Collection[RegistryEntry],
    now: int,
    unread: Collection[int],
) -> Entry:
    """Return an entry in its state after a build. If another build has begun meanwhile, that one decides."""
    before = begun.get(entry.number)
    if before is None or entry.state not in _UNFINISHED:
        return entry
    if isinstance(entry, RoleEntry) and (before in refused or entry.violated):
        return entry
    if isinstance(entry, RoleEntry) and isinstance(before, RoleEntry) and _is_as_begun(entry, before):
        past = now if entry.past_from is None else entry.past_from
        moved = now if entry.moved_at is None else entry.moved_at
        ready = entry.with_state(BuildState.READY, now)
        return replace(ready, past_from=past, moved_at=moved, stage=MoveStage.BEGUN)
    if entry.columns != before.columns:  # an enum has got more values meanwhile: only the next build sees all
        return entry
    # A write may have noted meanwhile that it stores such a text. That does not change what was built.
    is_same = replace(entry, has_unread=before.has_unread) == before
    found = replace(entry, has_unread=True) if entry.number in unread else entry
    if before in refused or (isinstance(entry, UniqueEntry) and entry.violated):
        return found.with_state(BuildState.ENFORCED, now)
    return found.with_state(BuildState.READY, now) if is_same else found


def _is_as_begun(entry: RoleEntry, before: RoleEntry) -> bool:
    """Return whether an entry is as it was when its build began, but for the stage that the build changes."""
    return replace(entry, stage=before.stage) == before


def _missing_roles(entries: EntriesByClass, wanted: Iterable[StoredRole]) -> Mapping[str, list[StoredRole]]:
    """Return the roles that have no entry yet, by class."""
    missing: dict[str, list[StoredRole]] = {}
    for one in wanted:
        class_name = one.role.class_name
        if not any(entry.stored == one for entry in entries.get(class_name, ())):
            missing.setdefault(class_name, []).append(one)
    return missing


def _abandoned(entry: RoleEntry) -> RoleEntry:
    """Return the entry of a role whose items are not kept any more."""
    past = None if entry.stored.keeps_past else 0
    return replace(entry, state=BuildState.BUILDING, violated=True, past_from=past)


def _revived(slot: IndexSlot, class_: Class, now: int) -> IndexSlot:
    revived = slot.state is BuildState.RETIRED and is_wanted(class_, slot)
    return slot.with_state(BuildState.BUILDING, now) if revived else slot


def stored_registry(engine: Engine) -> Registry:
    """Return the registry as the store has it now. Raises Unavailable."""
    return parse_registry(engine.get([keys.REGISTRY])[0])


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
    roles = {name: tuple(map(parse_role, known)) for name, known in content.get("roles", {}).items()}
    return Registry(
        int(str(item.attributes[_REVISION])),
        content["lastNumber"],
        classes,
        uniques,
        roles,
        content.get(_SERVED) or content.get(_SERVED_SINCE_LISTED, {}),
        {name: parse_deleted(entry) for name, entry in content.get("deleted", {}).items()},
        mark_text(item),
    )


def mark_text(item: Item | None) -> str | None:
    """Return the text of the mark of the store, which is an attribute of the registry's item."""
    text = None if item is None else item.attributes.get(_MARK)
    return text if isinstance(text, str) else None


def registry_fence(registry: Registry) -> Check:
    """Return the check that the stored registry still has the revision of this one."""
    return Check(keys.REGISTRY, _expect_unchanged(registry))


def _expect_unchanged(registry: Registry) -> Expectation:
    if not registry.revision:
        return NOT_EXISTS
    return Expectation(conditions=(Condition(_REVISION, ConditionOperator.EQUALS, registry.revision),))


def registry_put(registry: Registry) -> Put:
    """Return the action that replaces the stored registry, if it still has the revision of this one."""
    deleted = {name: serialize_entry(entry) for name, entry in registry.deleted.items()}
    content = {
        "lastNumber": registry.last_number,
        "classes": {name: list(map(serialize_entry, slots)) for name, slots in registry.classes.items()},
        "uniques": dict(_serialize_uniques(registry)),
        "roles": {name: list(map(serialize_entry, known)) for name, known in registry.roles.items()},
        **({_marks_field(registry): registry.served} if registry.served else {}),
        **({"deleted": deleted} if deleted else {}),
    }
    attributes: dict[str, Value] = {_REVISION: registry.revision + 1}
    if registry.mark is not None:
        attributes[_MARK] = registry.mark
    item = Item(keys.REGISTRY, attributes, orjson.dumps(content).decode())
    return Put(item, _expect_unchanged(registry))


def _marks_field(registry: Registry) -> str:
    """Return the field for the marks of the models that are served.

    Versions of the service that do not know the listings of deleted objects write tombstones without
    positions, and drop these listings from the registry whenever they write it. If a listing is READY, they
    must not find their mark. So they write it within MAX_AGE, and the listing must be built again.
    """
    is_listed = any(entry.state is BuildState.READY for entry in registry.deleted.values())
    return _SERVED_SINCE_LISTED if is_listed else _SERVED


def _serialize_uniques(registry: Registry) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the constraints of each class, with an additional marker if there are required roles.

    The marker is a constraint that no model has. Versions of the service that do not know required roles drop
    such constraints before they write anything, and lose all required roles with that. So required roles are
    built again after such a version has served in between.
    """
    marker = [_MARKER] if registry.roles.keys() - {ALL_CLASSES} else []
    for name in dict.fromkeys((*registry.uniques, *registry.classes)) if marker else registry.uniques:
        yield name, [*map(serialize_entry, registry.uniques.get(name, ())), *marker]
