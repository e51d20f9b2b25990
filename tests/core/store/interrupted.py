"""Engines that run other writes between the calls of their callers."""

from collections.abc import Callable, Iterator, Sequence

from stratabase.core.store.engine.port import Engine, Item, Key
from stratabase.core.store.engine.wrappers import DelegatingEngine
from tests.contract.engine.reference import ReferenceEngine


class InterruptedEngine(DelegatingEngine):
    """Passes calls on, reads item by item, and calls a function before the step with a given number.

    Steps count from 0. Each item of a `get` is a step, because an engine may show some items before a commit
    and others after it.
    """

    def __init__(self, engine: Engine, at: int, meanwhile: Callable[[], None]) -> None:
        super().__init__(engine)
        self.steps = 0
        self._at = at
        self._meanwhile = meanwhile

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        return [self._one(key) for key in keys]

    def _one(self, key: Key) -> Item | None:
        self._before_read()
        (item,) = self._engine.get([key])
        return item

    def _before_read(self) -> None:
        """Count a step, and call the function if its step has come."""
        number, self.steps = self.steps, self.steps + 1
        if number == self._at:
            self._meanwhile()

    def _before_write(self) -> None:
        self._before_read()


class Interrupted(DelegatingEngine):
    """Calls a function once, before the next call."""

    def __init__(self) -> None:
        super().__init__(ReferenceEngine())
        self.acts: Iterator[Callable[[], None] | None] = iter(())
        self._acting = False

    def _before_read(self) -> None:
        """Call the function before the first call, except for calls by the function itself."""
        if self._acting:
            return
        self._acting = True
        act = next(self.acts, None)
        if act is not None:
            act()
        self._acting = False

    def _before_write(self) -> None:
        self._before_read()
