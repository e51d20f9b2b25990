"""Compares Stratabase with PostGraphile: `python -m benchmarks.peer`, or `make peer`, which installs it.

The servers take turns: each answers a number of requests of a row over one connection, round after round. The
figure of a row is the least CPU time of a request in any round. With `--beside FOLDER`, the Stratabase of
another checkout takes part too.
"""

import argparse
import json
import os
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from benchmarks import cpu, load, staff
from benchmarks.http_rows import Client
from benchmarks.peer.postgraphile import PostGraphile, postgraphile, versions
from benchmarks.peer.postgresql import PostgreSQL, postgresql
from benchmarks.peer.rows import OWN, THEIRS, Bodies, rows
from tests.service import RunningService, running

OBJECTS = 10_000


class Competitor(NamedTuple):
    """A server: its port, the requests of each row, and the CPU seconds of its processes, by their names."""

    port: int
    rows: Mapping[str, Iterator[bytes]]
    used: Callable[[], Mapping[str, float]]


def main() -> None:
    """Print the CPU time of each row, in milliseconds, and how it compares."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.peer", description=__doc__)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--requests", type=int, default=2_000, help="in a round, of each row")
    options.add_argument("--beside", type=Path, help="another checkout of Stratabase")
    given = options.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        model = folder / "staff.graphql"
        model.write_text(staff.MODEL)
        competitors: list[Competitor] = []
        sources = {"Stratabase": None, **({"beside": given.beside} if given.beside else {})}
        for name, source in sources.items():
            home = folder / name
            settings = {"PYTHONPATH": str(source / "layers/stratabase/python")} if source else {}
            service = stack.enter_context(
                running(home, model=model, application=staff.APPLICATION, settings=settings)
            )
            with closing(staff.Staff(home)) as filled:
                filled.grow(OBJECTS)
            competitors.append(_own(name, service, filled.ids))
        database = stack.enter_context(postgresql())
        database.fill(filled.ids)
        peer = stack.enter_context(postgraphile(database, folder / "peer.log"))
        competitors.append(_theirs(peer, database, filled.ids))
        _assert_equal(service, peer, filled.ids[7])
        print(f"{_processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {versions()},")
        print(f"PostgreSQL {database.run('SHOW server_version;')}; {OBJECTS:,} objects, 1 connection,")
        print(f"{given.rounds} rounds of {given.requests:,} requests; CPU ms of a request: least (median)")
        _measure(competitors, given.rounds, given.requests)


def _measure(competitors: Sequence[Competitor], rounds: int, number: int) -> None:
    taken: dict[str, dict[str, list[float]]] = {row: {} for row in competitors[0].rows}
    # The first round is for the compilers of Node and Python, and for all caches.
    for turn in range(rounds + 1):
        for row, figures in taken.items():
            for competitor in competitors:
                for process, seconds in _cpu_seconds(competitor, row, number).items() if turn else ():
                    figures.setdefault(process, []).append(seconds * 1000)
    columns = [*taken[row]]
    print(f"\n{'':48}{''.join(f'{column:>22}' for column in columns)}{'times':>8}")
    for row, figures in taken.items():
        cells = "".join(
            f"{min(each):.3f} ({statistics.median(each):.3f})".rjust(22) for each in figures.values()
        )
        print(f"{row:48}{cells}{min(figures[columns[0]]) / min(figures[columns[-1]]):8.2f}")


def _cpu_seconds(competitor: Competitor, row: str, number: int) -> Mapping[str, float]:
    """Let a server answer requests, and return the CPU seconds of each for each name of processes."""
    before = competitor.used()
    result = load.run(competitor.port, 1, islice(competitor.rows[row], number))
    after = competitor.used()
    assert not result.bad, f"{result.bad} requests failed: {row}"
    return {name: (after[name] - before[name]) / number for name in after}


def _own(name: str, service: RunningService, ids: Sequence[str]) -> Competitor:
    client = Client(service)

    def requests(bodies: Bodies) -> Iterator[bytes]:
        return (client.request(*body) for body in bodies)

    sent = {row: requests(bodies) for row, bodies in rows(OWN, ids).items()}
    return Competitor(service.port, sent, lambda: {name: cpu.seconds(service.pid)})


def _theirs(peer: PostGraphile, database: PostgreSQL, ids: Sequence[str]) -> Competitor:
    def requests(bodies: Bodies) -> Iterator[bytes]:
        return (peer.request(*body) for body in bodies)

    def used() -> Mapping[str, float]:
        # The CPU time of a process of PostgreSQL that has ended is lost, but the pool keeps its connections.
        node = cpu.seconds(peer.pid)
        return {"Node": node, "Node and PostgreSQL": node + sum(database.cpu_seconds().values())}

    return Competitor(peer.port, {row: requests(bodies) for row, bodies in rows(THEIRS, ids).items()}, used)


def _assert_equal(service: RunningService, peer: PostGraphile, id_: str) -> None:
    """Check that both servers answer with the same objects."""
    own, theirs = rows(OWN, [id_]), rows(THEIRS, [id_])
    for row in own:
        answers = [service.graphql(*next(own[row])), peer.ask(*next(theirs[row]))]
        emails = [[part for part in json.dumps(each).split('"') if "@" in part] for each in answers]
        assert emails[0] == emails[1] != [], answers


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")


if __name__ == "__main__":
    main()
