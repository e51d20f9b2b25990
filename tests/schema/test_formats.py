"""An invalid format is refused once per field, before any read or write."""

from typing import Any

import pytest

from tests.everything_model import EverythingObjects
from tests.schema.graph_api import GraphApi

ISSUE = "MALFORMED_REQUEST"


@pytest.fixture
def api() -> GraphApi:
    """Five persons of one team."""
    objects = EverythingObjects()
    objects.put("Team", "t", name="t")
    for id_ in "abcde":
        objects.put("Person", id_, last_name=id_, born="2000-01-31", salary="1234.5", team="t", mentor="a")
    return GraphApi(objects)


def untouched(api: GraphApi) -> bool:
    assert isinstance(api.entities, EverythingObjects)
    return not api.entities.allowances and not api.entities.commits


@pytest.mark.parametrize(
    ("query", "places"),
    [
        ('{ p: Person___getPage { items { born(format: "bbb") } } }', ["p.items.born.format"]),
        ('{ Person___get(_id: "a") { b: born(format: "bbb") } }', ["Person___get.b.format"]),
        ('{ Person___get(_id: "none") { salary(format: "#,##") } }', []),
        ('{ Person___get(_id: "none") { salary(format: "0.#0") } }', ["Person___get.salary.format"]),
        (
            '{ p: Person___getPage { items { x: born(format: "b") salary(format: "0.#0") } } }',
            ["p.items.x.format", "p.items.salary.format"],
        ),
        (
            """{ p: Person___getPage { items { ...F team { m: members { items { ...F } } } } } }
               fragment F on Person { born(format: "HH") }""",
            ["p.items.born.format", "p.items.team.m.items.born.format"],
        ),
        (
            """{ p: Person___get(_id: "a") { team { members(options: {next: -1}) {
                 items { born(format: "b") } } } } }""",
            ["p.team.members.options.next", "p.team.members.items.born.format"],
        ),
        ('{ p: Person___get(_id: "a") { mentor_born(format: "b") } }', ["p.mentor_born.format"]),
        ('{ p: Person___get(_id: "a") { born(format: "b") @skip(if: true) label } }', []),
    ],
)
def test_an_invalid_format_refuses_the_service(api: GraphApi, query: str, places: list[str]) -> None:
    for _ in range(3):
        if not places:
            assert "errors" not in api.body(query)
        else:
            assert api.issues(query) == [(ISSUE, place) for place in places]
            assert untouched(api)


def test_the_issue_names_the_attribute_and_the_error(api: GraphApi) -> None:
    query = '{ p: Person___getPage { totalCount items { when: born(format: "HH") } } }'

    (error,) = api.body(query)["errors"]

    assert (error["path"], error["locations"]) == (["p"], [{"line": 1, "column": 3}])
    assert error["message"].startswith("Person.born(format): ")
    assert "HH" in error["message"]
    issue = error["extensions"]
    assert (issue["issueReferenceType"], issue["issueLevel"]) == ("ENTITY_ATTRIBUTE", "ERROR")
    assert (issue["entityName"], issue["attributeNames"], issue["entityID"]) == ("Person", ["born"], None)


@pytest.mark.parametrize("variables", [{"f": "bbb"}, {"f": "HH"}])
def test_an_invalid_format_in_a_variable_is_refused(api: GraphApi, variables: dict[str, Any]) -> None:
    query = "query($f: String) { Person___getPage { items { born(format: $f) } } }"

    assert api.issues(query, **variables) == [(ISSUE, "Person___getPage.items.born.format")]
    assert untouched(api)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, "2000"),
        ({"f": None}, "31/01/2000"),
        ({"f": "default"}, "31/01/2000"),
        ({"f": "yyyy-MM-dd"}, "2000-01-31"),
    ],
)
def test_a_valid_format_in_a_variable_is_accepted(
    api: GraphApi, variables: dict[str, Any], expected: str
) -> None:
    query = 'query($f: String = "yyyy") { Person___get(_id: "a") { born(format: $f) } }'

    assert [api.ask(query, **variables) for _ in range(3)] == [{"born": expected}] * 3


def test_a_write_with_an_invalid_format_in_its_selection_is_refused(api: GraphApi) -> None:
    query = """mutation {
      good: Person___update(data: {_id: "a", height: 1}) { height born(format: "yyyy") }
      bad: Person___update(data: {_id: "b", height: 1}) { height mentor { born(format: "b") } }
    }"""

    body = api.body(query)

    assert body["data"] == {"good": {"height": 1, "born": "2000"}, "bad": None}
    (error,) = body["errors"]
    assert error["extensions"]["sourceRequestReference"] == "bad.mentor.born.format"
    assert isinstance(api.entities, EverythingObjects)
    assert len(api.entities.commits) == 1


def test_previews_and_bulk_services_check_formats_first(api: GraphApi) -> None:
    preview = """{ Person___previewUpdate(data: {_id: "a"}) { born(format: "b") } }"""
    bulk = """mutation { Person___updateBulk(data: {height: 1}, options: {}) {
      items { born(format: "b") } } }"""

    assert api.issues(preview) == [(ISSUE, "Person___previewUpdate.born.format")]
    assert api.issues(bulk) == [(ISSUE, "Person___updateBulk.items.born.format")]
    assert untouched(api)
