"""Compares Stratabase with PostGraphile in one run.

The servers take turns: each answers a number of requests of a case, round after round. The figure of a case
is the least CPU time of a request in any round. That of PostGraphile includes PostgreSQL.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from itertools import repeat
from operator import methodcaller
from pathlib import Path
from typing import NamedTuple

from benchmarks import http_rows, staff
from benchmarks.http_rows import BARE, BARE_REQUESTS, EMPTY, OWN, Case, Client, bare_server, server
from benchmarks.peer import requests
from benchmarks.peer.figures import BESIDE, PEER, Comparison
from benchmarks.peer.postgraphile import PostGraphile, postgraphile, versions
from benchmarks.peer.postgresql import PostgreSQL, postgresql
from benchmarks.turns import Machine, Server, Taken, Turn, least, processor, take_turns
from tests.service import running


def _counted(case: str, size: int) -> str:
    return f"{case}, {size:,} objects"


LIMITS: Mapping[str, tuple[float, float]] = {
    http_rows.GET_CASE: (0.8, 0.35),
    http_rows.PAGE_CASE: (1.0, 0.5),
    http_rows.TEAM_CASE: (1.1, 0.6),
    http_rows.LONG_PAGE_CASE: (1.7, 1.0),
    http_rows.CREATE_CASE: (1.2, 0.9),
    http_rows.UPDATE_CASE: (1.3, 0.9),
    http_rows.NEW_GET_CASE: (1.4, 1.0),
    http_rows.NEW_PAGE_CASE: (1.4, 1.0),
    http_rows.NEW_CREATE_CASE: (0.5, 0.4),
    **{_counted(http_rows.COUNT_CASE, size): (1.7, 1.0) for size in http_rows.SIZES},
    _counted(http_rows.SUMS_CASE, http_rows.SIZES[-1]): (20, 10),
    _counted(http_rows.MONTHS_CASE, http_rows.SIZES[-1]): (1.0, 0.7),
}
"""By case: the limit and the goal of the CPU time, in those of the peer."""


class _Servers(NamedTuple):
    """The servers by their names, and what makes their requests."""

    servers: dict[str, Server]
    clients: dict[str, Client]
    filled: dict[str, staff.Staff]
    peer: PostGraphile
    database: PostgreSQL

    def grow(self, size: int) -> None:
        """Give each store so many employees. Those of the peer have the IDs of our own store."""
        first = len(self.filled[OWN].ids)
        for each in self.filled.values():
            each.grow(size)
        self.database.grow(self.filled[OWN].ids, first)

    def used(self) -> float:
        """Return the CPU seconds of all servers."""
        return sum(sum(each.used().values()) for each in self.servers.values())


def compare(
    folder: Path,
    *,
    rounds: int = http_rows.ROUNDS,
    beside: Path | None = None,
    sizes: Sequence[int] = http_rows.SIZES,
    only_groups: bool = False,
) -> Comparison:
    """Measure all cases at all servers, and return the figures.

    `sizes`: the numbers of employees with which pages with `totalCount` are measured. Groups are those of the
    last one.
    """
    with ExitStack() as stack:
        servers = _start(stack, folder, beside)
        cases = list[str]()
        machine, taken = Machine(), dict[tuple[str, str], Sequence[Mapping[str, float]]]()
        with machine.watched(servers.used):
            if not only_groups:
                servers.grow(http_rows.SIZES[0])
                own = {
                    name: [*client.compared(servers.filled[name])] for name, client in servers.clients.items()
                }
                theirs = requests.bodies(servers.filled[OWN].ids)
                taken |= _measure(servers, own, theirs, rounds)
                cases += [case.name for case in own[OWN]]
            for size in sizes:
                servers.grow(size)
                of_size = [] if only_groups else [(methodcaller("counted", size), requests.counts())]
                of_size += [(methodcaller("grouped"), requests.groups())] if size == sizes[-1] else []
                for make, theirs in of_size:
                    own = {name: [*make(client)] for name, client in servers.clients.items()}
                    found = _measure(servers, own, theirs, rounds)
                    taken |= {(_counted(case, size), name): each for (case, name), each in found.items()}
                    cases += [_counted(case.name, size) for case in own[OWN]]
        facts = f"{versions()}, PostgreSQL {servers.database.run('SHOW server_version;')}"
    seconds = {key: least(each) for key, each in taken.items()}
    return Comparison(processor(), facts, machine.others_share, cases, seconds)


def _start(stack: ExitStack, folder: Path, beside: Path | None) -> _Servers:
    """Start all servers, without employees."""
    model = folder / "staff.graphql"
    model.write_text(staff.MODEL)
    servers = {BARE: stack.enter_context(bare_server())}
    clients: dict[str, Client] = {}
    filled: dict[str, staff.Staff] = {}
    for name, source in {OWN: None, **({BESIDE: beside} if beside else {})}.items():
        settings = {**http_rows.PATIENT}
        settings |= {"PYTHONPATH": str(source / "layers/stratabase/python")} if source else {}
        home = folder / name
        service = stack.enter_context(
            running(home, model=model, application=staff.APPLICATION, settings=settings)
        )
        servers[name], clients[name] = server(service), Client(service)
        filled[name] = stack.enter_context(closing(staff.Staff(home)))
    database = stack.enter_context(postgresql())
    database.create_tables()
    peer = stack.enter_context(postgraphile(database, folder / "peer.log"))
    servers[PEER] = Server(
        peer.port, lambda: {"Node": peer.cpu_seconds(), "PostgreSQL": database.cpu_seconds()}
    )
    return _Servers(servers, clients, filled, peer, database)


def _measure(
    servers: _Servers, own: Mapping[str, Sequence[Case]], theirs: Mapping[str, requests.Bodies], rounds: int
) -> Taken:
    turns = [*_turns(servers, own, theirs)]
    return take_turns(
        servers.servers, turns, rounds=rounds, connections=http_rows.CONNECTIONS, warm_up=rounds // 4 + 1
    )


def _turns(
    servers: _Servers, own: Mapping[str, Sequence[Case]], theirs: Mapping[str, requests.Bodies]
) -> Iterator[Turn]:
    for at, case in enumerate(own[OWN]):
        yield Turn(BARE, "", repeat(EMPTY), BARE_REQUESTS)
        for name, cases in own.items():
            yield Turn(name, case.name, cases[at].requests, case.number)
        if case.name in theirs:
            sent = (servers.peer.request(*body) for body in theirs[case.name])
            yield Turn(PEER, case.name, sent, case.number)


def main(folder: Path) -> None:
    """Print how each case compares, and note those over their limits (see `make bench`)."""
    compare(folder).print(LIMITS)
