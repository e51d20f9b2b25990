"""A partner in a one-to-one association that is hidden from the caller."""

import pytest

from stratabase.core.model.reading import read_model
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.grants.archive_api import CLERK, ArchiveApi
from tests.rows import each_row


@pytest.fixture
def archive() -> ArchiveApi:
    """The API over an empty archive."""
    return ArchiveApi(ReferenceEngine())


@pytest.mark.parametrize("service", ["update", "validateUpdate"])
def test_a_hidden_partner_blocks_a_one_to_one_role_from_either_side(
    archive: ArchiveApi, service: str
) -> None:
    """The refusal is the same as for a visible partner."""
    taken, free = archive.create("Note", name="taken"), archive.create("Note", name="free")
    archive.create("Note", name="partner", hidden=True, next=taken)
    asked = (
        f'{{_id: "{taken}", previous: {{set: "{free}"}}}}',
        f'{{_id: "{free}", next: {{set: "{taken}"}}}}',
    )
    result = [issue_types(archive, service, data) for data in asked]
    assert result[0] == result[1]
    assert result[0][0].startswith("ROLE_CARDINALITY")
    assert archive.get("Note", taken, "previous { name }")["previous"] == {"name": "partner"}


def issue_types(archive: ArchiveApi, service: str, data: str) -> list[str]:
    if service == "update":
        body = archive.body(f"mutation {{ Note___update(data: {data}) {{ _id }} }}", CLERK)
        issues = [error["extensions"] for error in body["errors"]]
    else:
        query = f"{{ Note___validateUpdate(data: {data}) {{ issues {{ issueType userMessage }} }} }}"
        issues = archive.body(query, CLERK)["data"]["Note___validateUpdate"]["issues"]
    return [f"{issue['issueType']} {issue['userMessage'].partition(': ')[2]}" for issue in issues]


SIDES = """
extend schema @application(name: "Sides") @profile(name: "Administrator", administrator: true)
  @profile(name: "Clerk")
type Key @grant(profile: "Clerk", allow: [READ, EDIT]) {
  name: String!
  hidden: Boolean
  door: Door @association(opposite: "key"%s) %s
}
type Door @grant(profile: "Clerk", allow: [READ, EDIT]) {
  name: String!
  hidden: Boolean
  key: Key @association(opposite: "door"%s) %s
}
"""
OPEN = ""
CLOSED = '@grant(profile: "Clerk", allow: [])'
SOME = '@grant(profile: "Clerk", allow: [READ], where: "isNull(hidden) || !hidden")'


@each_row(
    ("door", "key", "free"),
    [
        (OPEN, OPEN, ["free"]),
        # One of the two roles shows the partner.
        (OPEN, CLOSED, ["free"]),
        (OPEN, SOME, ["free"]),
        (SOME, OPEN, ["free"]),
        # None of them does: a write is refused, as for a partner that is hidden itself.
        (SOME, CLOSED, ["free", "taken"]),
        (SOME, SOME, ["free", "taken"]),
    ],
)
def test_a_partner_counts_if_one_of_the_two_roles_shows_it(door: str, key: str, free: list[str]) -> None:
    """Which side stores the key makes no difference."""
    for holds in ((", holds: true", ""), ("", ", holds: true")):
        model = read_model(SIDES % (holds[0], door, holds[1], key), "sides.graphql")
        api = ArchiveApi(ReferenceEngine(), model)
        taken = api.create("Door", name="taken", hidden=True)
        api.create("Door", name="free")
        api.create("Key", name="partner", hidden=True, door=taken)
        other = api.create("Key", name="other")
        page = "door___associables(options: {orderBy: [name___ASC]}) { totalCount items { name } }"
        found = api.get("Key", other, page, CLERK)["door___associables"]
        assert found == {"totalCount": len(free), "items": [{"name": name} for name in free]}
