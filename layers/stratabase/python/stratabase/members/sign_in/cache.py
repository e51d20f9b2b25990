"""A thread-safe cache of bounded size, and deduplication of concurrent work."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

from stratabase.core import waiting
from stratabase.core.domain.issues.refusals import Unavailable

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class FifoCache(Generic[K, V]):
    """A cache that drops the entry that was put longest ago when it holds more than `max_size` entries."""

    def __init__(self, max_size: int) -> None:
        self._max_size = max_size
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()
        self.get: Callable[[K], V | None] = self._values.get
        """Return the value of a key, or None if the cache does not hold the key."""

    def put(self, key: K, value: V) -> None:
        """Set the value of a key, which becomes the newest entry."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._max_size:
                self._values.popitem(last=False)

    def forget(self, key: K) -> None:
        """Remove a key. Do nothing if the cache does not hold it."""
        with self._lock:
            self._values.pop(key, None)


T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Runs the same work once for all callers that ask for it at the same time.

    It serves threads and everything that waits by `stratabase.core.waiting`. Callers with the same key share
    the result, and they share Unavailable. They don't share other errors: each follower then does the work
    itself, so that limits count each attempt.
    """

    def __init__(self) -> None:
        self._under_way: dict[bytes, Future[T]] = {}
        self._lock = Lock()

    def __call__(self, key: bytes, work: Callable[[], T]) -> T:
        """Return the result of `work`, or of the work that runs at the moment for the same key."""
        mine: Future[T] = Future()
        with self._lock:
            # The first caller with a key leads, and does the work. All others follow.
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
        # First remove the key, then publish the result: a caller who comes later must not get a result
        # of work that began before the call.
        with self._lock:
            del self._under_way[key]


def _follow(first: "Future[T]", work: Callable[[], T]) -> T:
    try:
        return waiting.until(first)
    except Unavailable:
        raise
    except Exception:  # noqa: BLE001 - whatever it was, it was the other's
        return work()
