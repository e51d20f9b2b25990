"""Invalid reads: contradicting options, foreign cursors, invalid values and formats."""

import base64
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.rows import each_row
from tests.scenarios.refusals.case import Asked, Case
from tests.scenarios.refusals.issue import Issue
from tests.scenarios.refusals.needs import DATE, NULL, nested
from tests.scenarios.refusals.service_client import ServiceClient

BAD_CURSOR = "The cursor is not valid. Use a cursor from an earlier page without changing it."
GAP = (
    "fromCursor has {}, but the sort order is last_name and _id. "
    "Use the first attributes of the sort order, without gaps."
)


def option(name: str, message: str) -> Issue:
    return Issue("MALFORMED_REQUEST", f"Person: {message}", f"options.{name}", "ENTITY", "Person")


def value(type_: str, name: str, message: str, place: str) -> Issue:
    attribute = name.partition("___")[0]
    text = f"Person.{name}: {message}"
    return Issue(type_, text, f"options.{place}", "ENTITY_ATTRIBUTE", "Person", attributes=(attribute,))


OPTIONS: dict[str, tuple[dict[str, Any], list[Issue]]] = {
    "a negative size": ({"next": -1}, [option("next", "next is -1. Use a number from 0 to 10000.")]),
    "too large a size": (
        {"next": 10_001},
        [option("next", "next is 10001. Use a number from 0 to 10000.")],
    ),
    "too large a size, backward": (
        {"prev": 10_001},
        [option("prev", "prev is 10001. Use a number from 0 to 10000.")],
    ),
    "a negative offset": ({"offset": -1}, [option("offset", "offset is -1. Use 0 or more.")]),
    "forward and backward": (
        {"next": 1, "prev": 1},
        [option("prev", "next and prev can't be used together. Use only one of them.")],
    ),
    "two positions": (
        {"cursor": "x", "fromCursor": {"_id": "x"}},
        [option("fromCursor", "cursor and fromCursor can't be used together. Use only one of them.")],
    ),
    "no cursor": ({"cursor": "x"}, [option("cursor", BAD_CURSOR)]),
    "an empty cursor": ({"cursor": ""}, [option("cursor", BAD_CURSOR)]),
    "a cursor that is a number": ({"cursor": 7}, [option("cursor", BAD_CURSOR)]),
    "a cursor with other characters": ({"cursor": "é" * 500}, [option("cursor", BAD_CURSOR)]),
    "a cursor that was made up": (
        {"cursor": base64.urlsafe_b64encode(b"\x01" + b"a" * 40).decode().rstrip("=")},
        [option("cursor", BAD_CURSOR)],
    ),
    "a position by an attribute outside the order": (
        {"fromCursor": {"email": "x"}, "orderBy": ["last_name___ASC"]},
        [option("fromCursor", GAP.format("email"))],
    ),
    "a position with a gap": (
        {"fromCursor": {"_id": "x"}, "orderBy": ["last_name___ASC"]},
        [option("fromCursor", GAP.format("_id"))],
    ),
    "an invalid position": (
        {"fromCursor": {"born": "soon"}, "orderBy": ["born___ASC"]},
        [value("DATA_TYPE", "born", f'"soon" is not a valid Date. {DATE}', "fromCursor.born")],
    ),
    "null for a Boolean": (
        {"filter": {"last_name___null": None}},
        [value("MALFORMED_REQUEST", "last_name___null", NULL, "filter.last_name___null")],
    ),
    "several invalid values at their places": (
        {
            "filter": {
                "born___gt": "soon",
                "OR": [{"height___null": True}, {"NOT": {"born___in": ["2020-01-01", "late"]}}],
                "AND": [{"height___lt": None}, {"height___not___null": None}],
            }
        },
        [
            value("DATA_TYPE", "born___gt", f'"soon" is not a valid Date. {DATE}', "filter.born___gt"),
            value(
                "DATA_TYPE", "born___in", f'"late" is not a valid Date. {DATE}', "filter.OR.1.NOT.born___in"
            ),
            value("MALFORMED_REQUEST", "height___not___null", NULL, "filter.AND.1.height___not___null"),
        ],
    ),
}
OPTIONS["a filter that is too deep"] = (
    {"filter": nested(101)},
    [
        Issue(
            "MALFORMED_REQUEST",
            "The filter is nested too deeply. The maximum is 100 levels.",
            "options.filter.NOT",
            "ENTITY",
            "Person",
        )
    ],
)
OPTIONS["a filter that compares too much"] = (
    {"filter": {"OR": [{"height___lt": 1}] * 501}},
    [
        Issue(
            "MALFORMED_REQUEST",
            "Person: The filter has 501 comparisons. The maximum is 500. "
            'A comparison with "in" counts as one, regardless of how many values it lists.',
            "options.filter",
            "ENTITY",
            "Person",
        )
    ],
)
OPTIONS["a filter that lists too many values"] = (
    {"filter": {"_id___in": ["x"] * 10_001}},
    [
        Issue(
            "MALFORMED_REQUEST",
            "Person: The filter lists 10,001 values. The maximum is 10,000.",
            "options.filter",
            "ENTITY",
            "Person",
        )
    ],
)


@each_row("says", OPTIONS)
def test_a_page_with_contradicting_options_is_refused(refuse: Callable[[Case], None], says: str) -> None:
    """The issue is at the root. It is the same if the cache is bypassed."""
    options, issues = OPTIONS[says]
    refuse(Case(says, [Asked("Person", "getPage", {"options": options}, issues)]))


LARGE = 300_000
"""Characters of the text of a large scroll: of a megabyte, the fourth is too many."""


@pytest.fixture(scope="module")
def large(client: ServiceClient) -> Iterator[ServiceClient]:
    """Four large scrolls, which together are more than one request may read."""
    names = [f"large{number}" for number in range(4)]
    for name in names:
        client.create("Scroll", name, title="large", text="x" * LARGE)
    yield client
    for name in names:
        client.ask("mutation($id: ID!) { Scroll___delete(_id: $id) { deleted } }", id=f"<{name}>")


INDEX = 'Declare @index(attributes: ["title"]) in the model.'
BY_TITLE = {"filter": {"title___eq": "large"}}


def too_much(remedy: str, *attributes: str) -> Issue:
    text = (
        "Scroll: The request reached its read limit after 5 objects, before the result was complete. "
        f"{remedy}"
    )
    return Issue("MALFORMED_REQUEST", text, "options", "ENTITY", "Scroll", attributes=tuple(attributes))


BUDGET = {
    "a filter without an index": ({**BY_TITLE, "next": 9}, "items { _id }", too_much(INDEX, "title")),
    "an order without an index": ({"orderBy": ["title___ASC"]}, "items { _id }", too_much(INDEX, "title")),
    "an offset": (
        {**BY_TITLE, "next": 1, "offset": 5},
        "items { _id }",
        too_much(f"Try one of the following. {INDEX} Omit offset.", "title"),
    ),
    "all objects": (
        {"next": 9},
        "items { _id }",
        too_much("Narrow the filter, or request fewer objects at a time."),
    ),
    "the total count": (
        {"next": 1, "filter": {"text___contains": "y"}},
        "totalCount",
        too_much("Omit totalCount."),
    ),
}


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("says", BUDGET)
def test_a_request_beyond_its_read_budget_is_refused(refuse: Callable[[Case], None], says: str) -> None:
    options, shows, issue = BUDGET[says]
    refuse(Case(says, [Asked("Scroll", "getPage", {"options": options}, [issue], shows=shows)]))


@pytest.mark.usefixtures("large")
def test_a_bulk_service_beyond_its_read_budget_is_refused(refuse: Callable[[Case], None]) -> None:
    issues = [too_much(INDEX, "title")]
    data = {"data": {"title": "new"}, "options": BY_TITLE}
    ways = [
        Asked("Scroll", "updateBulk", data, issues),
        Asked("Scroll", "validateUpdateBulk", data, issues, shows="isValid"),
        Asked("Scroll", "deleteBulk", {"options": BY_TITLE}, issues),
        Asked("Scroll", "validateDeleteBulk", {"options": BY_TITLE}, issues, shows="isValid"),
    ]
    refuse(Case("in bulk", ways))


def test_results_before_the_end_of_the_read_budget_are_returned(large: ServiceClient) -> None:
    """Only the services that exceed the budget are refused."""
    services = " ".join(
        f'g{number}: Scroll___get(_id: "<large{number % 4}>") {{ title }}' for number in range(5)
    )

    answer = large.answer(large.named(f"{{\n  {services}\n}}"))

    text = (
        "Scroll: The request reached its read limit before it read these objects. "
        "Request less data in each request."
    )
    late = Issue("MALFORMED_REQUEST", text, "", "ENTITY", "Scroll").shown("g4", answer.trace_id)
    (result,) = answer.body["errors"]
    assert (result["path"], result["extensions"]) == (["g4"], late)
    assert answer.body["data"] == {f"g{number}": {"title": "large"} for number in range(4)} | {"g4": None}
