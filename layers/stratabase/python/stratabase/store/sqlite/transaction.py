"""One batch within a transaction: judge every expectation, then write all or nothing."""

import sqlite3
from collections.abc import Sequence

import orjson

from stratabase.store.engine import ANYTHING, Action, Batch, ExpectationFailed, Failure, Item, Patch
from stratabase.store.expect import holds
from stratabase.store.sqlite.lookup import found_under
from stratabase.store.sqlite.statement import Statement, statements

_ATTRIBUTES = "SELECT attributes FROM items WHERE partition = ? AND sort = ?"


def perform(connection: sqlite3.Connection, batch: Batch) -> None:
    """Do all of a batch, or raise and leave nothing of it. Raises ExpectationFailed."""
    _pass_fence(connection, batch)
    found = found_under(connection, [action.key for action in batch.actions if _depends(action)])
    judged = [(action, found.get(action.key)) for action in batch.actions]
    failures = [Failure(action, item) for action, item in judged if not holds(action.expect, item)]
    if failures:
        raise ExpectationFailed(failures)
    _write(connection, statements(batch.actions, found))


def _pass_fence(connection: sqlite3.Connection, batch: Batch) -> None:
    """Raise ExpectationFailed if the fence of a batch does not hold."""
    if batch.fence is None:
        return
    # Not all columns: every write pays for this.
    row = connection.execute(_ATTRIBUTES, batch.fence.key).fetchone()
    item = None if row is None else Item(batch.fence.key, orjson.loads(row[0]))
    if not holds(batch.fence.expect, item):
        raise ExpectationFailed([Failure(batch.fence, item)])


def _depends(action: Action) -> bool:
    """Return whether it matters what an action finds."""
    return isinstance(action, Patch) or action.expect != ANYTHING


def _write(connection: sqlite3.Connection, written: Sequence[Statement]) -> None:
    if len(written) == 1:  # which is done or not done by itself
        connection.execute(*written[0])
    else:
        _write_together(connection, written)


def _write_together(connection: sqlite3.Connection, written: Sequence[Statement]) -> None:
    connection.execute("SAVEPOINT batch")
    try:
        for sql, parameters in written:
            connection.execute(sql, parameters)
        connection.execute("RELEASE batch")
    except Exception:
        # A failure of the disk has already rolled back the whole transaction, and the savepoint with it.
        if connection.in_transaction:
            connection.execute("ROLLBACK TO batch")
            connection.execute("RELEASE batch")
        raise
