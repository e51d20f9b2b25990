"""An engine that counts round trips and the capacity units that DynamoDB would charge for them.

Computed from the sizes of items as the price list says, since emulators' own figures are wrong: a strong read
costs a unit for each 4 KB of an item, a page of an index half a unit for each 4 KB of all its items. A write
costs a unit for each KB, once for the item (twice in a transaction), and once for each index in which it
appears anew, leaves, or has changed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import Any

from stratabase.store.dynamodb.table import PROJECTED
from stratabase.store.dynamodb.write import go_alone, writes_of
from stratabase.store.engine import (
    EVERYTHING,
    ITEMS,
    Action,
    Batch,
    Bounds,
    Check,
    Engine,
    Item,
    Key,
)

_READ, _WRITTEN = 4096, 1024


class MeteredEngine:
    """Passes every call on to another engine, and adds up what it costs."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self.calls = 0
        self.read_units = 0.0
        self.write_units = 0.0

    def get(self, keys: Sequence[Key]) -> list[Item | None]:
        self.calls += 1
        found = self._engine.get(keys)
        self.read_units += sum(_units(item, _READ) for item in found)
        return found

    def range(
        self,
        index: str,
        partition: str,
        bounds: Bounds = EVERYTHING,
        *,
        backward: bool = False,
        limit: int | None = None,
    ) -> Iterator[Sequence[Item]]:
        for items in self._engine.range(index, partition, bounds, backward=backward, limit=limit):
            self.calls += 1
            size = sum(_size(item) if index == ITEMS else _projected(item) for item in items)
            self.read_units += ceil(size / _READ) / (1 if index == ITEMS else 2)
            yield items

    def commit(self, batch: Batch) -> None:
        self.calls += 1
        before = self._engine.get([action.key for action in batch.actions])
        self._engine.commit(batch)
        after = self._engine.get([action.key for action in batch.actions])
        transaction = not go_alone(writes_of("", batch.actions))
        for action, old, new in zip(batch.actions, before, after, strict=True):
            self.write_units += _write_units(action, old, new, transaction=transaction)

    def close(self) -> None:
        self._engine.close()


def _write_units(action: Action, old: Item | None, new: Item | None, *, transaction: bool) -> float:
    own = max(_units(old, _WRITTEN), _units(new, _WRITTEN), 1) * (2 if transaction else 1)
    if isinstance(action, Check):
        return own
    return own + sum(_index_units(name, old, new) for name in {*_places(old), *_places(new)})


def _index_units(name: str, old: Item | None, new: Item | None) -> int:
    left, entered = _places(old).get(name), _places(new).get(name)
    if left == entered and old and new and _shown(old) == _shown(new):
        return 0
    if left == entered:
        return max(_shown_units(old), _shown_units(new))
    return (_shown_units(old) if left else 0) + (_shown_units(new) if entered else 0)


def _shown_units(item: Item | None) -> int:
    return max(1, ceil(_projected(item) / _WRITTEN)) if item else 0


def _places(item: Item | None) -> Mapping[str, Any]:
    return item.places if item else {}


def _shown(item: Item) -> tuple[Any, ...]:
    return item.state, {name: item.attributes.get(name) for name in PROJECTED}


def _projected(item: Item | None) -> int:
    """Return the bytes of what an index carries of an item."""
    if item is None:
        return 0
    shown = {name: value for name, value in item.attributes.items() if name in PROJECTED}
    return _size(replace(item, attributes=shown, places=dict([*item.places.items()][:1])))


def _units(item: Item | None, unit: int) -> int:
    return max(1, ceil(_size(item) / unit)) if item else 1


def _size(item: Item | None) -> int:
    """Return an item's bytes: the names and values of its attributes, in UTF-8."""
    if item is None:
        return 0
    places = sum(len(text.encode()) + 2 for place in item.places.values() for text in place)
    attributes = sum(len(name.encode()) + _value_size(value) for name, value in item.attributes.items())
    return (
        sum(len(text.encode()) + 2 for text in item.key)
        + len((item.state or "").encode())
        + 5
        + places
        + attributes
    )


def _value_size(value: Any) -> int:
    if isinstance(value, list):
        return 3 + sum(_value_size(each) + 1 for each in value)
    return len(str(value).encode())
