"""The context that all reads and writes share: the engine, the model, and what the store derives from them.

Its methods read objects by key. Such reads are strongly consistent.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import cast

from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.model import Class, ClassKind, Model
from stratabase.core.store.engine.parallel import ParallelMap
from stratabase.core.store.engine.port import Engine, Item, Key
from stratabase.core.store.engine.read_limiter import UNLIMITED, ReadLimiter, approximate_bytes
from stratabase.core.store.indexes.registry_cache import RegistryCache, WriteSchema
from stratabase.core.store.layout import codec, keys, links
from stratabase.core.store.layout.associations import Associations
from stratabase.core.store.layout.heads import live_head
from stratabase.core.store.read.kept_counts import KeptCounts
from stratabase.core.store.read.kept_objects import KeptObject, KeptObjects
from stratabase.values.clock import SystemClock

_BATCH = 100
"""The number of items to request at a time. The read limit is checked before each request."""


system_now = SystemClock().now
"""The clock of this machine."""


@dataclass(frozen=True, slots=True)
class StoreContext:
    """An engine and a model, with what the store derives from them."""

    engine: Engine
    model: Model
    associations: Associations
    registry: RegistryCache
    """The cached registry of this process."""
    parallel_map: ParallelMap
    now: Callable[[], Instant] = system_now
    """The clock that decides whether the lease of a staged restoration has expired."""
    kept_counts: KeptCounts = field(default_factory=KeptCounts)
    """The numbers of matches that pages have counted."""
    kept_objects: KeptObjects = field(default_factory=KeptObjects)
    """The objects that requests have read by key."""

    def write_schema(self) -> WriteSchema:
        """Return the schema for writes, from this process's cached registry."""
        return self.registry.write_schema()

    def invalidate_registry(self) -> None:
        """Invalidate the cached registry, because it has changed."""
        self.registry.invalidate()

    def class_of(self, entity: Entity) -> Class:
        """Return the class of an object."""
        return self.model.classes[entity.reference.class_name]

    def is_singleton(self, class_name: str) -> bool:
        """Return whether a class has exactly one object, which exists before it has a head."""
        return self.model.classes[class_name].kind is ClassKind.SINGLETON

    def get(self, wanted: Sequence[Key], limiter: ReadLimiter = UNLIMITED) -> list[Item | None]:
        """Return items in the order of their keys, which may lack their places. Raises ReadBudgetExceeded.

        Several batches may run in parallel.
        """

        def get_some(some: Sequence[Key]) -> list[Item | None]:
            limiter.check()
            items = self.engine.get(some, places=False)
            limiter.record(items)
            return items

        if len(wanted) <= _BATCH:
            return get_some(wanted) if wanted else []
        batches = [wanted[first : first + _BATCH] for first in range(0, len(wanted), _BATCH)]
        return list(chain.from_iterable(self.parallel_map(get_some, batches)))

    def read_kept(self, references: Sequence[Reference], limiter: ReadLimiter) -> list[Entity | None]:
        """Return what `read_all` returns. Objects are kept, and not read again until something is written.

        An object that is read alone is kept from the second time on: many are read only once.

        Kept objects are charged like those that are read. Raises ReadBudgetExceeded.
        """
        if len(references) == 1 and not self.kept_objects.may_have(references[0]):
            found = self._read_within(references, limiter)
            if found[0] is not None:
                self.kept_objects.note(references[0])
            return found
        # If something is written from here on, the next read has another version, and does not use this.
        version = self.engine.data_version()
        if version is None:
            return self._read_within(references, limiter)
        found = []
        for first in range(0, len(references), _BATCH):
            limiter.check()
            found += self._kept_or_read(references[first : first + _BATCH], version, limiter)
        return found

    def _kept_or_read(
        self, references: Sequence[Reference], version: object, limiter: ReadLimiter
    ) -> list[Entity | None]:
        """Return the objects of a batch. `version`: that of the data before."""
        kept = self.kept_objects.of(version)
        found = kept.find(references)
        unknown: Sequence[int] = [at for at, each in enumerate(found) if each is None]
        if unknown:
            heads = self._heads([references[at] for at in unknown])
            if len(unknown) < len(found) and self.engine.data_version() != version:
                # Something was written meanwhile. What one call returns is of one moment, so read all of it.
                unknown, heads = range(len(found)), self._heads(references)
            for at, head in zip(unknown, heads, strict=True):
                read = found[at] = KeptObject(self.entity_of(references[at], head), approximate_bytes([head]))
                kept.keep(read)
        there = cast("list[KeptObject]", found)
        limiter.charge(len(there), sum([each.bytes_read for each in there]))
        return [each.entity for each in there]

    def _read_within(self, references: Sequence[Reference], limiter: ReadLimiter) -> list[Entity | None]:
        return list(map(self.entity_of, references, self.get(list(map(keys.head, references)), limiter)))

    def _heads(self, references: Sequence[Reference]) -> list[Item | None]:
        return self.engine.get(list(map(keys.head, references)), places=False)

    def read(self, reference: Reference) -> Entity | None:
        """Return an object, None if it does not exist."""
        return self.read_all([reference])[0]

    def read_all(self, references: Sequence[Reference]) -> list[Entity | None]:
        """Return objects in the order of their references, None for a missing object."""
        return list(map(self.entity_of, references, self._heads(references)))

    def entity_of(self, reference: Reference, item: Item | None) -> Entity | None:
        """Return the object with a reference by its head, None for a tombstone or no item."""
        head = live_head(item)
        if head is None:
            return None
        return codec.entity_of(head, self.model.classes[reference.class_name], reference=reference)

    def count_links(self, reference: Reference, role: RoleName) -> int:
        """Return the number of an object's links for a role that it counts, or of its guards (0 or 1).

        Foreign keys that were set before the role had links or guards are not counted.
        """
        if not self.associations.role(role).holds_key:
            return len(links.read_ids(self.engine, role, reference.id))
        foreign_key = self.associations.foreign_key(role)
        if foreign_key.link_role is None:
            return sum(
                item is not None for item in self.engine.get([keys.one_to_one_guard(role, reference.id)])
            )
        return len(links.read_ids(self.engine, foreign_key.link_role, reference.id))
