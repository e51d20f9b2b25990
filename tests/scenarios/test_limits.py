"""Each limit on requests has a setting and is checked before execution; introspection passes."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from stratabase.core.app.app import App
from stratabase.core.settings import Settings
from stratabase.members.app.member_services import MemberServices
from tests.server.http.serving import Client, http_server
from tests.service import PASSWORD, Reply, RunningService, basic, running

MODEL = """
extend schema @application(name: "Library") @profile(name: "Administrator", administrator: true)
type Book @unique(attributes: ["title"]) {
  title: String
  text: Text
  author: Author @association(opposite: "books")
}
type Author { name: String books: [Book!] @association(opposite: "author") }
"""
ADDRESS = "/auth/api/graphql/Library"
HEADERS = {"Content-Type": "application/json", "Authorization": basic("admin", PASSWORD)}
SETTINGS = {
    "STRATABASE_QUERY_KILOBYTES": "2",
    "STRATABASE_QUERY_DEPTH": "4",
    "STRATABASE_QUERY_ALIASES": "3",
    "STRATABASE_QUERY_DIRECTIVES": "2",
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("model") / "library.graphql"
    file.write_text(MODEL)
    return file


@pytest.fixture(scope="module")
def service(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with small limits."""
    home: Path = tmp_path_factory.mktemp("limits") / "home"
    with running(home, model=model, application="Library", settings=SETTINGS) as started:
        yield started


def send(service: RunningService, query: str, variables: Any = None, **headers: str) -> Reply:
    own = HEADERS | {name.replace("_", "-"): value for name, value in headers.items()}
    body = json.dumps({"query": query, "variables": variables})
    return service.request("POST", ADDRESS, headers=own, body=body)


def ask(service: RunningService, query: str, variables: Any = None) -> Any:
    return send(service, query, variables).json()


class Limit(NamedTuple):
    """A request just within a limit, one beyond it, and the message for the latter."""

    within: str
    beyond: str
    message: str
    place: tuple[int, int] | None
    """Line and column."""


def create(title: str, rest: str = "") -> str:
    return f'mutation {{ Book___create(data: {{title: "{title}"}}) {{ _id {rest} }} }}'


LIMITS = {
    "QUERY_KILOBYTES": Limit(
        create("long").ljust(2048),
        create("long").ljust(2049),
        "The query has 2,049 characters. The maximum is 2,048. Pass values as variables.",
        None,
    ),
    "QUERY_DEPTH": Limit(
        create("deep", "author { books { totalCount } }"),
        create("deep", "author { books { items { title } } }"),
        "The document nests fields 5 levels deep. The maximum is 4. Split it into several requests.",
        (1, 1),
    ),
    "QUERY_ALIASES": Limit(
        create("alias", "a: _id b: _id c: _id"),
        create("alias", "a: _id b: _id c: _id d: _id"),
        "The document has 4 aliases. The maximum is 3.",
        (1, 56),
    ),
    "QUERY_DIRECTIVES": Limit(
        create("directive", "title @skip(if: false) @include(if: true)"),
        create("directive", "title @skip(if: false) @include(if: true) @skip(if: false)"),
        "The document applies 3 directives to the same element. The maximum is 2.",
        (1, 60),
    ),
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_query_beyond_a_limit_is_refused_before_execution(service: RunningService, name: str) -> None:
    limit = LIMITS[name]
    pages = "{ Book___getPage { totalCount } }"
    before = ask(service, pages)

    beyond, modern = (
        send(service, limit.beyond, Accept=accept)
        for accept in ("application/json", "application/graphql-response+json")
    )

    assert (beyond.status, modern.status) == (200, 400)
    places = [] if limit.place is None else [{"line": limit.place[0], "column": limit.place[1]}]
    result: dict[str, Any] = {"message": limit.message, **({"locations": places} if places else {})}
    result["extensions"] = {"classification": "ValidationError"}
    assert beyond.json() == modern.json() == {"errors": [result]}
    assert ask(service, pages) == before
    assert "errors" not in ask(service, limit.within)


class StepByStep:
    """A clock that advances one second per reading."""

    def __init__(self) -> None:
        self._now = 1_577_880_000_000

    def now(self) -> int:
        self._now += 1000
        return self._now


@pytest.fixture
def slow(model: Path, tmp_path: Path) -> Iterator[Client]:
    """A service over HTTP in this process, for which every step takes a second."""
    settings = replace(
        Settings(),
        home=tmp_path / "home",
        model=model,
        admin_password=PASSWORD,
        bulk_seconds=5,
        log_level="ERROR",
    )
    instance = App(settings)
    instance.clock = StepByStep()  # type: ignore[assignment]
    instance.part(MemberServices).create_first_administrator()
    with http_server(instance.http_handler(instance.endpoints("graphql"))) as client:
        yield client
    instance.close()


def test_a_bulk_service_ends_in_time_and_reports_progress(slow: Client) -> None:
    """Repeating it goes on."""

    def said(query: str) -> Any:
        return slow.request("POST", ADDRESS, HEADERS, json.dumps({"query": query})).json()

    for number in range(9):
        assert "errors" not in said(f'mutation {{ Book___create(data: {{title: "{number}"}}) {{ _id }} }}')
    end = "mutation {\n  it: Book___deleteBulk(options: {filter: {_id___not___null: true}}) { deleted }\n}"
    result, left = [], [9]
    while "errors" in (body := said(end)):
        (error,) = body["errors"]
        left.append(said("{ it: Book___getPage { totalCount } }")["data"]["it"]["totalCount"])
        done = left[-2] - left[-1]
        expected = (
            f"The request reached its time limit. {done} of {left[-2]} Book objects were deleted. "
            "Send the request again to continue."
        )
        assert (error["message"], error["path"], body["data"]) == (
            expected,
            ["it"],
            {"it": {"deleted": done}},
        )
        result.append(error["extensions"])

    assert body == {"data": {"it": {"deleted": left[-1]}}}
    assert len(result) > 1
    assert sorted(left, reverse=True) == left
    assert {(each["issueType"], each["sourceRequestReference"], each["entityName"]) for each in result} == {
        ("SERVICE_HANDLER_ERROR", "it.options", "Book")
    }


LARGE = "".join(f"{number:x}" for number in range(70_000))
"""A text that hardly repeats itself: of two bytes, one is left when it is compressed."""


def test_a_too_large_response_is_refused(model: Path, tmp_path: Path) -> None:
    """The limit is 6 MB as sent, so a compressed response may be longer."""
    count = 6 * 1024 * 1024 // len(LARGE) + 1
    with running(tmp_path / "home", model=model, application="Library") as service:
        for number in range(count):
            data = {"title": f"{number}", "text": LARGE}
            created = ask(
                service, "mutation($data: BookCreate!) { Book___create(data: $data) { _id } }", {"data": data}
            )
            assert "errors" not in created
        page = "{ Book___getPage(options: {next: 100}) { items { text } } }"
        change = """mutation { Book___updateBulk(data: {author: null},
          options: {filter: {_id___not___null: true}}) { items { text } } }"""

        plain, small, halved, written = (
            send(service, page),
            send(service, page, Accept_Encoding="gzip"),
            send(service, page.replace("100", str(count // 2))),
            send(service, change),
        )

    assert (plain.status, plain.headers["content-type"]) == (413, "application/problem+json")
    detail = plain.json()["detail"]
    assert "The limit is 6,291,456 bytes" in detail
    assert "smaller pages" in detail
    assert "accept gzip" in detail
    assert (small.status, small.headers["content-encoding"]) == (200, "gzip")
    assert halved.status == 200
    assert "done" not in detail
    assert written.status == 413
    assert "The mutation was already executed. Check the data before" in written.json()["detail"]


def test_access_to_the_schema_is_a_setting(model: Path, tmp_path: Path) -> None:
    """Switched off, nothing tells of it: no introspection, no text, no "did you mean"."""
    settings = {"STRATABASE_INTROSPECTION": "off", "STRATABASE_SUGGESTIONS": "off"}
    with running(tmp_path / "home", model=model, application="Library", settings=settings) as service:
        schema = service.request("GET", "/auth/api/schema/Library", headers=HEADERS)
        asked = ask(service, "{ __schema { types { name } } }")
        typed = ask(service, '{ __type(name: "Book") { name } }')
        mistyped = ask(service, '{ Book___get(_id: "1") { titel } }')
        value = ask(
            service,
            "query($o: BookPageOptions) { Book___getPage(options: $o) { totalCount } }",
            {"o": {"nxt": 1}},
        )
        name = ask(service, "{ Book___getPage { __typename } }")

    assert schema.status == 404
    for body in (asked, typed):
        assert body["errors"][0]["extensions"] == {"classification": "ValidationError"}
        assert body["errors"][0]["message"].startswith("GraphQL introspection has been disabled")
        assert "data" not in body
    assert [body["errors"][0]["message"].count("Did you mean") for body in (mistyped, value)] == [0, 0]
    assert name == {"data": {"Book___getPage": {"__typename": "BookPage"}}}
