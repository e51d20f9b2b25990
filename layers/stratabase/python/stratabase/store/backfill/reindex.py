"""Builds what a new model needs from the data that is there, while others read and write.

That is what the registry lists and is not READY: index slots, uniqueness constraints and required roles. One
pass over the objects of a class builds all of it, with one backfill for each kind. Required roles come last:
they are about the objects of two classes, and are built in passes of their own.

Every process keeps what the registry lists: at once where the engine judges fences, elsewhere at the latest
SETTLED after it was listed. From then on only objects that were written before can lack it. They are given
it, each under the condition that it is as it was read. What is right already is left alone, so a build can be
stopped and started at any time, and several may run at once.
"""

import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, Protocol

from stratabase.model.model import Class, Model
from stratabase.store.backfill.required_roles import RoleBackfill
from stratabase.store.backfill.uniques import MOST_REFUSED, Duplicate, Duplicates, UniqueBackfill
from stratabase.store.engine.port import Batch, Engine, ExpectationFailed, Item, Key, OutcomeUnknown, Patch
from stratabase.store.indexes.entries import (
    BuildState,
    IndexSlot,
    RegistryEntry,
    RequiredRoleEntry,
    UniqueEntry,
)
from stratabase.store.indexes.registry import Registry, access_path, entry_label, is_wanted
from stratabase.store.indexes.registry_cache import MAX_AGE, RegistryCache, now_in_milliseconds
from stratabase.store.layout import codec, heads, keys
from stratabase.store.layout.access_path import AccessPath
from stratabase.store.layout.associations import Associations
from stratabase.store.layout.heads import live_head

LONGEST_COMMIT = 20.0
"""Seconds for which a commit may be under way, retries included, before its process gives up."""

SETTLED = MAX_AGE + LONGEST_COMMIT + 5.0
"""Seconds after which all processes commit by a change of the registry, and indexes show what came before."""

_READ_AT_ONCE = 100
_PLACED_AT_ONCE_LOCALLY = 50
"""How many objects get their places in one commit of an embedded engine, which is one write to the disk."""

ReportProgress = Callable[[int], None]
"""Is called with the number of objects that were looked at since the last call."""


class Backfill(Protocol):
    """Gives the objects of one class what they lack of some entries of the registry."""

    def build(self, items: Sequence[Item]) -> None:
        """Give objects what they lack; `items` are their heads as they were read."""

    def finish(self) -> Mapping[RegistryEntry, Duplicates]:
        """Do what remains after the last object, and return what could not be given to all of them."""


class ReindexOutcome(NamedTuple):
    """What is not READY after a run."""

    duplicates: tuple[Duplicate, ...] = ()
    """Values that several objects have and only one may have."""
    interrupted: tuple[str, ...] = ()
    """What a process with another model prevented, or what waits for a free index slot."""
    more: int = 0
    """How many further objects have values that another one has."""


class Reindex:
    """Builds what is not READY for a model's classes.

    `ahead`: the model is not served yet, so nothing is taken away that it does not ask for. Otherwise a
    reindex also drops such constraints, and frees the slots of such indexes. `local`: the engine judges
    fences, and writes many objects as fast as one. `most`: how many objects that have what another one has
    are named of each constraint.
    """

    def __init__(  # noqa: PLR0913 - what is built, for whom, and how
        self,
        engine: Engine,
        model: Model,
        *,
        now: Callable[[], int] = now_in_milliseconds,
        sleep: Callable[[float], None] = time.sleep,
        ahead: bool = False,
        local: bool = False,
        most: int = MOST_REFUSED,
    ) -> None:
        self._engine = engine
        self._model = model
        self._associations = Associations(model)
        self._slots = RegistryCache(engine, model, now=now, associations=self._associations)
        self._now = now
        self._sleep = sleep
        self._ahead = ahead
        self._local = local
        self._most = most

    def unfinished(self, class_names: Iterable[str]) -> dict[str, tuple[RegistryEntry, ...]]:
        """Return what is to be built for each of some classes, without those that need nothing."""
        registry = self._slots.update(self._slots.add_missing)
        found = {name: self._building(registry, name) for name in class_names}
        return {name: built for name, built in found.items() if built}

    def run(self, class_name: str, report: ReportProgress = lambda _: None) -> ReindexOutcome:
        """Make everything of a class READY, but constraints that objects do not keep to."""
        class_ = self._model.classes[class_name]
        registry = self._slots.update(lambda registry: self._prepared(registry, class_name))
        building = self._building(registry, class_name)
        if not building:
            return ReindexOutcome((), self._slots.unfinished_labels_of(registry, class_))
        self._wait_until_settled(building)
        found = self._build(class_, building, report)
        registry = self._slots.update(
            lambda registry: registry.with_finished(class_name, building, found.keys(), self._now())
        )
        refused_labels = {entry_label(class_, entry) for entry in found}
        interrupted = (
            name for name in self._slots.unfinished_labels_of(registry, class_) if name not in refused_labels
        )
        duplicates = chain.from_iterable(duplicates.found for duplicates in found.values())
        more = sum(duplicates.more for duplicates in found.values())
        return ReindexOutcome(tuple(duplicates), tuple(interrupted), more)

    def _building(self, registry: Registry, class_name: str) -> tuple[RegistryEntry, ...]:
        """Return what the model asks for of a class and is not READY."""
        roles = registry.unfinished_roles(self._associations.requirements(class_name))
        return (*registry.unfinished(self._model.classes[class_name]), *roles)

    def _prepared(self, registry: Registry, class_name: str) -> Registry:
        """Return the registry as a build begins: with all that the model asks for."""
        if not self._ahead:
            registry = self._without_free_slots(registry, class_name)
            registry = registry.without_unwanted(class_name, self._model.classes[class_name])
            registry = registry.without_roles(class_name, self._associations.requirements(class_name))
        return self._slots.add_missing(registry).without_violations(class_name, self._now())

    def _build(
        self, class_: Class, building: Sequence[RegistryEntry], report: ReportProgress
    ) -> Mapping[RegistryEntry, Duplicates]:
        """Give all objects of a class what they lack; return what could not be given to all of them."""
        backfills, refused = self._backfills(class_, building), dict[RegistryEntry, Duplicates]()
        for items in self._objects(class_.name) if backfills else ():
            for backfill in backfills:
                backfill.build(items)
            report(len(items))
        for backfill in backfills:
            refused |= backfill.finish()
        if roles := [one for one in building if isinstance(one, RequiredRoleEntry)]:
            refused |= RoleBackfill(self._engine, self._model, self._slots, roles, self._most).build(report)
        return refused

    def _backfills(self, class_: Class, building: Sequence[RegistryEntry]) -> list[Backfill]:
        """Return one backfill for each kind of what is to be built."""
        backfills: list[Backfill] = []
        if slots := [one for one in building if isinstance(one, IndexSlot)]:
            backfills.append(
                IndexBackfill(self._engine, class_, slots, _PLACED_AT_ONCE_LOCALLY if self._local else 1)
            )
        if uniques := [one for one in building if isinstance(one, UniqueEntry)]:
            backfills.append(UniqueBackfill(self._engine, self._model, class_, uniques, self._most))
        return backfills

    def _without_free_slots(self, registry: Registry, class_name: str) -> Registry:
        """Return the registry after retiring indexes that the model lacks, and freeing long retired ones."""
        class_ = self._model.classes.get(class_name)
        slots = registry.classes.get(class_name, ())
        kept = [slot for slot in slots if slot.state is not BuildState.RETIRED or not self._is_settled(slot)]
        after = [
            slot if is_wanted(class_, slot) else slot.with_state(BuildState.RETIRED, self._now())
            for slot in kept
        ]
        return registry.with_slots(class_name, tuple(after))

    def _is_settled(self, slot: IndexSlot) -> bool:
        return self._now() >= slot.since + SETTLED * 1000

    def _wait_until_settled(self, building: Iterable[RegistryEntry]) -> None:
        if not self._local:
            since = max(one.since for one in building)
            self._sleep(max(0.0, since / 1000 + SETTLED - self._now() / 1000))

    def _objects(self, class_name: str) -> Iterator[Sequence[Item]]:
        """Yield the heads of a class, as they are."""
        listed = chain.from_iterable(self._engine.range(keys.LISTING, keys.listing_partition(class_name)))
        found: list[Key] = []
        for item in listed:
            found.append(item.key)
            if len(found) == _READ_AT_ONCE:
                yield self._heads(found)
                found = []
        yield self._heads(found)

    def _heads(self, found: Sequence[Key]) -> list[Item]:
        return [item for item in map(live_head, self._engine.get(found)) if item is not None]


class IndexBackfill:
    """Gives the objects of a class the places in indexes that they lack, or that are wrong."""

    def __init__(
        self, engine: Engine, class_: Class, slots: Sequence[IndexSlot], objects_per_commit: int = 1
    ) -> None:
        self._engine = engine
        self._paths = [access_path(class_.name, slot) for slot in slots]
        self._objects_per_commit = objects_per_commit

    def build(self, items: Sequence[Item]) -> None:
        """Give objects their places; `items` are their heads as they were read."""
        for first in range(0, len(items), self._objects_per_commit):
            set_places(self._engine, items[first : first + self._objects_per_commit], self._paths)

    def finish(self) -> Mapping[RegistryEntry, Duplicates]:
        """Return nothing: every object can be given a place."""
        return {}


def set_places(engine: Engine, items: Sequence[Item], paths: Sequence[AccessPath]) -> None:
    """Give objects, of which these are the heads, the places that they lack or that are wrong."""
    if _set_places_at_once(engine, items, paths):
        return
    for item in items:
        head = live_head(item)
        while head is not None and not _set_places_at_once(engine, [head], paths):
            head = live_head(*engine.get([item.key]))


def _set_places_at_once(engine: Engine, items: Sequence[Item], paths: Sequence[AccessPath]) -> bool:
    """Give objects their places; return False, and give none, when one has been written meanwhile."""
    patches = [patch for item in items if (patch := _patch(item, paths)) is not None]
    try:
        if patches:
            engine.commit(Batch(f"reindex{secrets.token_hex(12)}", tuple(patches)))
    except (ExpectationFailed, OutcomeUnknown):
        return False
    return True


def _patch(item: Item, paths: Sequence[AccessPath]) -> Patch | None:
    """Return what gives an object its places; None where they are right."""
    entity = codec.entity_of(item)
    wrong = {
        name: place
        for name, place in heads.index_places(entity, paths).items()
        if item.places.get(name) != place
    }
    return Patch(item.key, heads.expect_unchanged(entity), places=wrong) if wrong else None
