"""No message names what the rights of the caller hide, unless the request names it."""

import json
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Hint, ReadBudgetExceeded
from stratabase.core.model.reading import read_model
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.grants.archive_api import CLERK, ArchiveApi

MODEL = read_model(
    """
extend schema @application(name: "Office")
  @profile(name: "Administrator", administrator: true) @profile(name: "Clerk")
type Person
  @unique(attributes: ["name", "payslip"])
  @index(attributes: ["level"])
  @grant(profile: "Clerk", allow: [READ, CREATE, EDIT, DELETE], where: "veiled < 5 && isNull(veto.sealed)") {
  name: String
  payslip: Int @grant(profile: "Clerk", allow: [])
  veiled: Int @default(value: "0") @grant(profile: "Clerk", allow: [])
  level: Int
  doubled: Int @derived(expression: "payslip * 2")
  locked: String @derived(path: "veto.sealed")
  veto: Veto
  mood: Mood @grant(profile: "Clerk", allow: [])
}
enum Mood { GRUMPY HAPPY }
type Veto { sealed: String }
"Hidden: a deleted person would leave these without a required one."
type Strongroom { keeper: Person! }
type Gathering { guests: [Person!]! }
""",
    "office.graphql",
)
HIDDEN = (
    *("payslip", "veiled", "sealed", "veto", "Veto", "mood", "Mood", "GRUMPY"),
    *("Strongroom", "keeper", "Gathering", "guests"),
)


@pytest.fixture
def office() -> ArchiveApi:
    """The API over an empty office."""
    return ArchiveApi(ReferenceEngine(), MODEL)


def refused(office: ArchiveApi, query: str) -> list[dict[str, Any]]:
    """Return the errors that a clerk gets. They name nothing hidden that the request does not name."""
    body = office.body(query, CLERK)
    for word in HIDDEN:
        assert word in query or word not in json.dumps(body), word
    return list(body["errors"])


@pytest.mark.parametrize("name", ["doubled", "locked"])
def test_a_derived_attribute_is_refused_without_what_it_depends_on(office: ArchiveApi, name: str) -> None:
    expected = f"Person.{name} depends on data for which the profile Clerk does not have READ permission."
    for query in (
        f"{{ Person___getPage {{ items {{ {name} }} }} }}",
        f"{{ Person___getPage(options: {{orderBy: [{name}___ASC]}}) {{ totalCount }} }}",
        f'{{ Person___getPage(options: {{filter_exp: "isNull({name})"}}) {{ totalCount }} }}',
    ):
        (error,) = refused(office, query)
        assert error["message"] == expected


def test_a_role_to_a_closed_class_is_refused_without_its_name(office: ArchiveApi) -> None:
    (error,) = refused(office, "{ Person___getPage { items { veto { _id } } } }")
    assert error["message"] == (
        "The profile Clerk does not have READ permission for the objects that Person.veto leads to."
    )


@pytest.mark.parametrize(
    ("condition", "suggested"),
    [
        ("paysli > 1", ""),
        ("veild == 1", ""),
        ("isNull(vet)", ""),
        ("name == GRUMPI", ""),
        ("nam == 'x'", ' Did you mean "name"?'),
    ],
)
def test_a_condition_suggests_only_readable_names(office: ArchiveApi, condition: str, suggested: str) -> None:
    query = f'{{ Person___getPage(options: {{filter_exp: "{condition}"}}) {{ totalCount }} }}'
    (error,) = refused(office, query)
    assert error["message"].endswith(f'".{suggested}')


def test_taken_values_are_reported_without_hidden_attributes(office: ArchiveApi) -> None:
    office.create("Person", name="Ada", payslip=7)
    bob = office.create("Person", name="Bob", payslip=7)
    query = f'mutation {{ Person___update(data: {{_id: "{bob}", name: "Ada"}}) {{ _id }} }}'

    (error,) = refused(office, query)

    assert (
        error["message"] == "Another Person already has the same values, of which at least one must differ."
    )
    assert error["extensions"]["attributeNames"] == ["name"]


@pytest.mark.parametrize("holder", ["Strongroom", "Gathering"])
def test_a_deletion_that_hidden_objects_prevent_does_not_name_them(office: ArchiveApi, holder: str) -> None:
    ada = office.create("Person", name="Ada")
    role: dict[str, Any] = {"keeper": ada} if holder == "Strongroom" else {"guests": [ada]}
    office.create(holder, **role)

    (error,) = refused(office, f'mutation {{ Person___delete(_id: "{ada}") {{ deleted }} }}')

    assert error["extensions"]["issueType"] == "ROLE_CARDINALITY"
    assert "require" in error["message"]


@pytest.mark.parametrize(
    "refusal",
    [
        ReadBudgetExceeded("Veto", 7, Hint(index=("sealed",))),
        ReadBudgetExceeded("Person", 7, Hint(index=("veiled", "level"), declared=True)),
        ReadBudgetExceeded("Person", 7, Hint(derived=("doubled", "locked"), costly=("totalCount",))),
    ],
    ids=["a closed class", "an index with a hidden attribute", "derived attributes"],
)
def test_an_exhausted_read_budget_is_explained_without_hidden_names(
    office: ArchiveApi, refusal: ReadBudgetExceeded, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhausted(*_: Any, **__: Any) -> None:
        raise refusal

    monkeypatch.setattr(office.entities, "page", exhausted)
    (error,) = refused(office, "{ Person___getPage { items { name } } }")

    assert "The request reached its read limit after 7 objects" in error["message"]
    assert "doubled" not in error["message"]
    if refusal.hint.costly:
        assert "Omit totalCount." in error["message"]


def test_a_missing_index_on_readable_attributes_is_named(
    office: ArchiveApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhausted(*_: Any, **__: Any) -> None:
        raise ReadBudgetExceeded("Person", 7, Hint(index=("level", "name")))

    monkeypatch.setattr(office.entities, "page", exhausted)
    (error,) = refused(office, "{ Person___getPage { items { name } } }")

    assert 'Declare @index(attributes: ["level", "name"]) in the model.' in error["message"]
    assert error["extensions"]["attributeNames"] == ["level", "name"]
