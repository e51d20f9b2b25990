"""Versions of the data: an engine that has them shows every commit by another one."""

from stratabase.core.store.engine.port import ITEMS, DeleteItem, Engine, Item, Put
from tests.contract.engine.engine_calls import HERE, commit, count_items, find_item, run_concurrently


def test_reads_do_not_change_the_version(engine: Engine) -> None:
    commit(engine, Put(Item(HERE)))
    before = engine.data_version()
    find_item(engine)
    count_items(engine, ITEMS, HERE.partition)
    assert engine.data_version() == before


def test_each_write_changes_the_version(engine: Engine) -> None:
    seen = [engine.data_version()]
    if seen == [None]:
        commit(engine, Put(Item(HERE)))
        assert engine.data_version() is None, "an engine has versions or not"
        return
    for write in (
        lambda: commit(engine, Put(Item(HERE, {"n": 1}))),
        lambda: engine.increment(HERE, "n", 1),
        lambda: commit(engine, DeleteItem(HERE)),
    ):
        write()
        seen.append(engine.data_version())
    assert len(set(seen)) == 4


def test_no_thread_takes_the_version_of_another_for_its_own(engine: Engine) -> None:
    """A number that one thread has seen before a commit may be that of another thread after it."""
    commit(engine, Put(Item(HERE)))
    before = run_concurrently(*[engine.data_version] * 3)
    commit(engine, DeleteItem(HERE))
    after = run_concurrently(*[engine.data_version] * 3)
    assert None in before or set(before).isdisjoint(after)
