"""The registry of index slots as a value: which slots the indexes of each class have, and in what state."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, NamedTuple

import orjson

from stratabase.model.class_ import Class
from stratabase.store import access_path, keys
from stratabase.store.access_path import AccessPath, Column, columns_of
from stratabase.store.engine import FREE, INDEX_NAMES, Condition, Expectation, Item, Put, Test

_REVISION = "revision"
_SLOTS = tuple(name for name in INDEX_NAMES if name != keys.LISTING)


class State(Enum):
    """What a slot is good for; objects are written with a place in it, whatever the state."""

    BUILDING = "BUILDING"
    """Objects that were written before may not lie in it yet."""
    READY = "READY"
    """Every object lies in it."""
    RETIRED = "RETIRED"
    """The model does not name its index any more: soon it is free for another."""


class Slot(NamedTuple):
    """An index that a class has a slot for."""

    index_name: str
    columns: tuple[Column, ...]
    number: int
    """Never given twice, so that what is left of an earlier index is not found in this one."""
    state: State
    since: int
    """When it got its state, in milliseconds."""


Slots = tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class Registry:
    """The slots of all classes that were ever served; `revision` is 0 before it is written."""

    revision: int = 0
    last_number: int = 0
    classes: Mapping[str, Slots] = field(default_factory=dict)

    def paths(self, class_name: str) -> tuple[AccessPath, ...]:
        """Return the indexes of a class."""
        return tuple(
            AccessPath(
                slot.index_name,
                keys.indexed(class_name, slot.number),
                slot.columns,
                slot.state is State.READY,
            )
            for slot in self.classes.get(class_name, ())
        )

    def serving(self, class_: Class, state: State, now: int) -> "Registry":
        """Return it with slots in a state for those indexes of a class that have none, while there are any.

        No other slot moves; an index that comes back before its slot was given away is READY still.
        """
        slots = [_revived(slot, class_, now) for slot in self.classes.get(class_.name, ())]
        free = [name for name in _SLOTS if name not in {slot.index_name for slot in slots}]
        missing = [columns for columns in _wanted(class_) if columns not in {slot.columns for slot in slots}]
        given = [
            Slot(index_name, columns, self.last_number + number, state, now)
            for number, (index_name, columns) in enumerate(zip(free, missing, strict=False), start=1)
        ]
        return self.with_slots(class_.name, (*slots, *given))

    def with_slots(self, class_name: str, slots: Slots) -> "Registry":
        """Return it with other slots for a class; itself when they are the same."""
        if self.classes.get(class_name) == slots:
            return self
        last = max([self.last_number, *(slot.number for slot in slots)])
        return replace(self, last_number=last, classes={**self.classes, class_name: slots})


def _wanted(class_: Class) -> Iterator[tuple[Column, ...]]:
    """Yield the columns of the indexes that the model names."""
    yield from (columns_of(class_, index.attributes) for index in class_.indexes)


def unwanted(slot: Slot, class_: Class | None) -> bool:
    """Return whether the model does not name a slot's index."""
    return class_ is None or slot.columns not in set(_wanted(class_))


def _revived(slot: Slot, class_: Class, now: int) -> Slot:
    if slot.state is not State.RETIRED or unwanted(slot, class_):
        return slot
    return slot._replace(state=State.BUILDING, since=now)


def registry_of(item: Item | None) -> Registry:
    """Return what the store's item says."""
    if item is None:
        return Registry()
    kept: dict[str, Any] = orjson.loads(item.state or "{}")
    classes = {name: tuple(map(_slot, slots)) for name, slots in kept["classes"].items()}
    return Registry(int(str(item.attributes[_REVISION])), kept["lastNumber"], classes)


def action_on(registry: Registry) -> Put:
    """Return what writes a registry in place of the one that it was made from."""
    kept = {
        "lastNumber": registry.last_number,
        "classes": {name: list(map(_kept, slots)) for name, slots in registry.classes.items()},
    }
    as_read = Expectation(conditions=(Condition(_REVISION, Test.EQUALS, registry.revision),))
    item = Item(keys.REGISTRY, {_REVISION: registry.revision + 1}, orjson.dumps(kept).decode())
    return Put(item, as_read if registry.revision else FREE)


def _slot(kept: dict[str, Any]) -> Slot:
    columns, state = access_path.read(kept["columns"]), State(kept["state"])
    return Slot(kept["index"], columns, kept["number"], state, kept["since"])


def _kept(slot: Slot) -> dict[str, Any]:
    return {
        "index": slot.index_name,
        "columns": access_path.spelled(slot.columns),
        "number": slot.number,
        "state": slot.state.value,
        "since": slot.since,
    }
