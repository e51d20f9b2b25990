"""The writer: waiting batches are committed together, and each caller gets its own outcome."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from threading import Event, current_thread, main_thread
from typing import Any

import pytest

from stratabase.core import waiting
from stratabase.core.domain.issues.refusals import StoreFull, Unavailable
from stratabase.core.store.engine.port import (
    EXISTS,
    NOT_EXISTS,
    Action,
    Batch,
    Check,
    ExpectationFailed,
    Item,
    Key,
    Patch,
    Put,
)
from stratabase.core.store.sqlite.commit import commit_batch
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.core.store.sqlite.file import open_for_writing
from stratabase.core.store.sqlite.writer import MAX_BATCHES, StoreWrite, WaitingWrite, Writer
from stratabase.core.unusable_store import UnusableStore
from tests.contract.engine.engine_calls import HERE, commit, find_item, get_item, run_concurrently

FIRST, SECOND = Key("p", "1"), Key("p", "2")


class FaultyConnection:
    """A connection that records its statements and fails at a given one."""

    def __init__(
        self, connection: sqlite3.Connection, breaks_at: str = "", error: Exception | None = None
    ) -> None:
        self._connection = connection
        self.breaks_at = breaks_at
        self.error = error or sqlite3.OperationalError("disk I/O error")
        self.said: list[str] = []
        self.futures: list[WaitingWrite[None]] = []
        self.done_before_commit: list[bool] = []

    def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
        self.said.append(sql.split(maxsplit=1)[0])
        if sql == "COMMIT":
            self.done_before_commit += [future.done() for future in self.futures]
        if self.breaks_at and sql.startswith(self.breaks_at):
            raise self.error
        return self._connection.execute(sql, *parameters)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


@contextmanager
def writing(path: Path, faulty_connection: FaultyConnection, *, patience: float = 60) -> Iterator[Writer]:
    """A writer over a connection."""
    writer = Writer(faulty_connection, patience, lambda error: Unavailable(str(error)))  # type: ignore[arg-type]
    try:
        yield writer
    finally:
        writer.close()


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a write transaction, as another process would."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


def batch(*actions: Action) -> StoreWrite[None]:
    return partial(commit_batch, batch=Batch("batch", actions))


def put(number: int, **attributes: int) -> StoreWrite[None]:
    return batch(Put(Item(Key("many", str(number)), attributes), NOT_EXISTS))


def test_waiting_batches_are_committed_in_one_transaction(path: Path) -> None:
    faulty_connection = FaultyConnection(open_for_writing(path, 0))
    with writing(path, faulty_connection) as writer:
        with held(path):
            futures = [writer.submit(put(number)) for number in range(20)]
        assert [future.result(60) for future in futures] == [None] * 20
    assert faulty_connection.said.count("COMMIT") <= 2, "the first may have gone alone, the others go in one"


def test_batches_that_are_collected_are_committed_in_one_transaction(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Callable[[], None]] = []

    class Collecting(waiting.Blocking):
        def coalesce(self, work: Callable[[], None]) -> None:
            asked.append(work)

    monkeypatch.setattr(waiting, "_installed", Collecting())
    faulty_connection = FaultyConnection(open_for_writing(path, 0))
    with writing(path, faulty_connection) as writer:
        futures = [writer.submit(put(number)) for number in range(20)]
        assert not any(future.done() for future in futures)
        for work in asked:
            work()
        assert [future.result(60) for future in futures] == [None] * 20
        last = writer.submit(put(20))
    assert faulty_connection.said.count("COMMIT") == 2
    assert last.result(0) is None, "closing writes it"


def test_the_size_of_a_transaction_is_limited(path: Path) -> None:
    faulty_connection = FaultyConnection(open_for_writing(path, 0))
    with writing(path, faulty_connection) as writer:
        with held(path):
            futures = [writer.submit(put(number)) for number in range(2 * MAX_BATCHES)]
        for future in futures:
            future.result(60)
    assert faulty_connection.said.count("COMMIT") >= 2


def test_a_batch_is_acknowledged_only_after_the_commit(path: Path) -> None:
    faulty_connection = FaultyConnection(open_for_writing(path, 0))
    with writing(path, faulty_connection) as writer:
        with held(path):
            faulty_connection.futures = [writer.submit(put(number)) for number in range(5)]
        for future in faulty_connection.futures:
            future.result(60)
    assert faulty_connection.done_before_commit
    assert not any(faulty_connection.done_before_commit[:5])


def test_batches_are_committed_in_the_order_of_arrival(engine: SqliteEngine, path: Path) -> None:
    engine._writer._busy_timeout = 60
    with held(path):
        futures = [engine._writer.submit(batch(Put(Item(HERE, {"n": n})))) for n in range(30)]
    for future in futures:
        future.result(60)
    assert get_item(engine).attributes == {"n": 29}


def test_a_refused_batch_does_not_affect_others_of_its_group(engine: SqliteEngine, path: Path) -> None:
    engine._writer._busy_timeout = 60
    many = [
        batch(Put(Item(FIRST, {"n": 1}), NOT_EXISTS)),
        batch(Put(Item(SECOND)), Check(FIRST, NOT_EXISTS)),
        batch(Put(Item(HERE, {"n": 1}), NOT_EXISTS), Patch(FIRST, add={"n": 1})),
    ]
    with held(path):
        futures = [engine._writer.submit(each) for each in many]
    errors = [future.exception(60) for future in futures]
    assert [type(error) for error in errors] == [type(None), ExpectationFailed, type(None)]
    assert engine.get([FIRST, SECOND, HERE]) == [Item(FIRST, {"n": 2}), None, Item(HERE, {"n": 1})]


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (Put(Item(Key("p", "\ud800"))), UnicodeEncodeError),
        (Put(Item(SECOND, state="\ud800")), UnicodeEncodeError),
        (Put(Item(SECOND, {"n": 2**70})), TypeError),
        (Put(Item(SECOND, places={"index9": Key("a", "b")})), ValueError),  # type: ignore[dict-item]
        (Put(Item(SECOND, state=object())), sqlite3.Error),  # type: ignore[arg-type]
        (Put(Item(SECOND, state=b"")), sqlite3.IntegrityError),  # type: ignore[arg-type]
    ],
    ids=["key", "state", "number", "index", "type", "bytes"],
)
def test_a_batch_that_cannot_be_stored_fails_alone(
    engine: SqliteEngine, path: Path, wrong: Action, fault: type[Exception]
) -> None:
    engine._writer._busy_timeout = 60
    with held(path):
        good, bad, after = (
            engine._writer.submit(each)
            for each in (put(1), batch(Put(Item(FIRST)), wrong, Put(Item(HERE))), put(2))
        )
    assert isinstance(bad.exception(60), fault)
    assert [good.exception(60), after.exception(60)] == [None, None]
    assert engine.get([FIRST, HERE]) == [None, None]
    assert all(engine.get([Key("many", "1"), Key("many", "2")]))


def test_a_file_locked_for_too_long_is_unavailable(engine: SqliteEngine, path: Path) -> None:
    with held(path), pytest.raises(Unavailable, match=r"The store is busy\. Try again") as refused:
        commit(engine, Put(Item(HERE)))
    assert refused.value.retry_after == 1
    assert find_item(engine) is None
    commit(engine, Put(Item(HERE)))


def test_a_briefly_locked_file_is_waited_for(engine: SqliteEngine, path: Path) -> None:
    engine._writer._busy_timeout = 60
    with held(path):
        future = engine._writer.submit(put(1))
        assert find_item(engine) is None, "readers do not wait"
    assert future.result(60) is None


def test_a_full_disk_is_unavailable_until_there_is_room(engine: SqliteEngine) -> None:
    commit(engine, Put(Item(HERE, {"n": 1})))
    limit = engine._writer._connection.execute
    (pages,) = limit("PRAGMA page_count").fetchone()
    limit(f"PRAGMA max_page_count = {pages}")
    for actions in ([Put(Item(FIRST, state="x" * 300_000))], [Patch(HERE, add={"n": 1}), *large()]):
        with pytest.raises(StoreFull, match="database or disk is full") as refused:
            commit(engine, *actions)
        assert isinstance(refused.value.__cause__, sqlite3.OperationalError)
    assert engine.get([HERE, FIRST]) == [Item(HERE, {"n": 1}), None]
    limit("PRAGMA max_page_count = 1000000")
    commit(engine, *large())
    assert find_item(engine, FIRST)


def large() -> list[Action]:
    return [Put(Item(key, state="x" * 300_000)) for key in (FIRST, SECOND)]


@pytest.mark.parametrize("moment", ["BEGIN", "INSERT", "COMMIT"])
@pytest.mark.parametrize(
    "error", [sqlite3.OperationalError("disk I/O error"), MemoryError()], ids=["io", "memory"]
)
def test_a_failed_transaction_is_never_reported_as_success(path: Path, moment: str, error: Exception) -> None:
    faulty_connection = FaultyConnection(open_for_writing(path, 0), moment, error)
    with writing(path, faulty_connection) as writer:
        future = writer.submit(batch(Put(Item(FIRST)), Put(Item(SECOND))))
        assert future.exception(60) is not None
        faulty_connection.breaks_at = ""
        assert writer.submit(put(1)).result(60) is None
    with closing(SqliteEngine(path)) as engine:
        assert [bool(item) for item in engine.get([FIRST, SECOND, Key("many", "1")])] == [False, False, True]


@pytest.mark.parametrize("moment", ["SAVEPOINT", "ROLLBACK TO", "RELEASE"])
def test_a_group_with_a_batch_that_fails_halfway_is_repeated_or_refused(path: Path, moment: str) -> None:
    halfway = batch(Put(Item(FIRST)), Put(Item(SECOND, state=b"")))  # type: ignore[arg-type]
    one, other = (batch(Put(Item(Key("many", number)))) for number in ("1", "2"))
    faulty_connection = FaultyConnection(open_for_writing(path, 0))
    with writing(path, faulty_connection) as writer:
        for breaks_at, expected in ((moment, Unavailable), ("", sqlite3.IntegrityError)):
            faulty_connection.breaks_at = breaks_at
            with held(path):
                futures = [writer.submit(each) for each in (one, halfway, other)]
            assert isinstance(futures[1].exception(60), expected)
        assert [futures[0].exception(60), futures[2].exception(60)] == [None, None]
    with closing(SqliteEngine(path)) as engine:
        assert engine.get([FIRST, SECOND]) == [None, None]
        assert all(engine.get([Key("many", "1"), Key("many", "2")]))


def test_a_failed_commit_fails_every_caller(path: Path) -> None:
    faulty_connection = FaultyConnection(open_for_writing(path, 0), "COMMIT")
    with writing(path, faulty_connection) as writer:
        with held(path):
            futures = [writer.submit(put(number)) for number in range(5)]
        errors = [future.exception(60) for future in futures]
    assert [type(error) for error in errors] == [Unavailable] * 5
    assert len(set(map(id, errors))) == 5, "each has an exception of its own to raise"
    with closing(SqliteEngine(path)) as engine:
        assert engine.get([Key("many", str(number)) for number in range(5)]) == [None] * 5


def test_each_callback_of_a_write_is_called_once_although_another_fails(
    engine: SqliteEngine, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    called: list[object] = []

    def fail(_: object) -> None:
        raise RuntimeError

    engine._writer._busy_timeout = 60
    with held(path):
        waiting_write = engine._writer.submit(put(1))
        for callback in (called.append, fail):
            waiting_write.add_done_callback(callback)
        with pytest.raises(TimeoutError):
            waiting_write.result(0)
    assert engine._writer.submit(put(2)).exception(60) is None, "the thread still writes"
    waiting_write.add_done_callback(called.append)
    assert called == [waiting_write] * 2
    assert "could not be told" in caplog.text


def test_closing_writes_pending_batches(path: Path) -> None:
    engine = SqliteEngine(path)
    futures = [engine._writer.submit(put(number)) for number in range(3 * MAX_BATCHES)]
    engine.close()
    assert [future.exception(0) for future in futures] == [None] * len(futures)


def test_closing_writes_collected_batches(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = Writer(open_for_writing(path, 60), 60, lambda error: error)
    begun, may_end = Event(), Event()

    class LockOfClose:
        """The lock of the writer. When `close` releases it first, the thread runs until it waits or ends."""

        def __init__(self) -> None:
            self.lock = writer._lock

        def __enter__(self) -> None:
            self.lock.acquire()

        def __exit__(self, *_: object) -> None:
            self.lock.release()
            if current_thread() is main_thread() and not may_end.is_set():
                may_end.set()
                writer._thread.join(60)

    def write(_: object) -> None:
        begun.set()
        may_end.wait(60)

    running = writer.submit(write)
    begun.wait(60)
    monkeypatch.setattr(waiting, "coalesce", lambda _: None)  # the event loop has not called the writer yet
    collected = writer.submit(put(1))
    monkeypatch.setattr(writer, "_lock", LockOfClose())
    writer.close()
    assert [running.exception(0), collected.exception(0)] == [None, None]


def test_a_commit_during_close_gets_its_real_outcome(path: Path) -> None:
    for round_ in range(20):
        engine = SqliteEngine(path)

        def write(number: int, engine: SqliteEngine = engine, round_: int = round_) -> Key | None:
            key = Key(f"round{round_}", str(number))
            try:
                commit(engine, Put(Item(key), NOT_EXISTS))
            except Unavailable:
                return None
            return key

        written = run_concurrently(*(partial(write, number) for number in range(4)), engine.close)
        with closing(SqliteEngine(path)) as reopened:
            assert all(find_item(reopened, key) for key in written if key)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_crashed_writer_leaves_no_caller_waiting(
    engine: SqliteEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(_: object) -> None:
        raise SystemExit

    monkeypatch.setattr(engine._writer, "_commit_group", die)
    for _ in range(2):
        with pytest.raises(Unavailable, match="closed"):
            commit(engine, Put(Item(HERE)))
    engine._writer._thread.join(60)  # which closes its connection, and has readers wait for that
    assert find_item(engine) is None


def test_a_caller_uses_the_waiting_of_the_process(
    engine: SqliteEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[waiting.Future[Any]] = []

    class Noting(waiting.Blocking):
        def until(self, future: waiting.Future[Any]) -> Any:
            waited.append(future)
            return super().until(future)

    monkeypatch.setattr(waiting, "_installed", Noting())
    commit(engine, Put(Item(HERE)))
    assert [future.done() for future in waited] == [True]


def test_a_damaged_file_is_not_retried(path: Path) -> None:
    result = UnusableStore("broken")
    faulty_connection = FaultyConnection(open_for_writing(path, 0), "COMMIT")
    writer = Writer(faulty_connection, 0, lambda _: result)  # type: ignore[arg-type]
    assert writer.submit(put(1)).exception(60) is result
    writer.close()


def test_a_batch_may_expect_results_of_another_of_its_group(engine: SqliteEngine, path: Path) -> None:
    engine._writer._busy_timeout = 60
    with held(path):
        futures = [
            engine._writer.submit(batch(Put(Item(HERE), NOT_EXISTS))),
            engine._writer.submit(batch(Check(HERE, EXISTS), Put(Item(FIRST)))),
        ]
    assert [future.exception(60) for future in futures] == [None, None]
