"""One batch within a transaction: judge every expectation, then write all or nothing."""

import sqlite3
from collections.abc import Sequence

from stratabase.store.engine import ANYTHING, Action, Batch, ExpectationFailed, Failure, Patch
from stratabase.store.expect import holds
from stratabase.store.sqlite.lookup import found_under
from stratabase.store.sqlite.statement import Statement, statements


def perform(connection: sqlite3.Connection, batch: Batch) -> None:
    """Do all of a batch, or raise and leave nothing of it. Raises ExpectationFailed."""
    found = found_under(connection, [action.key for action in batch.actions if _depends(action)])
    judged = [(action, found.get(action.key)) for action in batch.actions]
    failures = [Failure(action, item) for action, item in judged if not holds(action.expect, item)]
    if failures:
        raise ExpectationFailed(failures)
    _write(connection, statements(batch.actions, found))


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
