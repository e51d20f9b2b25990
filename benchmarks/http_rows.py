"""The CPU time and latency of whole HTTP requests, with 1 and 16 connections."""

import json
import socket
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import count, cycle, islice, repeat
from pathlib import Path

from benchmarks import cpu, load
from benchmarks.table import Figure, print_table
from tests.service import PASSWORD, RunningService, basic, running

OBJECTS = 10_000
GRAPHS = 200
"""The number of employees with a team, a contract and two addresses. They are created last."""
CONNECTIONS = (1, 16)
POSTGRAPHILE = {"get": 0.26 / 0.018, "page of 50": 0.64 / 0.018, "page of 50, team": 0.83 / 0.018}
"""The CPU time of PostGraphile's server without PostgreSQL, in multiples of an empty response of uvicorn."""

_TEAMS = count(1)

Case = tuple[str, int, Iterator[bytes]]


def main(folder: Path) -> None:
    """Measure against the sample model with 10,000 employees."""
    bare = _bare_answer()
    print_table(
        "The machine, 16 connections", [Figure("an empty answer of the bare server: CPU", bare, "ms")]
    )
    with running(folder / "home") as service:
        ids = _fill(service)
        for connections in CONNECTIONS:
            figures = [
                figure
                for case in _cases(service, ids, connections)
                for figure in _measure(service, connections, case, bare)
            ]
            print_table(f"HTTP, {connections} connections, {OBJECTS} objects", figures)


def _cases(service: RunningService, ids: list[str], connections: int) -> Iterator[Case]:
    get = "query($id: ID!) { Employee___get(_id: $id) { _id first_name last_name email salary } }"
    page = "{ Employee___getPage(options: {next: 50}) { items { _id first_name last_name email salary } } }"
    update = "mutation($data: EmployeeUpdate!) { Employee___update(data: $data) { _id salary } }"
    items = "items { _id first_name last_name email salary team { name } }"
    team = f"{{ Employee___getPage(options: {{prev: 50}}) {{ {items} }} }}"
    addresses = team.replace("team { name }", "team { name } addresses { items { street city } }")
    yield "get", 5_000, (_request(service, get, {"id": id_}) for id_ in cycle(ids))
    yield "page of 50", 1_000, cycle([_request(service, page, {})])
    yield "page of 50, team", 500, cycle([_request(service, team, {})])
    yield "page of 50, team and addresses", 300, cycle([_request(service, addresses, {})])
    yield "create", 2_000, _creations(service, f"bench{connections}")
    yield "create a graph", 1_000, _creations(service, f"graph{connections}", _graph(service))
    # No object has such a salary yet, so each request changes one.
    salaries = count(connections * 1_000_000)
    updates = ({"_id": id_, "salary": next(salaries)} for id_ in cycle(ids))
    yield "update", 2_000, (_request(service, update, {"data": data}) for data in updates)
    unchanged = _request(service, update, {"data": {"_id": ids[0], "salary": 1}})
    yield "update without a change", 2_000, cycle([unchanged])


def _measure(service: RunningService, connections: int, case: Case, bare: float) -> Iterator[Figure]:
    name, number, requests = case
    limit = POSTGRAPHILE[name] * bare if name in POSTGRAPHILE else None
    load.run(service.port, connections, islice(requests, number // 10))
    before = cpu.seconds(service.pid)
    result = load.run(service.port, connections, islice(requests, number))
    spent = cpu.seconds(service.pid) - before
    assert not result.bad, f"{result.bad} requests of {name} failed"
    source = "PostGraphile's server" if limit else ""
    yield Figure(f"{name}: CPU", spent / number * 1000, "ms", limit, source)
    yield Figure(f"{name}: median latency", statistics.median(result.latencies) * 1000, "ms")
    yield Figure(f"{name}: 99th percentile", sorted(result.latencies)[number * 99 // 100] * 1000, "ms")
    yield Figure(f"{name}: requests", number / result.seconds, "/s")


def _bare_answer() -> float:
    """Return the CPU milliseconds of an empty response."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        command = [sys.executable, "-m", "benchmarks.bare_server", str(listener.fileno())]
        port = listener.getsockname()[1]
        process = subprocess.Popen(command, pass_fds=[listener.fileno()])
    requests = repeat(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    load.run(port, 16, islice(requests, 1_000))
    before = cpu.seconds(process.pid)
    load.run(port, 16, islice(requests, 10_000))
    spent = cpu.seconds(process.pid) - before
    process.terminate()
    process.wait()
    return spent / 10


def _fill(service: RunningService) -> list[str]:
    result = load.run(service.port, 16, islice(_creations(service, "fill"), OBJECTS))
    assert not result.bad
    result = load.run(service.port, 16, islice(_creations(service, "graphs", _graph(service)), GRAPHS))
    assert not result.bad
    ids: list[str] = []
    cursor, more = None, True
    query = """query($c: Cursor) {
      Employee___getPage(options: {next: 1000, cursor: $c}) { items { _id } nextCursor hasNext } }"""
    while more:
        page = service.graphql(query, {"c": cursor})["data"]["Employee___getPage"]
        ids += [item["_id"] for item in page["items"]]
        cursor, more = page["nextCursor"], page["hasNext"]
    return ids


def _creations(
    service: RunningService, name: str, more: Mapping[str, object] | None = None
) -> Iterator[bytes]:
    query = "mutation($data: EmployeeCreate!) { Employee___create(data: $data) { _id } }"
    for number in count(1):
        email = f"{name}.{number}@example.com"
        data = {"first_name": "Ada", "last_name": f"Lovelace {number}", "email": email, "salary": number}
        yield _request(service, query, {"data": {**data, **(more or {})}})


def _graph(service: RunningService) -> Mapping[str, object]:
    """Create a team, and return the roles of an employee in it: team, contract and addresses."""
    query = "mutation($name: String!) { Team___create(data: {name: $name}) { _id } }"
    made = service.graphql(query, {"name": f"Team {next(_TEAMS)}"})
    return {
        "team": made["data"]["Team___create"]["_id"],
        "contract": {"kind": "PERMANENT", "starts_on": "2020-01-31"},
        "addresses": [{"street": f"Via Roma {number}", "city": "Milano"} for number in (1, 2)],
    }


def _request(service: RunningService, query: str, variables: dict[str, object]) -> bytes:
    body = json.dumps({"query": query, "variables": variables}).encode()
    head = (
        f"POST /auth/api/graphql/Hr HTTP/1.1\r\nHost: 127.0.0.1:{service.port}\r\n"
        f"Authorization: {basic('admin', PASSWORD)}\r\nContent-Type: application/json\r\n"
        f"Accept: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
