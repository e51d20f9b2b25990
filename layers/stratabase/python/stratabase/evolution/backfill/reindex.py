"""Builds the registry entries of a class that are not READY, while other processes read and write.

These are index slots, uniqueness constraints and roles. One pass over the objects of a class builds index
entries and guards. Roles concern the objects of two classes, so they take further passes.

A build is correct under concurrent writes for three reasons:

1. Every process maintains all entries of the registry: at once if the engine checks fences, otherwise at the
   latest SETTLED seconds after the entry was added. After this time, only older objects can lack something.
2. Each write of the build expects that its object is as it was read.
3. What is correct is not written. So a build can be stopped and restarted, and several can run at once.

The pass over the objects of a class works on several batches side by side, and stores how far it is
(class_heads.py). A later run continues there.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import NamedTuple, Protocol

from stratabase.core.domain.objects.entity import Reference, RoleName
from stratabase.core.model.model import Class, Model
from stratabase.core.model.stored_names import StoredNames
from stratabase.core.store.engine.parallel import ParallelMap, sequential_map
from stratabase.core.store.engine.port import (
    Engine,
    Item,
    Key,
    Patch,
)
from stratabase.core.store.indexes.entries import (
    BuildState,
    DeletedEntry,
    IndexSlot,
    RegistryEntry,
    RoleEntry,
    UniqueEntry,
)
from stratabase.core.store.indexes.listing import count_objects
from stratabase.core.store.indexes.registry import Registry, access_path, entry_label, is_wanted
from stratabase.core.store.indexes.registry_cache import MAX_AGE, RegistryCache, now_in_milliseconds
from stratabase.core.store.indexes.role_changes import EntriesByClass, former_entries
from stratabase.core.store.layout import codec, keys, object_items
from stratabase.core.store.layout.access_path import ENUM, AccessPath
from stratabase.core.store.layout.associations import Associations
from stratabase.core.store.layout.object_items import live_head
from stratabase.core.store.name_translation import NameTranslation
from stratabase.evolution.backfill.class_heads import BuildProgress, OutOfTime, listed_keys, live_heads
from stratabase.evolution.backfill.deleted_objects import DeletedBackfill, listings_to_build
from stratabase.evolution.backfill.required_roles import RoleBackfill
from stratabase.evolution.backfill.rewrite import rewrite_items
from stratabase.evolution.backfill.uniques import MAX_REFUSED, Duplicate, Duplicates, UniqueBackfill

MAX_COMMIT_DURATION = 20.0
"""The maximum duration of a commit in seconds, including retries, after which its process gives up."""

INDEX_LAG = 5.0
"""Seconds after a write: then indexes show it."""

SETTLED = MAX_AGE + MAX_COMMIT_DURATION + INDEX_LAG
"""Seconds after a change of the registry: then all writes are based on it, and indexes show older writes."""

OBJECTS_PER_LOCAL_COMMIT = 50
"""The number of objects whose index entries are written in one commit of an embedded engine.

There, a commit costs one write to the disk, however many objects it has.
"""

ReportProgress = Callable[[int], None]
"""Takes the number of objects that were processed since the last call."""


BATCHES_SIDE_BY_SIDE = 8
"""The number of batches of objects that are built in parallel, if the engine is remote."""


class Backfill(Protocol):
    """The construction of registry entries of one kind, for the objects of one class."""

    def build(self, items: Sequence[Item]) -> None:
        """Write what objects lack. `items`: the heads of the objects, as they were read.

        Several threads may call this.
        """

    def refused_ids(self) -> Collection[str]:
        """Return the ids of the objects so far that could not get their entry."""

    def finish(self) -> Mapping[RegistryEntry, Duplicates]:
        """Finish after the last object; return the entries that some objects could not get."""


class ReindexOutcome(NamedTuple):
    """The entries that are not READY after a run, and why."""

    duplicates: tuple[Duplicate, ...] = ()
    """Values that several objects have, although they must be unique."""
    interrupted: tuple[str, ...] = ()
    """The labels of entries that a process with another model has violated, or that lack a free slot."""
    more: int = 0
    """The number of further objects with such values, which are not listed."""
    is_stopped: bool = False
    """Whether the time of the run was over before all objects were built. Another run continues."""


class Reindex:
    """Builds the entries of a model's classes that are not READY."""

    def __init__(  # noqa: PLR0913 - the settings of a build
        self,
        engine: Engine,
        model: Model,
        *,
        now: Callable[[], int] = now_in_milliseconds,
        sleep: Callable[[float], None] = time.sleep,
        ahead: bool = False,
        local: bool = False,
        max_refused: int = MAX_REFUSED,
        parallel_map: ParallelMap = sequential_map,
        has_time: Callable[[], bool] = lambda: True,
    ) -> None:
        """`model`: with the names that the methods take and return; the store has the stored names.

        `ahead`: the model is not served yet, so do not remove entries that only other models need.

        `local`: the engine is embedded: it checks fences, and commits many objects as fast as one.
        `max_refused`: the maximum number of objects with duplicates to list for each constraint.

        `parallel_map`: builds several batches of objects. `has_time`: whether the run may go on. It is asked
        after each group of batches. `sleep` may raise OutOfTime.
        """
        self._engine = engine
        self._names = StoredNames(model)
        self._model = stored_model = self._names.stored_model
        self._associations = Associations(stored_model)
        self._registry = RegistryCache(engine, stored_model, now=now, associations=self._associations)
        is_same = self._names.is_identity
        self._shown = None if is_same else NameTranslation.to_stored(self._names).inverse
        """The translation from stored names; None if all names are stored as they are."""
        self._now = now
        self._sleep = sleep
        self._ahead = ahead
        self._local = local
        self._max_refused = max_refused
        self._parallel_map = parallel_map
        self._has_time = has_time

    def unfinished(self, class_names: Iterable[str]) -> dict[str, tuple[RegistryEntry, ...]]:
        """Return the entries to build for each class, without classes that have none."""
        registry = self._registry.update(self._registry.add_missing)
        found = {
            name: self._building(registry, self._names.classes[name].stored_name) for name in class_names
        }
        return {name: built for name, built in found.items() if built}

    def run(self, class_name: str, report: ReportProgress = lambda _: None) -> ReindexOutcome:
        """Build all entries of a class; return those that are still not READY, and why."""
        names = self._names.classes[class_name]
        stored_name, class_ = names.stored_name, self._model.classes[names.stored_name]
        registry = self._registry.update(lambda registry: self._prepared(registry, stored_name))
        building = self._building(registry, stored_name)
        if not building:
            return ReindexOutcome((), self._registry.unfinished_labels_of(registry, class_, names))
        progress = BuildProgress(self._engine, stored_name, building)
        try:
            self._wait_until_settled(building)
            found = self._build(class_, building, registry.roles, progress, report)
            listed = self._list_deleted(building, report)
            if not self._local and any(isinstance(entry, IndexSlot | DeletedEntry) for entry in building):
                # Pages are read from an index as soon as it is READY.
                self._sleep(INDEX_LAG)
            if listed is not None:
                listed.finish(self._now)
        except OutOfTime:
            labels = self._registry.unfinished_labels_of(registry, class_, names)
            return ReindexOutcome((), labels, is_stopped=True)
        unread = progress.unread
        registry = self._registry.update(
            lambda registry: registry.with_finished(stored_name, building, found.keys(), self._now(), unread)
        )
        progress.clear()
        refused_labels = {entry_label(class_, entry, names) for entry in found}
        interrupted = (
            name
            for name in self._registry.unfinished_labels_of(registry, class_, names)
            if name not in refused_labels
        )
        duplicates = chain.from_iterable(duplicates.found for duplicates in found.values())
        shown = tuple(self._with_names(stored_name, duplicate) for duplicate in duplicates)
        more = sum(duplicates.more for duplicates in found.values())
        return ReindexOutcome(shown, tuple(interrupted), more)

    def free_indexes(self, class_names: Iterable[str]) -> None:
        """Free the slots of indexes that the model lacks, so that writes maintain them no more.

        `run` retires them. Wait until no process reads them any more. Raises what `sleep` raises.
        """
        stored_names = [self._names.classes[name].stored_name for name in class_names]
        registry = self._registry.update(lambda registry: registry)
        retired = [slot for name in stored_names for slot in self._retired(registry, name)]
        if retired and not self._ahead:
            self._sleep(max(0.0, self._seconds_until_settled(retired)))
            for name in stored_names:
                self._registry.update(partial(self._without_free_slots, class_name=name))

    def count_objects(self, class_name: str) -> int:
        """Return the number of stored objects of a class."""
        return count_objects(self._engine, self._names.classes[class_name].stored_name)

    def labels(self, class_name: str, entries: Iterable[RegistryEntry]) -> str:
        """Return the entries of a class as one text: `@unique(email), @index(name)`."""
        names = self._names.classes[class_name]
        class_ = self._model.classes[names.stored_name]
        return ", ".join(entry_label(class_, entry, names) for entry in entries)

    def roles_of(self, entry: RoleEntry) -> frozenset[RoleName]:
        """Return the two roles of the association of an entry, as duplicates name them."""
        roles = (entry.stored.role, entry.stored.opposite_role)
        return frozenset(
            role if self._shown is None else self._shown.role(role) for role in roles if role is not None
        )

    def _with_names(self, stored_name: str, duplicate: Duplicate) -> Duplicate:
        """Return a duplicate with the names of the model."""
        if self._shown is None:
            return duplicate
        unique = duplicate.unique
        if isinstance(unique, RoleName):
            role = self._shown.role(unique)
            shown = {unique.role_name: role.role_name}
            return Duplicate(
                role,
                {shown.get(name, name): value for name, value in duplicate.values.items()},
                duplicate.ids,
            )
        values = self._shown.state(stored_name, duplicate.values)
        return Duplicate(self._shown.directive(stored_name, unique), values, duplicate.ids)

    def _building(self, registry: Registry, class_name: str) -> tuple[RegistryEntry, ...]:
        """Return the entries that the model needs for a class and that are not READY."""
        roles: Iterable[RoleEntry] = registry.unfinished_roles(self._associations.stored_roles(class_name))
        if not self._moves_roles:
            roles = (one for one in roles if not self._formers(registry, one))
        return (*registry.unfinished(self._model.classes[class_name]), *roles)

    @property
    def _moves_roles(self) -> bool:
        """Whether associations may be moved, so that processes with the previous model must refuse the role.

        An embedded store is built just before the model is served. Elsewhere, the previous model may be
        served for long.
        """
        return self._local or not self._ahead

    def _formers(self, registry: Registry, one: RoleEntry) -> Sequence[RoleEntry]:
        return former_entries(registry.roles, one.stored, self._associations.by_name)

    def _prepared(self, registry: Registry, class_name: str) -> Registry:
        """Return the registry for the start of a build: with all entries that the model needs."""
        stored, now = self._associations.stored_roles(class_name), self._now()
        if not self._ahead:
            registry = self._without_free_slots(registry, class_name)
            registry = registry.without_unwanted(class_name, self._model.classes[class_name])
            registry = registry.without_roles(class_name, stored)
        registry = self._registry.add_missing(registry).without_violations(class_name, stored, now)
        building = registry.unfinished_roles(stored) if self._moves_roles else ()
        formers = {one.stored: self._formers(registry, one) for one in building}
        registry = registry.with_unbuilt_keys([one for one, former in formers.items() if former], now)
        return registry.without_former(chain.from_iterable(formers.values()), formers.keys(), now)

    def _build(
        self,
        class_: Class,
        building: Sequence[RegistryEntry],
        entries: EntriesByClass,
        progress: BuildProgress,
        report: ReportProgress,
    ) -> Mapping[RegistryEntry, Duplicates]:
        """Run all backfills over a class; return the entries that some objects could not get.

        Raises OutOfTime.
        """
        refused = dict[RegistryEntry, Duplicates]()
        # Roles first: moved keys change the values of indexes and uniqueness constraints.
        if roles := [one for one in building if isinstance(one, RoleEntry)]:
            refused |= RoleBackfill(
                self._engine, self._model, self._registry, roles, entries, self._max_refused, self._has_time
            ).build(report)
        backfills = self._backfills(class_, building)
        if backfills:
            self._pass_over(class_, building, backfills, progress, report)
        for backfill in backfills:
            refused |= backfill.finish()
        return refused

    def _list_deleted(
        self, building: Sequence[RegistryEntry], report: ReportProgress
    ) -> DeletedBackfill | None:
        """Build the listings of deleted objects of all classes, if one of those to build is among them.

        Raises OutOfTime.
        """
        if not any(isinstance(entry, DeletedEntry) for entry in building):
            return None
        begun = listings_to_build(
            self._registry.update(lambda registry: registry),
            lambda entry: self._local or entry in building or self._is_settled(entry),
        )
        backfill = DeletedBackfill(
            self._engine,
            self._registry,
            begun,
            self._parallel_map,
            local=self._local,
            has_time=self._has_time,
        )
        backfill.build(report)
        return backfill

    def _pass_over(
        self,
        class_: Class,
        building: Sequence[RegistryEntry],
        backfills: Sequence[Backfill],
        progress: BuildProgress,
        report: ReportProgress,
    ) -> None:
        """Build all objects of a class, groups of batches one after another, from the stored progress on."""

        def build(batch: list[Key]) -> tuple[int, set[int]]:
            items = live_heads(self._engine, batch)
            for backfill in backfills:
                backfill.build(items)
            return len(items), {one.number for one in building if _has_unread(one, items)}

        # Objects that an earlier run could not build may be the reason why an entry does not become READY.
        build([keys.head(Reference(class_.name, id_)) for id_ in progress.refused])
        batches = listed_keys(self._engine, class_.name, progress.after)
        while group := [*islice(batches, BATCHES_SIDE_BY_SIDE)]:
            built = self._parallel_map(build, group)
            for number, _ in built:
                report(number)
            done = sum(number for number, _ in built)
            progress.note(group[-1][-1], done, set().union(*(unread for _, unread in built)))
            if len(group) == BATCHES_SIDE_BY_SIDE:  # there may be more
                progress.save({id_ for backfill in backfills for id_ in backfill.refused_ids()})
                if not self._has_time():
                    raise OutOfTime

    def _backfills(self, class_: Class, building: Sequence[RegistryEntry]) -> list[Backfill]:
        """Return one backfill for each kind of entry, except for roles."""
        backfills: list[Backfill] = []
        if slots := [one for one in building if isinstance(one, IndexSlot)]:
            backfills.append(
                IndexBackfill(self._engine, class_, slots, OBJECTS_PER_LOCAL_COMMIT if self._local else 1)
            )
        if uniques := [one for one in building if isinstance(one, UniqueEntry)]:
            backfills.append(UniqueBackfill(self._engine, self._model, class_, uniques, self._max_refused))
        return backfills

    def _without_free_slots(self, registry: Registry, class_name: str) -> Registry:
        """Return the registry without long retired indexes, and retire those that the model lacks.

        Those that another slot has replaced stay, until resharding.py has emptied them.
        """
        class_ = self._model.classes.get(class_name)
        slots = registry.classes.get(class_name, ())
        kept = [
            slot
            for slot in slots
            if slot.state is not BuildState.RETIRED or is_wanted(class_, slot) or not self._is_settled(slot)
        ]
        after = [
            slot if is_wanted(class_, slot) else slot.with_state(BuildState.RETIRED, self._now())
            for slot in kept
        ]
        return registry.with_slots(class_name, tuple(after))

    def _retired(self, registry: Registry, class_name: str) -> Iterable[IndexSlot]:
        """Return the retired indexes of a class that the model lacks."""
        class_ = self._model.classes.get(class_name)
        slots = registry.classes.get(class_name, ())
        return (one for one in slots if one.state is BuildState.RETIRED and not is_wanted(class_, one))

    def _is_settled(self, entry: RegistryEntry) -> bool:
        return self._now() >= entry.since + SETTLED * 1000

    def _wait_until_settled(self, building: Iterable[RegistryEntry]) -> None:
        if not self._local:
            self._sleep(max(0.0, self._seconds_until_settled(building)))

    def _seconds_until_settled(self, entries: Iterable[RegistryEntry]) -> float:
        return max(one.since for one in entries) / 1000 + SETTLED - self._now() / 1000


def _has_unread(entry: RegistryEntry, items: Sequence[Item]) -> bool:
    """Return whether an object has a value that an enum column does not read."""
    columns = [column for column in entry.columns if column.reading == ENUM]
    states = map(codec.raw_state, items) if columns else ()
    return any(
        state.get(column.attribute) is not None and column.value(state) is None
        for state in states
        for column in columns
    )


class IndexBackfill:
    """The backfill of index entries: writes those that objects lack or that are wrong."""

    def __init__(
        self, engine: Engine, class_: Class, slots: Sequence[IndexSlot], objects_per_commit: int = 1
    ) -> None:
        self._engine = engine
        self._paths = [access_path(class_.name, slot) for slot in slots]
        self._objects_per_commit = objects_per_commit

    def build(self, items: Sequence[Item]) -> None:
        """Write the index entries of objects. `items`: the heads of the objects, as they were read."""
        for first in range(0, len(items), self._objects_per_commit):
            set_places(self._engine, items[first : first + self._objects_per_commit], self._paths)

    def refused_ids(self) -> Collection[str]:
        """Return nothing, because every object can have an index entry."""
        return ()

    def finish(self) -> Mapping[RegistryEntry, Duplicates]:
        """Return nothing, because every object can have an index entry."""
        return {}


def set_places(engine: Engine, items: Sequence[Item], paths: Sequence[AccessPath]) -> None:
    """Write the index entries that objects lack or that are wrong. `items`: the heads, as they were read.

    If a concurrent write has changed an object, read it again and retry, one object at a time.
    """
    rewrite_items(engine, items, lambda item: _patches(item, paths))


def _patches(item: Item, paths: Sequence[AccessPath]) -> Sequence[Patch]:
    """Return the action that corrects the index entries of an object, none if they are right."""
    if live_head(item) is None:
        return ()
    entity = codec.entity_of(item)
    wrong = {
        name: place
        for name, place in object_items.index_places(entity, paths).items()
        if item.places.get(name) != place
    }
    return [Patch(item.key, object_items.expect_unchanged(entity), places=wrong)] if wrong else []
