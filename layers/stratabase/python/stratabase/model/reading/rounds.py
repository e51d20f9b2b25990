"""Ways through a graph that come back to where they began."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")


def rounds(graph: Mapping[T, Iterable[T]]) -> Iterator[list[T]]:
    """Yield the shortest way from a node back to itself, each node being in at most one; ends left out."""
    met: set[T] = set()
    for start in graph:
        if start not in met and (way := _way_back(graph, start)):
            met.update(way)
            yield way


def _way_back(graph: Mapping[T, Iterable[T]], start: T) -> list[T]:
    before: dict[T, T] = {}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for after in graph.get(node, ()):
            if after == start:
                return _unwound(before, start, node)
            if after not in before:
                before[after] = node
                waiting.append(after)
    return []


def _unwound(before: Mapping[T, T], start: T, node: T) -> list[T]:
    way = [node]
    while way[-1] != start:
        way.append(before[way[-1]])
    return way[::-1]
