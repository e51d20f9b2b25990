"""An engine that tells others how far its caller has got, so that they come between at any moment."""

from collections.abc import Iterator, Sequence
from threading import Condition

from stratabase.store.engine import EVERYTHING, Batch, Bounds, Engine, Item, Key


class Gate:
    """Passes calls on. Who waits goes on once so many calls have been made, or when it is closed."""

    def __init__(self, engine: Engine) -> None:
        self.calls = 0
        self._engine = engine
        self._closed = False
        self._changed = Condition()

    def wait(self, calls: int) -> None:
        """Wait until so many calls have begun, or there will be no more."""
        with self._changed:
            self._changed.wait_for(lambda: self.calls >= calls or self._closed, timeout=60)

    def get(self, keys: Sequence[Key]) -> list[Item | None]:
        self._begin()
        return self._engine.get(keys)

    def range(
        self,
        index: str,
        partition: str,
        bounds: Bounds = EVERYTHING,
        *,
        backward: bool = False,
        limit: int | None = None,
        exact: bool = True,
    ) -> Iterator[Sequence[Item]]:
        self._begin()
        return self._engine.range(index, partition, bounds, backward=backward, limit=limit, exact=exact)

    def commit(self, batch: Batch) -> None:
        self._begin()
        self._engine.commit(batch)

    def close(self) -> None:
        """Let all go on."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _begin(self) -> None:
        with self._changed:
            self.calls += 1
            self._changed.notify_all()
