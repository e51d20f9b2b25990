"""Changes over how many partitions of an index the objects of a class are spread, while the class is in use.

DynamoDB bears about 1,000 write units a second in one partition of an index. Ids and instants rise with time,
so all new objects of a class land in the same place. With shards, they are spread by a hash of their ids.

An index with another number of shards is another slot of the registry, with partitions of its own:

1. `begin` adds the new slot, which is BUILDING. Every write then maintains both.
2. A reindex builds the new slot like every other one. It becomes READY, and pages are read from it.
3. `finish` makes the former slot RETIRED. When no process reads it any more, it is CLEARING: no process
   maintains it. When that is settled too, the positions of all objects in it are removed. Then it is free.

Each step is recorded in the registry. So the next reindex continues where a stopped one was.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

from stratabase.core.model.model import Class, Model
from stratabase.core.model.stored_names import StoredNames
from stratabase.core.store.engine.parallel import ParallelMap, sequential_map
from stratabase.core.store.engine.port import Engine, Item, Patch
from stratabase.core.store.indexes.entries import BuildState, IndexSlot
from stratabase.core.store.indexes.registry import Registry, access_path, is_replaced
from stratabase.core.store.indexes.registry_cache import RegistryCache, now_in_milliseconds
from stratabase.core.store.layout import codec, keys, object_items
from stratabase.core.store.layout.access_path import AccessPath, Column, columns_of
from stratabase.core.store.layout.object_items import live_head
from stratabase.evolution.backfill import reindex
from stratabase.evolution.backfill.class_heads import OutOfTime, listed_keys, live_heads
from stratabase.evolution.backfill.rewrite import Checkpoint, rewrite_items

OF_LISTING = ()
"""The attributes of the listing of a class, which has none."""
MAX_SHARDS = 64
"""Each page reads all shards, so more of them cost more than they bring."""


class Resharding:
    """Changes the numbers of shards of the indexes of a model's classes."""

    def __init__(  # noqa: PLR0913 - the settings of a change
        self,
        engine: Engine,
        model: Model,
        *,
        now: Callable[[], int] = now_in_milliseconds,
        sleep: Callable[[float], None] = time.sleep,
        objects_per_commit: int = 1,
        parallel_map: ParallelMap = sequential_map,
        has_time: Callable[[], bool] = lambda: True,
    ) -> None:
        """`model`: with the names that the methods take. `parallel_map`: works on batches of objects.

        `has_time`: whether the run may go on. It is asked after each group of batches.
        """
        self._engine = engine
        self._names = StoredNames(model)
        self._registry = RegistryCache(engine, self._names.stored_model, now=now)
        self._now = now
        self._sleep = sleep
        self._objects_per_commit = objects_per_commit
        self._parallel_map = parallel_map
        self._has_time = has_time

    def begin(self, class_name: str, shards: Mapping[tuple[str, ...], int]) -> None:
        """Add slots with other numbers of shards, which the next reindex builds. Raises NoFreeSlot.

        `shards`: the numbers, by the attributes of an index, or by OF_LISTING.
        """
        names = self._names.classes[class_name]
        class_ = self._names.stored_model.classes[names.stored_name]
        wanted = {
            columns_of(class_, tuple(names.to_stored[each] for each in attributes)): number
            for attributes, number in shards.items()
        }
        self._registry.update(lambda registry: self._begun(registry, class_, wanted))

    def _begun(self, registry: Registry, class_: Class, wanted: Mapping[tuple[Column, ...], int]) -> Registry:
        registry = self._registry.add_missing(registry)
        for columns, number in wanted.items():
            registry = registry.with_shards(class_.name, columns, number, self._now())
        if OF_LISTING in wanted:
            registry = registry.with_deleted_shards(class_.name, wanted[OF_LISTING], self._now())
        return registry

    def finish(self, class_name: str) -> None:
        """Remove everything that was replaced by READY slots. Raises Unavailable, OutOfTime."""
        name = self._names.classes[class_name].stored_name
        # 1. No process reads the replaced slots any more.
        registry = self._registry.update(lambda registry: registry.with_retired(name, self._now()))
        if not self._wait(self._replaced(registry, name, BuildState.RETIRED, BuildState.CLEARING)):
            return
        # 2. No process maintains them any more.
        registry = self._registry.update(lambda registry: registry.with_clearing(name, self._now()))
        clearing = self._wait(self._replaced(registry, name, BuildState.CLEARING))
        # 3. No object has a position in them any more.
        checkpoint = Checkpoint(self._engine, f"reshard {name}")
        self._empty(name, clearing, checkpoint)
        numbers = {slot.number for slot in clearing}
        self._registry.update(lambda registry: registry.without_slots(name, numbers))
        if checkpoint.load():
            checkpoint.clear()

    def _empty(self, class_name: str, slots: Sequence[IndexSlot], checkpoint: Checkpoint) -> None:
        """Remove the positions of all objects in slots, from where an earlier run was stopped.

        Nobody writes positions there any more, so the objects before that have none. Raises OutOfTime.
        """
        paths = [access_path(class_name, slot) for slot in slots]
        numbers, progress = [slot.number for slot in slots], checkpoint.load()
        after = progress.get("after") if progress.get("slots") == numbers else None
        batches = listed_keys(self._engine, class_name, after)
        while group := [*islice(batches, reindex.BATCHES_SIDE_BY_SIDE)]:
            self._parallel_map(lambda batch: self._clear_batch(live_heads(self._engine, batch), paths), group)
            if len(group) == reindex.BATCHES_SIDE_BY_SIDE:  # there may be more
                checkpoint.save({"slots": numbers, "after": keys.id_of(group[-1][-1])})
                if not self._has_time():
                    raise OutOfTime

    def _replaced(self, registry: Registry, class_name: str, *states: BuildState) -> list[IndexSlot]:
        slots = registry.slots(class_name)
        return [slot for slot in slots if slot.state in states and is_replaced(slot, slots)]

    def _wait(self, slots: list[IndexSlot]) -> list[IndexSlot]:
        """Wait until all processes know the states of slots, and return these."""
        since = max((slot.since for slot in slots), default=0)
        self._sleep(max(0.0, since / 1000 + reindex.SETTLED - self._now() / 1000) if slots else 0.0)
        return slots

    def _clear_batch(self, items: Sequence[Item], paths: Sequence[AccessPath]) -> None:
        for first in range(0, len(items), self._objects_per_commit):
            self._clear(items[first : first + self._objects_per_commit], paths)

    def _clear(self, items: Sequence[Item], paths: Sequence[AccessPath]) -> None:
        """Remove the positions of objects in indexes. `items`: the heads, as they were read."""
        rewrite_items(self._engine, items, lambda item: _removals(item, paths))


def _removals(item: Item, paths: Iterable[AccessPath]) -> Sequence[Patch]:
    """Return the action that removes the positions of an object in indexes, none if it has none there."""
    if live_head(item) is None:
        return ()
    left = {
        path.index_name: None
        for path in paths
        if (place := item.places.get(path.index_name)) is not None and place.partition in path.partitions
    }
    return (
        [Patch(item.key, object_items.expect_unchanged(codec.entity_of(item)), places=left)] if left else []
    )
