"""A partner in a one-to-one association that is hidden from the caller."""

import pytest

from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.grants.archive_api import CLERK, ArchiveApi


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
