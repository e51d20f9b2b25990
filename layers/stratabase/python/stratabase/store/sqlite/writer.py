"""The writing thread, with group commit: batches that wait together share one transaction and one fsync."""

import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from typing import NamedTuple

from stratabase.store.engine.port import Batch
from stratabase.store.sqlite.commit import commit_batch
from stratabase.store.sqlite.errors import VALUE_ERRORS, closed_error, retry_while_busy

MAX_BATCHES = 64
"""The maximum number of batches in one transaction, which limits how long a caller waits."""


class _WaitingCommit(NamedTuple):
    """A batch in the queue, and the future that its caller waits for."""

    batch: Batch
    future: "Future[None]"


class Writer:
    """A thread that commits batches in the order of their arrival.

    Responses within a process do not get lost, so a batch is never submitted twice. So the writer ignores the
    id of a batch.
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
        self._queue: SimpleQueue[_WaitingCommit | None] = SimpleQueue()
        self._lock = Lock()
        self._closed = False
        self._thread = Thread(target=self._run, name="stratabase-writer", daemon=True)
        self._thread.start()

    def submit(self, batch: Batch) -> "Future[None]":
        """Queue a batch; return a future that is done when the batch is on disk or refused.

        Raises Unavailable if the writer is closed.
        """
        commit = _WaitingCommit(batch, Future())
        with self._lock:
            if self._closed:
                raise closed_error()
            self._queue.put(commit)
        return commit.future

    def close(self) -> None:
        """Commit all queued batches, and close the file."""
        with self._lock:
            self._closed = True
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        group: Sequence[_WaitingCommit] = ()
        try:
            while not (self._closed and self._queue.empty()):
                group = self._next_group()
                self._commit_group(group)
        finally:
            self._refuse_waiting(group)
            self._close_connection()

    def _next_group(self) -> Sequence[_WaitingCommit]:
        """Return the batches that wait now, or else wait for the next one. Empty if the writer closes."""
        group = [self._queue.get()]
        while len(group) < MAX_BATCHES and not self._queue.empty():
            group.append(self._queue.get())
        return [commit for commit in group if commit and commit.future.set_running_or_notify_cancel()]

    def _commit_group(self, group: Sequence[_WaitingCommit]) -> None:
        if not group:
            return
        try:
            outcomes = self._write(group)
        except Exception as error:  # noqa: BLE001 - the callers must get an answer, whatever the error
            self._roll_back()
            outcomes = [self._to_refusal(error) for _ in group]
        for commit, outcome in zip(group, outcomes, strict=True):
            _answer(commit.future, outcome)

    def _write(self, group: Sequence[_WaitingCommit]) -> list[Exception | None]:
        retry_while_busy(lambda: self._connection.execute("BEGIN IMMEDIATE"), self._busy_timeout)
        outcomes = [self._try_commit(commit.batch) for commit in group]
        self._connection.execute("COMMIT")
        return outcomes

    def _try_commit(self, batch: Batch) -> Exception | None:
        """Execute a batch; return its refusal, None on success. Raise errors of the whole transaction."""
        try:
            commit_batch(self._connection, batch)
        except VALUE_ERRORS as fault:
            return fault
        except (sqlite3.Error, MemoryError):
            raise
        except Exception as refused:  # noqa: BLE001 - failed expectations, or a mistake of the caller
            return refused
        return None

    def _roll_back(self) -> None:
        # If this fails too, the next BEGIN fails, and its callers get an error.
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def _refuse_waiting(self, group: Sequence[_WaitingCommit]) -> None:
        """Refuse all batches that still wait, whatever has ended this thread."""
        with self._lock:
            self._closed = True
        waiting = [*group]
        while not self._queue.empty():
            waiting += filter(None, [self._queue.get()])
        for commit in waiting:
            if not commit.future.done():
                commit.future.set_exception(closed_error())

    def _close_connection(self) -> None:
        with suppress(sqlite3.Error):  # if it fails, the next start reads the log
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()


def _answer(future: "Future[None]", refused: Exception | None) -> None:
    if refused is None:
        future.set_result(None)
    else:
        future.set_exception(refused)
