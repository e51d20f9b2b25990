"""A store that was written before everything was renamed goes on working, and shows only the new names."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.model.model import Unique
from stratabase.core.model.reading import read_model
from stratabase.core.store.engine.parallel import sequential_map
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.read.required_values import RequiredValues
from tests.contract.engine.engines import DISTANT
from tests.core.schema.evolving_api import HEADING, EvolvingApi
from tests.soak import mostly

OLD = """
enum Level { LOW MIDDLE HIGH }
type Team { name: String! members: [Worker!] @association(opposite: "team") }
type Worker @class(versioned: true) @unique(attributes: ["mail"])
    @index(attributes: ["level", "first"]) {
  badge: Serial
  mail: String
  first: String
  last: String
  level: Level
  team: Team @association(opposite: "members")
  desk: Desk @association(opposite: "user", holds: true)
  skills: [Skill!] @association(opposite: "workers")
  places: [Place!] @composition
}
type Desk { number: Int user: Worker @association(opposite: "desk") }
type Skill { label: String workers: [Worker!] @association(opposite: "skills") }
type Place @class(versioned: true, exposed: true) { street: String }
"""
NEW = """
enum Level { BASIC @renamed(from: "LOW") LOW @renamed(from: "MIDDLE") TOP @renamed(from: "HIGH") }
type Crew @renamed(from: "Team") {
  title: String! @renamed(from: "name")
  people: [Employee!] @renamed(from: "members") @association(opposite: "crew")
}
type Employee @renamed(from: "Worker") @class(versioned: true)
    @unique(attributes: ["email"]) @index(attributes: ["grade", "last"]) {
  number: Serial @renamed(from: "badge")
  email: String @renamed(from: "mail")
  last: String @renamed(from: "first")
  first: String @renamed(from: "last")
  grade: Level @renamed(from: "level")
  mail: String @derived(expression: "lower(email)")
  crew: Crew @renamed(from: "team") @association(opposite: "people")
  seat: Skill @renamed(from: "desk") @association(opposite: "sitter", holds: true)
  talents: [Desk!] @renamed(from: "skills") @association(opposite: "talented")
  addresses: [Address!] @renamed(from: "places") @composition
}
type Skill @renamed(from: "Desk") {
  label: Int @renamed(from: "number")
  sitter: Employee @renamed(from: "user") @association(opposite: "seat")
}
type Desk @renamed(from: "Skill") {
  number: String @renamed(from: "label")
  talented: [Employee!] @renamed(from: "workers") @association(opposite: "talents")
}
type Address @renamed(from: "Place") @class(versioned: true, exposed: true) {
  road: String @renamed(from: "street")
}
"""
EVERYTHING = """number email mail last first grade crew { title } seat { label sitter { email } }
  talents { items { number talented { items { email } } } } addresses { items {
  road employee_ { email } } }"""


@pytest.fixture(params=mostly(DISTANT, "dynamodb-ministack"), ids=lambda kind: kind.name)
def api(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EvolvingApi]:
    """A store that is served under the old model."""
    engine: Engine = request.param.open(tmp_path)
    yield EvolvingApi(engine, OLD)
    engine.close()


class Staff:
    """What was written under the old model."""

    def __init__(self, api: EvolvingApi) -> None:
        self.team = api.create("Team", name="A team")
        self.desk = api.create("Desk", number=7)
        self.skill = api.create("Skill", label="welding")
        self.ada = api.create(
            "Worker",
            mail="Ada@example.com",
            first="Ada",
            last="Lovelace",
            level="HIGH",
            team=self.team,
            desk=self.desk,
            skills=[self.skill],
            places=[{"street": "Main"}],
        )
        self.others = [
            api.create("Worker", mail=f"{name}@example.com", first=name, level=level)
            for name, level in (("Bob", "LOW"), ("Cid", "MIDDLE"), ("Dan", "LOW"))
        ]
        api.clock.instant += 1000
        self.instant = api.clock.instant
        assert api.update("Worker", _id=self.ada, last="King") == []
        self.cursor = api.ask(page("Worker", "level___ASC first___ASC", next_=2, fields="mail"))["nextCursor"]


def page(class_name: str, order: str, *, next_: int = 10, fields: str, options: str = "") -> str:
    return (
        f"{{ {class_name}___getPage(options: {{ orderBy: [{order}] next: {next_} {options} }}) "
        f"{{ items {{ {fields} }} nextCursor }} }}"
    )


def renamed_api(api: EvolvingApi) -> Staff:
    staff = Staff(api)
    api.serve(NEW)
    return staff


def emails(found: Any) -> list[str]:
    return [each["email"] for each in found["items"]]


def test_everything_is_read_under_its_new_name_and_nothing_must_be_built(api: EvolvingApi) -> None:
    staff = renamed_api(api)
    assert api.entities.unbuilt() == ()
    assert api.ask(f'{{ Employee___get(_id: "{staff.ada}") {{ {EVERYTHING} }} }}') == {
        "number": "1",
        "email": "Ada@example.com",
        "mail": "ada@example.com",
        "last": "Ada",
        "first": "King",
        "grade": "TOP",
        "crew": {"title": "A team"},
        "seat": {"label": 7, "sitter": {"email": "Ada@example.com"}},
        "talents": {"items": [{"number": "welding", "talented": {"items": [{"email": "Ada@example.com"}]}}]},
        "addresses": {"items": [{"road": "Main", "employee_": {"email": "Ada@example.com"}}]},
    }


def test_new_names_say_what_is_unique(api: EvolvingApi) -> None:
    staff = renamed_api(api)
    assert api.ask('{ Employee___getByEmail(email: "Ada@example.com") { _id } }') == {"_id": staff.ada}
    create = "mutation($d: EmployeeCreate!) { Employee___create(data: $d) { _id } }"
    (error,) = api.body(create, d={"email": "Bob@example.com"})["errors"]
    assert error["extensions"]["entityName"] == "Employee"
    assert error["extensions"]["attributeNames"] == ["email"]
    api.update("Employee", _id=staff.others[0], email="bob@example.org")
    assert api.create("Employee", email="Bob@example.com", grade="LOW")


def test_numbers_go_on(api: EvolvingApi) -> None:
    renamed_api(api)
    id_ = api.create("Employee", email="eve@example.com")
    assert api.ask(f'{{ Employee___get(_id: "{id_}") {{ number }} }}') == {"number": "5"}


def test_a_cursor_from_before_goes_on_and_enums_keep_their_order(api: EvolvingApi) -> None:
    """They are ordered by their stored names: HIGH, LOW, MIDDLE."""
    staff = renamed_api(api)
    order = "grade___ASC last___ASC"
    everyone = api.ask(page("Employee", order, fields="email grade"))
    assert [(each["email"][:3], each["grade"]) for each in everyone["items"]] == [
        ("Ada", "TOP"),
        ("Bob", "BASIC"),
        ("Dan", "BASIC"),
        ("Cid", "LOW"),
    ]
    first = api.ask(page("Employee", order, next_=2, fields="email"))
    assert first["nextCursor"] == staff.cursor
    rest = api.ask(page("Employee", order, fields="email", options=f'cursor: "{staff.cursor}"'))
    assert emails(rest) == ["Dan@example.com", "Cid@example.com"]
    start = api.ask(page("Employee", order, fields="email", options="fromCursor: {grade: LOW}"))
    assert emails(start) == ["Cid@example.com"]


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("filter: {grade___eq: BASIC}", "BD"),
        ("filter: {grade___eq: LOW}", "C"),
        ("filter: {grade___ne: LOW}", "ABD"),
        ("filter: {grade___in: [TOP, LOW]}", "AC"),
        ('filter: {NOT: {OR: [{grade___eq: TOP}, {last___eq: "Bob"}]}}', "CD"),
        ('filter: {last___starts_with: "A"}', "A"),
        ('filter: {mail___eq: "bob@example.com"}', "B"),
        ("filter_exp: \"grade == 'TOP' || last == 'Cid'\"", "AC"),
        ("filter_exp: \"mail == 'dan@example.com'\"", "D"),
    ],
    ids=str,
)
def test_filters_have_new_names_and_values(api: EvolvingApi, condition: str, found: str) -> None:
    renamed_api(api)
    answer = api.ask(page("Employee", "last___ASC", fields="email", options=condition))
    assert "".join(each[0] for each in emails(answer)) == found


def test_versions_have_new_names(api: EvolvingApi) -> None:
    staff = renamed_api(api)
    before = "01-01-2020 12:00:00.500"
    after = "01-01-2020 12:00:02.000"
    fields = "first last grade crew { title } addresses { items { road } }"
    version = api.ask(
        f'{{ Employee___getVersion(_id: "{staff.ada}", atVersion: "{before}") {{ {fields} }} }}'
    )
    assert (version["first"], version["last"], version["grade"]) == ("Lovelace", "Ada", "TOP")
    assert version["addresses"] == {"items": [{"road": "Main"}]}
    diff = f'Employee___getVersionDiff(_id: "{staff.ada}", from: "{before}", to: "{after}")'
    found = api.ask(f"{{ {diff} {{ changes {{ name }} }} }}")
    assert [change["name"] for change in found["changes"]] == ["first"]
    api.clock.instant += 5000
    restore = f'Employee___restoreVersion(_id: "{staff.ada}", atVersion: "{before}")'
    assert api.ask(f"mutation {{ {restore} {{ first last }} }}") == {"first": "Lovelace", "last": "Ada"}


def test_a_deleted_object_comes_back_with_its_parts(api: EvolvingApi) -> None:
    staff = renamed_api(api)
    api.clock.instant += 1000
    assert api.delete("Employee", staff.ada) == []
    api.clock.instant += 1000
    restore = f'Employee___restoreVersion(_id: "{staff.ada}", atVersion: "01-01-2020 12:00:01.500")'
    fields = "email grade addresses { items { road } }"
    assert api.ask(f"mutation {{ {restore} {{ {fields} }} }}") == {
        "email": "Ada@example.com",
        "grade": "TOP",
        "addresses": {"items": [{"road": "Main"}]},
    }


def test_deleted_objects_are_listed_under_their_new_names(api: EvolvingApi) -> None:
    staff = Staff(api)
    api.clock.instant += 1000
    assert api.delete("Worker", staff.ada) == []
    api.serve(NEW)
    api.clock.instant += 1000
    assert api.delete("Employee", staff.others[0]) == []
    fields = "email crew { title } addresses { items { road } }"
    deleted = f"Employee___getDeletedPage {{ items {{ object {{ {fields} }} restorable }} }}"
    assert api.ask(f"{{ {deleted} }}")["items"] == [
        {
            "object": {
                "email": "Bob@example.com",
                "crew": None,
                "addresses": {"items": []},
            },
            "restorable": True,
        },
        {
            "object": {
                "email": "Ada@example.com",
                "crew": {"title": "A team"},
                "addresses": {"items": [{"road": "Main"}]},
            },
            "restorable": True,
        },
    ]
    parts = "Address___getDeletedPage { items { object { road } restorable } }"
    assert api.ask(f"{{ {parts} }}")["items"] == [{"object": {"road": "Main"}, "restorable": False}]
    filtered = (
        'Employee___getDeletedPage(options: {filter: {last___eq: "Ada"}}) { items { object { email } } }'
    )
    assert api.ask(f"{{ {filtered} }}")["items"] == [{"object": {"email": "Ada@example.com"}}]


def test_bulk_services_and_links_from_both_sides(api: EvolvingApi) -> None:
    staff = renamed_api(api)
    bulk = "Employee___updateBulk(data: {grade: LOW}, options: {filter: {grade___eq: BASIC}})"
    assert "errors" not in api.body(f"mutation {{ {bulk} {{ totalCount }} }}")
    found = api.ask(page("Employee", "last___ASC", fields="email", options="filter: {grade___eq: LOW}"))
    assert len(found["items"]) == 3
    assert api.update("Crew", _id=staff.team, people={"add": [staff.others[0]]}) == []
    assert (
        api.update("Desk", _id=staff.skill, talented={"add": [staff.others[1]], "remove": [staff.ada]}) == []
    )
    people = api.ask(f'{{ Crew___get(_id: "{staff.team}") {{ people {{ items {{ email }} }} }} }}')["people"]
    assert sorted(emails(people)) == ["Ada@example.com", "Bob@example.com"]
    talented = api.ask(f'{{ Desk___get(_id: "{staff.skill}") {{ talented {{ items {{ email }} }} }} }}')
    assert emails(talented["talented"]) == ["Cid@example.com"]


def test_a_new_attribute_is_not_what_a_removed_one_has_left(api: EvolvingApi) -> None:
    """The stored `b` of the first model must not show up as the new `b`, which is stored as `a`."""
    api.serve("type Note { a: String b: String }")
    id_ = api.create("Note", a="from a", b="left by b")
    api.serve('type Note { b: String @renamed(from: "a") }')
    assert api.ask(f'{{ Note___get(_id: "{id_}") {{ b }} }}') == {"b": "from a"}
    assert api.update("Note", _id=id_, b="new") == []
    api.serve("type Note { a: String b: String }")
    assert api.ask(f'{{ Note___get(_id: "{id_}") {{ a b }} }}') == {"a": "new", "b": "left by b"}


def test_what_must_be_built_is_named_by_its_new_name(api: EvolvingApi) -> None:
    api.serve("enum Level { LOW HIGH }  type Team { name: String level: Level }")
    ids = [api.create("Team", name="same", level="HIGH") for _ in range(2)]
    api.serve(
        """
        enum Level { LOW TOP @renamed(from: "HIGH") }
        type Crew @renamed(from: "Team") @unique(attributes: ["title", "grade"])
            @index(attributes: ["grade"]) {
          title: String @renamed(from: "name")
          grade: Level @renamed(from: "level")
        }
        """
    )
    assert set(api.entities.unbuilt()) == {"Crew @index(grade)", "Crew @unique(title, grade)"}
    (outcome,) = api.reindex()
    (duplicate,) = outcome.duplicates
    assert duplicate.unique == Unique(("title", "grade"))
    assert dict(duplicate.values) == {"title": "same", "grade": "TOP"}
    assert set(duplicate.ids) == set(ids)
    missing = 'type Crew @renamed(from: "Team") { boss: String! @renamed(from: "head") }'
    (found,) = RequiredValues(api.engine, read_model(HEADING + missing, "m"), sequential_map).missing_values()
    assert (found.class_name, found.name, found.missing) == ("Crew", "boss", 2)
