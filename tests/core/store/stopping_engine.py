"""Engines whose process is killed at one of its commits, or beside which another process writes there."""

from collections.abc import Callable

from stratabase.core.store.engine.port import Batch, Engine
from stratabase.core.store.engine.wrappers import DelegatingEngine


class Stopped(BaseException):
    """The process is killed."""


class StoppingEngine(DelegatingEngine):
    """An engine whose process is killed before or after the commit with a number, which counts from 1."""

    def __init__(self, engine: Engine, at: int, *, after: bool = False) -> None:
        super().__init__(engine)
        self.commits = 0
        self._at = at
        self._after = after

    def commit(self, batch: Batch) -> None:
        self.commits += 1
        if self.commits == self._at and not self._after:
            raise Stopped
        super().commit(batch)
        if self.commits == self._at:
            raise Stopped


class BusyEngine(DelegatingEngine):
    """An engine on which another process writes before a commit."""

    def __init__(self, engine: Engine, at: int, meanwhile: Callable[[], None]) -> None:
        super().__init__(engine)
        self.commits = 0
        self._at = at
        self._meanwhile = meanwhile

    def commit(self, batch: Batch) -> None:
        self.commits += 1
        if self.commits == self._at:
            self._meanwhile()
        super().commit(batch)
