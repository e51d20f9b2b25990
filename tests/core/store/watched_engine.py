"""A reference engine whose items are visible, and that runs other writes before a commit."""

from collections import UserDict
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from typing import Any

from stratabase.core.store.engine.port import Batch, Item, Key
from stratabase.core.store.layout.keys import REGISTRY
from tests.contract.engine.reference import ReferenceEngine

PAGE = 3
"""Small, so that few items make several pages."""


class _Objects(UserDict[Key, Item]):
    """The items of an engine without the registry."""

    def __init__(self, items: dict[Key, Item]) -> None:
        self.data = items

    def __iter__(self) -> Iterator[Key]:
        return (key for key in self.data if key != REGISTRY)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class WatchedEngine(ReferenceEngine):
    """Records its calls. `before_commit` is called once, before the next commit."""

    def __init__(self) -> None:
        super().__init__()
        self.before_commit: Callable[[], None] | None = None
        self.commits: list[Batch] = []
        self.items_read = 0
        self.keys_got: list[Key] = []

    @property
    def items(self) -> MutableMapping[Key, Item]:
        """The items of objects, which tests may read and change."""
        return _Objects(self._items)

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        self.keys_got += [key for key in keys if key != REGISTRY]
        return super().get(keys, places=places)

    def range(self, *arguments: Any, **options: Any) -> Iterator[Sequence[Item]]:
        for items in super().range(*arguments, **options):
            for first in range(0, len(items), PAGE):
                page = items[first : first + PAGE]
                self.items_read += len(page)
                yield page

    def commit(self, batch: Batch) -> None:
        if batch.actions[0].key == REGISTRY:
            super().commit(batch)
            return
        meddle, self.before_commit = self.before_commit, None
        if meddle is not None:
            meddle()
        super().commit(batch)
        self.commits.append(batch)
