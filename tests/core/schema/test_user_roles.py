"""Roles of a model that lead to members, on each engine."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from stratabase.core.model.reading import read_model
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.store.renamed_repository import open_repository
from stratabase.members.member import Member
from tests.contract.engine.engines import KINDS
from tests.core.schema.users_api import ROOT, UsersApi
from tests.core.store.watched_engine import WatchedEngine

MODEL = """
extend schema @application(name: "Clinic") @profile(name: "Administrator", administrator: true)
  @profile(name: "Doctor") @profile(name: "Guest") @profile(name: "Clerk")

extend type _User
  @grant(profile: "Doctor", allow: [READ])
  @grant(profile: "Clerk", allow: [READ], where: "_id == caller.id")

type Visit
  @class(versioned: true)
  @index(attributes: ["doctor", "day"])
  @unique(attributes: ["doctor", "slot"])
  @grant(profile: "Doctor", allow: [READ, CREATE, EDIT, DELETE], where: "doctor == caller.id")
  @grant(profile: "Guest", allow: [READ, EDIT])
  @grant(profile: "Clerk", allow: [READ, CREATE, EDIT])
  @warning(name: "self", condition: "doctor == second", message: "Both are the same.", blocking: true) {
  text: String
  day: Date
  slot: Int
  doctor: _User! @association
  second: _User
  name: String @derived(path: "doctor.username")
  is_mine: Boolean @derived(expression: "doctor == caller.id")
}
"""
IDS = TimeOrderedIds()
ANNA, BERT, LEFT = (
    Member(IDS.new(), name, f"{name}@example.com", "Doctor") for name in ("anna", "bert", "left")
)
GUEST = Member(IDS.new(), "guest", "guest@example.com", "Guest")
CLERK = Member(IDS.new(), "clerk", "clerk@example.com", "Clerk")
CREATE = "mutation($data: VisitCreate!) { Visit___create(data: $data) { _id } }"
UPDATE = "mutation($data: VisitUpdate!) { Visit___update(data: $data) { _id } }"


class Clinic(UsersApi):
    """The API over visits of doctors."""

    def __init__(self, engine: Engine, name: str = "doctor", new_name: str = "doctor") -> None:
        """Rename the role `name` to `new_name`."""
        text = MODEL
        if name != new_name:
            text = re.sub(rf"\b{name}\b", new_name, text)
            text = text.replace("_User! @association", f'_User! @association @renamed(from: "{name}")')
        model = read_model(text, "clinic.graphql")
        members = (ROOT, ANNA, BERT, LEFT, GUEST, CLERK)
        super().__init__(partial(open_repository, engine, model), model, members)

    def visit(self, doctor: Member, by: Member = ROOT, **data: Any) -> str:
        """Create a visit, one second later, and return its id."""
        self.clock.instant += 1000
        return str(self.ask(CREATE, by, data={"doctor": doctor.id, **data})["_id"])

    def update(self, id_: str, by: Member = ROOT, **data: Any) -> None:
        """Update a visit, one second later."""
        self.clock.instant += 1000
        self.ask(UPDATE, by, data={"_id": id_, **data})

    def found(self, by: Member = ROOT, **options: Any) -> list[str]:
        """Return the texts of the visits on a page."""
        query = "query($o: VisitPageOptions) { Visit___getPage(options: $o) { items { text } totalCount } }"
        page = self.ask(query, by, o=options)
        assert page["totalCount"] == len(page["items"])
        return [each["text"] for each in page["items"]]


@pytest.fixture(params=["sqlite", "dynamodb-ministack"])
def engine(request: pytest.FixtureRequest, tmp_path: Any) -> Iterator[Engine]:
    engine = next(kind for kind in KINDS if kind.name == request.param).open(tmp_path)
    yield engine
    engine.close()


@pytest.fixture
def clinic(engine: Engine) -> Clinic:
    return Clinic(engine)


def test_a_role_leads_to_the_member_and_keeps_its_history(clinic: Clinic) -> None:
    visit = clinic.visit(ANNA, second=BERT.id)
    clinic.update(visit, doctor={"set": BERT.id}, second={"remove": True})

    shown = "doctor { username } second { email } name is_mine"
    assert clinic.get("Visit", visit, shown, BERT) == {
        "doctor": {"username": "bert"},
        "second": None,
        "name": "bert",
        "is_mine": True,
    }
    items = "items { doctor { username } second { _id } }"
    versions = clinic.ask(f'{{ Visit___getVersionPage(_id: "{visit}") {{ {items} }} }}')
    assert versions["items"] == [
        {"doctor": {"username": "anna"}, "second": {"_id": BERT.id}},
        {"doctor": {"username": "bert"}, "second": None},
    ]


def test_a_deleted_member_reads_as_null_and_stops_no_write(clinic: Clinic) -> None:
    visit = clinic.visit(LEFT, text="old")
    clinic.remove(LEFT)

    assert clinic.get("Visit", visit, "doctor { _id } name") == {"doctor": None, "name": None}
    assert clinic.found(filter={"doctor___null": True}) == ["old"]
    clinic.update(visit, text="new")
    assert clinic.found(filter={"doctor___null": True}) == ["new"]
    assert clinic.issues(UPDATE, ROOT, data={"_id": visit, "second": {"set": LEFT.id}}) == [
        ("ENTITY_NOT_FOUND", f'Visit.second: _User "{LEFT.id}" does not exist.')
    ]


@pytest.mark.parametrize("id_", ["nobody", "anna", ""])
def test_no_member_no_association(clinic: Clinic, id_: str) -> None:
    assert clinic.issues(CREATE, ROOT, data={"doctor": id_}) == [
        ("ENTITY_NOT_FOUND", f'Visit.doctor: _User "{id_}" does not exist.')
    ]
    assert clinic.found() == []


def test_a_required_member_can_be_changed_but_not_removed(clinic: Clinic) -> None:
    visit = clinic.visit(ANNA)
    assert clinic.issues(UPDATE, ROOT, data={"_id": visit, "doctor": {"remove": True}}) == [
        ("ROLE_CARDINALITY", "Visit.doctor requires one _User.")
    ]


def test_a_restored_version_leaves_out_a_deleted_member(clinic: Clinic) -> None:
    visit = clinic.visit(ANNA, second=LEFT.id)
    at = clinic.ask(f'{{ Visit___get(_id: "{visit}") {{ _versionStart(format: "iso") }} }}')["_versionStart"]
    clinic.update(visit, second={"remove": True})
    clinic.remove(LEFT)

    arguments = f'_id: "{visit}", atVersion: "{at}", forceWarnings: {{dataValidation: $force}}'
    restore = f"mutation($force: Boolean) {{ Visit___restoreVersion({arguments}) {{ second {{ _id }} }} }}"
    ((_, message),) = clinic.issues(restore, ROOT)
    assert LEFT.id in message
    assert clinic.ask(restore, force=True) == {"second": None}


def test_filters_and_unique_values_name_members(clinic: Clinic) -> None:
    for number, doctor in enumerate((ANNA, BERT, ANNA)):
        clinic.visit(doctor, text=f"{doctor.username} {number}", slot=number)

    assert clinic.found(filter={"doctor": {"_id___eq": ANNA.id}}) == ["anna 0", "anna 2"]
    assert clinic.found(filter={"doctor": {"username___eq": "bert"}}) == ["bert 1"]
    assert clinic.found(filter={"NOT": {"doctor": {"_id___in": [ANNA.id]}}}) == ["bert 1"]
    assert clinic.found(filter={"second": {"_id___eq": ANNA.id}}) == []
    found = clinic.ask(f'{{ Visit___getByDoctor_Slot(doctor: "{ANNA.id}", slot: 2) {{ text }} }}')
    assert found == {"text": "anna 2"}
    ((issue, _),) = clinic.issues(CREATE, ROOT, data={"doctor": BERT.id, "slot": 1})
    assert issue == "ENTITY_UNIQUE"


def test_a_grant_follows_the_member_and_not_the_name(clinic: Clinic) -> None:
    """A member who takes a name later gets nothing that belonged to it."""
    mine = clinic.visit(ANNA, ANNA, text="mine")
    clinic.visit(BERT, text="other")
    clinic.change(ANNA, username="anne")
    heir = Member(IDS.new(), "anna", "new@example.com", "Doctor")
    clinic.members.add(heir)

    assert clinic.found(ANNA) == ["mine"]
    assert clinic.found(heir) == []
    assert clinic.ask(f'{{ Visit___get(_id: "{mine}") {{ text }} }}', heir) is None
    for doctor, by in ((BERT, ANNA), (ANNA, heir)):
        ((issue, _),) = clinic.issues(CREATE, by, data={"doctor": doctor.id})
        assert issue == "ENTITY_GRANT_CREATE"


def test_a_warning_compares_members(clinic: Clinic) -> None:
    assert clinic.issues(CREATE, ROOT, data={"doctor": ANNA.id, "second": ANNA.id}) == [
        ("ENTITY_DOMAIN", "Both are the same.")
    ]


def test_who_may_not_read_members_gets_null_and_cannot_set_them(clinic: Clinic) -> None:
    visit = clinic.visit(ANNA)
    body = clinic.body(f'{{ Visit___get(_id: "{visit}") {{ text doctor {{ username }} }} }}', GUEST)
    assert body["data"]["Visit___get"]["doctor"] is None
    assert [each["extensions"]["issueType"] for each in body["errors"]] == ["ROLE_GRANT_READ"]
    for query in (
        f'{{ Visit___get(_id: "{visit}") {{ doctor___associables {{ totalCount }} }} }}',
        f'{{ Visit___getPage(options: {{filter: {{doctor: {{_id___eq: "{ANNA.id}"}}}}}}) {{ totalCount }} }}',
        f'mutation {{ Visit___update(data: {{_id: "{visit}", doctor: {{set: "{BERT.id}"}}}}) {{ _id }} }}',
    ):
        assert {issue for issue, _ in clinic.issues(query, GUEST)} == {"ROLE_GRANT_READ"}
    assert clinic.get("Visit", visit, "doctor { username }") == {"doctor": {"username": "anna"}}


def test_a_hidden_member_is_as_a_missing_one(clinic: Clinic) -> None:
    """A clerk sees only the clerk."""
    visit = clinic.visit(ANNA, text="of anna")
    clinic.visit(CLERK, CLERK, text="own")

    assert clinic.get("Visit", visit, "doctor { username }", CLERK) == {"doctor": None}
    assert clinic.found(CLERK, filter={"doctor___null": True}) == ["of anna"]
    assert clinic.found(CLERK, filter={"doctor": {"_id___eq": ANNA.id}}) == []
    assert clinic.issues(CREATE, CLERK, data={"doctor": BERT.id}) == [
        ("ENTITY_NOT_FOUND", f'Visit.doctor: _User "{BERT.id}" does not exist.')
    ]


def test_candidates_are_the_members_whom_the_caller_sees(clinic: Clinic) -> None:
    visit = clinic.visit(CLERK)
    query = f'{{ Visit___get(_id: "{visit}") {{ doctor___associables {{ items {{ username }} }} }} }}'
    assert clinic.ask(query, CLERK) == {"doctor___associables": {"items": [{"username": "clerk"}]}}
    assert len(clinic.ask(query)["doctor___associables"]["items"]) == len(clinic.members.members)


def test_a_renamed_role_leads_to_the_members_that_are_stored(engine: Engine) -> None:
    before = Clinic(engine)
    before.visit(ANNA, text="kept", slot=1)
    now = Clinic(engine, "doctor", "leader")

    assert now.found(filter={"leader": {"_id___eq": ANNA.id}}) == ["kept"]
    assert now.found(ANNA) == ["kept"]
    assert now.ask(f'{{ Visit___getByLeader_Slot(leader: "{ANNA.id}", slot: 1) {{ name }} }}') == {
        "name": "anna"
    }


def test_a_page_of_one_member_reads_only_that_members_objects() -> None:
    engine = WatchedEngine()
    clinic = Clinic(engine)
    for number in range(60):
        clinic.visit(ANNA if number % 20 == 0 else BERT, text=str(number))

    for by, options in ((ROOT, {"filter": {"doctor": {"_id___eq": ANNA.id}}}), (ANNA, {})):
        before = engine.items_read
        assert clinic.found(by, **options) == ["0", "20", "40"]
        assert engine.items_read - before < 20  # ask sends the request three times
