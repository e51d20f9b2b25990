"""An engine that passes all calls on to another engine. Wrappers of engines override what they change."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from stratabase.core.store.engine.port import UNBOUNDED, Batch, Bounds, Counted, Engine, Item, Key

T = TypeVar("T")


class DelegatingEngine:
    """An engine that delegates every call to another one.

    Subclasses override single calls, or what all calls have in common: what precedes them, how they are run,
    and how the results of several pages are read.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def removes_expired(self) -> bool:
        """Whether the engine itself removes items some time after their TIME_TO_LIVE."""
        return self._engine.removes_expired

    @property
    def is_embedded(self) -> bool:
        """Whether the engine runs in this process, so that a call takes microseconds and costs nothing."""
        return self._engine.is_embedded

    def _before_read(self) -> None:
        """Do something before each read. By default, nothing."""

    def _before_write(self) -> None:
        """Do something before each write. By default, nothing."""

    def _run(self, call: Callable[..., T], *arguments: object) -> T:
        """Return the result of a call of the other engine."""
        return call(*arguments)

    def _pages(self, pages: Iterator[T]) -> Iterator[T]:
        """Yield the pages of a range, scan or count of the other engine."""
        return pages

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        """Return the items in the order of `keys`, None for a missing item. Reads are strongly consistent."""
        self._before_read()
        return self._run(partial(self._engine.get, places=places), keys)

    def range(  # noqa: PLR0913 - the signature of the port
        self,
        index: str,
        partition: str,
        bounds: Bounds = UNBOUNDED,
        *,
        backward: bool = False,
        limit: int | None = None,
        exact: bool = True,
        whole: bool = True,
    ) -> Iterator[Sequence[Item]]:
        """Yield the items of one partition of an index in the order of their sort keys, page by page."""
        self._before_read()
        return self._pages(
            self._engine.range(
                index, partition, bounds, backward=backward, limit=limit, exact=exact, whole=whole
            )
        )

    def count(
        self,
        index: str,
        partition: str,
        ranges: Sequence[Bounds] = (UNBOUNDED,),
        *,
        distinct: bool = False,
    ) -> Iterator[Counted]:
        """Yield the numbers of items in ranges of one partition of an index, to be added up."""
        self._before_read()
        return self._pages(self._engine.count(index, partition, ranges, distinct=distinct))

    def scan(self, after: Key | None = None) -> Iterator[Sequence[Item]]:
        """Yield all items of the store, page by page."""
        self._before_read()
        return self._pages(self._engine.scan(after))

    def data_version(self) -> object | None:
        """Return a value that is another one after each commit of any process. None if there is none."""
        return self._engine.data_version()

    def commit(self, batch: Batch) -> None:
        """Execute all actions of a batch or none. Raises ExpectationFailed, Unavailable."""
        self._before_write()
        self._run(self._engine.commit, batch)

    def increment(self, key: Key, attribute: str, by: int) -> int:
        """Add a number to an attribute of an item, and return the sum."""
        self._before_write()
        return self._run(self._engine.increment, key, attribute, by)

    def close(self) -> None:
        """Finish running calls, and close files and connections."""
        self._engine.close()
