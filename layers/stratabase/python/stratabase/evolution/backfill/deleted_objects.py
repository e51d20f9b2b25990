"""Gives the deleted objects of all classes their positions in the listings of deleted objects.

No listing has the tombstones that earlier versions of the service wrote, so one scan of the store finds them.
It serves all classes whose listing is not READY. Every write maintains a listing from the moment when the
registry has it. So the scan can be stopped, and a later run continues where it was.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stratabase.core.store.engine.parallel import ParallelMap
from stratabase.core.store.engine.port import Engine, Item, Key, Patch
from stratabase.core.store.indexes.entries import BuildState, DeletedEntry
from stratabase.core.store.indexes.registry import Registry
from stratabase.core.store.indexes.registry_cache import RegistryCache
from stratabase.core.store.layout import keys, object_items
from stratabase.core.store.layout.deleted_listing import DeletedListing
from stratabase.core.store.layout.object_items import IS_DELETED, expect_tombstone, read_tombstone
from stratabase.core.store.write.heads import both
from stratabase.evolution.backfill.class_heads import OutOfTime
from stratabase.evolution.backfill.rewrite import Checkpoint, ItemRewriter

_ITEMS_PER_CHECKPOINT = 5_000
"""The number of items after which the position of the scan is stored."""
Entries = Mapping[str, DeletedEntry]
"""By class name: the listing of its deleted objects."""


def listings_to_build(registry: Registry, is_settled: Callable[[DeletedEntry], bool]) -> Entries:
    """Return the listings that are not READY, and that all processes maintain by now."""
    return {
        name: entry
        for name, entry in registry.deleted.items()
        if entry.state is not BuildState.READY and is_settled(entry)
    }


class DeletedBackfill:
    """The construction of listings of deleted objects, of several classes in one scan."""

    def __init__(  # noqa: PLR0913 - the settings of a build
        self,
        engine: Engine,
        registry: RegistryCache,
        begun: Entries,
        parallel_map: ParallelMap,
        *,
        local: bool,
        has_time: Callable[[], bool],
    ) -> None:
        """`begun`: the listings to build. `local`: the engine is embedded."""
        self._engine = engine
        self._registry = registry
        self._begun = begun
        self._has_time = has_time
        self._rewriter = ItemRewriter(engine, self._patches, parallel_map, local=local, changed=lambda: None)
        self._checkpoint = Checkpoint(engine, "reindex deleted objects")
        self._listings = _listings_of(begun)

    def build(self, report: Callable[[int], None]) -> None:
        """Give all deleted objects their positions. Raises OutOfTime, Unavailable.

        `report` takes the numbers of deleted objects that were checked.
        """
        named = [[name, entry.number, entry.since, entry.shards] for name, entry in self._begun.items()]
        progress = self._checkpoint.load()
        position = progress.get("after") if progress.get("entries") == named else None
        unsaved = 0
        for page in self._engine.scan(None if position is None else Key(*position)):
            deleted = [item for item in page if self._listing_of(item) is not None]
            self._rewriter.rewrite(deleted)
            report(len(deleted))
            unsaved += len(page)
            has_time = self._has_time()
            if unsaved >= _ITEMS_PER_CHECKPOINT or not has_time:
                self._checkpoint.save({"entries": named, "after": list(page[-1].key)})
                progress, unsaved = {"entries": named}, 0
            if not has_time:
                raise OutOfTime
        if progress:
            self._checkpoint.clear()

    def finish(self, now: Callable[[], int]) -> None:
        """Make the listings READY, unless another process has replaced them meanwhile."""
        self._registry.update(lambda registry: registry.with_listed(self._begun, now()))
        self._registry.invalidate()

    def _listing_of(self, item: Item) -> DeletedListing | None:
        """Return the listing that an item belongs to, None if it is no tombstone of the classes to build."""
        if item.key.sort != keys.HEAD or object_items.DELETED not in item.attributes:
            return None
        return self._listings.get(keys.reference_of(item.key).class_name)

    def _patches(self, item: Item) -> Sequence[Patch]:
        """Return the action that corrects the positions of a deleted object, none if they are right."""
        listing, gone = self._listing_of(item), read_tombstone(item)
        if listing is None or gone is None:
            return ()
        wrong: dict[str, Any] = {
            name: place for name, place in listing.places(gone).items() if item.places.get(name) != place
        }
        return [Patch(item.key, both(expect_tombstone(gone), IS_DELETED), places=wrong)] if wrong else []


def _listings_of(entries: Entries) -> Mapping[str, DeletedListing]:
    registry = Registry(deleted=entries)
    return {name: found for name in entries if (found := registry.deleted_listing(name)) is not None}
