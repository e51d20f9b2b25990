"""An invalid format is refused once per field, before any read or write."""

from dataclasses import replace
from typing import Any

import pytest

from stratabase.values.formats.preferences import Formats
from tests.core.schema.graph_api import GraphApi
from tests.everything_model import EverythingObjects

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
    bulk = """mutation { Person___updateBulk(data: {height: 1}, options: {filter: {_id___not___null: true}}) {
      items { born(format: "b") } } }"""

    assert api.issues(preview) == [(ISSUE, "Person___previewUpdate.born.format")]
    assert api.issues(bulk) == [(ISSUE, "Person___updateBulk.items.born.format")]
    assert untouched(api)


def ask_thrice(api: GraphApi, query: str, **variables: Any) -> Any:
    """Return the body of the response. graphql-core executes the first request, compiled code the others."""
    bodies = [api.body(query, **variables) for _ in range(3)]
    assert bodies[0] == bodies[1] == bodies[2]
    return bodies[0]


def test_iso_is_a_format_of_every_field(api: GraphApi) -> None:
    assert isinstance(api.entities, EverythingObjects)
    api.entities.put(
        "Person", "z", last_name="z", born="2020-01-31", salary="2.5E+40", seen="2020-01-31T10:00:00.000Z"
    )
    api.caller = replace(api.caller, formats=Formats("d MMM yyyy", "HH", "Europe/Rome", "it"))
    query = """{ Person___get(_id: "z") {
      b: born(format: "iso") s: seen(format: "iso") p: salary(format: "iso") salary
      start: _versionStart(format: "iso") } }"""

    found = ask_thrice(api, query)["data"]["Person___get"]

    assert (found["b"], found["s"]) == ("2020-01-31", "2020-01-31T11:00:00.000+01:00")
    assert (found["p"], found["salary"]) == ("25" + 39 * "0", "2.5E+40")


def warning(place: str, field: str, pattern: str, likely: str) -> dict[str, Any]:
    message = (
        f'{field}(format): The pattern "{pattern}" shows the week-based year (Y) without the week. '
        f'You probably mean "{likely}".'
    )
    return {"message": message, "path": place.split(".")}


def test_a_week_based_year_is_answered_with_a_warning(api: GraphApi) -> None:
    query = """{ p: Person___getPage(options: {next: 2}) { items {
      born(format: "YYYY-MM-DD") w: born(format: "YYYY-'W'ww") mentor { x: born(format: "dd/MM/YYYY") }
    } } }"""

    body = ask_thrice(api, query)

    first = {"born": "2000-01-31", "w": "2000-W06", "mentor": {"x": "31/01/2000"}}
    assert body["data"]["p"]["items"] == [first, first]
    assert "errors" not in body
    assert body["extensions"] == {
        "warnings": [
            warning("p.items.born.format", "Person.born", "YYYY-MM-DD", "yyyy-MM-dd"),
            warning("p.items.mentor.x.format", "Person.born", "dd/MM/YYYY", "dd/MM/yyyy"),
        ]
    }


def test_warnings_come_from_variables_and_mutations_and_beside_errors(api: GraphApi) -> None:
    query = 'query($f: String) { Person___get(_id: "a") { born(format: $f) } }'
    expected = [warning("Person___get.born.format", "Person.born", "YYYY", "yyyy")]
    assert ask_thrice(api, query, f="YYYY")["extensions"] == {"warnings": expected}
    assert "extensions" not in ask_thrice(api, query, f="yyyy")
    mutation = """mutation {
      good: Person___update(data: {_id: "a", height: 1}) { born(format: "YYYY") }
      bad: Person___update(data: {_id: "none", height: 1}) { height } }"""
    body = api.body(mutation)
    assert body["data"] == {"good": {"born": "2000"}, "bad": None}
    assert len(body["errors"]) == 1
    assert body["extensions"]["warnings"] == [warning("good.born.format", "Person.born", "YYYY", "yyyy")]


def test_warnings_are_in_the_language_of_the_caller(api: GraphApi) -> None:
    api.caller = replace(api.caller, formats=Formats(language="it"))
    body = ask_thrice(api, '{ Person___get(_id: "a") { born(format: "YYYY") } }')
    (warned,) = body["extensions"]["warnings"]
    assert "Probabilmente" in warned["message"]


def test_a_response_has_at_most_nine_warnings(api: GraphApi) -> None:
    fields = " ".join(f'b{number}: born(format: "YYYY")' for number in range(12))
    body = ask_thrice(api, f'{{ Person___get(_id: "a") {{ {fields} }} }}')
    assert len(body["extensions"]["warnings"]) == 9
