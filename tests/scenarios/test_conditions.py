"""Filters along roles over HTTP, and malicious conditions in `filter_exp`."""

from typing import Any

import pytest

from tests.scenarios.company import Company

PAGE = """query($e: String) { p: Person___getPage(options: {filter_exp: $e, orderBy: [last_name___ASC], %s}) {
  totalCount items { last_name } } }"""


def found(company: Company, text: str, filter_: str) -> str:
    """Return the initials of the people in a page."""
    page = company.client.ask_again(PAGE % filter_, e=text)
    assert page["totalCount"] == len(page["items"])
    return "".join(item["last_name"][0] for item in page["items"])


def test_nested_pages_and_bulk_services_accept_filters_along_roles(company: Company) -> None:
    query = """query($id: ID!) { Team___get(_id: $id) {
      members(options: {filter: {mentor: {leads: {}}}, orderBy: [last_name___DESC]}) {
        totalCount items {
          last_name team { members(options: {filter: {pupils___some: {}}}) { totalCount } } } }
      members___associables(options: {filter: {team: {name___eq: "beta"}}}) { items { last_name } } } }"""
    team = {"members": {"totalCount": 1}}

    assert company.client.ask_again(query, id=company.id("alpha")) == {
        "members": {
            "totalCount": 2,
            "items": [{"last_name": "Cyd", "team": team}, {"last_name": "Bob", "team": team}],
        },
        "members___associables": {"items": [{"last_name": "Dan"}]},
    }
    changed = """mutation { Person___updateBulk(data: {about: "new"},
      options: {filter: {projects___some: {title___eq: "Engine"}, mentor: {}}}) {
      totalCount items { last_name } } }"""
    assert company.client.ask(changed) == {"totalCount": 1, "items": [{"last_name": "Bob"}]}
    deleted = "mutation { Person___deleteBulk(options: {filter: {team: null}}) { deleted } }"
    (error,) = company.client.body(deleted)["errors"]
    assert error["message"].startswith("Person.team: null is not allowed.")


DIGITS = "[1,2,3,4,5,6,7,8,9,0]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("about.matches('(x+x+)+y$')", ""),
        ("about.matches('(.*)*z')", ""),
        ("about.matches('(?:[xy]{0,100}x){3}[xy]{100}c')", ""),
        ("size(about" + " + about" * 300 + ") > 0", ""),
        (f"{DIGITS}.all(a, {DIGITS}.all(b, {DIGITS}.exists(c, c == a && own)))", "H"),
        (f"{DIGITS}.all(a, {DIGITS}.all(b, {DIGITS}.exists(c, c == a && about.contains('xy'))))", ""),
        ("(" * 2000 + "true" + ")" * 2000, "H"),
        (" || ".join(["height == 4"] * 250) + " || true", "H"),
        ("!" * 40 + "own", "H"),
    ],
)
def test_an_expensive_condition_does_not_stop_the_service(company: Company, text: str, expected: str) -> None:
    """The condition is null if its evaluation would take too many steps."""
    client = company.client
    team = client.team()
    id_, _ = client.person(team=team, last_name="H", about="xy" * 50_000)

    assert found(company, text, f'filter: {{_id___eq: "{id_}"}}') == expected


def test_a_request_with_too_many_conditions_is_refused_before_execution(company: Company) -> None:
    """Each character of each condition counts towards the cost of a request."""
    pages = " ".join(f"p{n}: pupils(options: {{filter_exp: $e}}) {{ totalCount }}" for n in range(40))
    query = f"query($id: ID!, $e: String) {{ Person___get(_id: $id) {{ {pages} }} }}"
    variables: dict[str, Any] = {"id": company.id("Ada"), "e": "x" + "+x" * 2000}

    (error,) = company.client.body(query, **variables)["errors"]

    assert "The maximum is 100,000." in error["message"]
    assert "each character of filter_exp costs 1" in error["message"]


def test_insight_shows_the_cost_of_a_condition(company: Company) -> None:
    """One over what objects keep is tested where these are read, and takes no calls of its own."""
    query = """query($e: String) { Person___getPage(options: {filter_exp: $e, next: 1000}, insight: FULL) {
      items { _id } } }"""

    def kinds_of(text: str) -> list[str]:
        calls = company.client.body(query, e=text)["extensions"]["insight"]["calls"]
        kinds = [call["kind"] for call in calls]
        # Every few seconds, a request first reads the registry, which says where the objects are listed.
        return kinds[kinds.index("range") :]

    assert kinds_of("true") == ["range"]
    assert kinds_of("height > 0") == ["range"]
    assert "get" in kinds_of("team_size > 0")
