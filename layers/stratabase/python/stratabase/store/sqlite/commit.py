"""Executes a batch or an increment inside a SQLite transaction.

A batch checks every expectation, then writes all or nothing.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import orjson

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
from stratabase.store.sqlite.queries import select_by_key
from stratabase.store.sqlite.table import COLUMNS, PLACE_COLUMNS, attributes_json, row_of

Statement = tuple[str, Sequence[str | None]]
"""SQL and its parameters."""

_ATTRIBUTES = "SELECT attributes FROM items WHERE partition = ? AND sort = ?"


def commit_batch(connection: sqlite3.Connection, batch: Batch) -> None:
    """Execute all actions of a batch, or raise and write nothing. Raises ExpectationFailed."""
    _check_fence(connection, batch)
    found = select_by_key(connection, [action.key for action in batch.actions if _reads_item(action)])
    pairs = [(action, found.get(action.key)) for action in batch.actions]
    failures = [Failure(action, item) for action, item in pairs if not is_met(action.expect, item)]
    if failures:
        raise ExpectationFailed(failures)
    _execute(connection, write_statements(batch.actions, found))


def write_increment(connection: sqlite3.Connection, key: Key, attribute: str, by: int) -> int:
    """Add a number to an attribute of an item, and return the sum. ValueError if it is not an integer."""
    patch = Patch(key, NO_EXPECTATION, add={attribute: by})
    found = select_by_key(connection, [key])
    _execute(connection, write_statements([patch], found))
    return int(apply_patch(patch, found.get(key)).attributes[attribute])  # type: ignore[arg-type]


def _check_fence(connection: sqlite3.Connection, batch: Batch) -> None:
    """Raise ExpectationFailed if the fence of a batch does not hold."""
    if batch.fence is None:
        return
    # Read only the attributes, because every write pays for this.
    row = connection.execute(_ATTRIBUTES, batch.fence.key).fetchone()
    item = None if row is None else Item(batch.fence.key, orjson.loads(row[0]))
    if not is_met(batch.fence.expect, item):
        raise ExpectationFailed([Failure(batch.fence, item)])


def _reads_item(action: Action) -> bool:
    """Return whether an action needs the stored item, to check its expectation or to patch it."""
    return isinstance(action, Patch) or action.expect != NO_EXPECTATION


def _execute(connection: sqlite3.Connection, statements: Sequence[Statement]) -> None:
    if len(statements) == 1:  # a single statement is atomic
        connection.execute(*statements[0])
    else:
        _execute_all_or_none(connection, statements)


def _execute_all_or_none(connection: sqlite3.Connection, statements: Sequence[Statement]) -> None:
    connection.execute("SAVEPOINT batch")
    try:
        for sql, parameters in statements:
            connection.execute(sql, parameters)
        connection.execute("RELEASE batch")
    except Exception:
        # After a disk error, SQLite has already rolled back the whole transaction with its savepoint.
        if connection.in_transaction:
            connection.execute("ROLLBACK TO batch")
            connection.execute("RELEASE batch")
        raise


_PUT = (
    f"INSERT INTO items ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))}) "  # noqa: S608 - only constant names
    "ON CONFLICT (partition, sort) DO UPDATE SET "
    + ", ".join(f"{column} = excluded.{column}" for column in COLUMNS[2:])
)

_DELETE = "DELETE FROM items WHERE partition = ? AND sort = ?"


def write_statements(actions: Sequence[Action], found: Mapping[Any, Item]) -> list[Statement]:
    """Return the SQL statements of actions. `found`: the stored items by key. A check needs no statement."""
    return [
        _STATEMENT_OF[type(action)](action, found.get(action.key))
        for action in actions
        if type(action) in _STATEMENT_OF
    ]


def _put(put: Put, _: Item | None) -> Statement:
    return _PUT, row_of(put.item)


def _patch(patch: Patch, found: Item | None) -> Statement:
    after = apply_patch(patch, found)
    if found is None:
        return _PUT, row_of(after)
    state = () if patch.state is None else (patch.state,)
    names = tuple(sorted(patch.places))
    places = [text for name in names for text in after.places.get(name, (None, None))]
    return _update(bool(state), names), (attributes_json(after.attributes), *state, *places, *patch.key)


def _delete(delete: Delete, _: Item | None) -> Statement:
    return _DELETE, delete.key


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


def apply_patch(patch: Patch, found: Item | None) -> Item:
    """Return the patched item. `found`: the stored item, None if there is none."""
    before = found or Item(patch.key)
    return Item(
        patch.key,
        _attributes(patch, before),
        before.state if patch.state is None else patch.state,
        {name: place for name, place in {**before.places, **patch.places}.items() if place is not None},
    )


def _attributes(patch: Patch, before: Item) -> Mapping[str, Any]:
    kept = {name: value for name, value in before.attributes.items() if name not in patch.remove}
    sums = {name: _sum(patch, name, kept.get(name, 0)) for name in patch.add}
    return {**kept, **patch.set, **sums}


def _sum(patch: Patch, name: str, found: Any) -> int:
    if not isinstance(found, int) or isinstance(found, bool):
        raise ValueError(  # noqa: TRY004 - the port requires ValueError
            f"A patch adds to {name!r} of {patch.key}, which is {found!r}: it must be a whole number."
        )
    return found + patch.add[name]
