"""Where the listing of a class has an object."""

from stratabase.core.domain.objects.entity import Reference
from stratabase.core.store.engine.port import IndexKey
from stratabase.core.store.layout.keys import listing_partition


def listing_place(reference: Reference) -> IndexKey:
    """Return the position of an object in a listing of one shard."""
    return IndexKey(listing_partition(reference.class_name), reference.id)
