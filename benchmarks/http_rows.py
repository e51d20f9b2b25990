"""The CPU time of whole HTTP requests, in empty answers of a bare server in the same run, and their latency.

Processors differ in how they run the two, so the limits here only find requests that have become several
times as expensive. `make bench PEER=1` compares the same requests with those of PostGraphile, in one run.
"""

import json
import socket
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import date, timedelta
from itertools import count, cycle, islice, repeat
from pathlib import Path
from typing import NamedTuple

from benchmarks import cpu, load, staff
from benchmarks.table import Figure, print_table
from benchmarks.turns import Server, Turn, least, take_turns
from tests.service import PASSWORD, RunningService, basic, running

SIZES = (10_000, 30_000, 100_000)
CONNECTIONS = 16
PATIENT = {"STRATABASE_TOTALS_SECONDS": "300"}
"""Settings with which totals are not refused on a busy machine."""
ROUNDS = 20
"""How often each case is measured. The least figure counts, which other processes have disturbed least."""
BARE_REQUESTS = 2_000

FIELDS = "_id first_name last_name email badge salary date_of_birth hired_on"
GET = "query($id: ID!) { Employee___get(_id: $id) { _id first_name last_name email salary } }"
PAGE = """query($salary: Real!, $size: Int!) { Employee___getPage(options: {next: $size,
  filter: {salary___gte: $salary}, orderBy: [last_name___ASC, first_name___ASC]}) { items { FIELDS } } }"""
COUNTED = """query($date: Date!) { Employee___getPage(options: {next: 50, filter: {hired_on___gte: $date},
  orderBy: [hired_on___ASC]}) { totalCount items { FIELDS } } }"""
SUMS = """{ Employee___getPage { groups(by: [team, hired_on___MONTH], next: 10000)
  { items { _keys { team { _id } hired_on___MONTH } salary { sum } } } } }"""
MONTHS = """{ Employee___getPage { groups(by: [hired_on___MONTH], next: 10000)
  { items { _keys { hired_on___MONTH } _count } } } }"""
VERSIONS = """query($id: ID!) { Contract___getVersionPage(_id: $id, options: {prev: 10})
  { items { _id title wage since _versionStart } } }"""
CREATE = "mutation($data: EmployeeCreate!) { Employee___create(data: $data) { _id } }"
UPDATE = "mutation($data: EmployeeUpdate!) { Employee___update(data: $data) { _id salary } }"
GET_CASE = "get"
PAGE_CASE = "page of 50: filter, order, 2 dates"
TEAM_CASE = "the same with the team of each"
LONG_PAGE_CASE = "page of 1,000"
VERSIONS_CASE = "page of ten versions"
CREATE_CASE = "create: key, unique, 3 indexes"
UPDATE_CASE = "update"
NEW_GET_CASE = "new text: get"
NEW_PAGE_CASE = "new text: page of 50"
NEW_CREATE_CASE = "new text: create, values in the text"
COUNT_CASE = "page of 50, totalCount counted anew"
SUMS_CASE = "sum for each team and month"
MONTHS_CASE = "each month, by an index"
"""The names of the cases that are compared with another server (benchmarks/peer)."""
ORDER = "mutation($data: OrderCreate!) { Order___create(data: $data) { _id } }"


_TOLERANCE = 3
"""How many times the usual figure a request may take on any machine."""


class Case(NamedTuple):
    """Requests to measure. `number`: how many of them a round sends."""

    name: str
    number: int
    requests: Iterator[bytes]
    usual: float | None = None
    """The CPU time in empty answers, as it usually is. None if only the latency is measured."""

    @property
    def limit(self) -> float | None:
        """The limit of the CPU time, in empty answers."""
        return None if self.usual is None else self.usual * _TOLERANCE


def main(folder: Path) -> None:
    """Print tables of CPU time, of latency, and of `totalCount` by the number of objects."""
    model = folder / "staff.graphql"
    model.write_text(staff.MODEL)
    home = folder / "home"
    with (
        bare_server() as bare,
        running(home, model=model, application=staff.APPLICATION, settings=PATIENT) as service,
        closing(staff.Staff(home)) as filled,
    ):
        client = Client(service)
        filled.grow(SIZES[0])
        cases = list(client.compared(filled))
        unit = f"{CONNECTIONS} connections: CPU in empty answers of the bare server"
        print_table(f"HTTP, {SIZES[0]:,} objects, {unit}", _compare(service, bare, cases))
        others = client.others(filled.ids)
        for connections in (1, CONNECTIONS):
            title = f"HTTP, {SIZES[0]:,} objects, connections: {connections}"
            print_table(title, _latencies(service, connections, others))
        for size in SIZES:
            filled.grow(size)
            print_table(f"HTTP, {size:,} objects, {unit}", _compare(service, bare, client.counted(size)))
        title = f"Groups of {SIZES[-1]:,} objects: CPU for each object"
        print_table(title, _for_each_object(service, client.grouped()))


class Client:
    """The requests of an administrator. Each iterator of requests goes on where it ended."""

    def __init__(self, service: RunningService) -> None:
        self._service = service
        self._new = count(1)

    def compared(self, filled: staff.Staff) -> Iterator[Case]:
        """Yield the cases of the first table."""
        ids = filled.ids
        with_team = PAGE.replace("FIELDS", "FIELDS team { name }")
        yield Case(GET_CASE, 400, self.gets(ids), 6)
        yield Case("get of one of 100 objects again and again", 400, self.gets(ids[:100]), 5)
        yield Case(PAGE_CASE, 64, self.pages(PAGE), 27)
        yield Case(TEAM_CASE, 48, self.pages(with_team), 33)
        # The service keeps objects and counts until something is written.
        after_writes = _after_writes(filled.write, self.pages(with_team))
        yield Case("the same, and a write before each page", 48, after_writes, 45)
        yield Case(LONG_PAGE_CASE, 16, self.pages(PAGE, 1_000), 480)
        yield Case("page of 50, totalCount without an index", 16, self.tested_counts(_new_salaries()), 1_900)
        yield Case("the next page of the same list", 32, self.tested_counts(repeat("400")), 38)
        yield Case(VERSIONS_CASE, 64, self.versions(filled.contract), 15)
        yield Case(CREATE_CASE, 160, self.creates("c"), 18)
        yield Case(UPDATE_CASE, 160, self.updates(ids), 16)
        yield Case(NEW_GET_CASE, 64, self.new_gets(ids), 49)
        yield Case(NEW_PAGE_CASE, 32, self.new_pages(), 100)
        yield Case(NEW_CREATE_CASE, 32, self.new_creates(), 24)

    def counted(self, size: int) -> Sequence[Case]:
        """Return pages with `totalCount`. Three in five objects match the filter, which an index answers."""
        usual = {10_000: 65, 30_000: 86, 100_000: 170}[size]
        return [
            Case(COUNT_CASE, 32, self.counts(different_days()), usual),
            Case("the next page of the same list", 32, self.counts(repeat("01/02/2010")), 28),
        ]

    def grouped(self) -> Sequence[Case]:
        """Return requests for groups of all objects. The first one reads each object."""
        return [
            Case(SUMS_CASE, 1, repeat(self.request(SUMS)), 6),
            Case(MONTHS_CASE, 4, repeat(self.request(MONTHS)), 0.5),
        ]

    def others(self, ids: Sequence[str]) -> Sequence[Case]:
        """Return the cases whose latency is measured."""
        same = self.request(UPDATE, {"data": {"_id": ids[0], "salary": "1"}})
        return [
            Case("get", 3_000, self.gets(ids)),
            Case("page of 50", 500, self.pages(PAGE)),
            Case("create", 1_000, self.creates("l")),
            Case("create an order with 5 lines", 500, self.orders(ids)),
            Case("update", 1_000, self.updates(ids)),
            Case("update without a change", 1_000, repeat(same)),
        ]

    def gets(self, ids: Sequence[str]) -> Iterator[bytes]:
        """Yield requests for one object."""
        return (self.request(GET, {"id": id_}) for id_ in cycle(ids))

    def pages(self, query: str, size: int = 50) -> Iterator[bytes]:
        """Yield requests for a page, with different values of the filter."""
        query = query.replace("FIELDS", FIELDS)
        return (self.request(query, {"salary": str(salary), "size": size}) for salary in least_salaries())

    def counts(self, days: Iterator[str]) -> Iterator[bytes]:
        """Yield requests for a page with the number of all objects that match: those from a day on."""
        query = COUNTED.replace("FIELDS", FIELDS)
        return (self.request(query, {"date": day}) for day in days)

    def versions(self, contract: str) -> Iterator[bytes]:
        """Yield requests for the ten last versions of an object."""
        return repeat(self.request(VERSIONS, {"id": contract}))

    def tested_counts(self, salaries: Iterator[str]) -> Iterator[bytes]:
        """Yield requests for a page with the number of all objects that match. Each object must be tested."""
        query = PAGE.replace("FIELDS", FIELDS).replace("items", "totalCount items")
        return (self.request(query, {"salary": salary, "size": 50}) for salary in salaries)

    def creates(self, name: str) -> Iterator[bytes]:
        """Yield requests that create an object."""
        return (self.request(CREATE, {"data": data}) for data in self._inputs(name))

    def orders(self, ids: Sequence[str]) -> Iterator[bytes]:
        """Yield requests that create an object with five parts and an association."""
        lines = [{"product": f"Product {number}", "quantity": number} for number in range(1, 6)]
        for number, id_ in zip(self._new, cycle(ids), strict=False):
            yield self.request(ORDER, {"data": {"number": number, "customer": id_, "lines": lines}})

    def updates(self, ids: Sequence[str]) -> Iterator[bytes]:
        """Yield requests that change one attribute."""
        data = ({"_id": id_, "salary": str(1_000 + next(self._new))} for id_ in cycle(ids))
        return (self.request(UPDATE, {"data": each}) for each in data)

    def new_gets(self, ids: Sequence[str]) -> Iterator[bytes]:
        """Yield requests whose text no request had before, not even with other values."""
        text = '{ Employee___get(_id: "%s") { _id first_name last_name email salary new%d: _id } }'
        return (self.request(text % (id_, next(self._new))) for id_ in cycle(ids))

    def new_pages(self) -> Iterator[bytes]:
        """Yield requests whose text no request had before, not even with other values."""
        text = PAGE.split(")", 1)[1].replace("$size", "50").replace("FIELDS", f"{FIELDS} new%d: _id")
        for salary in least_salaries():
            yield self.request(text.replace("$salary", str(salary)) % next(self._new))

    def new_creates(self) -> Iterator[bytes]:
        """Yield requests with values in their text, as clients send that do not use variables."""
        for data in self._inputs("t"):
            values = ", ".join(f"{name}: {json.dumps(value)}" for name, value in data.items())
            yield self.request(f"mutation {{ Employee___create(data: {{{values}}}) {{ _id }} }}")

    def _inputs(self, name: str) -> Iterator[Mapping[str, object]]:
        """Yield the attributes of new objects as a client sends them."""
        for state in staff.employees(name, next(self._new)):
            yield {**staff.as_sent(state), "email": f"{name}.{next(self._new)}@example.com"}

    def request(self, query: str, variables: Mapping[str, object] | None = None) -> bytes:
        """Return the bytes of a request."""
        body = json.dumps({"query": query, "variables": variables or {}}).encode()
        head = (
            f"POST /auth/api/graphql/{staff.APPLICATION} HTTP/1.1\r\nHost: 127.0.0.1:{self._service.port}\r\n"
            f"Authorization: {basic('admin', PASSWORD)}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body


def _after_writes(write: Callable[[], object], requests: Iterator[bytes]) -> Iterator[bytes]:
    """Yield requests, and write something before each."""
    for request in requests:
        write()
        yield request


def least_salaries() -> Iterator[int]:
    """Yield salaries that about two in five employees don't have."""
    return cycle(range(staff.LEAST_SALARY - 50, staff.LEAST_SALARY + 50))


def _new_salaries() -> Iterator[str]:
    """Yield salaries that two in five employees don't have. There are many, so that no count is kept."""
    return (f"{staff.LEAST_SALARY + number % 50}.{number // 50 % 100:02}" for number in count())


def different_days() -> Iterator[str]:
    """Yield days before which two in five employees were hired. There are many, so that no count is kept."""
    first = date(2009, 7, 1)
    return (f"{first + timedelta(number):%d/%m/%Y}" for number in cycle(range(365)))


def _compare(service: RunningService, bare: Server, cases: Sequence[Case]) -> Sequence[Figure]:
    """Measure cases and the bare server in turn; return the bare server's figure, and each case's."""
    servers = {BARE: bare, OWN: server(service)}
    turns = (
        turn
        for case in cases
        for turn in (
            Turn(BARE, "", repeat(EMPTY), BARE_REQUESTS),
            Turn(OWN, case.name, case.requests, case.number),
        )
    )
    taken = take_turns(servers, [*turns], rounds=ROUNDS, connections=CONNECTIONS)
    seconds = {case: sum(least(rounds).values()) for (case, _), rounds in taken.items()}
    return [
        Figure("an empty answer of the bare server: CPU", seconds[""] * 1000, "ms"),
        *(Figure(case.name, seconds[case.name] / seconds[""], "", case.limit) for case in cases),
    ]


def _for_each_object(service: RunningService, cases: Sequence[Case]) -> Sequence[Figure]:
    """Measure groups of all objects. The limits are the usual figures themselves, in microseconds."""
    turns = [Turn(OWN, case.name, case.requests, case.number) for case in cases]
    taken = take_turns({OWN: server(service)}, turns, rounds=ROUNDS // 2, connections=1)
    return [
        Figure(
            case.name, sum(least(taken[case.name, OWN]).values()) / SIZES[-1] * 1_000_000, "us", case.usual
        )
        for case in cases
    ]


def _latencies(service: RunningService, connections: int, cases: Sequence[Case]) -> Sequence[Figure]:
    """Return the latencies of cases, and the requests in a second."""
    figures = []
    for case in cases:
        result = load.run(service.port, connections, islice(case.requests, case.number))
        assert not result.bad, f"{result.bad} requests of {case.name} failed"
        latencies = sorted(result.latencies)
        figures += [
            Figure(f"{case.name}: median latency", statistics.median(latencies) * 1000, "ms"),
            Figure(f"{case.name}: 99th percentile", latencies[case.number * 99 // 100] * 1000, "ms"),
            Figure(f"{case.name}: requests", case.number / result.seconds, "/s"),
        ]
    return figures


EMPTY = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


BARE, OWN = "the bare server", "Stratabase"


def server(service: RunningService) -> Server:
    """Return a running service, as a server that takes turns."""
    return Server(service.port, lambda: {OWN: cpu.seconds(service.pid)})


@contextmanager
def bare_server() -> Iterator[Server]:
    """Run the bare server."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        command = [sys.executable, "-m", "benchmarks.bare_server", str(listener.fileno())]
        port = listener.getsockname()[1]
        process = subprocess.Popen(command, pass_fds=[listener.fileno()])
    try:
        yield Server(port, lambda: {BARE: cpu.seconds(process.pid)})
    finally:
        process.terminate()
        process.wait()
