"""The interface of a snapshot: all items of a store, in the order of their keys."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from stratabase.core.store.engine.port import Item


class ItemSnapshot(Protocol):
    """All items of a store, which do not change while they are read."""

    def scan(self) -> Iterator[Sequence[Item]]:
        """Yield all items in the order of their keys, page by page. Raises Unavailable."""
