"""The writing thread, with group commit: writes that wait together share one transaction and one fsync.

An fsync costs more CPU time than the statements of most writes. So the writes of requests that run at the
same time in an event loop are collected, and wake the thread together.
"""

import logging
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Generic, TypeVar

from stratabase.core import waiting
from stratabase.core.store.sqlite.commit import Transaction
from stratabase.core.store.sqlite.errors import VALUE_ERRORS, closed_error, retry_while_busy

MAX_BATCHES = 64
"""The maximum number of batches in a transaction. It limits how long a caller waits."""


_logger = logging.getLogger(__name__)
T = TypeVar("T")
StoreWrite = Callable[[Transaction], T]
"""A function that writes in a transaction, and returns what its caller waits for.

It may be called again, after its transaction was rolled back.
"""


class WaitingWrite(Generic[T]):
    """A write in the queue. It is also the future of its result (`waiting.Future`).

    The futures of the standard library have a condition variable, which costs as much as a statement.
    """

    __slots__ = ("_callbacks", "_ended", "_is_done", "_refusal", "_result", "write")

    def __init__(self, write: StoreWrite[T]) -> None:
        self.write = write
        self._result: Any = None
        self._refusal: Exception | None = None
        self._is_done = False
        self._callbacks: list[Callable[[Any], object]] = []
        self._ended = Lock()
        self._ended.acquire()

    def done(self) -> bool:
        """Return whether the write is on disk or refused."""
        return self._is_done

    def result(self, timeout: float = -1) -> T:
        """Wait for at most `timeout` seconds, if it is not negative. Return the result, or raise the refusal.

        Raises TimeoutError.
        """
        refusal = self.exception(timeout)
        if refusal is not None:
            raise refusal
        result: T = self._result
        return result

    def exception(self, timeout: float = -1) -> Exception | None:
        """Wait as `result` does. Return the refusal, None if the write was not refused."""
        if not self._is_done:
            if not self._ended.acquire(timeout=timeout):
                raise TimeoutError
            self._ended.release()  # for others that wait
        return self._refusal

    def add_done_callback(self, callback: Callable[[Any], object]) -> None:
        """Call a function with this future when it is done, in the writing thread, or now if it is done."""
        self._callbacks.append(callback)
        if self._is_done:
            self._call_back()

    def end(self, outcome: "_Outcome") -> None:
        """Set the result or the refusal, and resume those who wait."""
        self._result, self._refusal = outcome
        self._is_done = True
        self._ended.release()
        self._call_back()

    def _call_back(self) -> None:
        # Two threads may come here at once. Each callback is popped, and called, by one of them.
        while self._callbacks:
            try:
                callback = self._callbacks.pop()
            except IndexError:
                return
            try:
                callback(self)
            except Exception:
                _logger.exception("A caller could not be told that its write has ended.")


_Outcome = tuple[Any, Exception | None]
"""What a write returned and, if it was refused, the exception for its caller."""


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
        self._collected: list[WaitingWrite[Any]] = []
        """The writes that the thread does not know of yet, in their order."""
        self._queue: SimpleQueue[Sequence[WaitingWrite[Any]]] = SimpleQueue()
        """The writes that were collected together, at most MAX_BATCHES in each entry.

        An empty entry only wakes the thread.
        """
        self._lock = Lock()
        self._closed = False
        self._thread = Thread(target=self._run, name="stratabase-writer", daemon=True)
        self._thread.start()

    def submit(self, write: StoreWrite[T]) -> WaitingWrite[T]:
        """Queue a write; return a future that is done when the write is on disk or refused.

        The write changes nothing if it raises an exception. Raises Unavailable if the writer is closed.
        """
        waiting_write = WaitingWrite(write)
        with self._lock:
            if self._closed:
                raise closed_error()
            self._collected.append(waiting_write)
        waiting.coalesce(self._enqueue_collected)
        return waiting_write

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
        group: Sequence[WaitingWrite[Any]] = ()
        try:
            while not (self._closed and self._queue.empty()):
                group = self._next_group()
                self._commit_group(group)
        finally:
            self._refuse_waiting(group)
            self._close_connection()

    def _next_group(self) -> Sequence[WaitingWrite[Any]]:
        """Return the batches that wait now, or else wait for the next one. Empty if the writer closes."""
        group = [*self._queue.get()]
        while len(group) < MAX_BATCHES and not self._queue.empty():
            group += self._queue.get()
        return group

    def _commit_group(self, group: Sequence[WaitingWrite[Any]]) -> None:
        if not group:
            return
        try:
            outcomes = self._write(group)
        except Exception as error:  # noqa: BLE001 - the callers must get an answer, whatever the error
            self._roll_back()
            outcomes = [(None, self._to_refusal(error)) for _ in group]
        for each, outcome in zip(group, outcomes, strict=True):
            each.end(outcome)

    def _write(self, group: Sequence[WaitingWrite[Any]]) -> list[_Outcome]:
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
        group: Sequence[WaitingWrite[Any]],
    ) -> list[_Outcome]:
        retry_while_busy(lambda: self._connection.execute("BEGIN IMMEDIATE"), self._busy_timeout)
        outcomes = [try_write(each.write, transaction) for each in group]
        self._connection.execute("COMMIT")
        return outcomes

    def _try(self, write: StoreWrite[Any], transaction: Transaction) -> _Outcome:
        """Execute a write; return its outcome. Raises _FailedHalfway if it was refused after a change."""
        before = self._connection.total_changes
        outcome = _outcome(write, transaction)
        if outcome[1] is not None and self._connection.total_changes != before:
            raise _FailedHalfway
        return outcome

    def _try_in_savepoint(self, write: StoreWrite[Any], transaction: Transaction) -> _Outcome:
        """Execute a write; return its outcome. If it was refused, it has changed nothing."""
        self._connection.execute("SAVEPOINT batch")
        outcome = _outcome(write, transaction)
        if outcome[1] is not None:
            self._connection.execute("ROLLBACK TO batch")
        self._connection.execute("RELEASE batch")
        return outcome

    def _roll_back(self) -> None:
        # If this fails too, the next BEGIN fails, and its callers get an error.
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def _refuse_waiting(self, group: Sequence[WaitingWrite[Any]]) -> None:
        """Refuse all batches that still wait, whatever has ended this thread."""
        with self._lock:
            self._closed = True
            refused = [*group, *self._collected]
            self._collected.clear()
        while not self._queue.empty():
            refused += self._queue.get()
        for each in refused:
            if not each.done():
                each.end((None, closed_error()))

    def _close_connection(self) -> None:
        with suppress(sqlite3.Error):  # if it fails, the next start reads the log
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()


def _outcome(write: StoreWrite[Any], transaction: Transaction) -> _Outcome:
    """Execute a write; return its result or refusal. Raise errors of the whole transaction."""
    try:
        return write(transaction), None
    except VALUE_ERRORS as fault:
        return None, fault
    except (sqlite3.Error, MemoryError):
        raise
    except Exception as refused:  # noqa: BLE001 - failed expectations, or a mistake of the caller
        return None, refused
