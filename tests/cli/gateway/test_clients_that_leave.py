"""For a client that has left, nothing more is read. What it began to write is committed."""

import base64
import http.client
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stratabase import waiting
from stratabase.bootstrap.functions import http_handler
from stratabase.bootstrap.instance import Instance
from stratabase.cli.gateway import greenlets
from stratabase.settings import Settings
from stratabase.store.sqlite import engine as sqlite_engine
from stratabase.store.sqlite.engine import SqliteEngine
from tests.cli.gateway.serving import DEADLINE, Client, gateway
from tests.service import SAMPLE_MODEL

OBJECTS = 150
PASSWORD = "correct horse battery staple"
PATH = "/auth/api/graphql/Hr"
CREATE = "mutation($name: String!) { Team___create(data: {name: $name}) { _id } }"
PAGE = '{ Team___getPage(options: {next: 5, filter: {name___contains: "Z"}}) { items { _id } totalCount } }'


class Service:
    """A service in the process of the test, behind a gateway."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._headers = {
            "Authorization": "Basic " + base64.b64encode(f"admin:{PASSWORD}".encode()).decode(),
            "Content-Type": "application/json",
        }

    def send(self, query: str, **variables: Any) -> http.client.HTTPConnection:
        """Send a request, and return its connection."""
        connection = self._client.connection()
        connection.request("POST", PATH, json.dumps({"query": query, "variables": variables}), self._headers)
        return connection

    def ask(self, query: str, **variables: Any) -> Any:
        connection = self.send(query, **variables)
        answer = json.loads(connection.getresponse().read())
        connection.close()
        assert "errors" not in answer
        return answer["data"]


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setattr(greenlets, "SLICE", 0)  # each call gives way wherever it can
    instance = Instance(Settings(home=tmp_path, model=SAMPLE_MODEL, admin_password=PASSWORD))
    try:
        instance.create_first_administrator()
        with gateway(http_handler("graphql", instance)) as client:
            yield Service(client)
    finally:
        instance.close()


class Gate:
    """Holds one call to the engine until the client has left, and counts the calls after it."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.opened = threading.Event()
        self.calls = 0

    def pass_through(self) -> None:
        self.calls += 1
        if not self.reached.is_set():
            self.reached.set()
            assert self.opened.wait(DEADLINE)

    def let_leave(self, connection: http.client.HTTPConnection) -> None:
        """Close the connection of the call that is held, and let the call go on."""
        assert self.reached.wait(DEADLINE)
        connection.close()
        self.opened.set()


def count_reads(monkeypatch: pytest.MonkeyPatch, gate: Gate) -> None:
    pages = SqliteEngine.range

    def counted(self: SqliteEngine, *arguments: Any, **options: Any) -> Iterator[Any]:
        for page in pages(self, *arguments, **options):
            gate.pass_through()
            yield page

    monkeypatch.setattr(SqliteEngine, "range", counted)


def test_a_client_that_leaves_in_the_middle_of_a_long_page_causes_no_further_reads(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    for start in range(0, OBJECTS, 50):
        creates = (
            f't{n}: Team___create(data: {{name: "Team {n}"}}) {{ _id }}' for n in range(start, start + 50)
        )
        service.ask(f"mutation {{ {' '.join(creates)} }}")
    monkeypatch.setattr(sqlite_engine, "_FIRST_PAGE", 8)
    monkeypatch.setattr(sqlite_engine, "_MAX_PAGE", 8)
    with monkeypatch.context() as patched:
        whole = Gate()
        whole.reached.set()
        count_reads(patched, whole)
        assert service.ask(PAGE)["Team___getPage"] == {"items": [], "totalCount": 0}
    assert whole.calls > 10, "the page must need many reads"
    gate = Gate()
    count_reads(monkeypatch, gate)

    gate.let_leave(service.send(PAGE))

    service.ask("{ __typename }")  # answered after the page has given way
    assert gate.calls < 5, "the server learns within a few turns that the client has left"


def test_what_a_client_began_to_write_is_committed_after_it_has_left(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, committed = Gate(), threading.Event()
    commit = SqliteEngine.commit
    service.ask(CREATE, name="Editors")  # the first write also commits what the store knows of the model

    def held(self: SqliteEngine, batch: Any) -> None:
        gate.pass_through()
        commit(self, batch)
        committed.set()

    with monkeypatch.context() as patched:
        patched.setattr(SqliteEngine, "commit", held)
        gate.let_leave(service.send(CREATE, name="Compilers"))
        assert committed.wait(DEADLINE)

    page = service.ask("{ Team___getPage { items { name } } }")["Team___getPage"]
    assert page == {"items": [{"name": "Editors"}, {"name": "Compilers"}]}


def test_a_call_that_may_write_goes_on_after_its_client_has_left() -> None:
    gate, ended = Gate(), threading.Event()

    def handler(event: Any, _context: Any) -> Any:
        if event["path"] == "/":
            return {}
        if event["path"] == "/reads":
            waiting.only_reads()
        gate.pass_through()
        waiting.pause(0)
        waiting.pause(0)
        ended.set()
        return {}

    with gateway(handler) as client:
        connection = client.connection()
        connection.request("GET", "/writes")
        gate.let_leave(connection)
        assert ended.wait(DEADLINE)
        ended.clear()
        gate.__init__()  # type: ignore[misc]
        connection = client.connection()
        connection.request("GET", "/reads")
        gate.let_leave(connection)
        assert client.get("/").status == 200

    assert not ended.is_set()
