"""Erases everything that is stored under a name that the model no longer has, in all versions, for good.

A drop scans all items of the store, because deleted objects, and guards and links of other objects, are in no
index. It repeats the scan until one finds nothing to erase: a write that was under way can put a value behind
the position of a scan. If a process with an earlier model keeps writing the value, the drop gives up after
MAX_SCANS, and says so.

Each page of a scan is a checkpoint. So a drop that was stopped continues where it was.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from stratabase.core.domain.files.stored_file import file_ids
from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.model.attribute import read_unknown
from stratabase.core.model.member_names import MEMBER_IDS, with_ids
from stratabase.core.model.model import Model, Unique
from stratabase.core.model.stored_names import NameKind
from stratabase.core.store.catalog.catalog import Catalog, CatalogName
from stratabase.core.store.catalog.catalog_store import CatalogStore
from stratabase.core.store.engine.parallel import ParallelMap, sequential_map
from stratabase.core.store.engine.port import (
    EXISTS,
    Action,
    DeleteItem,
    Engine,
    Item,
    Key,
    Patch,
)
from stratabase.core.store.indexes.entries import UniqueEntry
from stratabase.core.store.indexes.registry import Registry
from stratabase.core.store.indexes.registry_cache import RegistryCache, now_in_milliseconds
from stratabase.core.store.layout import codec, file_entries, keys
from stratabase.core.store.layout.access_path import AccessPath
from stratabase.core.store.layout.object_items import (
    UniqueConstraint,
    delete_guard,
    expect_as_read,
    guard_holder,
)
from stratabase.evolution.backfill.reindex import SETTLED, ReportProgress
from stratabase.evolution.backfill.rewrite import (
    Checkpoint,
    ItemRewriter,
    RepeatedScan,
    state_patch,
    stored_values,
    wrong_places,
)
from stratabase.values.frozen import frozen


class Erasure(Protocol):
    """What to erase."""

    @property
    def label(self) -> str:
        """The name as users write it."""

    def names(self, catalog: Catalog) -> Sequence[CatalogName]:
        """Return the names that the catalog forgets."""

    def holds(self, item: Item) -> bool:
        """Return whether an item is the head or a version of an object that holds a value."""

    def registry(self, registry: Registry, now: int) -> Registry:
        """Return the registry without the entries of the name. Return itself if it has none."""

    def actions(self, item: Item, registry: Registry, engine: Engine) -> Sequence[Action]:
        """Return the actions that erase from an item, none if there is nothing to erase.

        `engine`: to read guards, which only their holder may delete.
        """


@frozen
class MemberErasure:
    """Erases an attribute or a role of a class: the two share the names in a state."""

    class_name: str
    name: str

    @property
    def label(self) -> str:
        """The name as users write it."""
        return f"{self.class_name}.{self.name}"

    def names(self, catalog: Catalog) -> Sequence[CatalogName]:
        """Return the attribute and the role with the name."""
        both = (CatalogName(kind, self.class_name, self.name) for kind in (NameKind.ATTRIBUTE, NameKind.ROLE))
        return [each for each in both if each in catalog.entries]

    def holds(self, item: Item) -> bool:
        """Return whether an item is the head or a version of an object that holds a value."""
        return _is_state_of(item.key, self.class_name) and self.name in stored_values(item)

    def registry(self, registry: Registry, now: int) -> Registry:
        """Return the registry without the entries that name the attribute or role."""
        return registry.without_attribute(self.class_name, self.name, now)

    def actions(self, item: Item, registry: Registry, engine: Engine) -> Sequence[Action]:
        """Return the actions that erase from an item, none if there is nothing to erase."""
        del engine
        counted = codec.count_attribute(RoleName(self.class_name, self.name))
        counts = frozenset({counted} & item.attributes.keys())
        if _is_state_of(item.key, self.class_name):
            names = {self.name} & stored_values(item).keys()
            return _state_actions(item, names, registry.paths(self.class_name), counts)
        if counts:
            return [Patch(item.key, EXISTS, remove=counts)]
        if self._is_own(item.key):
            return [DeleteItem(item.key)]
        return _withdrawal(item, self.class_name, self.name)

    def _is_own(self, key: Key) -> bool:
        """Return whether a key is that of a link, guard or counter of the attribute or role."""
        own_links = _is_object(key, self.class_name) and _is_link(key, self.name)
        return own_links or _is_link(key, self.label) or _is_guard(key, self.class_name, self.name)


@frozen
class ClassErasure:
    """Erases all objects of a class, with their versions, links, guards, counters and files."""

    class_name: str

    @property
    def label(self) -> str:
        """The name as users write it."""
        return self.class_name

    def names(self, catalog: Catalog) -> Sequence[CatalogName]:
        """Return the class and its attributes and roles."""
        return list(catalog.of_class(self.class_name))

    def holds(self, item: Item) -> bool:
        """Return whether an item is the head or a version of an object of the class."""
        return _is_state_of(item.key, self.class_name)

    def registry(self, registry: Registry, now: int) -> Registry:
        """Return the registry without the class."""
        del now
        return registry.without_class(self.class_name)

    def actions(self, item: Item, registry: Registry, engine: Engine) -> Sequence[Action]:
        """Return the actions that erase from an item, none if there is nothing to erase."""
        del registry, engine
        key = item.key
        if _is_state_of(key, self.class_name):
            released = dict.fromkeys(file_ids(stored_values(item)))
            return [DeleteItem(key, expect_as_read(item)), *map(file_entries.release, released)]
        made_up = key.sort.startswith(f"L#{self.class_name}.")
        is_ledger = key.partition.startswith(f"{keys.PURGES}{self.class_name}#")
        if _is_object(key, self.class_name) or made_up or is_ledger or _is_guard(key, self.class_name):
            return [DeleteItem(key)]
        prefix = codec.count_attribute(RoleName(self.class_name, ""))
        if counts := frozenset(name for name in item.attributes if name.startswith(prefix)):
            return [Patch(key, EXISTS, remove=counts)]
        return _withdrawal(item, self.class_name)


@frozen
class EnumValueErasure:
    """Erases a value of an enum from attributes."""

    label: str
    value: str
    attributes: frozenset[tuple[str, str]]
    """The classes and attributes that can hold the value."""
    enumerations: tuple[str, ...]
    """The enums whose value the catalog forgets."""

    def names(self, catalog: Catalog) -> Sequence[CatalogName]:
        """Return the value of each enum."""
        each = (CatalogName(NameKind.ENUM_VALUE, name, self.value) for name in self.enumerations)
        return [name for name in each if name in catalog.entries]

    def holds(self, item: Item) -> bool:
        """Return whether an item is the head or a version of an object that holds the value."""
        return bool(self._names_in(item))

    def registry(self, registry: Registry, now: int) -> Registry:
        """Return the registry as it is: the attributes stay."""
        del now
        return registry

    def actions(self, item: Item, registry: Registry, engine: Engine) -> Sequence[Action]:
        """Return the actions that erase the value from a head or version, with its guards."""
        names = self._names_in(item)
        if not names:
            return ()
        class_name, id_ = item.key.partition.split("#", 1)
        actions = _state_actions(item, names, registry.paths(class_name))
        if item.key.sort != keys.HEAD:
            return actions
        uniques = [each for each in registry.uniques.get(class_name, ()) if _columns(each) & names]
        values = stored_values(item)
        claimed = [
            key
            for each in uniques
            if (key := constraint_of(class_name, each).guard_key(read_unknown({**values})))
        ]
        guards = engine.get(claimed)
        held = (key for key, guard in zip(claimed, guards, strict=True) if guard_holder(guard) == id_)
        return [*actions, *(delete_guard(key, id_) for key in dict.fromkeys(held))]

    def _names_in(self, item: Item) -> set[str]:
        owners = {class_name for class_name, _ in self.attributes if _is_state_of(item.key, class_name)}
        if not owners:
            return set()
        values = stored_values(item)
        return {name for owner, name in self.attributes if owner in owners and values.get(name) == self.value}


def constraint_of(class_name: str, entry: UniqueEntry) -> UniqueConstraint:
    """Return the uniqueness constraint of a registry entry."""
    unique = Unique(tuple(column.attribute for column in entry.columns))
    return UniqueConstraint(class_name, unique, entry.columns)


def _columns(entry: UniqueEntry) -> set[str]:
    return {column.attribute for column in entry.columns}


def _is_object(key: Key, class_name: str) -> bool:
    """Return whether a key belongs to the partition of an object of a class."""
    return key.partition.startswith(f"{class_name}#") and key.sort.startswith((keys.VERSIONS, "L#"))


def _is_state_of(key: Key, class_name: str) -> bool:
    """Return whether a key is that of the head, the tombstone or a version of an object of a class."""
    return key.partition.startswith(f"{class_name}#") and key.sort.startswith(keys.VERSIONS)


def _is_link(key: Key, name: str) -> bool:
    """Return whether a key is that of a link or former link under the name of a role."""
    return key.sort.startswith((keys.links(name), keys.former_links(name)))


def _is_guard(key: Key, class_name: str, name: str | None = None) -> bool:
    """Return whether a key is that of a guard or counter of a class, or only of one of its members."""
    kind, _, rest = key.partition.partition("#")
    if kind not in {"U", "O", "N"} or key.sort != kind:
        return False
    owner, _, named = rest.partition("#")[0].partition(".")
    return owner == class_name and (name is None or name in named.split(","))


def _state_actions(
    item: Item, names: set[str], paths: Sequence[AccessPath], counts: frozenset[str] = frozenset()
) -> Sequence[Action]:
    """Return the actions that erase values from a head or version, and release their files.

    `counts`: attributes of the item to remove, too. A head also loses the positions in indexes that no longer
    exist, because they may contain former values.
    """
    before = stored_values(item)
    if (
        codec.COMMIT_IDS not in item.attributes or item.state is None
    ):  # a tombstone, or a head with only counts
        return [Patch(item.key, EXISTS, remove=counts)] if counts else []
    after = {name: value for name, value in before.items() if name not in names}
    if MEMBER_IDS in after and names:
        after[MEMBER_IDS] = with_ids(after, {})
        after = {name: value for name, value in after.items() if name != MEMBER_IDS or value is not None}
    stale = item.key.sort == keys.HEAD and None in wrong_places(item, after, paths).values()
    if not names and not counts and not stale:
        return []
    kept = set(file_ids(after))
    released = dict.fromkeys(each for each in file_ids(before) if each not in kept)
    return [state_patch(item, after, paths, counts), *map(file_entries.release, released)]


def _withdrawal(item: Item, class_name: str, name: str | None = None) -> Sequence[Action]:
    """Return the action that withdraws an upload for a class, or only for one of its attributes."""
    if not item.key.partition.startswith(keys.FILE_ENTRIES) or item.key.sort != "F":
        return []
    if item.attributes.get(file_entries.STATUS) not in {file_entries.PENDING, file_entries.UPLOADING}:
        return []
    state = stored_values(item)
    is_own = state.get("class") == class_name and name in {None, state.get("attribute")}
    return [file_entries.withdraw(keys.file_entry_id(item.key))] if is_own else []


class DropOutcome(NamedTuple):
    """The result of a drop."""

    erased: int
    """The number of items from which something was erased, or that were deleted."""
    is_clean: bool
    """Whether the last scan found nothing more."""


class Drop:
    """Erases what is stored under a name, in scans of the whole store."""

    def __init__(  # noqa: PLR0913 - the settings of a task
        self,
        engine: Engine,
        model: Model,
        erasure: Erasure,
        *,
        local: bool,
        parallel_map: ParallelMap = sequential_map,
        now: Callable[[], int] = now_in_milliseconds,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`model`: the stored model of today. `local`: the engine is embedded."""
        self._engine = engine
        self._erasure = erasure
        self._registry = RegistryCache(engine, model, now=now)
        self._local = local
        self._now = now
        self._sleep = sleep
        self._checkpoint = Checkpoint(engine, f"drop {erasure.label}")
        self._rewriter = ItemRewriter(
            engine, self._plan, parallel_map, local=local, changed=self._registry.invalidate
        )

    @property
    def is_under_way(self) -> bool:
        """Whether an earlier run was stopped before its end."""
        return bool(self._checkpoint.load())

    def run(self, report: ReportProgress = lambda _: None) -> DropOutcome:
        """Erase everything. `report` takes the numbers of scanned items. Raises Unavailable."""
        stored = self._checkpoint.load()
        progress = RepeatedScan.resumed(stored) if stored else self._begin()
        for number in RepeatedScan(self._engine, self._checkpoint, self._rewriter).steps(progress):
            report(number)
        is_clean = RepeatedScan.is_clean(progress)
        if is_clean:
            CatalogStore(self._engine).update(lambda catalog: catalog.without(self._erasure.names(catalog)))
        self._checkpoint.clear()
        return DropOutcome(progress["rewritten"], is_clean)

    def _begin(self) -> dict[str, Any]:
        """Remove the entries of the name from the registry, so that no process writes for them any more."""
        self._registry.update(lambda registry: self._erasure.registry(registry, self._now()))
        self._registry.invalidate()
        if not self._local:
            self._sleep(SETTLED)
        progress = RepeatedScan.first()
        self._checkpoint.save(progress)
        return progress

    def _plan(self, item: Item) -> Sequence[Action]:
        return self._erasure.actions(item, self._registry.registry(), self._engine)


class HolderCounts(NamedTuple):
    """How many objects, and how many of their closed versions, still hold a value."""

    objects: int
    versions: int


def erasure_of(name: str) -> ClassErasure | MemberErasure:
    """Return what to erase for the stored name of a class, an attribute or a role: `Team`, `Team.name`."""
    owner, _, member = name.partition(".")
    return MemberErasure(owner, member) if member else ClassErasure(owner)


def count_holders(engine: Engine, erasures: Sequence[Erasure]) -> Mapping[str, HolderCounts]:
    """Count the objects and versions that hold values of removed names, in one scan of the whole store.

    Return the numbers by label. Raises Unavailable.
    """
    found = {each.label: [0, 0] for each in erasures}
    for page in engine.scan():
        for item in page:
            # A tombstone has no values. A head with only counts has none either.
            if not item.key.sort.startswith(keys.VERSIONS) or item.state is None:
                continue
            for each in erasures:
                if each.holds(item):
                    found[each.label][item.key.sort != keys.HEAD] += 1
    return {label: HolderCounts(*numbers) for label, numbers in found.items()}
