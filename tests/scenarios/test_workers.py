"""Several workers serve one folder under load, while they are reloaded, killed, stopped and replaced.

`tests/server/process/test_workers.py` tests the same without load.
"""

import http.client
import json
import os
import select
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.service import PASSWORD, SAMPLE_MODEL, RunningService, basic, eventually
from tests.soak import FULL, count

CLIENTS = count(4, 32)
ROUNDS = count(1, 10)
"""How often each disturbance happens."""
ANSWERS = 3
"""How many answers each client gets between two disturbances."""
PAUSE = count(20, 0) / 1000
"""The seconds between the requests of a client."""

CREATE = "mutation($data: EmployeeCreate!) { Employee___create(data: $data) { _id %s } }"
PAGE = """query($cursor: Cursor) { Employee___getPage(options: {next: 1000, cursor: $cursor}) {
  items { first_name last_name email } nextCursor hasNext } }"""
COUNT = "{ Employee___getPage { totalCount } }"


@dataclass
class Client:
    """A client that writes in a loop. It connects anew when the server has closed the connection."""

    service: RunningService
    name: str
    acknowledged: dict[str, dict[str, str]] = field(default_factory=dict)
    """By email."""
    unknown: set[str] = field(default_factory=set)
    """The emails of the writes without an answer."""
    other_answers: list[Any] = field(default_factory=list)
    """The answers that are neither complete nor 503 with Retry-After."""
    attribute: str = ""
    """An attribute that only the model of now has."""
    answers: int = 0
    cut: list[str] = field(default_factory=list)
    """The errors of the requests whose answers ended too early."""
    number: int = 0

    def write_until(self, end: Event) -> None:
        connection = self.service.connection()
        while not end.wait(PAUSE):
            if connection.sock is not None and select.select([connection.sock], [], [], 0)[0]:
                connection.close()
            try:
                self._create(connection)
            except BrokenPipeError:
                connection.close()  # the server had closed it before it got the whole request
            except (OSError, http.client.HTTPException) as error:
                if connection.sock is not None:  # http.client closes it itself if there is no answer at all
                    self.cut.append(repr(error))
                connection.close()
        connection.close()

    def _create(self, connection: http.client.HTTPConnection) -> None:
        self.number += 1
        email = f"{self.name}.{self.number}@example.com"
        data = {"first_name": self.name, "last_name": str(self.number), "email": email}
        body = json.dumps({"query": CREATE % self.attribute, "variables": {"data": data}})
        if connection.sock is None:
            connection.connect()  # if this fails, nothing is sent
        self.unknown.add(email)
        reply = self.service.request(
            "POST", "/auth/api/graphql/Hr", headers=HEADERS, body=body, connection=connection
        )
        self.unknown.discard(email)
        if reply.status == 503 and "retry-after" in reply.headers:
            return
        if reply.status != 200 or "errors" in reply.json():
            self.other_answers.append((reply.status, reply.body))
        else:
            self.acknowledged[email] = data
        self.answers += 1


HEADERS = {"Content-Type": "application/json", "Authorization": basic("admin", PASSWORD)}


@pytest.mark.local
@pytest.mark.long
@pytest.mark.thorough
def test_two_workers_lose_no_acknowledged_write(tmp_path: Path) -> None:
    model = tmp_path / "model.graphql"
    model.write_text(SAMPLE_MODEL.read_text())
    service = RunningService(
        tmp_path / "home",
        model=model,
        reload=True,
        arguments=["--workers=2"],
        settings={"STRATABASE_WORKER_TIMEOUT_SECONDS": "2"},
    ).start()
    clients = [Client(service, f"client{number}") for number in range(CLIENTS)]
    for round_ in range(ROUNDS):
        end = Event()
        with ThreadPoolExecutor(CLIENTS) as threads:
            ends = [threads.submit(client.write_until, end) for client in clients]
            try:
                _disturb(service, clients, model, f"nickname{round_}")
            finally:
                end.set()
            for each in ends:
                each.result()
        service.start()
        assert [client.other_answers for client in clients] == [[]] * CLIENTS
        _compare(service, clients)
    service.stop()


def _disturb(service: RunningService, clients: list[Client], model: Path, attribute: str) -> None:
    _wait_for_answers(clients)
    # 1. A reload and a change of the model lose no request.
    cut = _cut(clients)
    for _ in range(count(0, 3)):  # each start of a worker takes about half a second
        _announced(service, lambda: os.kill(service.pid, signal.SIGHUP))
        _wait_for_answers(clients)
    edited = model.read_text().replace("  first_name:", f"  {attribute}: String\n  first_name:", 1)
    _announced(service, lambda: model.write_text(edited))
    # 2. From the announcement on, no answer comes from the old model.
    for client in clients:
        client.attribute = attribute
    _wait_for_answers(clients)
    assert _cut(clients) == cut
    # 3. Only the requests of a worker that is killed or stuck can remain without an answer.
    eventually(lambda: len(_workers(service)) == 2)  # those of the version before end in their time
    killed, stuck = _workers(service)
    os.kill(killed, signal.SIGKILL)
    eventually(lambda: len(_workers(service) - {killed}) == 2)
    _wait_for_answers(clients)
    if FULL:  # takes seconds, until the supervisor finds that the worker is stuck
        os.kill(stuck, signal.SIGSTOP)
        eventually(lambda: stuck not in _workers(service) and len(_workers(service)) == 2)
        _wait_for_answers(clients)
    # 4. A stop lets all requests end.
    cut = _cut(clients)
    workers = _workers(service)
    service.stop()
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
    assert _cut(clients) == cut


def _announced(service: RunningService, change: Any) -> None:
    """Change something, and return when the service has announced that it serves a new version."""
    before = service.log().count("Serving the new version")
    change()
    eventually(lambda: service.log().count("Serving the new version") > before)


def _wait_for_answers(clients: list[Client]) -> None:
    """Wait until each client has sent requests and got their answers from now on."""
    before = [client.answers for client in clients]
    eventually(lambda: all(c.answers >= n + ANSWERS for c, n in zip(clients, before, strict=True)))


def _cut(clients: list[Client]) -> list[list[str]]:
    """Return, for each client, the errors of the requests whose answers ended too early."""
    return [[*client.cut] for client in clients]


def _workers(service: RunningService) -> set[int]:
    """Return the process ids of the workers."""
    listed = Path(f"/proc/{service.pid}/task/{service.pid}/children").read_text()
    return {int(pid) for pid in listed.split()}


def _compare(service: RunningService, clients: list[Client]) -> None:
    """Assert that the store holds every acknowledged write, and only writes that were requested."""
    stored: dict[str, dict[str, str]] = {}
    cursor: str | None = None
    while True:
        page = service.graphql(PAGE, {"cursor": cursor})["data"]["Employee___getPage"]
        stored |= {item["email"]: item for item in page["items"]}
        if not page["hasNext"]:
            break
        cursor = page["nextCursor"]
    known = {email: data for client in clients for email, data in client.acknowledged.items()}
    unknown = {email for client in clients for email in client.unknown}
    assert {email: data for email, data in stored.items() if email not in unknown} == known
    assert service.graphql(COUNT)["data"]["Employee___getPage"]["totalCount"] == len(stored)
