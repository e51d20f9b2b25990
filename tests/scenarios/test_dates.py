"""Dates over HTTP: a version in ISO 8601, and what is said about patterns."""

from tests.scenarios.company import Company


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
