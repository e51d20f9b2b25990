"""An engine that passes every call on to another. Subclasses override single calls."""

from collections.abc import Iterator, Sequence

from stratabase.store.engine.port import UNBOUNDED, Batch, Bounds, Engine, Item, Key


class DelegatingEngine:
    """Passes every call on, and calls `begin` before each."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def begin(self) -> None:
        """Run before each call. Subclasses override this hook."""

    def get(self, keys: Sequence[Key]) -> list[Item | None]:
        self.begin()
        return self._engine.get(keys)

    def range(
        self,
        index: str,
        partition: str,
        bounds: Bounds = UNBOUNDED,
        *,
        backward: bool = False,
        limit: int | None = None,
        exact: bool = True,
    ) -> Iterator[Sequence[Item]]:
        self.begin()
        return self._engine.range(index, partition, bounds, backward=backward, limit=limit, exact=exact)

    def scan(self, after: Key | None = None) -> Iterator[Sequence[Item]]:
        self.begin()
        return self._engine.scan(after)

    def commit(self, batch: Batch) -> None:
        self.begin()
        self._engine.commit(batch)

    def increment(self, key: Key, attribute: str, by: int) -> int:
        self.begin()
        return self._engine.increment(key, attribute, by)

    def close(self) -> None:
        self._engine.close()
