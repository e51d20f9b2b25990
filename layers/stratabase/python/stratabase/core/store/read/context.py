"""The context that all reads and writes share: the engine, the model, and what the store derives from them.

Its methods read objects by key. Such reads are strongly consistent. Only some engines know whether something
was written. With them, the context keeps objects until then, and charges requests for kept objects as for
others.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from itertools import chain
from typing import NamedTuple, cast

from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.model import Class, ClassKind, Model
from stratabase.core.store.engine.parallel import ParallelMap
from stratabase.core.store.engine.port import Engine, Item, Key
from stratabase.core.store.engine.read_limiter import UNLIMITED, ReadLimiter, approximate_bytes
from stratabase.core.store.indexes.registry_cache import RegistryCache, WriteSchema
from stratabase.core.store.layout import codec, keys, links
from stratabase.core.store.layout.associations import Associations
from stratabase.core.store.layout.object_items import live_head
from stratabase.core.store.read.kept_counts import Excesses, KeptCounts
from stratabase.core.waiting import system_now
from stratabase.values.frozen import frozen

MAX_KEPT_BYTES = 16 * 1024 * 1024
"""The approximate memory that the kept objects of one model take, in bytes."""
_BYTES_BESIDE_STATE = 2_000
"""The approximate memory that an object takes without its state, in bytes."""
_BYTES_OF_CHARACTER = 6
"""The approximate memory that a decoded state takes for each character of its text, in bytes."""
_MAX_NOTED = 4_096
"""The maximum number of objects to note that were read alone."""
_MAX_SHARE = 16
"""An object is not kept if it takes more than this part of the memory: one 16th."""


class KeptObject(NamedTuple):
    """An object that was read by key. Requests share it if it is kept, so nobody may change its state."""

    entity: Entity | None
    """The object, None if it does not exist."""
    bytes_read: int
    """What each use of it charges a read budget."""


class ObjectsOfVersion:
    """The kept objects of one version of the data.

    There are two generations: the objects that were used since the last change of generations, and those
    that were used between that and the one before. A change forgets the older ones. So the objects that are
    used most stay, and using one costs a single look-up.
    """

    def __init__(self, data_version: object) -> None:
        self.data_version = data_version
        self._used: dict[Reference, KeptObject] = {}
        self._earlier: dict[Reference, KeptObject] = {}
        self._bytes = 0
        """The approximate memory that the used objects take."""

    def __iter__(self) -> Iterator[Entity]:
        """Yield the kept objects."""
        return (each.entity for each in {**self._earlier, **self._used}.values() if each.entity is not None)

    def __contains__(self, reference: Reference) -> bool:
        return reference in self._used or reference in self._earlier

    def find(self, references: Sequence[Reference]) -> list[KeptObject | None]:
        """Return the objects that are kept in the order of their references, None for the others."""
        found = list(map(self._used.get, references))
        for at, each in enumerate(found):
            if each is None:
                earlier = found[at] = self._earlier.get(references[at])
                if earlier is not None:
                    self.keep(earlier)
        return found

    def keep(self, read: KeptObject) -> None:
        """Keep an object that was read after this version of the data was seen, if it exists."""
        if read.entity is None:
            return  # clients choose the ids of objects that do not exist, which can be long
        size = _BYTES_BESIDE_STATE + _BYTES_OF_CHARACTER * read.bytes_read
        if size * _MAX_SHARE > MAX_KEPT_BYTES:
            return
        if self._bytes + size > MAX_KEPT_BYTES // 2:
            self._used, self._earlier, self._bytes = {}, self._used, 0
        self._used[read.entity.reference] = read
        self._bytes += size


class KeptObjects:
    """The objects that were read by key most recently.

    Each connection has versions of its own. So threads that read by turns forget what the others keep. The
    server reads in one thread.
    """

    def __init__(self) -> None:
        self._latest = ObjectsOfVersion(None)
        self._noted: set[Reference] = set()

    def may_have(self, reference: Reference) -> bool:
        """Return whether an object is kept or noted. Otherwise, asking for the version is not worth it."""
        return reference in self._noted or reference in self._latest

    def note(self, reference: Reference) -> None:
        """Note that an existing object was read alone, and not kept. The next time, it is."""
        if len(self._noted) >= _MAX_NOTED:
            self._noted.clear()
        self._noted.add(reference)

    def of(self, data_version: object) -> ObjectsOfVersion:
        """Return the kept objects of a version of the data, and forget those of any other."""
        latest = self._latest
        if latest.data_version != data_version:
            latest = self._latest = ObjectsOfVersion(data_version)
        return latest


_BATCH = 100
"""The number of items to request at a time. The read limit is checked before each request."""


@frozen
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
    excesses: Excesses = field(default_factory=Excesses)
    """The requests for totals that have reached the read limit."""
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

        if len(wanted) <= _BATCH and limiter is UNLIMITED:
            return self.engine.get(wanted, places=False) if wanted else []
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
        return list(map(self.entity_of, references, self.get(list(map(keys.head, references)))))

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
