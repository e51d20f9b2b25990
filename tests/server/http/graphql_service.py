"""A GraphQL service in the process of the test, behind the HTTP server."""

import base64
import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.app.app import App
from stratabase.core.settings import Settings
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.members.app.member_services import MemberServices
from tests.server.http.serving import DEADLINE, Client, http_server
from tests.service import SAMPLE_MODEL

PASSWORD = "correct horse battery staple"
PATH = "/auth/api/graphql/Hr"
CREATE = "mutation($name: String!) { Team___create(data: {name: $name}) { _id } }"
PAGE = '{ Team___getPage(options: {next: 5, filter: {name___contains: "Z"}}) { items { _id } totalCount } }'
"""A page that reads all teams and finds none."""


class GraphQLService:
    """A client of the service, which sends requests of the administrator."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.port = client.port
        self._headers = {
            "Authorization": "Basic " + base64.b64encode(f"admin:{PASSWORD}".encode()).decode(),
            "Content-Type": "application/json",
        }

    def send(self, query: str, **variables: Any) -> http.client.HTTPConnection:
        """Send a request, and return its connection."""
        connection = self._client.connection()
        connection.request("POST", PATH, _body(query, variables), self._headers)
        return connection

    def ask(self, query: str, **variables: Any) -> Any:
        """Return the data of a response without errors."""
        connection = self.send(query, **variables)
        answer = json.loads(connection.getresponse().read())
        connection.close()
        assert "errors" not in answer
        return answer["data"]

    def request_bytes(self, query: str, **variables: Any) -> bytes:
        """Return a request as it is sent."""
        body = _body(query, variables).encode()
        headers = {"Host": "localhost", **self._headers, "Content-Length": str(len(body))}
        lines = [f"POST {PATH} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode() + body

    def create_teams(self, number: int) -> list[str]:
        """Create teams, and return their ids."""
        found = list[str]()
        for start in range(0, number, 50):
            creates = (
                f't{n}: Team___create(data: {{name: "Team {n}"}}) {{ _id }}'
                for n in range(start, min(start + 50, number))
            )
            made = self.ask(f"mutation {{ {' '.join(creates)} }}")
            found += [team["_id"] for team in made.values()]
        return found


@contextmanager
def graphql_service(home: Path) -> Iterator[GraphQLService]:
    """Run a service on an empty SQLite store."""
    instance = App(Settings(home=home, model=SAMPLE_MODEL, admin_password=PASSWORD))
    try:
        instance.part(MemberServices).create_first_administrator()
        with http_server(instance.http_handler(instance.endpoints("graphql"))) as client:
            yield GraphQLService(client)
    finally:
        instance.close()


def _body(query: str, variables: dict[str, Any]) -> str:
    return json.dumps({"query": query, "variables": variables})


class Gate:
    """Holds one call to the engine until the client has left, and counts the calls after it."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.opened = threading.Event()
        self.calls = 0

    def pass_through(self) -> None:
        """Count a call, and hold the first one."""
        self.calls += 1
        if not self.reached.is_set():
            self.reached.set()
            assert self.opened.wait(DEADLINE)

    def let_leave(self, connection: http.client.HTTPConnection) -> None:
        """Close the connection of the call that is held, and let the call go on."""
        assert self.reached.wait(DEADLINE)
        connection.close()
        self.opened.set()


def hold_reads(monkeypatch: pytest.MonkeyPatch, gate: Gate) -> None:
    """Let each page that the engine reads of a range pass through a gate."""
    pages = SqliteEngine.range

    def counted(self: SqliteEngine, *arguments: Any, **options: Any) -> Iterator[Any]:
        for page in pages(self, *arguments, **options):
            gate.pass_through()
            yield page

    monkeypatch.setattr(SqliteEngine, "range", counted)


def hold_commits(monkeypatch: pytest.MonkeyPatch, gate: Gate) -> threading.Event:
    """Let each commit pass through a gate. Return an event, which is set after a commit."""
    commit, committed = SqliteEngine.commit, threading.Event()

    def held(self: SqliteEngine, batch: Any) -> None:
        gate.pass_through()
        commit(self, batch)
        committed.set()

    monkeypatch.setattr(SqliteEngine, "commit", held)
    return committed
