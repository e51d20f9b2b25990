"""Pages whose objects are found by what grants and derived attributes imply, with few reads."""

from typing import Any

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.change import Change, Creation
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.query.filter import Comparison, ExpressionFilter, Filter, RoleFilter
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import PageFields, Query
from stratabase.core.model.model_expressions import expressions_of
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.operators import Operator
from stratabase.core.operations.context import ReadContext, evaluation_context
from stratabase.core.operations.read.reader import Reader
from stratabase.core.store.renamed_repository import open_repository
from tests.core.store.watched_engine import WatchedEngine
from tests.fakes import unlimited_budget
from tests.rows import each_row

TEXT = """
extend schema @application(name: "Clinic") @profile(name: "Admin", administrator: true)
  @profile(name: "Patient") @profile(name: "Clerk") @profile(name: "Visitor")
type Patient @unique(attributes: ["email"])
  @grant(profile: "Patient", allow: [READ])
  @grant(profile: "Clerk", allow: [READ], where: "email != '7@x'")
  @grant(profile: "Visitor", allow: [READ], where: "email == caller.email") {
  email: String
  appointments: [Appointment!] @association(opposite: "patient")
}
type Appointment @index(attributes: ["reason"])
  @grant(profile: "Patient", allow: [READ], where: "patient.email == caller.email")
  @grant(profile: "Clerk", allow: [READ])
  @grant(profile: "Visitor", allow: [READ], where: "reason == caller.notes") {
  reason: String
  patient: Patient @association(opposite: "appointments")
  patient_email: String @derived(path: "patient.email")
  notes: [Note!] @composition(whole: "appointment")
}
type Note @class(exposed: true) { text: String }
"""
RENAMED = (
    TEXT.replace("type Patient ", 'type Patient @renamed(from: "P") ')
    .replace("type Appointment ", 'type Appointment @renamed(from: "A") ')
    .replace("  email: String", '  email: String @renamed(from: "mail")')
    .replace("  patient: Patient ", '  patient: Patient @renamed(from: "who") ')
)
ALL = PageFields(items=True, total_count=True, has_next=True, has_prev=True)


class Clinic:
    """200 appointments: each of 100 patients has two, of which one has a note."""

    def __init__(self, text: str) -> None:
        self.model = read_model(text, "clinic")
        self.engine = WatchedEngine()
        self.entities = open_repository(self.engine, self.model)
        objects: list[tuple[str, str, dict[str, Any]]]
        objects = [("Patient", f"p{n}", {"email": f"{n}@x"}) for n in range(100)]
        for n in range(200):
            notes: dict[str, Any] = {"notes": [f"n{n}"]} if n < 100 else {}
            objects.append(
                ("Appointment", f"a{n}", {"patient": f"p{n % 100}", "reason": f"r{n % 50}", **notes})
            )
        objects += [("Note", f"n{n}", {"text": "x", "appointment": f"a{n}"}) for n in range(100)]
        for first in range(0, len(objects), 30):
            effects = tuple(self._creation(*each) for each in objects[first : first + 30])
            self.entities.commit(Change(f"c{first}", 0, effects))
        self.page("Admin", "Note")

    def _creation(self, class_name: str, id_: str, state: dict[str, Any]) -> Creation:
        return Creation(Entity(Reference(class_name, id_), {"_id": id_, **state}))

    def page(self, profile: str, class_name: str, filter_: Filter | None = None) -> tuple[list[str], int]:
        """Return the ids of a page, and the number of items that it read."""
        caller = Caller("1", "ada", profile, profile == "Admin", email="7@x", notes="r7")
        context = ReadContext(self.model, self.entities, unlimited_budget(), evaluation_context(caller, 0))
        self.engine.items_read, self.engine.keys_got = 0, []
        page = Reader(context).page(Query(class_name, Order(), filter_, fields=ALL))
        ids = [each.reference.id for each in page.items]
        assert page.total_count == len(ids) or len(ids) == 10
        return ids, self.engine.items_read + len(self.engine.keys_got)


@pytest.fixture(scope="module", params=[TEXT, RENAMED], ids=["plain", "renamed"])
def clinic(request: pytest.FixtureRequest) -> Clinic:
    return Clinic(request.param)


BY_EMAIL = Comparison("patient_email", Operator.EQ, "7@x")
BY_ROLE = RoleFilter(RoleName("Appointment", "patient"), Comparison("email", Operator.EQ, "7@x"))
OTHER = RoleFilter(RoleName("Appointment", "patient"), Comparison("email", Operator.EQ, "8@x"))
OF_NOTE = RoleFilter(RoleName("Note", "appointment"), BY_ROLE)
FEW = 20
"""A limit of items for a page that does not read the class."""


@each_row(
    ("profile", "class_name", "filter_", "ids"),
    [
        ("Admin", "Appointment", BY_ROLE, ["a107", "a7"]),
        ("Admin", "Appointment", BY_EMAIL, ["a107", "a7"]),
        ("Admin", "Note", OF_NOTE, ["n7"]),
        ("Patient", "Appointment", None, ["a107", "a7"]),
        ("Patient", "Appointment", BY_ROLE, ["a107", "a7"]),
        ("Patient", "Appointment", OTHER, []),
        ("Patient", "Note", None, ["n7"]),
        ("Patient", "Note", OF_NOTE, ["n7"]),
        ("Clerk", "Appointment", BY_ROLE, []),
        ("Clerk", "Appointment", BY_EMAIL, []),
        ("Clerk", "Appointment", OTHER, ["a108", "a8"]),
        ("Visitor", "Appointment", None, ["a107", "a157", "a57", "a7"]),
        ("Visitor", "Appointment", BY_ROLE, ["a107", "a7"]),
        ("Visitor", "Appointment", OTHER, []),
        ("Visitor", "Patient", None, ["p7"]),
    ],
)
def test_few_objects_are_read_to_find_few(
    clinic: Clinic, profile: str, class_name: str, filter_: Filter | None, ids: list[str]
) -> None:
    found, read = clinic.page(profile, class_name, filter_)
    assert found == ids
    assert read <= FEW


def test_conditions_of_clients_find_objects_too(clinic: Clinic) -> None:
    condition = expressions_of(clinic.model).filter(
        "Appointment", "patient_email == '7@x' && size(reason) > 1"
    )
    context = evaluation_context(Caller("1", "ada", "Admin", True), 0)
    found, read = clinic.page("Admin", "Appointment", ExpressionFilter(condition, context))
    assert found == ["a107", "a7"]
    assert read <= FEW
