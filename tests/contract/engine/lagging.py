"""An engine whose secondary indexes lag behind by random times, as those of DynamoDB may."""

import random
from collections.abc import Iterator, Sequence
from threading import Lock
from typing import NamedTuple

from stratabase.store.engine import EVERYTHING, INDEX_NAMES, Batch, Bounds, Item, Key
from tests.contract.engine.reference import ReferenceEngine

LONGEST_LAG = 3.0
"""Seconds of a clock that goes a random step with each call."""
_LONGEST_STEP = 0.5


class _Late(NamedTuple):
    """What an index will show under a key, and when."""

    due: float
    key: Key
    item: Item | None


class LaggingEngine(ReferenceEngine):
    """Reads by key are exact; each index learns of each item's writes in their order, but late."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._random = random.Random(seed)
        self._now = 0.0
        self._commits = Lock()
        self._late: dict[str, list[_Late]] = {name: [] for name in INDEX_NAMES}
        self._shown = {name: ReferenceEngine() for name in INDEX_NAMES}

    def range(
        self,
        index: str,
        partition: str,
        bounds: Bounds = EVERYTHING,
        *,
        backward: bool = False,
        limit: int | None = None,
    ) -> Iterator[Sequence[Item]]:
        self._go_on()
        if index not in self._shown:
            return super().range(index, partition, bounds, backward=backward, limit=limit)
        return self._shown[index].range(index, partition, bounds, backward=backward, limit=limit)

    def commit(self, batch: Batch) -> None:
        with self._commits:
            super().commit(batch)
            keys = [action.key for action in batch.actions]
            for key, item in zip(keys, self.get(keys), strict=True):
                for late in self._late.values():
                    late.append(_Late(self._now + self._random.uniform(0, LONGEST_LAG), key, item))
        self._go_on()

    def settle(self) -> None:
        """Let every index show all commits."""
        self._now += LONGEST_LAG
        self._show_what_is_due()

    def _go_on(self) -> None:
        self._now += self._random.uniform(0, _LONGEST_STEP)
        self._show_what_is_due()

    def _show_what_is_due(self) -> None:
        with self._commits:
            for name, late in self._late.items():
                held_back = {each.key for each in late if each.due > self._now}
                # An item's writes are shown in their order: none while an earlier one is held back.
                shown = [each for each in late if each.key not in held_back]
                self._shown[name].show({each.key: each.item for each in shown})
                self._late[name] = [each for each in late if each.key in held_back]
