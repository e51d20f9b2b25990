"""An engine whose secondary indexes lag by random times, as those of DynamoDB may."""

import random
from collections.abc import Callable, Iterator, Sequence
from operator import gt, lt
from threading import Lock
from typing import NamedTuple

from stratabase.core.store.engine.capacity import PROJECTED_ATTRIBUTES
from stratabase.core.store.engine.port import (
    INDEX_NAMES,
    ITEMS,
    UNBOUNDED,
    Batch,
    Beginnings,
    Bounds,
    IndexKey,
    Item,
    Key,
)
from tests.contract.engine.reference import ReferenceEngine

LONGEST_LAG = 3.0
"""Seconds of a clock that goes a random step with each call."""
_LONGEST_STEP = 0.5
_PAGES = (1, 4, 64, 1000)
"""How many items a page of an index may have."""


class _Late(NamedTuple):
    """A pending index entry: the place, what the index will show there, and when. None removes the entry."""

    due: float
    entry: Key
    item: Item | None


class LaggingEngine(ReferenceEngine):
    """An engine whose reads by key are exact, and whose indexes lag behind.

    Each place of an item in an index gets its updates in order. Inexact ranges of items lag, too.

    The places of one item are updated independently: a moving item may appear at both or at none. A range is
    read in pages. Time passes between them, and `meanwhile` is called.
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.meanwhile: Callable[[], object] = lambda: None
        self.now = 0.0
        self._random = random.Random(seed)
        self._commits = Lock()
        self._late: dict[str, list[_Late]] = {name: [] for name in (ITEMS, *INDEX_NAMES)}
        self._shown = {name: ReferenceEngine() for name in self._late}

    def range(
        self,
        index: str,
        partition: str,
        bounds: Bounds = UNBOUNDED,
        *,
        backward: bool = False,
        limit: int | None = None,
        exact: bool = True,
        whole: bool = True,
    ) -> Iterator[Sequence[Item]]:
        self._go_on()
        if index not in self._shown or (index == ITEMS and exact):
            return super().range(index, partition, bounds, backward=backward, limit=limit, whole=whole)
        return self._pages(index, partition, bounds, backward=backward, limit=limit)

    def count_beginnings(
        self, index: str, partition: str, ranges: Sequence[Bounds], beginnings: Beginnings
    ) -> None:
        """Return None, as DynamoDB does."""

    def commit(self, batch: Batch) -> None:
        keys = [action.key for action in batch.actions]
        with self._commits:
            before = self.get(keys)
            super().commit(batch)
            for key, old, new in zip(keys, before, self.get(keys), strict=True):
                self._note(key, old, new)
        self._go_on()

    def increment(self, key: Key, attribute: str, by: int) -> int:
        with self._commits:
            (before,) = self.get([key])
            total = super().increment(key, attribute, by)
            (after,) = self.get([key])
            self._note(key, before, after)
        self._go_on()
        return total

    def settle(self) -> None:
        """Make every index show all commits."""
        self.now += LONGEST_LAG
        self._show_what_is_due()

    def _note(self, key: Key, old: Item | None, new: Item | None) -> None:
        for name, late in self._late.items():
            left, taken = (_place(item, name) if item else None for item in (old, new))
            if left is not None and left != taken:
                late.append(_Late(self._some_time(), _entry(key, left), None))
            if new is not None and taken is not None and new is not old:
                shown = new if name == ITEMS else _projected(new, name, taken)
                late.append(_Late(self._some_time(), _entry(key, taken), shown))

    def _some_time(self) -> float:
        return self.now + self._random.uniform(0, LONGEST_LAG)

    def _pages(
        self, index: str, partition: str, bounds: Bounds, *, backward: bool, limit: int | None
    ) -> Iterator[Sequence[Item]]:
        last, left, beyond = None, limit, lt if backward else gt
        while left != 0:
            (found,) = self._shown[index].range(index, partition, bounds, backward=backward)
            size = self._random.choice(_PAGES) if left is None else min(self._random.choice(_PAGES), left)
            items = [item for item in found if last is None or beyond(_lies(item, index), last)]
            if items:
                yield items[:size]
            if size >= len(items):
                return
            last, left = _lies(items[size - 1], index), None if left is None else left - size
            self.meanwhile()
            self._go_on()

    def _go_on(self) -> None:
        self.now += self._random.uniform(0, _LONGEST_STEP)
        self._show_what_is_due()

    def _show_what_is_due(self) -> None:
        with self._commits:
            for name, late in self._late.items():
                shown: dict[Key, Item | None] = {}
                held_back: dict[Key, list[_Late]] = {}
                for each in late:
                    if each.due > self.now or each.entry in held_back:
                        held_back.setdefault(each.entry, []).append(each)
                    else:
                        shown[each.entry] = each.item
                self._shown[name].show(shown)
                self._late[name] = [each for several in held_back.values() for each in several]


def _projected(item: Item, index: str, place: Sequence[str]) -> Item:
    """Return what an index of DynamoDB shows of an item."""
    attributes = {name: value for name, value in item.attributes.items() if name in PROJECTED_ATTRIBUTES}
    return Item(item.key, attributes, item.state, {index: IndexKey(*place)})


def _entry(key: Key, place: Sequence[str]) -> Key:
    """Return a key for one place of an item."""
    return Key("\0".join(key), "\0".join(place))


def _place(item: Item, index: str) -> IndexKey | None:
    return IndexKey(*item.key) if index == ITEMS else item.places.get(index)


def _lies(item: Item, index: str) -> tuple[str, Key]:
    """Return the position of an item in the order of an index."""
    return item.key.sort if index == ITEMS else item.places[index].sort, item.key
