"""Search forms send every field: empty ones are ignored in reads, and refused in writes."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from tests.core.schema.graph_api import GraphApi
from tests.everything_model import EverythingObjects
from tests.rows import each_row

FILTER = """query($filter: PersonFilter) {
  p: Person___getPage(options: {filter: $filter}) { items { _id } } }"""
FORM = """query($name: String, $tall: Int, $moods: [Mood!], $text: String) {
  p: Person___getPage(options: {
    filter: {last_name___contains: $name, OR: [{height___gte: $tall}, {mood___in: $moods}]}, filter_exp: $text
  }) { items { _id } } }"""
BULK = {
    "deleteBulk": "mutation($o: PersonPageOptions!) { p: Person___deleteBulk(options: $o) { deleted } }",
    "updateBulk": """mutation($o: PersonPageOptions!) {
      p: Person___updateBulk(data: {height: 1}, options: $o) { totalCount } }""",
    "validateDeleteBulk": """query($o: PersonPageOptions!) {
      p: Person___validateDeleteBulk(options: $o) { isValid } }""",
    "validateUpdateBulk": """query($o: PersonPageOptions!) {
      p: Person___validateUpdateBulk(data: {height: 1}, options: $o) { isValid } }""",
}
EVERYBODY = "abcd"


@pytest.fixture
def api() -> GraphApi:
    """Four persons of a team. a is the mentor of the others, and two have no height."""
    objects = EverythingObjects()
    objects.put("Team", "t", name="team")
    for id_, height, mood in (("a", 190, "GOOD"), ("b", 170, "BAD"), ("c", None, "BAD"), ("d", None, None)):
        mentor = None if id_ == "a" else "a"
        objects.put(
            "Person",
            id_,
            last_name=id_ * 3,
            height=height,
            mood=mood,
            team="t",
            mentor=mentor,
            born="2000-01-31",
        )
    return GraphApi(objects)


def found(api: GraphApi, query: str, **variables: Any) -> str:
    """Return the ids in a page. The request is sent three times, from the second on compiled."""
    answers = [api.ask(query, **variables) for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    return "".join(item["_id"] for item in answers[0]["items"])


@each_row(
    ("filter_", "expected"),
    [
        ({"height___gt": None}, EVERYBODY),
        ({"last_name___contains": None, "last_name___not___ends_with": None}, EVERYBODY),
        ({"_id___in": None, "_id___not___in": None}, EVERYBODY),
        ({"height___gt": None, "mood___eq": "BAD"}, "bc"),
        ({"height___eq": None}, "cd"),
        ({"height___ne": None}, "ab"),
        ({"_id___in": []}, ""),
        ({"OR": [{"height___gt": None}, {"last_name___eq": "aaa"}]}, "a"),
        ({"OR": [{"height___gt": None}, {"last_name___contains": None}]}, EVERYBODY),
        ({"OR": [{}, {"last_name___eq": "aaa"}]}, "a"),
        ({"OR": [{}]}, EVERYBODY),
        ({"OR": []}, ""),
        ({"AND": []}, EVERYBODY),
        ({"OR": [{"AND": []}, {"last_name___eq": "aaa"}]}, EVERYBODY),
        ({"AND": [{"height___gt": None}, {"mood___eq": "BAD"}]}, "bc"),
        ({"AND": [{"height___lt": None}]}, EVERYBODY),
        ({"NOT": {"height___gt": None}}, EVERYBODY),
        ({"NOT": {}}, EVERYBODY),
        ({"NOT": {"OR": [{"height___gt": None}]}}, EVERYBODY),
        ({"NOT": {"height___gt": None, "mood___eq": "BAD"}}, "ad"),
        ({"NOT": {"NOT": {"NOT": {"height___gt": None}}}}, EVERYBODY),
        ({"OR": [{"NOT": {"height___gt": None}}, {"OR": [{"AND": [{}]}]}, {"height___null": True}]}, "cd"),
        ({"OR": None, "AND": None, "NOT": None, "height___null": False}, "ab"),
    ],
)
def test_comparisons_without_a_value_are_ignored_in_a_page(
    api: GraphApi, filter_: dict[str, Any], expected: str
) -> None:
    """An empty element of OR too, which would match everything, and a NOT of nothing, which would nothing."""
    assert found(api, FILTER, filter=filter_) == expected


@each_row(
    ("data", "expected"),
    [
        ({}, EVERYBODY),
        ({"name": None, "tall": None, "moods": None, "text": None}, EVERYBODY),
        ({"text": ""}, EVERYBODY),
        ({"text": " \n"}, EVERYBODY),
        ({"name": "a", "text": ""}, "a"),
        ({"tall": 180}, "a"),
        ({"tall": None, "moods": ["BAD"]}, "bc"),
        ({"tall": 180, "moods": ["BAD"], "text": "height > 180"}, "a"),
    ],
)
def test_a_search_form_may_leave_any_field_empty(api: GraphApi, data: dict[str, Any], expected: str) -> None:
    assert found(api, FORM, **data) == expected


def test_a_cached_document_does_not_depend_on_earlier_nulls(api: GraphApi) -> None:
    """The same compiled document serves all variables."""
    for value, expected in (({"tall": None}, EVERYBODY), ({"tall": 180}, "a"), ({}, EVERYBODY)) * 2:
        assert found(api, FORM, **value) == expected


def test_comparisons_without_a_value_are_ignored_in_roles_and_associables(api: GraphApi) -> None:
    query = """query($q: String) { p: Person___get(_id: "a") {
      pupils(options: {filter: {last_name___starts_with: $q}, filter_exp: ""}) { items { _id } }
      mentor___associables(options: {filter: {NOT: {last_name___starts_with: $q}}}) { totalCount }
    } }"""

    assert [api.ask(query, q=None) for _ in range(2)] == [
        {
            "pupils": {"items": [{"_id": "b"}, {"_id": "c"}, {"_id": "d"}]},
            "mentor___associables": {"totalCount": 4},
        }
    ] * 2
    assert api.ask(query, q="b") == {
        "pupils": {"items": [{"_id": "b"}]},
        "mentor___associables": {"totalCount": 3},
    }


def test_null_is_no_operand_of_null_operators(api: GraphApi) -> None:
    issues = api.issues(FILTER, filter={"height___null": None, "mood___not___null": None})

    assert issues == [
        ("MALFORMED_REQUEST", "p.options.filter.height___null"),
        ("MALFORMED_REQUEST", "p.options.filter.mood___not___null"),
    ]


def test_errors_keep_their_path_if_other_comparisons_are_ignored(api: GraphApi) -> None:
    filter_ = {"OR": [{"height___gt": None}, {}, {"born___gt": "soon"}]}

    assert api.issues(FILTER, filter=filter_) == [("DATA_TYPE", "p.options.filter.OR.2.born___gt")]


def test_ignored_fields_do_not_count_as_comparisons(api: GraphApi) -> None:
    """A form has as many fields as it likes; those that compare are limited as ever."""
    empty = {"OR": [{"height___gt": None}] * 600}
    nulls = {"OR": [{"height___eq": None}] * 501}

    assert found(api, FILTER, filter=empty) == EVERYBODY
    assert api.issues(FILTER, filter=nulls) == [("MALFORMED_REQUEST", "p.options.filter")]


@each_row("verb", BULK)
@each_row(
    ("options", "place"),
    [
        ({"filter": {"height___gt": None}}, "filter.height___gt"),
        ({"filter": {"mood___eq": "BAD", "last_name___contains": None}}, "filter.last_name___contains"),
        ({"filter": {"_id___in": None}}, "filter._id___in"),
        ({"filter": {"OR": [{"height___gt": None}]}}, "filter.OR.0.height___gt"),
        ({"filter": {"NOT": {"height___gt": None}}}, "filter.NOT.height___gt"),
        ({"filter": {"AND": None}}, "filter.AND"),
        ({"filter": {"OR": None}}, "filter.OR"),
        ({"filter": {"NOT": None}}, "filter.NOT"),
        ({"filter": {"_clientId___eq": None}}, "filter._clientId___eq"),
        ({"filter": {"OR": [{}]}}, "filter.OR.0"),
        ({"filter": {"AND": [{"mood___eq": "BAD"}, {}]}}, "filter.AND.1"),
        ({"filter": {"OR": [{"last_name___eq": "aaa"}, {}]}}, "filter.OR.1"),
        ({"filter": {"AND": [{"OR": [{"last_name___eq": "aaa"}, {}]}]}}, "filter.AND.0.OR.1"),
        ({"filter": {"NOT": {}}}, "filter.NOT"),
        ({"filter": {"mood___eq": "BAD", "NOT": {"AND": [{}]}}}, "filter.NOT.AND.0"),
        ({"filter": {"team": {"OR": [{}, {"name___eq": "other"}]}}}, "filter.team.OR.0"),
        ({"filter": {"team": {"NOT": {}}}}, "filter.team.NOT"),
        ({"filter": None}, "filter"),
        ({"filter": {}, "filter_exp": None}, "filter_exp"),
        ({"filter_exp": None}, "filter_exp"),
        ({"filter_exp": ""}, "filter_exp"),
        ({"filter_exp": " "}, "filter_exp"),
    ],
)
def test_a_bulk_service_refuses_comparisons_without_a_value(
    api: GraphApi, verb: str, options: dict[str, Any], place: str
) -> None:
    for _ in range(3):
        answer = api.body(BULK[verb], o=options)
        (issue,) = [error["extensions"] for error in answer["errors"]]
        assert (issue["issueType"], issue["sourceRequestReference"]) == (
            "MALFORMED_REQUEST",
            f"p.options.{place}",
        )
    assert found(api, FILTER, filter={}) == EVERYBODY


@each_row(
    ("options", "refused"),
    [
        ("{filter: {last_name___contains: $name}}", "filter.last_name___contains"),
        ("{filter: {OR: [{last_name___contains: $name}]}}", "filter.OR.0.last_name___contains"),
        ("{filter_exp: $name}", "filter_exp"),
        (
            "{filter: {OR: [{last_name___contains: $name}, {mood___eq: GOOD}]}}",
            "filter.OR.0.last_name___contains",
        ),
        ("{filter: {NOT: {last_name___contains: $name}}}", "filter.NOT.last_name___contains"),
        ("{filter: {last_name___contains: $name, mood___eq: GOOD}}", "filter.last_name___contains"),
        ('{filter: {last_name___contains: $name}, filter_exp: "height > 1"}', "filter.last_name___contains"),
        ("{filter: {mood___eq: GOOD}, filter_exp: $name}", "filter_exp"),
        ('{filter: $filter, filter_exp: "height > 1"}', "filter"),
    ],
)
def test_a_missing_variable_does_not_delete_more_objects(api: GraphApi, options: str, refused: str) -> None:
    """GraphQL takes its field for not written. That widens a filter, and below OR it would be all."""
    variable, type_ = ("$filter", "PersonFilter") if "$filter" in options else ("$name", "String")
    query = f"mutation({variable}: {type_}) {{ p: Person___deleteBulk(options: {options}) {{ deleted }} }}"
    for _ in range(3):
        (issue,) = [error["extensions"] for error in api.body(query)["errors"]]
        assert issue["sourceRequestReference"] == f"p.options.{refused}"
        assert f"{variable} has no value" in issue["userMessage"]
    assert found(api, FILTER, filter={}) == EVERYBODY


LOST_CONDITIONS: list[tuple[dict[str, Any], str]] = [
    ({"filter": {"mood___eq": "BAD"}, "filter_exp": None}, "filter_exp"),
    ({"filter": {"mood___eq": "BAD"}, "filter_exp": ""}, "filter_exp"),
    ({"filter": {"mood___eq": "BAD"}, "filter_exp": " \n"}, "filter_exp"),
    ({"filter": None, "filter_exp": "mood == 'BAD'"}, "filter"),
    ({"filter": {}, "filter_exp": "mood == 'BAD'"}, "filter"),
    ({"filter": {"AND": []}, "filter_exp": "mood == 'BAD'"}, "filter"),
    ({"filter": {"_id___not___in": []}, "filter_exp": "mood == 'BAD'"}, "filter"),
    ({"filter": {"pupils___every": {}}, "filter_exp": "mood == 'BAD'"}, "filter"),
]
"""Options in which one condition got lost beside another, and the option that lost it."""


@each_row("verb", BULK)
@each_row(("options", "lost"), LOST_CONDITIONS)
@each_row("form", ["variable", "literal", "variables"])
def test_a_bulk_service_refuses_a_lost_condition_beside_another(
    api: GraphApi, verb: str, options: dict[str, Any], lost: str, form: str
) -> None:
    query, variables = BULK[verb], {"o": options}
    if form == "literal":
        filter_ = json.dumps(options["filter"]).replace('"BAD"', "BAD")
        filter_ = re.sub(r'"(\w+)":', r"\1:", filter_)
        literal = f"{{filter: {filter_}, filter_exp: {json.dumps(options['filter_exp'])}}}"
        query, variables = query.replace("($o: PersonPageOptions!)", "").replace("$o", literal), {}
    if form == "variables":
        query = query.replace("$o: PersonPageOptions!", "$filter: PersonFilter, $text: String")
        query = query.replace("$o", "{filter: $filter, filter_exp: $text}")
        variables = {"filter": options["filter"], "text": options["filter_exp"]}
    for _ in range(3):
        (error,) = api.body(query, **variables)["errors"]
        assert error["extensions"]["sourceRequestReference"] == f"p.options.{lost}"
        assert error["message"] == (
            f"Person: {lost} has no condition. Without it, the request might select more Person objects. "
            f"Specify a condition, or remove {lost}."
        )
    assert found(api, FILTER, filter={}) == EVERYBODY


@each_row("options", [options for options, _ in LOST_CONDITIONS])
def test_a_setting_lets_a_bulk_service_ignore_a_lost_condition_as_a_page_does(
    api: GraphApi, options: dict[str, Any]
) -> None:
    api.serve(replace(api.services, bulk=api.services.bulk._replace(requires_condition=False)))
    page = "query($o: PersonPageOptions!) { p: Person___getPage(options: $o) { items { _id } } }"

    assert found(api, page, o=options) == "bc"
    assert api.ask(BULK["updateBulk"], o=options) == {"totalCount": 2}


@each_row("verb", BULK)
@each_row(
    "options",
    [
        {},
        {"next": 2},
        {"next": None, "prev": None, "cursor": None, "fromCursor": None, "offset": None},
        {"filter": {}},
        {"filter": {}, "next": 2},
        {"filter": {"AND": []}},
        {"filter": {"NOT": {"OR": []}}},
        {"filter": {"OR": [{"AND": []}, {"last_name___eq": "aaa"}]}},
        {"filter": {"last_name___not___in": []}},
        {"filter": {"OR": [{"height___gt": 1}, {"_id___not___in": []}]}},
        {"filter": {"NOT": {"last_name___in": []}}},
        {"filter": {"NOT": {"_clientId___eq": "x"}}},
        {"filter": {"pupils___every": {}}},
        {"filter": {"pupils___none": {"_id___in": []}}},
    ],
)
def test_a_bulk_service_refuses_options_that_select_every_object(
    api: GraphApi, verb: str, options: dict[str, Any]
) -> None:
    for _ in range(3):
        (error,) = api.body(BULK[verb], o=options)["errors"]
        place = ".filter" if "filter" in options else ""
        assert error["extensions"]["sourceRequestReference"] == f"p.options{place}"
        assert error["message"] == (
            "Person: The options have no condition, so they would select every Person. "
            "To select every Person, use the filter {_id___not___null: true}."
        )
    assert found(api, FILTER, filter={}) == EVERYBODY


@each_row("verb", BULK)
def test_a_bulk_service_without_options_is_refused(api: GraphApi, verb: str) -> None:
    without = BULK[verb].replace("($o: PersonPageOptions!)", "").replace("(options: $o)", "")
    (error,) = api.body(without.replace(", options: $o", ""))["errors"]
    assert "(options:)' of type 'PersonPageOptions!' is required" in error["message"]
    assert found(api, FILTER, filter={}) == EVERYBODY


@each_row(
    "filter_",
    [
        '{OR: [$x, {last_name___eq: "aaa"}]}',
        "{AND: [$x]}",
        "{NOT: $x, mood___eq: BAD}",
        "$x",
        "{OR: [{NOT: $x}]}",
    ],
)
def test_an_empty_variable_within_a_filter_does_not_delete_every_object(api: GraphApi, filter_: str) -> None:
    query = f"""mutation($x: PersonFilter!) {{
      p: Person___deleteBulk(options: {{filter: {filter_}}}) {{ deleted }} }}"""
    for _ in range(3):
        assert "{_id___not___null: true}" in api.body(query, x={})["errors"][0]["message"]
    assert found(api, FILTER, filter={}) == EVERYBODY


def test_the_filter_for_every_object_selects_every_object(api: GraphApi) -> None:
    options = {"filter": {"_id___not___null": True}}
    assert api.ask(BULK["validateDeleteBulk"], o=options) == {"isValid": True}
    assert api.ask(BULK["deleteBulk"], o=options) == {"deleted": 4}


@pytest.mark.parametrize("options", [{}, {"filter": {}}, {"filter": {"AND": []}}], ids=str)
def test_a_setting_lets_options_without_a_condition_select_every_object(
    api: GraphApi, options: dict[str, Any]
) -> None:
    api.serve(replace(api.services, bulk=api.services.bulk._replace(requires_condition=False)))

    element, null = {"filter": {"OR": [{}, {"last_name___eq": "aaa"}]}}, {"filter": None}
    for refused in (element, null):
        assert len(api.body(BULK["deleteBulk"], o=refused)["errors"]) == 1
    assert api.ask(BULK["deleteBulk"], o=options) == {"deleted": 4}


def test_a_null_option_that_is_no_condition_is_ignored(api: GraphApi) -> None:
    """Clients send whole options."""
    options = dict.fromkeys(("next", "prev", "cursor", "fromCursor", "offset"))

    assert api.ask(BULK["deleteBulk"], o={"filter": {"mood___eq": "GOOD"}, **options}) == {"deleted": 1}
    assert api.ask(BULK["deleteBulk"], o={"filter_exp": "mood == 'BAD'", **options}) == {"deleted": 2}


@pytest.mark.parametrize("variables", [{}, {"count": None}, {"count": 1}], ids=str)
def test_a_bulk_service_without_next_takes_all_matches(api: GraphApi, variables: dict[str, Any]) -> None:
    """A client that always means a number declares the variable as non-null."""
    query = """mutation($count: Int) {
      p: Person___deleteBulk(options: {filter: {mood___eq: BAD}, next: $count}) { deleted } }"""
    certain = query.replace("Int", "Int!")

    if variables.get("count"):
        assert api.ask(certain, **variables) == {"deleted": 1}
        assert api.ask(query, **variables) == {"deleted": 1}
    else:
        assert "$count" in api.body(certain, **variables)["errors"][0]["message"]
        assert found(api, FILTER, filter={}) == EVERYBODY
        assert api.ask(query, **variables) == {"deleted": 2}


WHOLE = """query($from: PersonCursor, $order: [PersonSort!]) {
  p: Person___getPage(options: {fromCursor: $from, orderBy: $order}) { items { _id } } }"""


@each_row(
    ("order", "data", "expected"),
    [
        ([], {"_id": "c", "last_name": "ccc", "height": None, "born": "not read"}, "cd"),
        (["height___ASC"], {"_id": "b", "last_name": "bbb", "height": 170}, "ba"),
        (["height___ASC"], {"_id": "d", "height": None}, "dba"),
        (["height___ASC", "last_name___DESC"], {"height": None, "mood": "BAD"}, "dcba"),
        (["last_name___DESC"], {"_id": "b", "last_name": "bbb", "team_name": "team"}, "ba"),
    ],
)
def test_a_whole_object_can_be_given_as_a_position(
    api: GraphApi, order: list[str], data: dict[str, Any], expected: str
) -> None:
    assert found(api, WHOLE, **{"from": data, "order": order}) == expected


@each_row("data", [{"last_name": "bbb"}, {"last_name": "bbb", "_id": "b"}])
def test_a_position_without_the_first_attribute_of_the_order_is_refused(
    api: GraphApi, data: dict[str, Any]
) -> None:
    issues = api.issues(WHOLE, **{"from": data, "order": ["height___ASC"]})

    assert issues == [("MALFORMED_REQUEST", "p.options.fromCursor")]
