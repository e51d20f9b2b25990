"""The context that all reads and writes share: the engine, the model, and what the store derives from them.

Its methods read objects by key. Such reads are strongly consistent.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from stratabase.clock import SystemClock
from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.objects.instant import Instant
from stratabase.model.model import Class, ClassKind, Model
from stratabase.store.engine.parallel import ParallelMap
from stratabase.store.engine.port import Engine, Item, Key
from stratabase.store.engine.read_limiter import UNLIMITED, ReadLimiter
from stratabase.store.indexes.registry_cache import RegistryCache, WriteSchema
from stratabase.store.layout import codec, keys, links
from stratabase.store.layout.associations import Associations
from stratabase.store.layout.heads import live_head
from stratabase.store.read.kept_counts import KeptCounts

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

    def read(self, reference: Reference) -> Entity | None:
        """Return an object, None if it does not exist."""
        return self.read_all([reference])[0]

    def read_all(self, references: Sequence[Reference]) -> list[Entity | None]:
        """Return objects in the order of their references, None for a missing object."""
        heads = self.engine.get([keys.head(reference) for reference in references], places=False)
        return list(map(self.entity_of, references, heads))

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
