"""Dates over HTTP: `format: "iso"`, days and instants in filters, patterns, and wrong input."""

from typing import Any

import pytest

from tests.scenarios.company import Company

PAGE = """query($fs: [PersonFilter!], $e: String) { p: Person___getPage(
  options: {filter: {AND: $fs}, filter_exp: $e, orderBy: [last_name___ASC]}
) { totalCount items { last_name } } }"""


def found(company: Company, filter_: dict[str, Any], text: str = "") -> str:
    """Return the initials of the people in a page."""
    both = [{"team_name___in": ["alpha", "beta"]}, filter_]
    page = company.client.ask_again(PAGE, fs=both, e=text)
    assert page["totalCount"] == len(page["items"])
    return "".join(item["last_name"][0] for item in page["items"])


@pytest.mark.parametrize(
    ("filter_", "expected"),
    [
        ({"seen___eq": "2019-12-31"}, "D"),
        ({"seen___eq": "31/12/2019"}, "D"),
        ({"seen___eq": "2020-01-01"}, ""),
        ({"seen___ne": "2019-12-31"}, "ABC"),
        ({"seen___lt": "2019-12-31"}, ""),
        ({"seen___lte": "2019-12-31"}, "D"),
        ({"seen___gt": "2019-12-31"}, ""),
        ({"seen___gte": "2019-12-31"}, "D"),
        ({"seen___in": ["2019-12-30", "2019-12-31"]}, "D"),
        ({"seen___in": ["2019-12-31", None]}, "ABCD"),
        ({"seen___not___in": ["2019-12-31"]}, "ABC"),
        ({"born___eq": "2000-02-29T23:59:59.999Z"}, "D"),
        ({"born___lt": "2000-02-29T00:00:00+01:00"}, "AB"),
        ({"born___in": ["1985-05-05T12:00:00Z", "2000-02-29"]}, "BD"),
    ],
)
def test_days_and_instants_are_compared(company: Company, filter_: dict[str, Any], expected: str) -> None:
    assert found(company, filter_) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("seen == date('2019-12-31')", "D"),
        ("seen != date('2019-12-30')", "D"),
        ("seen <= date('2019-12-31') && !(seen < date('2019-12-31'))", "D"),
        ("date('2019-12-31') < seen", ""),
        ("seen in [date('2019-12-30'), date('2019-12-31')]", "D"),
        ("born < datetime('2000-02-29T00:00:00Z')", "AB"),
        ("born < seen", "D"),
        ("seen > born", "D"),
        ("born >= seen", ""),
    ],
)
def test_days_and_instants_are_compared_in_conditions(company: Company, text: str, expected: str) -> None:
    assert found(company, {}, text) == expected


def test_values_in_iso_8601_can_be_sent_back(company: Company) -> None:
    client = company.client
    query = 'query($id: ID!) { Person___get(_id: $id) { seen(format: "iso") born(format: "iso") } }'
    read = client.ask_again(query, id=company.id("Dan"))
    assert read == {"seen": "2019-12-31T23:30:00.000Z", "born": "2000-02-29"}
    assert found(company, {"seen___eq": read["seen"], "born___eq": read["born"]}) == "D"


def test_a_version_start_in_iso_8601_names_the_version(company: Company) -> None:
    client, id_ = company.client, company.id("Dan")
    shown = '{ s: _versionStart(format: "iso") }'
    start = client.ask(f"query($id: ID!) {{ Person___get(_id: $id) {shown} }}", id=id_)["s"]
    at = f"query($id: ID!, $at: Datetime!) {{ Person___getVersion(_id: $id, atVersion: $at) {shown} }}"
    assert client.ask(at, id=id_, at=start) == {"s": start}
    for wrong in (start[:-1], start[:10], "soon", 5, "31/12/2019 23:30"):
        (error,) = client.body(at, id=id_, at=wrong)["errors"]
        assert error["extensions"]["issueType"] == "DATA_TYPE"
        assert "Use the format dd-MM-yyyy HH:mm:ss.SSS" in error["message"]
        assert "or ISO 8601 with an offset (for example, 2020-12-31T18:30:00.000Z)." in error["message"]


@pytest.mark.parametrize(
    ("filter_", "message"),
    [
        ({"seen___eq": "yesterday"}, 'Person.seen___eq: "yesterday" is not a valid Datetime. Use the format'),
        (
            {"seen___lt": "2019-02-29"},
            'Person.seen___lt: "2019-02-29" is not a valid Datetime. Use the format',
        ),
        ({"born___eq": "2000-02-30T10:00Z"}, 'Person.born___eq: "2000-02-30T10:00Z" is not a valid Date.'),
        (
            {"seen___in": ["2019-12-31", "31.12.2019"]},
            'Person.seen___in: "31.12.2019" is not a valid Datetime.',
        ),
    ],
)
def test_neither_a_day_nor_an_instant_is_an_error(
    company: Company, filter_: dict[str, Any], message: str
) -> None:
    (error,) = company.client.body(PAGE, fs=[filter_])["errors"]
    assert error["extensions"]["issueType"] == "DATA_TYPE"
    assert error["message"].startswith(message)


def test_patterns_are_checked(company: Company) -> None:
    client = company.client
    query = "query($id: ID!, $f: String) { Person___get(_id: $id) { born(format: $f) } }"
    (error,) = client.body(query, id=company.id("Dan"), f="dd bb yyyy")["errors"]
    assert 'contains the unsupported letter "b" at character 4.' in error["message"]
    body = client.body(query, id=company.id("Dan"), f="YYYY-MM-DD")
    assert body["data"]["Person___get"] == {"born": "2000-02-60"}
    (warning,) = body["extensions"]["warnings"]
    assert warning["path"] == ["Person___get", "born", "format"]
    assert 'You probably mean "yyyy-MM-dd".' in warning["message"]
