"""Reading: one connection per thread, small pages first, and no long read transaction."""

from pathlib import Path
from threading import Thread

import pytest

from stratabase.core import waiting
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.store.engine.port import ITEMS, Item, Key
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.contract.engine.engine_calls import HERE, put


def in_a_thread(engine: SqliteEngine) -> None:
    thread = Thread(target=engine.get, args=([HERE],))
    thread.start()
    thread.join()


def test_a_thread_reuses_its_connection(engine: SqliteEngine) -> None:
    engine.get([HERE])
    (one,) = engine._readers._all.values()
    engine.get([HERE])
    assert list(engine._readers._all.values()) == [one]


def test_connections_of_ended_threads_are_closed(engine: SqliteEngine) -> None:
    engine.get([HERE])
    for _ in range(20):
        in_a_thread(engine)
    assert len(engine._readers._all) <= 2


def test_a_first_read_of_a_thread_after_close_is_refused(path: Path) -> None:
    engine = SqliteEngine(path)
    engine.close()
    with pytest.raises(Unavailable, match="closed"):
        engine.get([HERE])


def test_page_sizes_grow_and_others_run_between_pages(
    engine: SqliteEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns: list[int] = []
    pages: list[int] = []

    class Noting(waiting.Blocking):
        def give_way(self) -> None:
            turns.append(len(pages))

    put(engine, [Item(Key("p", f"{number:05}")) for number in range(4000)])
    monkeypatch.setattr(waiting, "_installed", Noting())
    for page in engine.range(ITEMS, "p"):
        pages += [len(page)]
    assert pages == [64, 128, *[256] * 14, 224]
    assert turns == [*range(1, 17)]


@pytest.mark.parametrize(("limit", "sizes"), [(1, [1]), (65, [65]), (260, [260]), (2000, [1024, 76])])
def test_a_range_reads_no_more_than_its_limit(engine: SqliteEngine, limit: int, sizes: list[int]) -> None:
    put(engine, [Item(Key("p", f"{number:05}")) for number in range(1100)])
    assert [len(page) for page in engine.range(ITEMS, "p", limit=limit)] == sizes


def test_a_range_is_lazy(path: Path) -> None:
    engine = SqliteEngine(path)
    pages = engine.range(ITEMS, "p")
    put(engine, [Item(Key("p", "1"))])
    assert [item.key for page in pages for item in page] == [Key("p", "1")]
    engine.close()


def test_a_range_may_continue_in_another_thread(engine: SqliteEngine) -> None:
    put(engine, [Item(Key("p", f"{number:05}")) for number in range(100)])
    pages = engine.range(ITEMS, "p")
    seen = len(next(pages))
    rest: list[int] = []
    thread = Thread(target=lambda: rest.extend(len(page) for page in pages))
    thread.start()
    thread.join()
    assert seen + sum(rest) == 100
