"""The writing thread, with group commit: writes that wait together share one transaction and one fsync.

An fsync costs more CPU time than the statements of most writes. So the writes of requests that run at the
same time in an event loop are collected, and wake the thread together.
"""

import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, NamedTuple, TypeVar

from stratabase.core import waiting
from stratabase.core.store.sqlite.commit import Transaction
from stratabase.core.store.sqlite.errors import VALUE_ERRORS, closed_error, retry_while_busy

MAX_BATCHES = 64
"""The maximum number of batches in a transaction. It limits how long a caller waits."""


T = TypeVar("T")
StoreWrite = Callable[[Transaction], T]
"""A function that writes in a transaction, and returns what its caller waits for.

It may be called again, after its transaction was rolled back.
"""


class _WaitingWrite(NamedTuple):
    """A write in the queue, and the future that its caller waits for."""

    write: StoreWrite[Any]
    future: "Future[Any]"


class _Outcome(NamedTuple):
    """What a write returned or, if it was refused, the exception for its caller."""

    result: Any = None
    refusal: Exception | None = None


class _FailedHalfway(Exception):
    """A write has changed something before it was refused. The writes of its group must be repeated."""


class Writer:
    """A thread that commits batches and increments in the order of their arrival.

    Responses within a process do not get lost, so a batch is never submitted twice. So SQLite ignores the id
    of a batch.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        busy_timeout: float,
        to_refusal: Callable[[Exception], Exception],
    ) -> None:
        """`to_refusal`: maps an error of a whole transaction to the exception for each of its callers."""
        self._connection = connection
        self._busy_timeout = busy_timeout
        self._to_refusal = to_refusal
        self._collected: list[_WaitingWrite] = []
        """The writes that the thread does not know of yet, in their order."""
        self._queue: SimpleQueue[Sequence[_WaitingWrite]] = SimpleQueue()
        """The writes that were collected together, at most MAX_BATCHES in each entry.

        An empty entry only wakes the thread.
        """
        self._lock = Lock()
        self._closed = False
        self._thread = Thread(target=self._run, name="stratabase-writer", daemon=True)
        self._thread.start()

    def submit(self, write: StoreWrite[T]) -> "Future[T]":
        """Queue a write; return a future that is done when the write is on disk or refused.

        The write changes nothing if it raises an exception. Raises Unavailable if the writer is closed.
        """
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise closed_error()
            self._collected.append(_WaitingWrite(write, future))
        waiting.coalesce(self._enqueue_collected)
        return future

    def close(self) -> None:
        """Commit all queued batches, and close the file."""
        with self._lock:
            # Otherwise the thread could find the queue empty, end, and refuse what was collected.
            self._enqueue()
            self._closed = True
        self._queue.put(())
        self._thread.join()

    def _enqueue_collected(self) -> None:
        """Pass the collected writes on to the thread, all at once."""
        with self._lock:
            self._enqueue()

    def _enqueue(self) -> None:
        """Do the same for a caller that holds the lock."""
        collected, self._collected = self._collected, []
        # Each entry wakes the thread.
        for first in range(0, len(collected), MAX_BATCHES):
            self._queue.put(collected[first : first + MAX_BATCHES])

    def _run(self) -> None:
        group: Sequence[_WaitingWrite] = ()
        try:
            while not (self._closed and self._queue.empty()):
                group = self._next_group()
                self._commit_group(group)
        finally:
            self._refuse_waiting(group)
            self._close_connection()

    def _next_group(self) -> Sequence[_WaitingWrite]:
        """Return the batches that wait now, or else wait for the next one. Empty if the writer closes."""
        group = [*self._queue.get()]
        while len(group) < MAX_BATCHES and not self._queue.empty():
            group += self._queue.get()
        return [each for each in group if each.future.set_running_or_notify_cancel()]

    def _commit_group(self, group: Sequence[_WaitingWrite]) -> None:
        if not group:
            return
        try:
            outcomes = self._write(group)
        except Exception as error:  # noqa: BLE001 - the callers must get an answer, whatever the error
            self._roll_back()
            outcomes = [_Outcome(refusal=self._to_refusal(error)) for _ in group]
        for each, outcome in zip(group, outcomes, strict=True):
            _answer(each.future, outcome)

    def _write(self, group: Sequence[_WaitingWrite]) -> list[_Outcome]:
        """Execute the writes of a group in one transaction; return the outcome of each."""
        try:
            return self._in_transaction(self._try, Transaction(self._connection), group)
        except _FailedHalfway:
            # Savepoints cost a fifth of a write, and it is rare that a write needs one.
            self._roll_back()
            transaction = Transaction(self._connection, reads_first=True)
            return self._in_transaction(self._try_in_savepoint, transaction, group)

    def _in_transaction(
        self,
        try_write: Callable[[StoreWrite[Any], Transaction], _Outcome],
        transaction: Transaction,
        group: Sequence[_WaitingWrite],
    ) -> list[_Outcome]:
        retry_while_busy(lambda: self._connection.execute("BEGIN IMMEDIATE"), self._busy_timeout)
        outcomes = [try_write(each.write, transaction) for each in group]
        self._connection.execute("COMMIT")
        return outcomes

    def _try(self, write: StoreWrite[Any], transaction: Transaction) -> _Outcome:
        """Execute a write; return its outcome. Raises _FailedHalfway if it was refused after a change."""
        before = self._connection.total_changes
        outcome = self._outcome(write, transaction)
        if outcome.refusal is not None and self._connection.total_changes != before:
            raise _FailedHalfway
        return outcome

    def _try_in_savepoint(self, write: StoreWrite[Any], transaction: Transaction) -> _Outcome:
        """Execute a write; return its outcome. If it was refused, it has changed nothing."""
        self._connection.execute("SAVEPOINT batch")
        outcome = self._outcome(write, transaction)
        if outcome.refusal is not None:
            self._connection.execute("ROLLBACK TO batch")
        self._connection.execute("RELEASE batch")
        return outcome

    def _outcome(self, write: StoreWrite[Any], transaction: Transaction) -> _Outcome:
        """Execute a write; return its result or refusal. Raise errors of the whole transaction."""
        try:
            return _Outcome(write(transaction))
        except VALUE_ERRORS as fault:
            return _Outcome(refusal=fault)
        except (sqlite3.Error, MemoryError):
            raise
        except Exception as refused:  # noqa: BLE001 - failed expectations, or a mistake of the caller
            return _Outcome(refusal=refused)

    def _roll_back(self) -> None:
        # If this fails too, the next BEGIN fails, and its callers get an error.
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def _refuse_waiting(self, group: Sequence[_WaitingWrite]) -> None:
        """Refuse all batches that still wait, whatever has ended this thread."""
        with self._lock:
            self._closed = True
            refused = [*group, *self._collected]
            self._collected.clear()
        while not self._queue.empty():
            refused += self._queue.get()
        for each in refused:
            if not each.future.done():
                each.future.set_exception(closed_error())

    def _close_connection(self) -> None:
        with suppress(sqlite3.Error):  # if it fails, the next start reads the log
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()


def _answer(future: "Future[Any]", outcome: _Outcome) -> None:
    if outcome.refusal is None:
        future.set_result(outcome.result)
    else:
        future.set_exception(outcome.refusal)
