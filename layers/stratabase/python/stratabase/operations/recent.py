"""What a process remembers: values by their keys, the newest so many."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
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
