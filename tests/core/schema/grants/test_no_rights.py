"""A profile that may do nothing is refused for everything, before the document is read."""

from typing import Any

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.model.reading import read_model
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.grants.archive_api import ArchiveApi
from tests.rows import each_row

MODEL = read_model(
    """
extend schema @application(name: "Shop") @profile(name: "Administrator", administrator: true)
  @profile(name: "Visitor") @profile(name: "Reader", access: READ) @profile(name: "Owner", access: FULL)
  @profile(name: "Writer")
type Order @grant(profile: "Visitor", allow: []) @grant(profile: "Writer", allow: [CREATE]) {
  number: Int
  note: String @grant(profile: "Visitor", allow: []) @grant(profile: "Owner", allow: [])
  lines: [Line!] @composition
}
type Line { text: String @grant(profile: "Visitor", allow: []) }
type Customer { name: String }
""",
    "shop.graphql",
)
CREATE = 'mutation { Customer___create(data: {name: "Li"}) { _id name } }'


@pytest.fixture
def shop() -> ArchiveApi:
    """The API over an empty shop."""
    return ArchiveApi(ReferenceEngine(), MODEL)


def member(profile: str) -> Caller:
    """Return a member of a profile."""
    return Caller(f"of {profile}", profile, profile)


@each_row(
    "query",
    [
        "{ Order___getPage { totalCount } }",
        "{ __typename }",
        "{ __schema { queryType { name } } }",
        "{ Ordr___getPage { totalCount } }",
        "{",
        CREATE,
        'mutation { lock(locks: [{entityName: Order, entityID: "x"}]) { locked } }',
    ],
)
@each_row("profile", ["Visitor", "Unknown"])
def test_everything_is_refused(shop: ArchiveApi, query: str, profile: str) -> None:
    response = shop.executor.execute(query, {}, None, member(profile), "trace")
    assert not response.began
    body = shop.body(query, member(profile))
    (error,) = body["errors"]
    assert body.keys() == {"errors"}
    assert error["message"] == error["extensions"]["userMessage"]
    assert error["message"] == (
        f"The profile {profile} has no permissions in the application Shop. Ask an administrator for another "
        "profile."
    )
    assert error["extensions"]["issueType"] == "APPLICATION_ACCESS_FORBIDDEN"


@each_row(
    ("profile", "expected"),
    [("Owner", []), ("Reader", ["ENTITY_GRANT_CREATE"]), ("Writer", ["ENTITY_GRANT_READ"])],
)
def test_access_decides_about_classes_without_a_grant(
    shop: ArchiveApi, profile: str, expected: list[Any]
) -> None:
    errors = shop.body(CREATE, member(profile)).get("errors", [])
    assert [error["extensions"]["issueType"] for error in errors] == expected


def test_access_reads_classes_without_a_grant_and_their_parts(shop: ArchiveApi) -> None:
    query = "{ Order___getPage { items { number note lines { items { text } } } } }"
    shop.ask('mutation { Order___create(data: {number: 1, lines: [{text: "a"}]}) { _id } }')
    assert shop.ask(query, member("Reader")) == {
        "items": [{"number": 1, "note": None, "lines": {"items": [{"text": "a"}]}}]
    }
    # A grant on an attribute alone narrows what `access` gives.
    body = shop.body(query, member("Owner"))
    assert body["data"]["Order___getPage"]["items"][0] == {
        "number": 1,
        "note": None,
        "lines": {"items": [{"text": "a"}]},
    }
    assert [error["extensions"]["issueType"] for error in body["errors"]] == ["ATTRIBUTE_GRANT_READ"]
