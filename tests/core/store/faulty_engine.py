"""Engines that break one promise each, so that tests can show that they detect it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from stratabase.core.store.engine.port import NO_EXPECTATION, Action, Batch, Check, DeleteItem, Patch, Put
from stratabase.core.store.engine.wrappers import DelegatingEngine
from stratabase.core.store.layout.object_items import END


class FaultyEngine(DelegatingEngine):
    """Passes every call on, with batches changed by `changed`."""

    def commit(self, batch: Batch) -> None:
        for number, actions in enumerate(self.changed(batch.actions)):
            self._engine.commit(
                replace(batch, id=f"{batch.id}.{number}" if number else batch.id, actions=actions)
            )

    def changed(self, actions: tuple[Action, ...]) -> Iterator[tuple[Action, ...]]:
        """Yield the batches to commit, one after the other, instead of a batch."""
        yield actions


class BlindWriteEngine(FaultyEngine):
    """Ignores failed expectations unless the item is missing."""

    def changed(self, actions: tuple[Action, ...]) -> Iterator[tuple[Action, ...]]:
        """Drop the expectations."""
        yield tuple(_careless(action) for action in actions)


class GapEngine(FaultyEngine):
    """Ends each version one millisecond before the next one starts."""

    def changed(self, actions: tuple[Action, ...]) -> Iterator[tuple[Action, ...]]:
        """End closed versions one millisecond early."""
        yield tuple(_ended_early(action) for action in actions)


class EarlyVersionEngine(FaultyEngine):
    """Commits closed versions before it knows whether the rest of the change succeeds."""

    def changed(self, actions: tuple[Action, ...]) -> Iterator[tuple[Action, ...]]:
        """Yield the closed versions as a commit of their own, before the rest."""
        closed = tuple(Put(action.item) for action in actions if _closes(action) and isinstance(action, Put))
        if closed:
            yield closed
        yield tuple(action for action in actions if not _closes(action))


FAULTY = [BlindWriteEngine, GapEngine, EarlyVersionEngine]


def _careless(action: Action) -> Action:
    if isinstance(action, Patch | Check):
        return replace(action, expect=replace(action.expect, conditions=(), either=()))
    assert isinstance(action, Put | DeleteItem)
    return replace(action, expect=NO_EXPECTATION)


def _closes(action: Action) -> bool:
    return isinstance(action, Put) and END in action.item.attributes


def _ended_early(action: Action) -> Action:
    if not isinstance(action, Put) or not _closes(action):
        return action
    end: Any = action.item.attributes[END]
    attributes = {**action.item.attributes, END: end - 1}
    return replace(action, item=replace(action.item, attributes=attributes))
