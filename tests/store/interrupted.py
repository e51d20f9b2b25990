"""An engine that reads item by item, whose caller is interrupted once: another does something meanwhile."""

from collections.abc import Callable, Iterator, Sequence

from stratabase.store.engine import EVERYTHING, Batch, Bounds, Engine, Item, Key


class InterruptedEngine:
    """Passes calls on. Before its step of a number, from 0, something else happens.

    Each item of a `get` is a step, since an engine may show some of them before a commit and some after it.
    """

    def __init__(self, engine: Engine, at: int, meanwhile: Callable[[], None]) -> None:
        self.steps = 0
        self._engine = engine
        self._at = at
        self._meanwhile = meanwhile

    def get(self, keys: Sequence[Key]) -> list[Item | None]:
        return [self._one(key) for key in keys]

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
        self._step()
        return self._engine.range(index, partition, bounds, backward=backward, limit=limit, exact=exact)

    def commit(self, batch: Batch) -> None:
        self._step()
        self._engine.commit(batch)

    def close(self) -> None:
        self._engine.close()

    def _one(self, key: Key) -> Item | None:
        self._step()
        (item,) = self._engine.get([key])
        return item

    def _step(self) -> None:
        number, self.steps = self.steps, self.steps + 1
        if number == self._at:
            self._meanwhile()
