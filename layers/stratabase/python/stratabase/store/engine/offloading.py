"""Runs the calls of an engine that waits for a network outside the event loop of the local server."""

from collections.abc import Iterator, Sequence

from stratabase import waiting
from stratabase.store.engine.port import UNBOUNDED, Batch, Bounds, Engine, Item, Key


class OffloadingEngine:
    """An engine that delegates every call to another one, where the call does not block other requests."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def get(self, keys: Sequence[Key]) -> list[Item | None]:
        """Return the items in the order of `keys`, None for a missing item. Reads are strongly consistent."""
        return waiting.offload(self._engine.get, keys)

    def range(  # noqa: PLR0913 - the signature of the port
        self,
        index: str,
        partition: str,
        bounds: Bounds = UNBOUNDED,
        *,
        backward: bool = False,
        limit: int | None = None,
        exact: bool = True,
    ) -> Iterator[Sequence[Item]]:
        """Yield the items of one partition of an index in the order of their sort keys, page by page."""
        pages = self._engine.range(index, partition, bounds, backward=backward, limit=limit, exact=exact)
        while (page := waiting.offload(next, pages, None)) is not None:
            yield page

    def scan(self, after: Key | None = None) -> Iterator[Sequence[Item]]:
        """Yield all items of the store, page by page."""
        pages = self._engine.scan(after)
        while (page := waiting.offload(next, pages, None)) is not None:
            yield page

    def commit(self, batch: Batch) -> None:
        """Execute all actions of a batch or none. Raises ExpectationFailed, Unavailable."""
        waiting.offload(self._engine.commit, batch)

    def increment(self, key: Key, attribute: str, by: int) -> int:
        """Add a number to an attribute of an item, and return the sum."""
        return waiting.offload(self._engine.increment, key, attribute, by)

    def close(self) -> None:
        """Finish running calls, and close files and connections."""
        self._engine.close()
