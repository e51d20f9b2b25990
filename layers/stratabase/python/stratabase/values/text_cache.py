"""Caches of what functions return for texts of clients. Long texts are not kept, so the memory is bounded."""

from collections.abc import Callable
from typing import Any, TypeVar

LONGEST_KEPT = 256
"""In characters or bytes. A longer text is not kept. What repeats, such as a path or a header, is shorter."""

Text = TypeVar("Text", str, bytes)
Result = TypeVar("Result")


def cache_short_texts(maximum: int) -> Callable[[Callable[[Text], Result]], Callable[[Text], Result]]:
    """Return a decorator that keeps results of a function of a text. `maximum` is the number to keep."""

    def decorate(function: Callable[[Text], Result]) -> Callable[[Text], Result]:
        # A look-up in a dict takes half the time of functools.lru_cache. Most requests make a dozen.
        return _Results(function, maximum).__getitem__

    return decorate


class _Results(dict[Any, Any]):
    """Results of a function by text. If there are too many, it forgets all, and begins anew."""

    def __init__(self, function: Callable[[Any], Any], maximum: int) -> None:
        super().__init__()
        self._function = function
        self._maximum = maximum

    def __missing__(self, text: Any) -> Any:
        result = self._function(text)
        if len(text) <= LONGEST_KEPT:
            if len(self) >= self._maximum:
                self.clear()
            self[text] = result
        return result
