"""Filling the slots of new indexes, while others read and write.

Everybody writes places for every slot that the registry knows, at the latest SETTLED after it was given. From
then on only objects that were written before can lack a place; they are given theirs one by one, each under
the condition that it is as it was read. What lies right already is left alone, so it can be stopped and
started at any time, and several may do it at once.
"""

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from stratabase.model.model import Model
from stratabase.store import codec, heads, keys
from stratabase.store.access_path import AccessPath
from stratabase.store.engine import Batch, Engine, ExpectationFailed, Item, Key, Patch
from stratabase.store.registry import Registry, Slot, State, unwanted
from stratabase.store.slots import FRESH, Slots, milliseconds

SETTLED = 3 * FRESH
"""Seconds after which a change of the registry is known to all, and indexes show what they wrote before."""
_TOGETHER = 100

Tell = Callable[[int], None]
"""Is told how many objects were looked at since it was told last."""


class Reindex:
    """Fills what is not READY in the slots of a model's classes, and frees those of indexes that are gone."""

    def __init__(
        self,
        engine: Engine,
        model: Model,
        *,
        now: Callable[[], int] = milliseconds,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._engine = engine
        self._model = model
        self._slots = Slots(engine, model, now=now)
        self._now = now
        self._sleep = sleep

    def of(self, class_name: str, tell: Tell = lambda _: None) -> None:
        """Make every index of a class READY."""
        self._slots.change(lambda registry: self._freed(registry, class_name))
        registry = self._slots.change(self._slots.complete)
        building = [slot for slot in registry.classes[class_name] if slot.state is State.BUILDING]
        if not building:
            return
        self._wait_until_settled(building)
        for items in self._objects(class_name):
            self._place(items, registry.paths(class_name))
            tell(len(items))
        self._slots.change(lambda registry: self._ready(registry, class_name, building))

    def _freed(self, registry: Registry, class_name: str) -> Registry:
        """Return the registry with indexes retired that the model does not name, and freed if they were."""
        class_ = self._model.classes.get(class_name)
        slots = registry.classes.get(class_name, ())
        kept = [slot for slot in slots if slot.state is not State.RETIRED or not self._is_settled(slot)]
        after = [self._in(slot, State.RETIRED) if unwanted(slot, class_) else slot for slot in kept]
        return registry.with_slots(class_name, tuple(after))

    def _ready(self, registry: Registry, class_name: str, built: Sequence[Slot]) -> Registry:
        slots = registry.classes[class_name]
        after = (self._in(slot, State.READY) if slot in built else slot for slot in slots)
        return registry.with_slots(class_name, tuple(after))

    def _in(self, slot: Slot, state: State) -> Slot:
        return slot if slot.state is state else slot._replace(state=state, since=self._now())

    def _is_settled(self, slot: Slot) -> bool:
        return self._now() >= slot.since + SETTLED * 1000

    def _wait_until_settled(self, slots: Sequence[Slot]) -> None:
        since = max(slot.since for slot in slots)
        self._sleep(max(0.0, since / 1000 + SETTLED - self._now() / 1000))

    def _objects(self, class_name: str) -> Iterator[Sequence[Item]]:
        """Yield the heads of a class, as they are."""
        listed = chain.from_iterable(self._engine.range(keys.LISTING, keys.listing(class_name)))
        found: list[Key] = []
        for item in listed:
            found.append(item.key)
            if len(found) == _TOGETHER:
                yield self._heads(found)
                found = []
        yield self._heads(found)

    def _heads(self, found: Sequence[Key]) -> list[Item]:
        return [item for item in self._engine.get(found) if item is not None]

    def _place(self, items: Sequence[Item], paths: Sequence[AccessPath]) -> None:
        for item in items:
            head: Item | None = item
            while head is not None and not self._placed(head, paths):
                (head,) = self._engine.get([item.key])

    def _placed(self, item: Item, paths: Sequence[AccessPath]) -> bool:
        """Give an object its places; return False when it has been written meanwhile."""
        entity = codec.entity_of(item)
        wrong = {
            name: place
            for name, place in heads.places(entity, paths).items()
            if item.places.get(name) != place
        }
        patch = Patch(item.key, heads.as_read(entity), places=wrong)
        try:
            if wrong:
                self._engine.commit(Batch(f"reindex{secrets.token_hex(12)}", (patch,)))
        except ExpectationFailed:
            return False
        return True
