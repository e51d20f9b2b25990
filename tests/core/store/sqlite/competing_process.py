"""A process that shares the file of another: run `python -m tests.core.store.sqlite.competing_process` with
PATH DEED TIMES.

It says `ready`, waits for a line, does its deed, and says as JSON what it did.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

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


DEEDS: dict[str, Callable[[SqliteEngine, int], bool]] = {"win": won, "add": added, "raise": raised}


def main(path: str, operation: str, times: str) -> None:
    """Run the action in each turn."""
    engine = SqliteEngine(Path(path), busy_timeout=60)
    print("ready", flush=True)  # noqa: T201 - how processes talk here
    sys.stdin.readline()
    done = [number for number in range(int(times)) if DEEDS[operation](engine, number)]
    print(json.dumps(done), flush=True)  # noqa: T201
    engine.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
