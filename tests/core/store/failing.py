"""An engine that fails at one of its calls without telling whether the call took effect."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.store.engine.port import Batch, Engine, Item, Key
from stratabase.core.store.engine.wrappers import DelegatingEngine
from stratabase.values.messages import verbatim

T = TypeVar("T")

GET, RANGE, INCREMENT = "get", "range", "increment"


class Fault(NamedTuple):
    """A failure before the call of this number, counted from 0, or after it took effect."""

    call: int
    after: bool = False


class FailingEngine(DelegatingEngine):
    """Passes calls on and records them: `get`, a page of a `range`, `increment`, or the ID of a batch."""

    def __init__(self, engine: Engine, fault: Fault | None = None) -> None:
        super().__init__(engine)
        self.calls: list[str] = []
        self._fault = fault

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        self._begin(GET)
        found = super().get(keys, places=places)
        self._end()
        return found

    def _pages(self, pages: Iterator[T]) -> Iterator[T]:
        while True:
            self._begin(RANGE)
            page = next(pages, None)
            self._end()
            if page is None:
                return
            yield page

    def scan(self, after: Key | None = None) -> Iterator[Sequence[Item]]:
        return self._engine.scan(after)

    def commit(self, batch: Batch) -> None:
        self._begin(batch.id)
        try:
            super().commit(batch)
        finally:
            self._end()

    def increment(self, key: Key, attribute: str, by: int) -> int:
        self._begin(INCREMENT)
        try:
            return super().increment(key, attribute, by)
        finally:
            self._end()

    def _begin(self, what: str) -> None:
        self.calls.append(what)
        self._fail(after=False)

    def _end(self) -> None:
        self._fail(after=True)

    def _fail(self, *, after: bool) -> None:
        if self._fault == Fault(len(self.calls) - 1, after):
            raise Unavailable(verbatim("out of order"))
