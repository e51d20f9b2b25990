"""Caches of what functions return for texts of clients. Long texts are not kept, so the memory is bounded."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar, cast

LONGEST_KEPT = 256
"""In characters or bytes. A longer text is not kept. What repeats, such as a path or a header, is shorter."""

Cached = TypeVar("Cached", bound=Callable[..., Any])


def cache_short_texts(maximum: int) -> Callable[[Cached], Cached]:
    """Return a decorator that keeps the latest results of a function of a text, and of other arguments.

    `maximum` is the number of results to keep.
    """

    def decorate(function: Cached) -> Cached:
        cached = lru_cache(maximum)(function)

        @wraps(function)
        def call(text: Any, *others: Any) -> Any:
            return (cached if len(text) <= LONGEST_KEPT else function)(text, *others)

        return cast("Cached", call)

    return decorate
