"""A thread-safe LRU cache whose entries have weights, and the form in which caches keep large texts."""

import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
_GZIP_WINDOW = 31
"""The `wbits` of zlib for the gzip format with the largest window."""


def gzip_compress(content: bytes) -> bytes:
    """Return a content compressed by gzip."""
    return zlib.compress(content, wbits=_GZIP_WINDOW)


def gzip_decompress(compressed: bytes) -> bytes:
    """Return the content that was compressed by gzip. Raises zlib.error."""
    return zlib.decompress(compressed, _GZIP_WINDOW)


class BoundedCache(Generic[K, V]):
    """An LRU cache that holds entries up to a total weight. Threads may share it."""

    def __init__(self, maximum: int, weigh: Callable[[K, V], int] = lambda *_: 1) -> None:
        """`maximum` limits the total weight. `weigh` returns that of an entry; without it, each weighs 1."""
        self._maximum = maximum
        self._weigh = weigh
        self._weight = 0
        self._weights: dict[K, int] = {}
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """Return the value of a key, or None if the cache does not hold the key."""
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def put(self, key: K, value: V) -> V:
        """Set the value of a key, and return the value.

        Entries that were not used for longest are removed.
        """
        with self._lock:
            weight = self._weigh(key, value)
            self._weight += weight - self._weights.get(key, 0)
            self._weights[key] = weight
            self._values[key] = value
            self._values.move_to_end(key)
            while self._weight > self._maximum:
                forgotten, _ = self._values.popitem(last=False)
                self._weight -= self._weights.pop(forgotten)
        return value

    def get_or_make(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key. If there is none, make it and keep it. Raises what `make` raises."""
        # Two threads may make the same value at once. Waiting for each other would cost more.
        value = self.get(key)
        return self.put(key, make()) if value is None else value
