"""Common GraphQL clients and the audit of GraphQL over HTTP, against the service."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from gql import Client, GraphQLRequest, gql
from gql.client import SyncClientSession
from gql.transport.exceptions import TransportQueryError, TransportServerError
from gql.transport.requests import RequestsHTTPTransport

from tests.scenarios.node_scripts import find_node, scripts
from tests.service import PASSWORD, RunningService, basic, running

pytestmark = pytest.mark.built

PATIENCE = 120
"""Seconds."""
MODEL = """
extend schema @application(name: "Library")
type Book { title: String! published: Date price: Real @domain(min: "0") }
"""
REFUSED = [
    {"path": "Book___create", "type": "ATTRIBUTE_RANGE"},
    {"path": "Book___create", "type": "DATA_TYPE"},
]


@pytest.fixture(scope="module")
def node() -> str:
    """The path of Node. Without it, skip the tests, except in CI."""
    return find_node()


@contextmanager
def library(folder: Path) -> Iterator[RunningService]:
    """Run a service that has no books yet."""
    model = folder / "library.graphql"
    model.write_text(MODEL)
    with running(folder / "home", model=model, application="Library") as started:
        yield started


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that tests share. They may add books."""
    with library(tmp_path_factory.mktemp("library")) as started:
        yield started


def address(service: RunningService) -> str:
    return f"http://127.0.0.1:{service.port}/auth/api/graphql/Library"


def run(node: str, script: str, service: RunningService) -> Any:
    """Run a script that can import the packages, and return the JSON that it prints."""
    environment = {
        "PATH": os.environ["PATH"],
        "ADDRESS": address(service),
        "AUTHORIZATION": basic("admin", PASSWORD),
    }
    with scripts() as folder:
        command = [node, str(folder / script)]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_audit_of_graphql_over_http_passes_completely(node: str, service: RunningService) -> None:
    """Rules that say SHOULD count as those that say MUST."""
    results = run(node, "audit.mjs", service)

    assert len(results) > 50
    assert [result for result in results if result["status"] != "ok"] == []


@pytest.mark.parametrize("client", ["apollo", "urql", "graphql-request"])
def test_javascript_clients_work(client: str, node: str, tmp_path: Path) -> None:
    """They count all books."""
    with library(tmp_path) as service:
        result = run(node, f"{client}.mjs", service)

    assert result["created"] == [
        {"title": "Middlemarch", "published": "1871", "price": "12.5"},
        {"title": "Emma", "published": "1815", "price": "9.5"},
        {"title": "Persuasion", "published": "1817", "price": None},
    ]
    assert result["found"] == {"count": 2, "titles": ["Emma", "Persuasion"]}
    assert result["uncounted"] == {"count": None, "titles": ["Middlemarch"]}
    assert sorted(result["refused"], key=lambda error: str(error["type"])) == REFUSED
    assert result["wrong"] == [{"path": None, "type": "ValidationError"}]
    assert without_typenames(result["half"]) == {
        "data": {"good": {"totalCount": 3}, "bad": None, "refused": None},
        "errors": [{"path": "refused", "type": "MALFORMED_REQUEST"}],
    }


def without_typenames(value: Any) -> Any:
    """Return JSON without the fields that caches add to every selection."""
    if isinstance(value, dict):
        return {name: without_typenames(each) for name, each in value.items() if name != "__typename"}
    return value


CREATE = gql(
    """
    mutation Create($book: BookCreate!) { Book___create(data: $book) { ...Shown } }
    fragment Shown on Book { _id title published(format: "yyyy") price }
    """
)
FIND = gql(
    """
    query Find($filter: BookFilter) { Book___getPage(options: {filter: $filter}) { items { ...Shown } } }
    fragment Shown on Book { title price }
    """
)


@pytest.fixture
def session(service: RunningService) -> Iterator[SyncClientSession]:
    """A gql client, which reads the schema first and validates every document."""
    headers = {"Authorization": basic("admin", PASSWORD)}
    transport = RequestsHTTPTransport(address(service), headers=headers)
    with Client(transport=transport, fetch_schema_from_transport=True) as opened:
        yield opened


def test_gql_reads_the_schema_and_runs_documents_with_fragments_and_variables(
    session: SyncClientSession,
) -> None:
    book = {"title": "Middlemarch", "published": "1871-12-01", "price": "12.50"}

    created = session.execute(GraphQLRequest(CREATE, variable_values={"book": book}))["Book___create"]
    filter_ = {"_id___in": [created.pop("_id")]}
    found = session.execute(GraphQLRequest(FIND, variable_values={"filter": filter_}))

    assert created == {"title": "Middlemarch", "published": "1871", "price": "12.5"}
    assert found == {"Book___getPage": {"items": [{"title": "Middlemarch", "price": "12.5"}]}}
    assert session.client.schema
    assert "BookFilter" in session.client.schema.type_map


def test_gql_gets_every_issue(session: SyncClientSession) -> None:
    book = {"title": "X", "published": "soon", "price": -1}
    with pytest.raises(TransportQueryError) as caught:
        session.execute(GraphQLRequest(CREATE, variable_values={"book": book}))

    issues = [error["extensions"] for error in caught.value.errors or []]
    assert {issue["issueType"] for issue in issues} == {"ATTRIBUTE_RANGE", "DATA_TYPE"}


def test_gql_reports_wrong_credentials(service: RunningService) -> None:
    transport = RequestsHTTPTransport(address(service), headers={"Authorization": basic("admin", "wrong")})
    with pytest.raises(TransportServerError) as caught, Client(transport=transport) as session:
        session.execute(gql("{ __typename }"))

    assert caught.value.code == 401
