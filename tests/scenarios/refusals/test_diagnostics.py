"""Diagnostics: reads without the cache, and internal failures by trace ID only."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.rows import each_row
from tests.scenarios.refusals.case import KEY
from tests.scenarios.refusals.issue import Issue
from tests.scenarios.refusals.service_client import MODEL, ServiceClient, error
from tests.service import PASSWORD, RunningService, basic, eventually, running

READING = {
    "get": ('Team___get(_id: "<red>"%s)', "name"),
    "getBy": ('Team___getByName(name: "red"%s)', "name"),
    "getPage": ("Team___getPage(options: {next: 1}%s)", "items { name }"),
    "previewCreate": ('Team___previewCreate(data: {name: "new"}%s)', "name"),
    "validateUpdate": ('Team___validateUpdate(data: {_id: "<red>"}%s)', "isValid"),
    "validateDeleteBulk": (
        "Team___validateDeleteBulk(options: {filter: {_id___not___null: true}, next: 1}%s)",
        "isValid",
    ),
    "of the singleton": ('House___previewUpdate(data: {name: "H"}%s)', "name"),
}
"""How a service is called, with a place for one more argument, and what is selected."""


def asking(verb: str, argument: str) -> str:
    """Return a document that calls a service with one argument. The service stands at line 2, column 3."""
    call, shows = READING[verb]
    return f"query {{\n  {KEY}: {call % argument} {{ {shows} }}\n}}"


@each_row("verb", READING)
def test_the_result_without_the_cache_is_the_same(client: ServiceClient, verb: str) -> None:
    with_it, without_it = (
        client.answer(client.named(asking(verb, argument))).body
        for argument in (", disableCache: false", ", disableCache: true")
    )

    assert (with_it, "errors" in with_it) == (without_it, False)


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningService, str]]:
    """A service, and the id of an object whose stored content is damaged."""
    home: Path = tmp_path_factory.mktemp("broken") / "home"
    with running(home, model=MODEL, application="Studio") as service:
        created = service.graphql('mutation { Skill___create(data: {name: "spoiled"}) { _id } }')
        id_ = str(created["data"]["Skill___create"]["_id"])
        with closing(sqlite3.connect(home / "objects.db")) as connection, connection:
            connection.execute(
                "UPDATE items SET state = 'planted-secret' WHERE partition = ?", [f"Skill#{id_}"]
            )
        yield service, id_


@pytest.mark.local  # the test changes the file of the store
def test_a_damaged_file_is_503_and_fails_the_health_check(tmp_path: Path) -> None:
    """The log has the file and the cause, once for each request."""
    home = tmp_path / "home"
    with running(home, model=MODEL, application="Studio") as service:
        assert service.graphql('mutation { Skill___create(data: {name: "lost"}) { _id } }')["data"]
        with closing(sqlite3.connect(home / "objects.db")) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        # What a damaged disk does. The process must not lose SQLite's locks, so it does not open the file.
        damage = "import sys; file = open(sys.argv[1], 'r+b'); size = file.seek(0, 2); file.seek(0)"
        damage = f"{damage}; file.write(b'planted-secret' * (size // 14))"
        subprocess.run([sys.executable, "-c", damage, home / "objects.db"], check=True)

        for query in (
            "{ Skill___getPage { items { name } } }",
            'mutation { Skill___create(data: {name: "new"}) { _id } }',
        ):
            reply = service.request(
                "POST",
                "/auth/api/graphql/Studio",
                headers={"Content-Type": "application/json", "Authorization": basic("admin", PASSWORD)},
                body=json.dumps({"query": query}),
            )

            body = reply.json()
            assert (reply.status, reply.headers["retry-after"]) == (503, "30")
            assert body["detail"] == "The store is temporarily unavailable. Try again later."
            trace_id = body["traceId"]
            eventually(lambda trace_id=trace_id: trace_id in service.log())  # type: ignore[misc]
            (line,) = (json.loads(each) for each in service.log().splitlines() if trace_id in each)
            assert line["reason"].startswith(f"{home / 'objects.db'} is damaged or not a Stratabase database")
        assert service.request("GET", "/public/health").status == 503


@pytest.mark.local  # the test changes the file of the store
@pytest.mark.parametrize(
    "query",
    [
        'query {\n  it: Skill___get(_id: "%s") { name }\n}',
        'mutation {\n  it: Skill___update(data: {_id: "%s", name: "new"}) { name }\n}',
        'mutation {\n  it: Skill___delete(_id: "%s") { deleted }\n}',
    ],
)
def test_an_internal_failure_is_reported_only_by_its_trace_id(
    broken: tuple[RunningService, str], query: str
) -> None:
    """The log has the rest under that id."""
    service, id_ = broken

    body = service.graphql(query % id_)

    (result,) = body["errors"]
    trace_id = result["extensions"]["traceId"]
    text = f"An internal error occurred. When you report this problem, include the trace ID {trace_id}."
    assert body == {
        "data": {KEY: None},
        "errors": [error(Issue("SERVER_ERROR", text, "").shown(KEY, trace_id))],
    }
    eventually(lambda: trace_id in service.log())
    lines: list[dict[str, Any]] = [
        json.loads(line) for line in service.log().splitlines() if trace_id in line
    ]
    assert [line["message"] for line in lines] == ["GraphQL field failed"]
    assert "Traceback" in json.dumps(lines)
