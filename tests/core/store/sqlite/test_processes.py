"""Several processes that share a file."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from stratabase.core.store.engine.port import (
    NO_EXPECTATION,
    NOT_EXISTS,
    Condition,
    ConditionOperator,
    Expectation,
    ExpectationFailed,
    Item,
    Key,
    Patch,
    Put,
)
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.contract.engine.engine_calls import HERE, commit, get_item
from tests.rivals import in_processes
from tests.soak import count

pytestmark = pytest.mark.soak

TIMES = count(100, 2000)
RIVALS = 2

Operation = Callable[[SqliteEngine, int], bool]


def won(engine: SqliteEngine, number: int) -> bool:
    """Try to create a key for which others compete."""
    try:
        commit(engine, Put(Item(Key("free", str(number))), NOT_EXISTS))
    except ExpectationFailed:
        return False
    return True


def added(engine: SqliteEngine, _: int) -> bool:
    """Add one to a number."""
    commit(engine, Patch(HERE, NO_EXPECTATION, add={"count": 1}))
    return True


def raised(engine: SqliteEngine, _: int) -> bool:
    """Increment a number by reading it and writing it under a condition, until that succeeds."""
    while True:
        count = get_item(engine).attributes["count"]
        assert isinstance(count, int)
        expect = Expectation(True, (Condition("count", ConditionOperator.EQUALS, count),))
        try:
            commit(engine, Patch(HERE, expect, {"count": count + 1}))
        except ExpectationFailed:
            continue
        return True


def take_turns(wait: Callable[[], object], path: Path, operation: Operation) -> list[int]:
    """Run an operation in each turn, and return the turns in which it succeeded."""
    with closing(SqliteEngine(path, busy_timeout=60)) as engine:
        wait()
        return [number for number in range(TIMES) if operation(engine, number)]


def rivalry(path: Path, operation: Operation) -> list[list[int]]:
    """Run an operation in several processes at once, and return the turns that each process won."""
    return in_processes(take_turns, *[(path, operation)] * RIVALS)


def test_one_of_several_processes_wins_a_free_key(path: Path) -> None:
    turns = [number for each in rivalry(path, won) for number in each]
    assert sorted(turns) == list(range(TIMES))


def test_no_addition_of_another_process_is_lost(path: Path) -> None:
    rivalry(path, added)
    with closing(SqliteEngine(path)) as engine:
        assert get_item(engine).attributes == {"count": RIVALS * TIMES}


def test_no_conditional_write_of_another_process_is_lost(path: Path) -> None:
    with closing(SqliteEngine(path)) as engine:
        commit(engine, Put(Item(HERE, {"count": 0})))
        rivalry(path, raised)
        assert get_item(engine).attributes == {"count": RIVALS * TIMES}
