"""An engine that shows a part of a commit before the rest, as a distributed store may."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from stratabase.core.store.engine.port import Batch, Item, Key
from tests.contract.engine.reference import ReferenceEngine


class PartialCommitEngine(ReferenceEngine):
    """Checks commits against all items, but hides held items from readers."""

    def __init__(self) -> None:
        super().__init__()
        self._held: dict[Key, Item | None] = {}
        self.released = False
        """Everything is shown as it is."""
        self.commits: list[Batch] = []

    def hold(self, keys: Iterable[Key]) -> None:
        """Show the items under some keys as they are now, whatever is committed, until they are released."""
        self._held = {key: self._items.get(key) for key in keys}

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        return self._seen().get(keys, places=places)

    def range(self, *arguments: Any, **options: Any) -> Iterator[Sequence[Item]]:
        return self._seen().range(*arguments, **options)

    def commit(self, batch: Batch) -> None:
        super().commit(batch)
        self.commits.append(batch)

    def _seen(self) -> ReferenceEngine:
        seen = ReferenceEngine()
        seen.show(self._items if self.released else {**self._items, **self._held})
        return seen
