"""The capacity units of engine calls on DynamoDB, computed from the sizes of items.

| call | units |
|---|---|
| get | one read unit for each 4 KB of each item |
| page of a range | one read unit for each 4 KB of all items together; half for an index or an inexact read |
| count of a range | as reading it in pages of 1 MB |
| write | one write unit for each KB of the item, two in a transaction |
| index entry | one write unit for each KB, for each index to which a write adds, removes or changes it |

A missing item costs as much as the smallest one. The figures are exact, except for what only DynamoDB knows,
such as retries. The SQLite engine costs no units, and is measured by the same figures.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil

from stratabase.core.store.engine.port import (
    ITEMS,
    NO_EXPECTATION,
    Action,
    Batch,
    Check,
    DeleteItem,
    IndexKey,
    Item,
    Patch,
    Value,
)

READ_UNIT_BYTES, WRITE_UNIT_BYTES = 4096, 1024
"""The bytes of one read unit and of one write unit."""
MAX_KEYS_PER_REQUEST = 100
"""The maximum number of items that one request gets by their keys."""
PROJECTED_ATTRIBUTES = ("state", "versionStart")
"""The attributes that indexes contain, which are those that a page needs.

Locks are not among them, so that locking an object does not write to indexes. Commit ids are not either: only
writes need them, and writes read heads by key. DynamoDB cannot change the projection of an index later.
"""
_COUNTED_BYTES = 1024 * 1024
"""The maximum size of the items that one request counts."""
_STATE_NAME_BYTES = len("state")


def get_requests(keys: int) -> int:
    """Return the number of successive requests for a get of this many keys."""
    return ceil(keys / MAX_KEYS_PER_REQUEST)


def read_units(items: Iterable[Item | None]) -> float:
    """Return the read units of a get of items."""
    return sum(_units(item, READ_UNIT_BYTES) for item in items)


def range_units(index: str, items: Sequence[Item], *, exact: bool = True) -> float:
    """Return the read units of a page of a range."""
    return ceil(range_bytes(index, items) / READ_UNIT_BYTES) / (1 if index == ITEMS and exact else 2)


def range_bytes(index: str, items: Sequence[Item]) -> int:
    """Return the size of a page of a range in bytes."""
    return sum(map(item_bytes if index == ITEMS else _index_entry_bytes, items))


def count_cost(index: str, size: int) -> tuple[int, float]:
    """Return the requests and read units of a count of items with this size in bytes."""
    units = max(1, ceil(size / READ_UNIT_BYTES)) / (1 if index == ITEMS else 2)
    return max(1, ceil(size / _COUNTED_BYTES)), units


def write_units(batch: Batch, before: Sequence[Item | None], after: Sequence[Item | None]) -> float:
    """Return the write units of a commit. `before`, `after`: the items of its actions before and after it."""
    transaction = not is_single_write(needed_actions(batch.actions))
    changes = zip(batch.actions, before, after, strict=True)
    return sum(_write_units(action, old, new, transaction=transaction) for action, old, new in changes)


def needed_actions(actions: Iterable[Action]) -> list[Action]:
    """Return the actions without checks that expect nothing, which no request is sent for."""
    return [action for action in actions if not isinstance(action, Check) or action.expect != NO_EXPECTATION]


def is_single_write(actions: Sequence[Action]) -> bool:
    """Return whether needed actions are a single write without a transaction, which costs half.

    It must be idempotent, or detectably done. Additions are not idempotent. A conditional delete that finds
    no item cannot tell whether its first request or another caller has deleted the item.
    """
    if len(actions) != 1:
        return False
    (action,) = actions
    if isinstance(action, Check) or (isinstance(action, Patch) and action.is_check):
        return False
    adds = isinstance(action, Patch) and bool(action.add)
    deletes_conditionally = isinstance(action, DeleteItem) and action.expect != NO_EXPECTATION
    return not (adds or deletes_conditionally)


def item_bytes(item: Item | None) -> int:
    """Return the size of an item in bytes: the names and values of its attributes, in UTF-8."""
    if item is None:
        return 0
    places = sum(len(text.encode()) + 2 for place in item.places.values() for text in place)
    attributes = sum(len(name.encode()) + _value_bytes(value) for name, value in item.attributes.items())
    keys = sum(len(text.encode()) + 2 for text in item.key)
    return keys + len((item.state or "").encode()) + _STATE_NAME_BYTES + places + attributes


def _write_units(action: Action, old: Item | None, new: Item | None, *, transaction: bool) -> float:
    own = max(_units(old, WRITE_UNIT_BYTES), _units(new, WRITE_UNIT_BYTES)) * (2 if transaction else 1)
    if isinstance(action, Check):
        return own
    return own + sum(_index_units(name, old, new) for name in {*_places(old), *_places(new)})


def _index_units(name: str, old: Item | None, new: Item | None) -> int:
    left, entered = _places(old).get(name), _places(new).get(name)
    if left == entered and old and new and _index_content(old) == _index_content(new):
        return 0
    if left == entered:
        return max(_index_entry_units(old), _index_entry_units(new))
    return (_index_entry_units(old) if left else 0) + (_index_entry_units(new) if entered else 0)


def _index_entry_units(item: Item | None) -> int:
    return max(1, ceil(_index_entry_bytes(item) / WRITE_UNIT_BYTES)) if item else 0


def _places(item: Item | None) -> Mapping[str, IndexKey]:
    return item.places if item else {}


def _index_content(item: Item) -> tuple[str | None, Mapping[str, Value]]:
    return item.state, {name: item.attributes.get(name) for name in PROJECTED_ATTRIBUTES}


def _index_entry_bytes(item: Item | None) -> int:
    """Return the size of an index entry in bytes: the projected attributes and one position."""
    if item is None:
        return 0
    projected = {name: value for name, value in item.attributes.items() if name in PROJECTED_ATTRIBUTES}
    return item_bytes(Item(item.key, projected, item.state, dict([*item.places.items()][:1])))


def _units(item: Item | None, unit: int) -> int:
    return max(1, ceil(item_bytes(item) / unit)) if item else 1


def _value_bytes(value: Value) -> int:
    if isinstance(value, list):
        return 3 + sum(_value_bytes(each) + 1 for each in value)
    return len(str(value).encode())
