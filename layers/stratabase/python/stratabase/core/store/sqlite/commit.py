"""Executes a batch or an increment inside a SQLite transaction.

Each statement takes 5 to 10 µs, so most batches are written without a read. An insertion finds out by itself
that the key is free, and an update that the item is as its writer has read it. If it is not, or for any other
expectation, the batch reads the items first.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from stratabase.core.store.engine.actions import conditions_hold, is_met, patched_attributes
from stratabase.core.store.engine.port import (
    NO_EXPECTATION,
    NOT_EXISTS,
    Action,
    Batch,
    Check,
    DeleteItem,
    ExpectationFailed,
    Failure,
    Item,
    Key,
    Patch,
    Put,
)
from stratabase.core.store.sqlite.queries import select_attributes, select_by_key
from stratabase.core.store.sqlite.table import (
    COLUMNS,
    OWN_COLUMNS,
    PLACE_COLUMNS,
    attributes_json,
    check_places,
)

Statement = tuple[str, Sequence[str | None]]
"""SQL and its parameters."""


class Transaction:
    """A transaction that executes several batches."""

    def __init__(self, connection: sqlite3.Connection, *, reads_first: bool = False) -> None:
        """`reads_first`: check all expectations of a batch before it writes anything."""
        self.connection = connection
        self.reads_first = reads_first
        self.fences: dict[Key, Check] = {}
        """By key: the fences that hold, as an earlier batch has found."""


class Unmet(Exception):
    """A statement of a batch has found that its item is not as expected, and others have written before.

    Roll the batch back, and repeat it in a transaction that reads first.
    """


def commit_batch(transaction: Transaction, batch: Batch) -> None:
    """Execute all actions of a batch. Raises ExpectationFailed; then nothing was written. Raises Unmet.

    After another error, the caller must roll back what was written.
    """
    if transaction.reads_first or not _write_by_tests(transaction, batch):
        found = _check_expectations(transaction, batch, batch.actions)
        _write(transaction, batch.actions, found)


def write_increment(transaction: Transaction, key: Key, attribute: str, by: int) -> int:
    """Add a number to an attribute of an item, and return the sum. ValueError if it is not an integer."""
    patch = Patch(key, NO_EXPECTATION, add={attribute: by})
    found = select_attributes(transaction.connection, [key]).get(key)
    transaction.connection.execute(*_patch(patch, found))
    return int(patched_attributes(patch, {} if found is None else found.attributes)[attribute])


def _tests_itself(action: Action) -> bool:
    """Return whether one statement can test the expectation of an action and execute it."""
    if type(action) is Put:
        return action.expect is NOT_EXISTS or action.expect == NOT_EXISTS
    # An item with the attributes that the writer has seen meets an expectation if these meet it.
    return (
        type(action) is Patch
        and action.seen is not None
        and action.expect.exists is not False
        and conditions_hold(action.expect, action.seen)
    )


def _write_by_tests(transaction: Transaction, batch: Batch) -> bool:
    """Execute a batch with few reads. Return False if an item is not as expected, and nothing is written yet.

    Raises ExpectationFailed, Unmet.
    """
    testing: list[Put | Patch] = []
    others: list[Action] = []
    for action in batch.actions:
        (testing if _tests_itself(action) else others).append(action)  # type: ignore[arg-type]  # a check is none
    found = _check_expectations(transaction, batch, others)
    if len(testing) > 1:
        testing.sort(key=_order_of_test)
    for number, test in enumerate(testing):
        if isinstance(test, Put):
            sql, parameters = _insertion(test.item, _UNLESS_TAKEN)
        else:
            sql, parameters = _update_if_as_seen(test)
        if not transaction.connection.execute(sql, parameters).rowcount:
            if number:
                raise Unmet
            return False
    if others:
        _write(transaction, others, found)
    for test in testing:
        transaction.fences.pop(test.key, None)
    return True


def _write(transaction: Transaction, actions: Sequence[Action], found: Mapping[Key, Item]) -> None:
    """Execute actions whose expectations hold. `found`: as `write_statements` needs it."""
    for sql, parameters in write_statements(actions, found):
        transaction.connection.execute(sql, parameters)
    for action in actions:
        transaction.fences.pop(action.key, None)


def _order_of_test(action: Put | Patch) -> int:
    """Return a number that is less for actions that are refused more often: the first costs no rollback."""
    if type(action) is Put:
        return 2 if action.item.places else 1  # the key of a new object is free, that of a guard may be taken
    return 0


def _check_expectations(
    transaction: Transaction, batch: Batch, actions: Sequence[Action]
) -> Mapping[Key, Item]:
    """Check the fence of a batch and the expectations of some of its actions. Raises ExpectationFailed.

    Returns the items that these actions patch or expect something of, with their attributes only.
    """
    connection, fence, fences = transaction.connection, batch.fence, transaction.fences
    wanted = [action.key for action in actions if type(action) is Patch or action.expect != NO_EXPECTATION]
    if fence is not None and fences.get(fence.key) is fence:
        fence = None
    if fence is not None:
        wanted.append(fence.key)
    if not wanted:
        return {}
    # One statement reads them all. It reads few columns, because every write pays for this.
    found = select_attributes(connection, wanted)
    if fence is not None:
        if not is_met(fence.expect, found.get(fence.key)):
            raise ExpectationFailed(_failures(connection, [fence]))
        fences[fence.key] = fence
    if not all(is_met(action.expect, found.get(action.key)) for action in actions):
        raise ExpectationFailed(_failures(connection, batch.actions))
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


_DELETE = "DELETE FROM items WHERE partition = ? AND sort = ?"


def _put(put: Put, _: Item | None) -> Statement:
    return _insertion(put.item, "" if put.expect.exists is False else _OR_REPLACE)


def _update_if_as_seen(patch: Patch) -> Statement:
    """Return the statement that patches an item, if it has the attributes that the writer has seen."""
    assert patch.seen is not None
    sql, parameters = _update_of(patch, patched_attributes(patch, patch.seen))
    return sql + _IF_AS_SEEN, (*parameters, attributes_json(patch.seen))


def _patch(patch: Patch, found: Item | None) -> Statement:
    if found is None:
        placed = {name: place for name, place in patch.places.items() if place is not None}
        return _insertion(Item(patch.key, patched_attributes(patch, {}), patch.state, placed))
    return _update_of(patch, patched_attributes(patch, found.attributes))


def _update_of(patch: Patch, attributes: Mapping[str, Any]) -> Statement:
    """Return the statement that updates an item. `attributes`: those that it then has."""
    names = tuple(sorted(patch.places))
    state = () if patch.state is None else (patch.state,)
    places = [text for name in names for text in patch.places[name] or (None, None)]
    return _update(bool(state), names), (attributes_json(attributes), *state, *places, *patch.key)


def _insertion(item: Item, if_taken: str = "") -> Statement:
    """Return the statement that inserts an item. `if_taken`: the clause for a key that another item has."""
    places = check_places(item) if item.places else item.places
    texts = [text for place in places.values() for text in place]
    sql = _insert(tuple(places), if_taken)
    return sql, (*item.key, attributes_json(item.attributes), item.state, *texts)


def _delete(delete: DeleteItem, _: Item | None) -> Statement:
    return _DELETE, delete.key


_UNLESS_TAKEN = " ON CONFLICT (partition, sort) DO NOTHING"
_OR_REPLACE = " ON CONFLICT (partition, sort) DO UPDATE SET " + ", ".join(
    f"{column} = excluded.{column}" for column in COLUMNS if column not in {"partition", "sort"}
)
_IF_AS_SEEN = " AND attributes = ?"


@cache
def _insert(places: tuple[str, ...], if_taken: str) -> str:
    # Name only columns with values, because each value is bound and compared.
    columns = (*OWN_COLUMNS, *(column for name in places for column in PLACE_COLUMNS[name]))
    values = ", ".join("?" * len(columns))
    return f"INSERT INTO items ({', '.join(columns)}) VALUES ({values}){if_taken}"  # noqa: S608 - only constant names


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
    DeleteItem: _delete,
}
