"""A model with catastrophic patterns: the service keeps responding."""

import json
from collections.abc import Iterator

import pytest

from tests.evil_patterns import EVIL, Evil
from tests.rows import each_row
from tests.service import RunningService, running

FIELDS = {f"text_{number}": evil for number, evil in enumerate(EVIL)}
VALIDATE = """query($data: ThingDraftCreate!) {
  Thing___validateCreate(data: $data) { isValid issues { issueType attributeNames } } }"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service of one class with an attribute for each pattern."""
    folder = tmp_path_factory.mktemp("evil")
    fields = (f"  {name}: Text @domain(pattern: [{json.dumps(FIELDS[name].pattern)}])" for name in FIELDS)
    model = folder / "model.graphql"
    model.write_text("\n".join(['extend schema @application(name: "Hr")', "type Thing {", *fields, "}\n"]))
    with running(folder / "home", model=model) as running_service:
        yield running_service


@each_row(("name", "evil"), FIELDS.items())
def test_a_validation_with_a_malicious_text_ends_and_others_are_served(
    service: RunningService, name: str, evil: Evil
) -> None:
    """10,000 characters are judged, and so is a text that the pattern admits; health answers after each."""
    refused = service.graphql(VALIDATE, {"data": {name: evil.text}})
    assert service.request("GET", "/public/health").status == 200
    admitted = service.graphql(VALIDATE, {"data": {name: evil.admitted}})
    assert service.request("GET", "/public/health").status == 200

    issue = {"issueType": "ATTRIBUTE_STRING_PATTERN", "attributeNames": [name]}
    assert refused["data"]["Thing___validateCreate"] == {"isValid": False, "issues": [issue]}
    assert admitted["data"]["Thing___validateCreate"] == {"isValid": True, "issues": []}


def test_all_malicious_texts_at_once_are_validated(service: RunningService) -> None:
    """The ends of the texts, 340,000 characters for forty patterns in one request, which writes nothing."""
    create = "mutation($data: ThingCreate!) { Thing___create(data: $data) { _id } }"
    reply = service.graphql(create, {"data": {name: evil.text[-8_500:] for name, evil in FIELDS.items()}})
    issues = reply["errors"][0]["extensions"]
    assert "ATTRIBUTE_STRING_PATTERN" in json.dumps(issues)
    assert service.graphql("{ Thing___getPage { totalCount } }")["data"]["Thing___getPage"]["totalCount"] == 0
