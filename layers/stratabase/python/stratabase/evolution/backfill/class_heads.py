"""Reads all objects of a class in batches, for backfills, and stores how far a build has come."""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain

from stratabase.core.store.engine.port import Bounds, Engine, Item, Key
from stratabase.core.store.indexes.entries import RegistryEntry
from stratabase.core.store.indexes.listing import listed_objects
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.access_path import serialize_readings
from stratabase.core.store.layout.object_items import live_head
from stratabase.evolution.backfill.rewrite import Checkpoint

READ_BATCH = 100
"""The number of objects that are read together."""
_MAX_REFUSED = 1_000
"""The maximum number of refused objects in the progress. DynamoDB limits the size of an item."""


class OutOfTime(Exception):
    """The time of a run is over. Another run continues the build."""


def read_heads(engine: Engine, stored_name: str) -> Iterator[list[Item]]:
    """Yield the heads of a class in batches, read by key, because the listing may lag."""
    return (live_heads(engine, batch) for batch in listed_keys(engine, stored_name))


def while_time(batches: Iterator[list[Item]], has_time: Callable[[], bool]) -> Iterator[list[Item]]:
    """Yield batches, and raise OutOfTime after one of them if the time is over."""
    for batch in batches:
        yield batch
        if not has_time():
            raise OutOfTime


def listed_keys(engine: Engine, stored_name: str, after: str | None = None) -> Iterator[list[Key]]:
    """Yield the keys of the heads of a class in batches, in the order of the ids.

    `after`: yield only objects with ids after this one.
    """
    bounds = Bounds(after, low_included=False)
    batch: list[Key] = []
    for item in chain.from_iterable(listed_objects(engine, stored_name, bounds)):
        batch.append(item.key)
        if len(batch) == READ_BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def live_heads(engine: Engine, wanted: list[Key]) -> list[Item]:
    """Return the heads with these keys, without those of objects that do not exist."""
    return [head for head in map(live_head, engine.get(wanted)) if head is not None]


def built_objects(engine: Engine, class_name: str) -> int | None:
    """Return how many objects a build of a class has read so far, None if none is under way.

    `class_name`: the stored name. Raises Unavailable.
    """
    number: int | None = Checkpoint(engine, f"reindex {class_name}").load().get("objects")
    return number


class BuildProgress:
    """How far a build of entries has come among the objects of a class.

    Up to the last object, all objects have what they need, except for those that were refused. This stays so
    as long as the entries to build are the same, because all writes maintain them. If a process with another
    model violates an entry, the next build gives it another instant. Then it starts over, also if an enum of
    its columns has got more values, which objects before may have.
    """

    def __init__(self, engine: Engine, class_name: str, building: Sequence[RegistryEntry]) -> None:
        """`class_name`: the stored name. `building`: the entries to build, as the registry has them."""
        self._checkpoint = Checkpoint(engine, f"reindex {class_name}")
        self._entries = sorted(
            [type(one).__name__, one.number, one.since, serialize_readings(one.columns)] for one in building
        )
        stored = self._checkpoint.load()
        self._is_stored = bool(stored)
        stored = stored if stored.get("entries") == self._entries else {}
        self.after: str | None = stored.get("after")
        """The id of the last object that was built, in the order of the listing. None at the start."""
        self.objects: int = stored.get("objects", 0)
        """The number of objects that earlier runs have built."""
        self.unread: set[int] = {*stored.get("unread", ())}
        """The numbers of the entries with enum columns that do not read the text of some object."""
        self.refused: Sequence[str] = stored.get("refused", ())
        """The ids of the objects that earlier runs could not build, because their values are not unique."""

    def note(self, last: Key, number: int, unread: Collection[int]) -> None:
        """Note that objects were built up to this one. `unread`: see the attribute."""
        self.after = keys.id_of(last)
        self.objects += number
        self.unread |= {*unread}

    def save(self, refused: Collection[str]) -> None:
        """Store the progress, unless too many objects were refused. Raises Unavailable."""
        if len(refused) > _MAX_REFUSED:
            return
        self._checkpoint.save(
            {
                "entries": self._entries,
                "after": self.after,
                "objects": self.objects,
                "unread": sorted(self.unread),
                "refused": sorted(refused),
            }
        )
        self._is_stored = True

    def clear(self) -> None:
        """Remove the progress, because the build is done. Raises Unavailable."""
        if self._is_stored:
            self._checkpoint.clear()
