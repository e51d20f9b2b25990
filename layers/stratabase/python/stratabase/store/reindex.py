"""Building what a changed model asks for (indexes, uniqueness constraints), while others read and write.

Everybody writes places for every slot that the registry knows, and guards for every constraint that stays in
it, at the latest SETTLED after it came there. From then on only objects that were written before can lack
them; they are given theirs, each under the condition that it is as it was read. What is right
already is left alone, so it can be stopped and started at any time, and several may do it at once.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeVar

from stratabase.model.class_ import Class
from stratabase.model.model import Model
from stratabase.store import codec, keys
from stratabase.store.built import Built, Slot, State, Uniqueness, shown
from stratabase.store.claiming import Claiming, Duplicate
from stratabase.store.engine import Engine, Item, Key
from stratabase.store.placing import place
from stratabase.store.presence import living
from stratabase.store.registry import Registry, unique_of, wants
from stratabase.store.slots import FRESH, Slots, milliseconds

SETTLED = 3 * FRESH
"""Seconds after which a change of the registry is known to all, and indexes show what they wrote before."""
_TOGETHER = 100

B = TypeVar("B", bound=Built)

Tell = Callable[[int], None]
"""Is told how many objects were looked at since it was told last."""


class Outcome(NamedTuple):
    """What is not READY after all."""

    duplicates: tuple[Duplicate, ...] = ()
    """What several objects have that only one may have."""
    interrupted: tuple[str, ...] = ()
    """What others took back, who serve another model, or what waits for the slot of an earlier index."""


class Reindex:
    """Builds what is not READY for a model's classes, and frees the slots of indexes that are gone."""

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

    def of(self, class_name: str, tell: Tell = lambda _: None) -> Outcome:
        """Make everything of a class READY, but constraints that objects do not keep to."""
        class_ = self._model.classes[class_name]
        self._slots.change(lambda registry: self._freed(registry, class_name))
        registry = self._slots.change(self._slots.complete)
        building = registry.building(class_)
        if not building:
            return Outcome((), registry.lacking(class_))
        self._wait_until_settled(building)
        found = self._build(class_, registry, tell)
        refused = {one for one, duplicates in found.items() if duplicates}
        built = [one for one in building if one not in refused]
        registry = self._slots.change(lambda registry: self._ready(registry, class_name, built))
        told = {shown(unique_of(class_, one)) for one in refused}
        interrupted = (name for name in registry.lacking(class_) if name not in told)
        return Outcome(tuple(chain.from_iterable(found.values())), tuple(interrupted))

    def _build(
        self, class_: Class, registry: Registry, tell: Tell
    ) -> Mapping[Uniqueness, Sequence[Duplicate]]:
        """Give all objects of a class what they lack; return what several have that only one may have."""
        paths = registry.paths(class_.name)
        claimings = {
            one: Claiming(self._engine, self._model, class_.name, unique_of(class_, one))
            for one in registry.building(class_)
            if isinstance(one, Uniqueness)
        }
        for items in self._objects(class_.name):
            place(self._engine, items, paths)
            entities = [codec.entity_of(item, class_) for item in items]
            for claiming in claimings.values():
                claiming.claim(entities)
            tell(len(items))
        return {one: tuple(claiming.duplicates()) for one, claiming in claimings.items()}

    def _freed(self, registry: Registry, class_name: str) -> Registry:
        """Return the registry with indexes retired that the model does not name, and freed if they were."""
        class_ = self._model.classes.get(class_name)
        slots = registry.classes.get(class_name, ())
        kept = [slot for slot in slots if slot.state is not State.RETIRED or not self._is_settled(slot)]
        after = [slot if wants(class_, slot) else slot.turned(State.RETIRED, self._now()) for slot in kept]
        return registry.with_slots(class_name, tuple(after))

    def _ready(self, registry: Registry, class_name: str, built: Sequence[Built]) -> Registry:
        """Return the registry with READY what is in it as it was when building it began."""
        slots = (self._ready_if(slot, built) for slot in registry.classes[class_name])
        uniques = (self._ready_if(one, built) for one in registry.uniques.get(class_name, ()))
        return registry.with_slots(class_name, tuple(slots)).with_uniques(class_name, tuple(uniques))

    def _ready_if(self, one: B, built: Sequence[Built]) -> B:
        return one.turned(State.READY, self._now()) if one in built else one

    def _is_settled(self, slot: Slot) -> bool:
        return self._now() >= slot.since + SETTLED * 1000

    def _wait_until_settled(self, building: Iterable[Built]) -> None:
        since = max(one.since for one in building)
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
        return [item for item in map(living, self._engine.get(found)) if item is not None]
