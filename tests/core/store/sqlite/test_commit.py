"""Batches are written with few statements, and have the outcome that reading first would have."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.store.engine.port import (
    EXISTS,
    NO_EXPECTATION,
    NOT_EXISTS,
    Action,
    Batch,
    Check,
    Condition,
    ConditionOperator,
    DeleteItem,
    Expectation,
    ExpectationFailed,
    IndexKey,
    Item,
    Key,
    Patch,
    Put,
)
from stratabase.core.store.sqlite.commit import Transaction, Unmet, commit_batch
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.core.store.sqlite.file import open_for_writing
from stratabase.core.store.sqlite.queries import select_after
from tests.contract.engine.engine_calls import HERE, commit, get_item, refused_expectations
from tests.soak import count, seed

HEAD, GUARD, OTHER_GUARD, REGISTRY = Key("o", "head"), Key("u", "1"), Key("u", "2"), Key("META", "slots")
PLACES = {"index1": IndexKey("o", "1")}


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that writes to a new file."""
    with closing(open_for_writing(path, 0)) as connection:
        yield connection


def unchanged(value: int) -> Expectation:
    return Expectation(exists=True, conditions=(Condition("n", ConditionOperator.EQUALS, value),))


def statements(transaction: Transaction, *actions: Action, fence: Check | None = None) -> list[str]:
    """Commit a batch, and return the first words of its statements."""
    said: list[str] = []
    transaction.connection.set_trace_callback(lambda sql: said.append(sql.split(maxsplit=1)[0]))
    commit_batch(transaction, Batch("batch", actions, fence=fence))
    transaction.connection.set_trace_callback(None)
    return said


def test_a_create_and_an_update_as_seen_are_one_statement_for_each_item(
    connection: sqlite3.Connection,
) -> None:
    transaction, fence = Transaction(connection), Check(REGISTRY, NO_EXPECTATION)
    create = [Put(Item(HEAD, {"n": 1}, "{}", PLACES), NOT_EXISTS), Put(Item(GUARD), NOT_EXISTS)]
    update = [Patch(HEAD, unchanged(1), set={"n": 2}, state="[]", seen={"n": 1})]
    assert statements(transaction, *create, fence=fence) == ["SELECT", "INSERT", "INSERT"]
    assert statements(transaction, *update, fence=fence) == ["UPDATE"], "the fence was checked before"
    assert select_after(connection, None, 9)[0] == Item(HEAD, {"n": 2}, "[]", PLACES)


def test_a_fence_that_the_group_has_written_is_checked_again(connection: sqlite3.Connection) -> None:
    transaction, fence = Transaction(connection), Check(REGISTRY, Expectation(exists=False))
    statements(transaction, Put(Item(HEAD)), fence=fence)
    statements(transaction, Put(Item(REGISTRY), NOT_EXISTS))
    with pytest.raises(ExpectationFailed):
        statements(transaction, Put(Item(HEAD)), fence=fence)


def test_an_item_that_has_changed_but_meets_the_expectation_is_patched_as_it_is(engine: SqliteEngine) -> None:
    commit(engine, Put(Item(HERE, {"n": 1})))
    seen = get_item(engine).attributes
    commit(engine, Patch(HERE, set={"lock": "m"}))
    commit(engine, Patch(HERE, unchanged(1), set={"n": 2}, seen=seen))
    assert get_item(engine).attributes == {"n": 2, "lock": "m"}


def test_what_was_seen_is_no_expectation(engine: SqliteEngine) -> None:
    assert refused_expectations(engine, Patch(HERE, unchanged(1), set={"n": 2}, seen={"n": 1}))
    commit(engine, Patch(HERE, NO_EXPECTATION, add={"n": 1}, seen={"n": 7}))
    assert get_item(engine).attributes == {"n": 1}


@pytest.mark.parametrize("taken", [GUARD, OTHER_GUARD, HEAD], ids=["first", "second", "head"])
def test_a_batch_whose_key_is_taken_is_refused_alone_with_all_failures(path: Path, taken: Key) -> None:
    with closing(SqliteEngine(path)) as engine:
        commit(engine, Put(Item(taken, {"by": "another"})))
    create = [Put(Item(key), NOT_EXISTS) for key in (GUARD, OTHER_GUARD)]
    head = Put(Item(HEAD, places=PLACES), NOT_EXISTS)
    batches = (
        Batch("before", (Put(Item(Key("before", "x"))),)),
        Batch("refused", (head, *create)),
        Batch("refused too", (head, *create, Check(HERE, EXISTS))),
        Batch("after", (Put(Item(Key("after", "x"))),)),
    )
    with closing(SqliteEngine(path, busy_timeout=60)) as engine:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")  # so that the batches wait together
            futures = [engine._writer.submit(partial(commit_batch, batch=batch)) for batch in batches]
        errors = [future.exception(60) for future in futures]
        keys = [item.key for page in engine.scan() for item in page]
    assert [type(error) for error in errors] == [type(None), ExpectationFailed, ExpectationFailed, type(None)]
    refused, refused_too = (
        {failure.action.key: failure.found for failure in error.failures}
        for error in errors
        if isinstance(error, ExpectationFailed)
    )
    assert refused == {taken: Item(taken, {"by": "another"})}
    assert refused_too == {**refused, HERE: None}
    assert sorted(keys) == sorted([taken, Key("before", "x"), Key("after", "x")])


def test_random_batches_have_the_outcome_that_reading_first_would_have(tmp_path: Path) -> None:
    chance = random.Random(seed())
    few, reading = (open_for_writing(tmp_path / name, 0) for name in ("few.db", "reading.db"))
    for _ in range(count(400, 20_000)):
        stored = {item.key: item.attributes for item in select_after(reading, None, 99)}
        keys = chance.sample([HEAD, GUARD, OTHER_GUARD, HERE], chance.randint(1, 4))
        actions = tuple(_action(chance, key, stored.get(key)) for key in keys)
        fence = Check(REGISTRY, _expectation(chance, None)) if chance.random() < 0.2 else None
        batch = Batch("batch", actions, fence=fence)
        assert _outcome(few, batch) == _outcome(reading, batch, reads_first=True), batch
        assert select_after(few, None, 99) == select_after(reading, None, 99), batch
    few.close()
    reading.close()


def _action(chance: random.Random, key: Key, stored: Any) -> Action:
    """Return an action. `stored`: the attributes of the item, None if there is none."""
    expect = _expectation(chance, stored)
    item = Item(key, {"n": chance.randint(1, 3)}, "{}", PLACES if chance.random() < 0.5 else {})
    seen = chance.choice([None, stored, {"n": 2}])
    patch = Patch(key, expect, set={"n": chance.randint(1, 3)}, add={"m": 1}, seen=seen)
    if chance.random() < 0.5:
        patch = replace(
            patch, state=f"[{chance.random()}]", places={"index1": IndexKey("o", "2"), "index2": None}
        )
    return chance.choice(
        (Put(item, expect), Put(item, NOT_EXISTS), patch, patch, DeleteItem(key, expect), Check(key, expect))
    )


def _expectation(chance: random.Random, stored: Any) -> Expectation:
    is_there = stored is not None
    value = stored["n"] if is_there and chance.random() < 0.7 else 2
    return chance.choice([NO_EXPECTATION, EXISTS if is_there else NOT_EXISTS, unchanged(value), NOT_EXISTS])


def _outcome(connection: sqlite3.Connection, batch: Batch, *, reads_first: bool = False) -> Any:
    """Commit a batch as the writer does; return the expectations that failed."""
    connection.execute("BEGIN IMMEDIATE")
    before = connection.total_changes
    try:
        commit_batch(Transaction(connection, reads_first=reads_first), batch)
    except (ExpectationFailed, Unmet) as error:
        has_written = connection.total_changes != before
        connection.execute("ROLLBACK")
        if has_written and not reads_first:
            return _outcome(connection, batch, reads_first=True)
        return has_written, getattr(error, "failures", None)
    connection.execute("COMMIT")
    return False, ()
