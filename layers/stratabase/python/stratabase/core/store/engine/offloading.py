"""Runs the calls of an engine that waits for a network outside the event loop of the local server."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from stratabase.core import waiting
from stratabase.core.store.engine.delegating import DelegatingEngine

T = TypeVar("T")


class OffloadingEngine(DelegatingEngine):
    """An engine that delegates every call to another one, where the call does not block other requests."""

    def _run(self, call: Callable[..., T], *arguments: object) -> T:
        return waiting.offload(call, *arguments)

    def _pages(self, pages: Iterator[T]) -> Iterator[T]:
        while (page := waiting.offload(next, pages, None)) is not None:
            yield page
