"""For a client that has left, nothing more is read. What it began to write is committed."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from stratabase.core import greenlets, waiting
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.store.sqlite import engine as sqlite_engine
from tests.server.http.graphql_service import (
    CREATE,
    PAGE,
    Gate,
    GraphQLService,
    graphql_service,
    hold_commits,
    hold_reads,
)
from tests.server.http.serving import DEADLINE, http_server

OBJECTS = 150


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GraphQLService]:
    monkeypatch.setattr(greenlets, "SLICE", 0)  # each call gives way wherever it can
    with graphql_service(tmp_path) as found:
        yield found


def test_a_client_that_leaves_in_the_middle_of_a_long_page_causes_no_further_reads(
    service: GraphQLService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.create_teams(OBJECTS)
    monkeypatch.setattr(sqlite_engine, "_FIRST_PAGE", 8)
    monkeypatch.setattr(sqlite_engine, "_MAX_PAGE", 8)
    monkeypatch.setattr(sqlite_engine, "_MAX_LIMITED_PAGE", 8)
    with monkeypatch.context() as patched:
        whole = Gate()
        whole.reached.set()
        hold_reads(patched, whole)
        assert service.ask(PAGE)["Team___getPage"] == {"items": [], "totalCount": 0}
    assert whole.calls > 10, "the page must need many reads"
    gate = Gate()
    hold_reads(monkeypatch, gate)

    gate.let_leave(service.send(PAGE))

    service.ask("{ __typename }")  # answered after the page has given way
    assert gate.calls < 5, "the server learns within a few turns that the client has left"


def test_what_a_client_began_to_write_is_committed_after_it_has_left(
    service: GraphQLService, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate()
    service.ask(CREATE, name="Editors")  # the first write also commits what the store knows of the model
    with monkeypatch.context() as patched:
        committed = hold_commits(patched, gate)
        gate.let_leave(service.send(CREATE, name="Compilers"))
        assert committed.wait(DEADLINE)

    page = service.ask("{ Team___getPage { items { name } } }")["Team___getPage"]
    assert page == {"items": [{"name": "Editors"}, {"name": "Compilers"}]}


def test_a_call_that_may_write_goes_on_after_its_client_has_left() -> None:
    gate, ended = Gate(), threading.Event()

    def respond(request: Request) -> Response:
        if request.path == "/":
            return Response(200)
        if request.path == "/reads":
            waiting.only_reads()
        gate.pass_through()
        waiting.pause(0)
        waiting.pause(0)
        ended.set()
        return Response(200)

    with http_server(respond) as client:
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
