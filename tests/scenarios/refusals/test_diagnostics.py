"""Diagnostics: insight for administrators only, and internal failures by trace ID only."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.refusals.case import KEY
from tests.scenarios.refusals.issue import Issue
from tests.scenarios.refusals.service_client import MODEL, ServiceClient, error
from tests.service import PASSWORD, RunningService, basic, eventually, running

TOTALS = {"roundTrips", "readUnits", "writeUnits", "items", "bytes", "milliseconds"}
CALL = TOTALS | {"path", "kind", "index"}
CLERK = basic("clerk", PASSWORD)


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
WRITING = {
    "create": ('Skill___create(data: {name: "insight"}%s)', "_id"),
    "update": ('Skill___update(data: {_id: "<sing>", name: "insight"}%s)', "_id"),
    "updateBulk": (
        'Skill___updateBulk(data: {name: "insight"}, options: {filter: {_id___not___null: true}, next: 9}%s)',
        "totalCount",
    ),
    "save": ('Skill___save(data: {name: "insight"}%s)', "_id"),
    "delete": ('Skill___delete(_id: "<dance>"%s)', "deleted"),
    "deleteBulk": ("Skill___deleteBulk(options: {filter: {_id___not___null: true}, next: 9}%s)", "deleted"),
}
"""How a service is called, with a place for one more argument, and what is selected."""


def asking(verb: str, argument: str) -> str:
    """Return a document that calls a service with one argument. The service stands at line 2, column 3."""
    call, shows = (READING | WRITING)[verb]
    return f"{'mutation' if verb in WRITING else 'query'} {{\n  {KEY}: {call % argument} {{ {shows} }}\n}}"


@pytest.fixture(scope="module")
def clerk(client: ServiceClient) -> str:
    """The Authorization header of a member who is no administrator."""
    headers = {"Authorization": basic("admin", PASSWORD), "Content-Type": "application/json"}
    all_members = "/auth/administration/members"
    member = {"username": "clerk", "email": "clerk@example.com", "profile": "Clerk"}
    created = client.service.request("POST", all_members, headers=headers, body=json.dumps(member))
    if created.status == 201:  # else a module before has made it
        change = json.dumps({"password": PASSWORD})
        one = f"{all_members}/{created.json()['id']}"
        assert client.service.request("PUT", one, headers=headers, body=change).status == 200
    return CLERK


def took(client: ServiceClient, verb: str) -> Any:
    """Return the insight of a service. Now and then the registry is read in addition."""
    return client.answer(client.named(asking(verb, ", insight: FULL"))).body["extensions"]["insight"]


@pytest.mark.parametrize("verb", READING)
def test_insight_of_a_query_is_returned_to_an_administrator(client: ServiceClient, verb: str) -> None:
    plain, light, full = (
        client.answer(client.named(asking(verb, argument))).body
        for argument in (", insight: null", ", insight: LIGHT", ", insight: FULL")
    )

    assert plain["data"] == light["data"] == full["data"]
    assert set(plain) == {"data"}
    assert set(light["extensions"]["insight"]) == TOTALS
    result = full["extensions"]["insight"]
    assert set(result) == TOTALS | {"calls"}
    assert all(set(call) == CALL and call["path"] == [KEY] for call in result["calls"])
    for name in ("roundTrips", "readUnits", "items", "bytes"):
        assert sum(call[name] for call in result["calls"]) == result[name]
    if verb.startswith("get"):
        result = min(result, *(took(client, verb) for _ in range(2)), key=lambda each: each["roundTrips"])
        assert result["roundTrips"] == (2 if verb == "getBy" else 1)
        assert (result["readUnits"] > 0, result["writeUnits"]) == (True, 0)


def test_insight_of_a_mutation_is_returned(client: ServiceClient) -> None:
    create = 'mutation { Skill___create(data: {name: "took"}, insight: LIGHT) { _id } }'
    body = client.answer(create).body
    id_ = body["data"]["Skill___create"]["_id"]
    delete = f'mutation {{ Skill___delete(_id: "{id_}", insight: LIGHT) {{ deleted }} }}'

    ended = client.answer(delete).body

    result = body["extensions"]["insight"]
    assert (result["roundTrips"], result["writeUnits"]) == (1, 2)
    assert ended["data"] == {"Skill___delete": {"deleted": True}}
    assert ended["extensions"]["insight"]["writeUnits"] > 0


def test_insight_of_several_services_is_returned_together(client: ServiceClient) -> None:
    query = client.named(
        """{ one: Team___get(_id: "<red>", insight: LIGHT) { name }
             two: Team___get(_id: "<blue>", insight: FULL) { name }
             three: Team___get(_id: "<blue>") { name } }"""
    )

    result = client.answer(query).body["extensions"]["insight"]

    assert result["roundTrips"] == 2
    assert [call["path"] for call in result["calls"]] == [["two"]]


@pytest.mark.parametrize("level", ["LIGHT", "FULL"])
@pytest.mark.parametrize("verb", [*READING, *WRITING])
def test_diagnostics_of_other_members_are_refused_before_execution(
    client: ServiceClient, clerk: str, verb: str, level: str
) -> None:
    argument = f", insight: {level}"
    query = client.named(asking(verb, argument))
    before = client.store.rows()

    answer = client.answer(query, authorization=clerk)

    text = "Only administrators can use insight. Remove it."
    issue = Issue("APPLICATION_ACCESS_FORBIDDEN", text, "insight")
    shown = error(issue.shown(KEY, answer.trace_id, profile="Clerk"))
    assert answer.body == {"data": {KEY: None}, "errors": [shown]}
    assert client.store.rows() == before


def test_requests_without_diagnostics_are_served(client: ServiceClient, clerk: str) -> None:
    query = client.named(asking("get", ""))
    assert client.answer(query, authorization=clerk).body == {"data": {KEY: {"name": "red"}}}


@pytest.mark.parametrize("verb", READING)
def test_the_result_without_the_cache_is_the_same(client: ServiceClient, verb: str) -> None:
    with_it, without_it = (
        client.answer(client.named(asking(verb, argument))).body
        for argument in (", disableCache: false", ", disableCache: true")
    )

    assert (with_it, "errors" in with_it) == (without_it, False)


def test_without_the_cache_objects_of_a_page_are_read_again(client: ServiceClient) -> None:
    page = "{ Team___getPage(options: {next: 2}, disableCache: %s, insight: FULL) { items { name } } }"

    usual, exact = (client.answer(page % word).body["extensions"]["insight"] for word in ("false", "true"))

    assert [call["kind"] for call in usual["calls"]] == ["range"]
    assert [call["kind"] for call in exact["calls"]] == ["range", "get"]


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
