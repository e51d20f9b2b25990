"""What a process shares between requests: a cache of bounded size, and one run of the same work at a time."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

from stratabase import waiting
from stratabase.domain.issues.refusals import Unavailable

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """Keeps `most` values; another one takes the place of that which was put longest ago."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """Return the value of a key, None when there is none any more."""
        return self._values.get(key)

    def put(self, key: K, value: V) -> None:
        """Put a value in the place of the key's former one."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._most:
                self._values.popitem(last=False)

    def forget(self, key: K) -> None:
        """Take a key out, if it is there."""
        with self._lock:
            self._values.pop(key, None)


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
