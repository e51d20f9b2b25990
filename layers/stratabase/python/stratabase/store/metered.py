"""An engine that tells what is asked of it and what that consumes, while somebody wants to know."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType

from stratabase.domain.consumption import Note
from stratabase.store import trips
from stratabase.store.engine import EVERYTHING, Batch, Bounds, Engine, Item, Key

_note: ContextVar[Note | None] = ContextVar("note", default=None)


@contextmanager
def measuring(note: Note) -> Iterator[None]:
    """Have each call be noted that is made meanwhile on behalf of the same request."""
    token = _note.set(note)
    try:
        with trips.counting():
            yield
    finally:
        _note.reset(token)


class MeteredEngine:
    """Passes every call on to an engine. `noting` returns whom to tell of a call, None for nobody."""

    def __init__(self, engine: Engine, noting: Callable[[], Note | None] = _note.get) -> None:
        self._engine = engine
        self._noting = noting

    def get(self, keys: Sequence[Key]) -> list[Item | None]:
        """Return the items in the order of `keys`, None where there is none; what was committed is seen."""
        note = self._noting()
        return self._engine.get(keys) if note is None else _measured().get(self._engine, keys, note)

    def range(  # noqa: PLR0913 - as the port has it
        self,
        index: str,
        partition: str,
        bounds: Bounds = EVERYTHING,
        *,
        backward: bool = False,
        limit: int | None = None,
        exact: bool = True,
    ) -> Iterator[Sequence[Item]]:
        """Yield the items of one partition of an index in the order of their sort keys, page by page."""
        pages = self._engine.range(index, partition, bounds, backward=backward, limit=limit, exact=exact)
        note = self._noting()
        return pages if note is None else _measured().range_(index, pages, note, exact=exact)

    def commit(self, batch: Batch) -> None:
        """Do all actions or none. Raises ExpectationFailed, Unavailable."""
        note = self._noting()
        if note is None:
            self._engine.commit(batch)
        else:
            _measured().commit(self._engine, batch, note)

    def close(self) -> None:
        """Finish what is under way and let go of files and connections."""
        self._engine.close()


def _measured() -> ModuleType:
    from stratabase.store import measured  # noqa: PLC0415 - few requests are measured, and none at a start

    return measured
