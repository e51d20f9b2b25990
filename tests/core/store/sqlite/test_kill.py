"""A killed writer: acknowledged batches survive, and none is incomplete."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from stratabase.core.store.engine.port import Item, Key
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.contract.engine.engine_calls import HERE, find_item, keys
from tests.core.store.sqlite.killed_writer import PARTS, parts
from tests.repository import ROOT
from tests.soak import count, seed

KILLS = count(4, 200)

LIVES = count(4, 8)
"""Kills on one file, one after the other."""


def lived(path: Path, life: int, acknowledged: int) -> list[str]:
    """Run a writing process, and kill it after a number of acknowledgements. Return its output."""
    command = [sys.executable, "-m", "tests.core.store.sqlite.killed_writer", str(path), str(life)]
    with subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE) as process:
        assert process.stdout
        said = [process.stdout.readline() for _ in range(acknowledged)]
        process.kill()
        said += process.stdout.readlines()
    assert all(line.endswith("\n") for line in said), "the process ended before it was killed"
    return [line.strip() for line in said]


def stored(engine: SqliteEngine) -> list[str]:
    """Return the names of the stored batches. Assert that each one is complete."""
    names = sorted(key.sort for key in keys(engine, "items", "part0"))
    wanted = [item for name in names for item in parts(name)]
    assert engine.get([item.key for item in wanted]) == wanted
    assert sorted(key.sort for key in keys(engine, "index1", "all")) == sorted(names * PARTS)
    assert all(sorted(key.sort for key in keys(engine, "items", f"part{n}")) == names for n in range(PARTS))
    return names


@pytest.mark.long
@pytest.mark.soak
@pytest.mark.parametrize("series", range(KILLS // LIVES))
def test_a_killed_writer_loses_no_batch_and_leaves_none_incomplete(path: Path, series: int) -> None:
    chance = Random(seed() + series)
    acknowledged: set[str] = set()
    for life in range(LIVES):
        acknowledged |= set(lived(path, life, chance.randint(1, 150)))
        with closing(SqliteEngine(path)) as engine:
            there = stored(engine)
            assert acknowledged <= set(there)
            assert find_item(engine, HERE) == Item(HERE, {"count": len(there)})
        acknowledged = set(there)


def test_the_checked_batches_have_distinct_items() -> None:
    assert parts("a")[0].key == Key("part0", "a")
    assert parts("a") != parts("b")
