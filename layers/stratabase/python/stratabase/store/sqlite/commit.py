"""Executes a batch or an increment inside a SQLite transaction.

A batch checks every expectation before it writes.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from stratabase.store.engine.expectations import is_met
from stratabase.store.engine.port import (
    NO_EXPECTATION,
    Action,
    Batch,
    Delete,
    ExpectationFailed,
    Failure,
    Item,
    Key,
    Patch,
    Put,
)
from stratabase.store.sqlite.queries import select_attributes, select_by_key
from stratabase.store.sqlite.table import (
    COLUMNS,
    OWN_COLUMNS,
    PLACE_COLUMNS,
    attributes_json,
    check_places,
    row_of,
)

Statement = tuple[str, Sequence[str | None]]
"""SQL and its parameters."""


def commit_batch(connection: sqlite3.Connection, batch: Batch) -> None:
    """Execute all actions of a batch. Raises ExpectationFailed; then nothing was written.

    After another error, the caller must roll back what was written.
    """
    found = _check_expectations(connection, batch)
    for sql, parameters in write_statements(batch.actions, found):
        connection.execute(sql, parameters)


def write_increment(connection: sqlite3.Connection, key: Key, attribute: str, by: int) -> int:
    """Add a number to an attribute of an item, and return the sum. ValueError if it is not an integer."""
    patch = Patch(key, NO_EXPECTATION, add={attribute: by})
    found = select_attributes(connection, [key]).get(key)
    connection.execute(*_patch(patch, found))
    return int(_patched_attributes(patch, found)[attribute])


def _check_expectations(connection: sqlite3.Connection, batch: Batch) -> Mapping[Key, Item]:
    """Return the items that the actions patch or expect something of, with their attributes only.

    Raises ExpectationFailed.
    """
    actions, fence = batch.actions, batch.fence
    wanted = [action.key for action in actions if type(action) is Patch or action.expect != NO_EXPECTATION]
    # One statement reads them all. It reads few columns, because every write pays for this.
    found = select_attributes(connection, wanted if fence is None else (*wanted, fence.key))
    if fence is not None and not is_met(fence.expect, found.get(fence.key)):
        raise ExpectationFailed(_failures(connection, [fence]))
    if not all(is_met(action.expect, found.get(action.key)) for action in actions):
        raise ExpectationFailed(_failures(connection, actions))
    return found


def _failures(connection: sqlite3.Connection, actions: Sequence[Action]) -> list[Failure]:
    """Return the actions whose expectations fail, each with the whole item that it finds."""
    found = select_by_key(connection, [action.key for action in actions])
    pairs = [(action, found.get(action.key)) for action in actions]
    return [Failure(action, item) for action, item in pairs if not is_met(action.expect, item)]


def write_statements(actions: Sequence[Action], found: Mapping[Key, Item]) -> list[Statement]:
    """Return the SQL statements of actions whose expectations hold. A check needs no statement.

    `found`: the attributes of stored items by key; those that the actions patch or expect something of.
    """
    return [
        _STATEMENT_OF[type(action)](action, found.get(action.key))
        for action in actions
        if type(action) in _STATEMENT_OF
    ]


_UPSERT = (
    f"INSERT INTO items ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))}) "  # noqa: S608 - only constant names
    "ON CONFLICT (partition, sort) DO UPDATE SET "
    + ", ".join(f"{column} = excluded.{column}" for column in COLUMNS[2:])
)

_DELETE = "DELETE FROM items WHERE partition = ? AND sort = ?"


def _put(put: Put, _: Item | None) -> Statement:
    if put.expect.exists is False:
        return _insertion(put.item)
    return _UPSERT, row_of(put.item)


def _patch(patch: Patch, found: Item | None) -> Statement:
    attributes, names = _patched_attributes(patch, found), tuple(sorted(patch.places))
    if found is None:
        placed = {name: place for name, place in patch.places.items() if place is not None}
        return _insertion(Item(patch.key, attributes, patch.state, placed))
    state = () if patch.state is None else (patch.state,)
    places = [text for name in names for text in patch.places[name] or (None, None)]
    return _update(bool(state), names), (attributes_json(attributes), *state, *places, *patch.key)


def _insertion(item: Item) -> Statement:
    """Return the statement that inserts an item whose key no item has."""
    places = check_places(item)
    texts = [text for place in places.values() for text in place]
    return _insert(tuple(places)), (*item.key, attributes_json(item.attributes), item.state, *texts)


def _delete(delete: Delete, _: Item | None) -> Statement:
    return _DELETE, delete.key


@cache
def _insert(places: tuple[str, ...]) -> str:
    # Name only columns with values, because each value is bound and compared.
    columns = (*OWN_COLUMNS, *(column for name in places for column in PLACE_COLUMNS[name]))
    return f"INSERT INTO items ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - only constant names


@cache
def _update(state: bool, places: tuple[str, ...]) -> str:  # noqa: FBT001 - cache key
    # Name only columns that change: SQLite rewrites every index of a named column, whatever its value.
    changed = [
        "attributes",
        *["state"] * state,
        *(column for name in places for column in PLACE_COLUMNS[name]),
    ]
    assignments = ", ".join(f"{column} = ?" for column in changed)
    return f"UPDATE items SET {assignments} WHERE partition = ? AND sort = ?"  # noqa: S608 - only constant names


_STATEMENT_OF: Mapping[type[Action], Callable[[Any, Item | None], Statement]] = {
    Put: _put,
    Patch: _patch,
    Delete: _delete,
}


def _patched_attributes(patch: Patch, found: Item | None) -> Mapping[str, Any]:
    """Return the attributes of a patched item. `found`: the stored item, None if there is none."""
    kept = {} if found is None else {**found.attributes}
    for name in patch.remove:
        kept.pop(name, None)
    sums = {name: _sum(patch, name, kept.get(name, 0)) for name in patch.add}
    return {**kept, **patch.set, **sums}


def _sum(patch: Patch, name: str, found: Any) -> int:
    if not isinstance(found, int) or isinstance(found, bool):
        raise ValueError(  # noqa: TRY004 - the port requires ValueError
            f"A patch adds to {name!r} of {patch.key}, which is {found!r}: it must be a whole number."
        )
    return found + patch.add[name]
