"""The server is killed while 16 clients write: acknowledged writes survive, and none is incomplete."""

import http.client
import os
import random
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from threading import Barrier, Event, Thread
from typing import Any

import pytest

from tests.service import RunningService, eventually
from tests.soak import count, seed

CLIENTS = 16
KILLS = count(3, 200)
KILLS_OF_A_STORE = 20
"""Each comparison reads the whole store, which grows with each life of the server."""
LONGEST_LIFE = 0.3
"""Seconds from the first write to the kill, at most."""

CREATE = "mutation($data: EmployeeCreate!) { Employee___create(data: $data) { _id } }"
UPDATE = "mutation($data: EmployeeUpdate!) { Employee___update(data: $data) { _id salary } }"
ALL = """query($cursor: Cursor) { Employee___getPage(options: {next: 1000, cursor: $cursor}) {
  items { _id first_name last_name email salary } nextCursor hasNext } }"""


@dataclass
class Client:
    """A writer that records which writes were acknowledged, and which have an unknown outcome."""

    name: str
    acknowledged: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By e-mail address."""
    unknown: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Writes without an answer: the state that they would have made, by e-mail address."""
    number: int = 0

    def write_until_cut_off(self, service: RunningService) -> None:
        connection = service.connection()
        try:
            while True:
                self._create(service, connection)
                self._update(service, connection)
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()

    def _create(self, service: RunningService, connection: http.client.HTTPConnection) -> None:
        self.number += 1
        email = f"{self.name}.{self.number}@example.com"
        data = {"first_name": self.name, "last_name": str(self.number), "email": email, "salary": "0"}
        self.unknown[email] = data
        answer = service.graphql(CREATE, {"data": data}, connection=connection)
        self.acknowledged[email] = data | {"_id": answer["data"]["Employee___create"]["_id"]}
        del self.unknown[email]

    def _update(self, service: RunningService, connection: http.client.HTTPConnection) -> None:
        email = next(reversed(self.acknowledged))
        known = self.acknowledged[email]
        self.unknown[email] = wanted = known | {"salary": str(int(known["salary"]) + 1)}
        data = {"_id": known["_id"], "salary": wanted["salary"]}
        answer = service.graphql(UPDATE, {"data": data}, connection=connection)
        assert answer == {"data": {"Employee___update": data}}
        self.acknowledged[email] = wanted
        del self.unknown[email]


@pytest.mark.long
@pytest.mark.soak
def test_a_crash_loses_no_acknowledged_write_and_leaves_none_incomplete(tmp_path: Path) -> None:
    choice = random.Random(seed())
    for first in range(0, KILLS, KILLS_OF_A_STORE):
        service = RunningService(tmp_path / f"home{first}").start()
        clients = [Client(f"client{number}") for number in range(CLIENTS)]
        kills = min(KILLS_OF_A_STORE, KILLS - first)
        for _ in range(kills):
            _write_and_kill(service, clients, choice.uniform(0.001, LONGEST_LIFE))
            service.start()
            _compare(service, clients)
        service.stop()
        assert sum(len(client.acknowledged) for client in clients) > kills


@pytest.mark.local
def test_replacing_a_stuck_worker_loses_no_acknowledged_write(tmp_path: Path) -> None:
    settings = {"STRATABASE_WORKER_TIMEOUT_SECONDS": "3"}
    service = RunningService(tmp_path / "home", reload=True, settings=settings).start()
    clients = [Client(f"client{number}") for number in range(CLIENTS)]
    threads = [Thread(target=client.write_until_cut_off, args=(service,)) for client in clients]
    for thread in threads:
        thread.start()
    eventually(lambda: all(client.acknowledged for client in clients))
    stuck = _worker(service)

    os.kill(stuck, signal.SIGSTOP)

    assert service.request("GET", "/public/health").status == 200
    assert _worker(service, but=stuck)
    eventually(lambda: f"process {stuck}) has not responded for 3 s. Stopping it" in service.log())
    for thread in threads:
        thread.join()
    _compare(service, clients)
    service.stop()


def _worker(service: RunningService, but: int | None = None) -> int:
    """Return the id of the worker process that is not `but`."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True)
    rows = (tuple(map(int, line.split())) for line in listed.stdout.splitlines())
    return next(pid for pid, parent in rows if parent == service.pid and pid != but)


def _write_and_kill(service: RunningService, clients: list[Client], after: float) -> None:
    together = Barrier(CLIENTS + 1)

    def write(client: Client) -> None:
        together.wait()
        client.write_until_cut_off(service)

    threads = [Thread(target=write, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    together.wait()
    Event().wait(after)
    service.kill()
    for thread in threads:
        thread.join()


def _compare(service: RunningService, clients: list[Client]) -> None:
    """Assert that every stored object was requested. Settle each write without a response."""
    stored = _everything(service)
    for client in clients:
        for email, wanted in client.unknown.items():
            _settle(service, client, stored.get(email), email, wanted)
        client.unknown.clear()
    known = {email: data for client in clients for email, data in client.acknowledged.items()}
    assert _everything(service) == known


def _settle(
    service: RunningService, client: Client, found: dict[str, Any] | None, email: str, wanted: dict[str, Any]
) -> None:
    """Assert that a write without a response was done fully or not at all, including its unique value."""
    before = client.acknowledged.get(email)
    again = {name: wanted[name] for name in ("first_name", "last_name", "email", "salary")}
    answer = service.graphql(CREATE, {"data": again})
    if found is None:
        assert before is None, f"{email} was acknowledged and is lost"
        client.acknowledged[email] = again | {"_id": answer["data"]["Employee___create"]["_id"]}
        return
    assert answer["errors"][0]["extensions"]["issueType"] == "ENTITY_UNIQUE"
    assert found in [before, wanted, wanted | {"_id": found["_id"]}]
    client.acknowledged[email] = found


def _everything(service: RunningService) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    cursor, more = None, True
    while more:
        page = service.graphql(ALL, {"cursor": cursor})["data"]["Employee___getPage"]
        found |= {item["email"]: item for item in page["items"]}
        cursor, more = page["nextCursor"], page["hasNext"]
    return found
