"""A bounded cache: what was not used for the longest time goes first."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """Keeps values by their keys, up to a total weight. Threads may share it."""

    def __init__(self, most: int, weigh: Callable[[K], int] = lambda _: 1) -> None:
        """`most`: the total weight of the keys that are kept; without `weigh`, their number."""
        self._most = most
        self._weigh = weigh
        self._weight = 0
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """Return the value of a key, None if there is none (any more)."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: K, value: V) -> V:
        """Keep a value, forget the oldest ones until there is room for it, and return it."""
        with self._lock:
            if key not in self._values:
                self._weight += self._weigh(key)
            self._values[key] = value
            self._values.move_to_end(key)
            while self._weight > self._most:
                forgotten, _ = self._values.popitem(last=False)
                self._weight -= self._weigh(forgotten)
        return value

    def get_or_make(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key, made and kept if there is none. Raises what `make` raises."""
        # Two threads may make it at once: that costs time, and waiting for one another would cost more.
        value = self.get(key)
        return self.put(key, make()) if value is None else value
