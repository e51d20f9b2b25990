"""The one thread that writes: batches that wait at the same time share one trip to the disk."""

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

MOST_TOGETHER = 64
"""Batches in one transaction, so that nobody waits for an endless one."""


class _Commit(NamedTuple):
    """A batch, and where its caller waits."""

    batch: Batch
    future: "Future[None]"


class Writer:
    """Writes batches in the order of their arrival; a future is done when its batch is on disk or refused.

    `refusal` makes, of what went wrong with a whole transaction, what each of its callers is told. A batch is
    never handed in twice by this process, whose answers do not get lost: its id is not looked at.
    """

    def __init__(
        self, connection: sqlite3.Connection, patience: float, refusal: Callable[[Exception], Exception]
    ) -> None:
        self._connection = connection
        self._patience = patience
        self._refusal = refusal
        self._queue: SimpleQueue[_Commit | None] = SimpleQueue()
        self._door = Lock()
        self._closed = False
        self._thread = Thread(target=self._run, name="stratabase-writer", daemon=True)
        self._thread.start()

    def submit(self, batch: Batch) -> "Future[None]":
        """Hand in a batch. Raises Unavailable when the writer is closed."""
        commit = _Commit(batch, Future())
        with self._door:
            if self._closed:
                raise closed_error()
            self._queue.put(commit)
        return commit.future

    def close(self) -> None:
        """Write what was handed in, and let go of the file."""
        with self._door:
            self._closed = True
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        group: Sequence[_Commit] = ()
        try:
            while not (self._closed and self._queue.empty()):
                group = self._next_group()
                self._serve(group)
        finally:
            self._turn_away(group)
            self._leave()

    def _next_group(self) -> Sequence[_Commit]:
        """Return those that wait now, or else the next one; perhaps nobody, when it is time to close."""
        taken = [self._queue.get()]
        while len(taken) < MOST_TOGETHER and not self._queue.empty():
            taken.append(self._queue.get())
        return [commit for commit in taken if commit and commit.future.set_running_or_notify_cancel()]

    def _serve(self, group: Sequence[_Commit]) -> None:
        if not group:
            return
        try:
            outcomes = self._write(group)
        except Exception as error:  # noqa: BLE001 - whatever it was, those who wait must hear of it
            self._undo()
            outcomes = [self._refusal(error) for _ in group]
        for commit, outcome in zip(group, outcomes, strict=True):
            _answer(commit.future, outcome)

    def _write(self, group: Sequence[_Commit]) -> list[Exception | None]:
        retry_while_busy(lambda: self._connection.execute("BEGIN IMMEDIATE"), self._patience)
        outcomes = [self._attempt(commit.batch) for commit in group]
        self._connection.execute("COMMIT")
        return outcomes

    def _attempt(self, batch: Batch) -> Exception | None:
        """Return why a batch is not done; raise what concerns all of its group."""
        try:
            commit_batch(self._connection, batch)
        except VALUE_ERRORS as fault:
            return fault
        except (sqlite3.Error, MemoryError):
            raise
        except Exception as refused:  # noqa: BLE001 - its expectations, or what its caller did wrong
            return refused
        return None

    def _undo(self) -> None:
        # Should this fail too, so does the next BEGIN, and its callers hear of it.
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def _turn_away(self, group: Sequence[_Commit]) -> None:
        """Answer all who still wait, whatever has ended this thread."""
        with self._door:
            self._closed = True
        waiting = [*group]
        while not self._queue.empty():
            waiting += filter(None, [self._queue.get()])
        for commit in waiting:
            if not commit.future.done():
                commit.future.set_exception(closed_error())

    def _leave(self) -> None:
        with suppress(sqlite3.Error):  # the log is kept, and read at the next start
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()


def _answer(future: "Future[None]", refused: Exception | None) -> None:
    if refused is None:
        future.set_result(None)
    else:
        future.set_exception(refused)
