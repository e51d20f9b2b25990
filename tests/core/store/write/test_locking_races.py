"""Members in two processes compete for locks: each lock has one holder, and no request succeeds partly."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from random import Random

import pytest

from stratabase.core.store.sqlite.engine import SqliteEngine
from tests import ministack
from tests.contract.engine.dynamodb import over_ministack
from tests.core.store.competing_locker import things
from tests.core.store.graphs import Objects
from tests.repository import ROOT
from tests.soak import count, seed

pytestmark = pytest.mark.soak

RACES, RACES_FOR_SETS = count(5, 2000), count(5, 200)
PROCESSES, THREADS = "xy", "1234"

Wanted = Mapping[str, Sequence[str]]
"""Ids by the threads of a process."""


class CompetingProcesses:
    """Processes on one store, and its objects."""

    def __init__(self, objects: Objects, store: str, where: str) -> None:
        self.objects = objects
        self._processes = {
            name: subprocess.Popen(
                [sys.executable, "-m", "tests.core.store.competing_locker", name, store, where],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=ROOT,
            )
            for name in PROCESSES
        }
        for name in PROCESSES:
            assert self._told(name) == "ready"

    def race(self, wanted: Mapping[str, Wanted]) -> dict[str, list[str]]:
        """Race for locks. Return, by member, the holders that a refusal named, or nothing on success."""
        for name, each in wanted.items():
            stdin = self._processes[name].stdin
            assert stdin is not None
            stdin.write(json.dumps(each) + "\n")
            stdin.flush()
        return {member: held for name in wanted for member, held in json.loads(self._told(name)).items()}

    def holders(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the locked objects and their holders."""
        found = {id_: self.objects.get("Thing", id_).lock for id_ in ids}
        return {id_: lock.name for id_, lock in found.items() if lock is not None}

    def end(self) -> None:
        """End the processes."""
        for process in self._processes.values():
            process.communicate()
            assert process.returncode == 0

    def _told(self, name: str) -> str:
        stdout = self._processes[name].stdout
        assert stdout is not None
        return stdout.readline().strip()


@pytest.fixture(scope="module", params=["sqlite", "dynamodb"])
def processes(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[CompetingProcesses]:
    """Two processes with four members each, on a store that they share."""
    if request.param == "sqlite":
        path = tmp_path_factory.mktemp("store") / "objects.db"
        file = SqliteEngine(path, busy_timeout=60)
        racing = CompetingProcesses(things(file), "sqlite", str(path))
        yield racing
        racing.end()
        file.close()
        return
    table = over_ministack()
    racing = CompetingProcesses(things(table), "dynamodb", f"{ministack.endpoint().url} {table.name}")
    yield racing
    racing.end()
    table.close()


@pytest.mark.long
def test_exactly_one_concurrent_lock_succeeds(processes: CompetingProcesses) -> None:
    for number in range(RACES):
        id_ = f"one{number}"
        processes.objects.create("Thing", id_)
        result = processes.race({name: {thread: [id_] for thread in THREADS} for name in PROCESSES})
        (winner,) = [member for member, held in result.items() if not held]
        assert processes.holders([id_]) == {id_: winner}
        losers = {member: held for member, held in result.items() if member != winner}
        assert losers == {member: [winner] for member in losers}


def test_no_concurrent_lock_of_several_objects_succeeds_partly(processes: CompetingProcesses) -> None:
    """Each caller locks three of five objects."""
    chance = Random(seed())
    for number in range(RACES_FOR_SETS):
        ids = [f"set{number} {each}" for each in "abcde"]
        processes.objects.create("Thing", *ids)
        wanted = {name: {thread: chance.sample(ids, 3) for thread in THREADS} for name in PROCESSES}
        result = processes.race(wanted)
        sets = {f"{name}{thread}": each for name in wanted for thread, each in wanted[name].items()}
        winners = [member for member, held in result.items() if not held]
        assert winners
        assert processes.holders(ids) == {id_: member for member in winners for id_ in sets[member]}
        assert sum(len(sets[member]) for member in winners) == len(processes.holders(ids))
