"""Messages of refusals say what they are about, and where."""

import pytest

from stratabase.model.reading import read_model
from tests.contract.engine.reference import ReferenceEngine
from tests.schema.grants.archive import CLERK, Archive

TEXT = """
extend schema @application(name: "Archive")
  @profile(name: "Administrator", administrator: true) @profile(name: "Clerk")
type House @class(kind: SINGLETON) @grant(profile: "Clerk", allow: [READ, EDIT], where: "isNull(name)") {
  name: String
}
type Safe @class(kind: SINGLETON) @grant(profile: "Clerk", allow: [EDIT], where: "isNull(name)") {
  name: String
}
type Person @grant(profile: "Clerk", allow: [READ]) {
  name: String
  salary: Int @grant(profile: "Clerk", allow: [READ], where: "name == 'x'")
  twice: Int @derived(expression: "salary * 2")
}
"""


@pytest.fixture
def archive() -> Archive:
    """Return requests to an empty archive."""
    return Archive(ReferenceEngine(), read_model(TEXT, "archive.graphql"))


@pytest.mark.parametrize("class_name", ["House", "Safe"])
def test_a_singleton_that_is_hidden_has_no_id_to_blame(archive: Archive, class_name: str) -> None:
    """Whether the update finds that out, or a condition."""
    archive.ask(f'mutation {{ {class_name}___update(data: {{name: "x"}}) {{ name }} }}')
    query = f'mutation {{ {class_name}___update(data: {{name: "y"}}) {{ _id }} }}'
    assert archive.issues(query, CLERK) == [("ENTITY_NOT_FOUND", f"{class_name}___update.data")]


@pytest.mark.parametrize(("name", "what"), [("salary", "it"), ("twice", "Person.salary")])
def test_what_cannot_be_compared_is_named_once(archive: Archive, name: str, what: str) -> None:
    query = f"{{ Person___getPage(options: {{orderBy: [{name}___ASC]}}) {{ totalCount }} }}"
    (error,) = archive.body(query, CLERK)["errors"]
    assert error["message"] == (
        f"Person.{name}: the profile Clerk may read {what} of some objects only, "
        "so that no object can be found by it"
    )
