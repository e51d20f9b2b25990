"""The mark of the store of objects, which is in the item of the registry, and the engine that checks it."""

from collections.abc import Sequence
from dataclasses import replace

from stratabase.core.domain.store_mark import StoreMark, StoreRequirements, parse_mark
from stratabase.core.store.engine.actions import is_committed, new_commit_id
from stratabase.core.store.engine.port import Batch, Engine, Item, Key
from stratabase.core.store.engine.wrappers import DelegatingEngine
from stratabase.core.store.indexes.registry import mark_text, parse_registry, registry_put
from stratabase.core.store.layout.keys import REGISTRY


class EngineMark:
    """The mark of a store of objects. Implements the port `operations.store_marks.MarkStore`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def content(self) -> Engine:
        """The store itself."""
        return self._engine

    def read_mark(self) -> StoreMark | None:
        """Return the mark, None if the store has none."""
        return _mark_of(self._engine.get([REGISTRY])[0])

    def is_new(self) -> bool:
        """Return whether no process has used the store yet."""
        return self._engine.get([REGISTRY])[0] is None

    def write_mark(self, mark: StoreMark, before: StoreMark | None) -> bool:
        """Write a mark if the current one is `before`. Return whether it was.

        The revision of the registry advances, so the fences of embedded engines notice the change.
        """
        while True:
            (found,) = self._engine.get([REGISTRY])
            if _mark_of(found) != before:
                return False
            put = registry_put(replace(parse_registry(found), mark=mark.text()))
            # If another process has changed the registry, or the response was lost, the next read shows it.
            is_done = is_committed(self._engine, Batch(new_commit_id("mark"), (put,)))
            if is_done or self.read_mark() == mark:
                return True


class MarkedEngine(DelegatingEngine):
    """An engine that delegates every call to another one, and refuses a store with a wrong mark.

    The mark is checked before the first call, and again whenever the registry is read, which is every few
    seconds in a process that writes. The first read of items reads the mark in the same request. Every method
    raises StoreRefused.
    """

    def __init__(self, engine: Engine, required: StoreRequirements) -> None:
        """Take what this process requires of the mark."""
        super().__init__(engine)
        self._required = required
        self._text: str | None = None
        """The text of the mark that was seen last."""
        self._mark: StoreMark | None = None
        self._is_checked = False
        self._is_writable = False
        """Whether the mark has been checked for writes."""

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        """Return the items in the order of `keys`, None for a missing item."""
        if REGISTRY in keys:
            found = self._engine.get(keys, places=places)
            self._see(found[list(keys).index(REGISTRY)])
            return found
        if self._is_checked:
            return self._engine.get(keys, places=places)
        *found, registry = self._engine.get([*keys, REGISTRY], places=places)
        self._see(registry)
        return found

    def _before_read(self) -> None:
        if not self._is_checked:
            self._see(self._engine.get([REGISTRY])[0])

    def _before_write(self) -> None:
        if not self._is_writable:
            self._before_read()
            self._required.check(self._mark, writes=True)
            self._is_writable = True

    def _see(self, registry: Item | None) -> None:
        """Check the mark in the item of the registry. A mark that has not changed costs a comparison."""
        text = mark_text(registry)
        if not self._is_checked or text != self._text:
            self._is_checked = self._is_writable = False
            mark = _mark_of(registry)
            self._required.check(mark)
            self._text, self._mark, self._is_checked = text, mark, True


def _mark_of(registry: Item | None) -> StoreMark | None:
    text = mark_text(registry)
    return None if text is None else parse_mark(text)
