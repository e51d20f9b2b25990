"""The positions of deleted objects in two indexes: by id, and by the time of the deletion.

A tombstone has both positions from its deletion on, and loses them when a restoration replaces it by a head.
Indexes do not carry what a tombstone says, so readers take its key from an index and read it by key.
"""

from dataclasses import dataclass
from functools import cached_property

from stratabase.core.domain.objects.change import Tombstone
from stratabase.core.store.engine.port import IndexKey
from stratabase.core.store.layout import keys


@dataclass(frozen=True)
class DeletedListing:
    """Where the indexes list the deleted objects of one class."""

    partition: str
    """The partition in both indexes, and the prefix of its shards."""
    shards: int = 1
    ready: bool = True
    """Whether all deleted objects have their positions, so that pages may be read from the indexes."""

    @cached_property
    def partitions(self) -> tuple[str, ...]:
        """The partitions of the shards."""
        return keys.shards_of(self.partition, self.shards)

    def places(self, tombstone: Tombstone) -> dict[str, IndexKey]:
        """Return the positions of a deleted object, by the name of the index."""
        id_ = tombstone.reference.id
        partition = keys.shard_of(self.partition, self.shards, id_)
        return {
            keys.LISTING: IndexKey(partition, id_),
            keys.DELETED_BY_TIME: IndexKey(partition, keys.deletion_sort(tombstone.last_end, id_)),
        }
