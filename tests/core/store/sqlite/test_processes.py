"""Several processes that share a file."""

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from stratabase.core.store.engine.port import Item, Put
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.contract.engine.engine_calls import HERE, commit, get_item
from tests.repository import ROOT
from tests.soak import count

pytestmark = pytest.mark.soak

TIMES = count(100, 2000)
RIVALS = 2


def rival(path: Path, operation: str) -> "subprocess.Popen[str]":
    command = [
        sys.executable,
        "-m",
        "tests.core.store.sqlite.competing_process",
        str(path),
        operation,
        str(TIMES),
    ]
    return subprocess.Popen(command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def rivalry(path: Path, operation: str) -> list[list[int]]:
    """Run an operation in several processes at once, and return the turns that each process won."""
    rivals = [rival(path, operation) for _ in range(RIVALS)]
    for each in rivals:
        assert each.stdout
        assert each.stdout.readline() == "ready\n"
    for each in rivals:
        assert each.stdin
        each.stdin.write("go\n")
        each.stdin.flush()
    answers = [each.communicate(timeout=600)[0] for each in rivals]
    assert [each.returncode for each in rivals] == [0] * RIVALS
    return [json.loads(answer) for answer in answers]


def test_one_of_several_processes_wins_a_free_key(path: Path) -> None:
    won = [number for each in rivalry(path, "win") for number in each]
    assert sorted(won) == list(range(TIMES))


def test_no_addition_of_another_process_is_lost(path: Path) -> None:
    rivalry(path, "add")
    with closing(SqliteEngine(path)) as engine:
        assert get_item(engine).attributes == {"count": RIVALS * TIMES}


def test_no_conditional_write_of_another_process_is_lost(path: Path) -> None:
    with closing(SqliteEngine(path)) as engine:
        commit(engine, Put(Item(HERE, {"count": 0})))
        rivalry(path, "raise")
        assert get_item(engine).attributes == {"count": RIVALS * TIMES}
