"""Work that is asked for again while it is under way: done once, for all who ask."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

from stratabase import waiting
from stratabase.domain.refusal import Unavailable

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Shares results, between threads and between all that waits as `stratabase.waiting` does.

    A refusal is not shared, unless the store was unavailable: each then does the work itself, and is counted.
    """

    def __init__(self) -> None:
        self._under_way: dict[bytes, Future[T]] = {}
        self._lock = Lock()

    def __call__(self, key: bytes, work: Callable[[], T]) -> T:
        """Return what `work()` returns, or what it just returned to another with the same key."""
        mine: Future[T] = Future()
        with self._lock:
            first = self._under_way.setdefault(key, mine)
        return self._lead(key, mine, work) if first is mine else _follow(first, work)

    def _lead(self, key: bytes, mine: "Future[T]", work: Callable[[], T]) -> T:
        try:
            result = work()
        except BaseException as error:
            self._land(key)
            mine.set_exception(error)
            raise
        self._land(key)
        mine.set_result(result)
        return result

    def _land(self, key: bytes) -> None:
        # Before the result is told: who comes later has not asked while it was under way.
        with self._lock:
            del self._under_way[key]


def _follow(first: "Future[T]", work: Callable[[], T]) -> T:
    try:
        return waiting.until(first)
    except Unavailable:
        raise
    except Exception:  # noqa: BLE001 - whatever it was, it was the other's
        return work()
