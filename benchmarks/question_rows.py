"""Questions along roles: the plan that answers each of them, and its cost among many objects.

`python -m benchmarks questions` measures two appointments of one patient among 1,000 to 100,000, on both
engines. `python -m benchmarks.question_rows` prints the table of docs/questions.md.
"""

import secrets
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any, NamedTuple

from benchmarks.cost_rows import dynamodb_engines, sqlite_engines
from benchmarks.metering import Metered, measure_consumption
from benchmarks.table import Figure, print_table
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.query.filter import And, Comparison, ExpressionFilter, Filter, Not, RoleFilter
from stratabase.core.domain.query.order import Order, OrderTerm
from stratabase.core.domain.query.page import PageFields, Query
from stratabase.core.domain.query.read_budget import MEGABYTE, ReadBudget
from stratabase.core.model.model_expressions import expressions_of
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.operators import Operator
from stratabase.core.operations.context import ReadContext, evaluation_context
from stratabase.core.operations.read.reader import Reader
from stratabase.core.settings import Settings
from stratabase.core.store.engine.port import Batch, Engine, IndexKey, Item, Put
from stratabase.core.store.engine.wrappers import MeteredEngine
from stratabase.core.store.indexes.registry_cache import RegistryCache
from stratabase.core.store.layout import codec, keys, links
from stratabase.core.store.layout.associations import Associations
from stratabase.core.store.layout.object_items import HOLDER, guard_key, index_places
from stratabase.core.store.query.planner import record_plans
from stratabase.core.store.repository import Repository
from stratabase.core.store.sqlite.engine import SqliteEngine

MODEL = """
extend schema @application(name: "Clinic") @profile(name: "Manager", administrator: true)
  @profile(name: "Patient") @profile(name: "Clerk")
type Patient @unique(attributes: ["email"]) @index(attributes: ["city"])
  @grant(profile: "Patient", allow: [READ], where: "email == caller.email")
  @grant(profile: "Clerk", allow: [READ]) {
  email: String
  city: String
  appointments: [Appointment!] @association(opposite: "patient")
  card: Card @association(opposite: "patient", holds: true)
}
type Card @unique(attributes: ["number"]) { number: Int patient: Patient @association(opposite: "card") }
type Department @unique(attributes: ["name"]) {
  name: String
  doctors: [Doctor!] @association(opposite: "department")
}
type Doctor @unique(attributes: ["code"]) {
  code: String
  department: Department @association(opposite: "doctors")
  appointments: [Appointment!] @association(opposite: "doctor")
}
type Room @unique(attributes: ["number"]) { number: Int }
type Tag @unique(attributes: ["name"]) {
  name: String
  appointments: [Appointment!] @association(opposite: "tags")
}
type Appointment @index(attributes: ["starts_at"])
  @grant(profile: "Patient", allow: [READ], where: "patient.email == caller.email")
  @grant(profile: "Clerk", allow: [READ]) {
  starts_at: Datetime
  reason: Text
  patient: Patient @association(opposite: "appointments")
  patient_email: String @derived(path: "patient.email")
  doctor: Doctor @association(opposite: "appointments")
  room: Room @association
  tags: [Tag!] @association(opposite: "appointments")
  notes: [Note!] @composition(whole: "appointment")
}
type Note @class(exposed: true) { text: Text }
"""
REPETITIONS = 20
"""Of each question, to see its time beside what else the machine does."""
SIZES = (1_000, 10_000, 100_000)
DOCUMENTED_SIZE = 10_000
_ACTIONS = 100
"""Items in a commit while the store is filled."""
EMPTY: Mapping[str, Any] = {}
EMAIL = "7@example.com"


class Clinic:
    """Appointments, of which each patient has two, and each doctor fifty."""

    def __init__(self, engine: Engine, appointments: int, *, is_whole: bool = True) -> None:
        """`is_whole`: with objects of all classes, not only patients and their appointments."""
        self.model = read_model(MODEL, "clinic")
        self._engine = engine
        self._associations = Associations(self.model)
        self._registry = RegistryCache(engine, self.model)
        self._pending: list[Put] = []
        self.entities = Repository(MeteredEngine(engine), self.model)
        self._fill(appointments, is_whole=is_whole)

    def _fill(self, appointments: int, *, is_whole: bool) -> None:
        patients, doctors = appointments // 2, max(1, appointments // 50)
        cities = max(1, patients // 250)
        if is_whole:
            self._fill_around(patients, doctors)
        self._create(
            "Patient",
            (
                {
                    "email": f"{n}@example.com",
                    "city": f"city {n % cities}",
                    **({"card": f"Card{n}"} if is_whole else {}),
                }
                for n in range(patients)
            ),
        )
        self._create(
            "Appointment",
            (
                {
                    "starts_at": f"2026-{1 + n % 12:02}-{1 + n % 28:02}T{n % 24:02}:00:00.000Z",
                    "reason": "r" * 300,
                    "patient": f"Patient{n % patients}",
                    **({"doctor": f"Doctor{n % doctors}", "room": f"Room{n % 2}"} if is_whole else {}),
                    **({"notes": [f"Note{n // 10}"]} if is_whole and n % 10 == 7 else {}),
                }
                for n in range(appointments)
            ),
        )
        if is_whole:
            self._fill_below(appointments)
        self._commit(force=True)

    def _fill_around(self, patients: int, doctors: int) -> None:
        self._create("Card", ({"number": n} for n in range(patients)))
        self._create("Department", ({"name": f"d{n}"} for n in range(2)))
        self._create(
            "Doctor", ({"code": f"d{n}", "department": f"Department{n % 2}"} for n in range(doctors))
        )
        self._create("Room", ({"number": n} for n in range(2)))

    def _fill_below(self, appointments: int) -> None:
        tags = max(1, appointments // 10)
        self._create("Tag", ({"name": f"t{n}"} for n in range(tags)))
        notes = range(7, appointments, 10)
        self._create("Note", ({"text": "x" * 300, "appointment": f"Appointment{n}"} for n in notes))
        for n in range(0, appointments, 3):
            self._link(RoleName("Appointment", "tags"), f"Appointment{n}", f"Tag{n % tags}")
            self._link(RoleName("Tag", "appointments"), f"Tag{n % tags}", f"Appointment{n}")

    def _create(self, class_name: str, states: Iterator[dict[str, Any]]) -> None:
        """Put the items of objects: heads, guards and links, as a write does, without planning a write."""
        class_, paths = self.model.classes[class_name], self._registry.paths(class_name)
        for number, state in enumerate(states):
            id_ = f"{class_name}{number}"
            entity = Entity(Reference(class_name, id_), {"_id": id_, **state})
            places = {
                keys.LISTING: IndexKey(
                    keys.listing_partition(entity.reference.class_name), entity.reference.id
                ),
                **index_places(entity, paths),
            }
            attributes: dict[str, Any] = {codec.COMMIT_IDS: ["fill"], codec.VERSION_START_ATTRIBUTE: 0}
            self._put(
                Item(
                    keys.head(entity.reference),
                    attributes,
                    codec.state_text(entity.reference, entity.state),
                    places,
                )
            )
            for unique in class_.uniques:
                guard = guard_key(class_, unique, entity.state)
                assert guard is not None
                self._put(Item(guard, {HOLDER: id_}))
            for key in self._associations.foreign_keys(class_name):
                target = key.target_of(entity)
                if target is not None and key.exclusive:
                    guard = keys.one_to_one_guard(key.role, target)
                    self._put(Item(guard, {HOLDER: id_, links.START: 0}))
                elif target is not None and key.link_role is not None:
                    self._link(key.link_role, target, id_, {links.START: 0})

    def _link(self, role: RoleName, id_: str, other: str, attributes: Mapping[str, Any] = EMPTY) -> None:
        self._put(Item(keys.link(Reference(role.class_name, id_), role.role_name, other), attributes))

    def _put(self, item: Item) -> None:
        self._pending.append(Put(item))
        self._commit()

    def _commit(self, *, force: bool = False) -> None:
        if len(self._pending) == _ACTIONS or (force and self._pending):
            self._engine.commit(Batch(f"fill{secrets.token_hex(12)}", tuple(self._pending)))
            self._pending = []

    def ask(self, question: "Question") -> "Answer":
        """Return the plan and the cost of a page, each in a request of its own."""
        settings = Settings()
        taken: list[str] = []

        def ask() -> None:
            budget = ReadBudget(settings.read_megabytes * MEGABYTE, settings.read_seconds, monotonic)
            caller = Caller("1", "ada", question.profile, question.profile == "Manager", email=EMAIL)
            context = ReadContext(self.model, self.entities, budget, evaluation_context(caller, 0))
            Reader(context).page(question.query(self.model))

        self.entities.unbuilt()  # the registry is read before
        with record_plans(lambda plan: taken.append(f"{plan.class_name}: {plan.description}")):
            cost = measure_consumption(ask)
        began = perf_counter()
        try:
            ask()
        except ReadBudgetExceeded:
            taken.append("refused")
        return Answer(taken[-1].partition(": ")[2] or taken[-1], cost, perf_counter() - began)


class Answer(NamedTuple):
    """How a question was answered. `seconds` is without measuring."""

    plan: str
    cost: Metered
    seconds: float


class Question(NamedTuple):
    """A page of a class, as a member with a profile asks for it."""

    class_name: str
    text: str
    """The filter as clients write it."""
    filter: Filter | str | None
    """A condition if it is a text."""
    profile: str = "Manager"
    order: Order = Order()

    def query(self, model: Any) -> Query:
        """Return the query of a page with its count."""
        filter_ = self.filter
        if isinstance(filter_, str):
            context = evaluation_context(Caller("1", "ada", self.profile), 0)
            filter_ = ExpressionFilter(expressions_of(model).filter(self.class_name, filter_), context)
        return Query(self.class_name, self.order, filter_, fields=PageFields(has_next=True, total_count=True))


def _is(name: str, value: Any) -> Comparison:
    return Comparison(name, Operator.IN if isinstance(value, tuple) else Operator.EQ, value)


def _to(role: str, part: Filter) -> RoleFilter:
    class_name, role_name = role.split(".")
    return RoleFilter(RoleName(class_name, role_name), part)


_PATIENT = _to("Appointment.patient", _is("email", EMAIL))
_OTHER = _to("Appointment.patient", _is("email", "8@example.com"))
_THREE = ("7@example.com", "8@example.com", "9@example.com")
_DEPARTMENT = _to("Appointment.doctor", _to("Doctor.department", _is("name", "d1")))
BY_EMAIL = Question("Appointment", 'patient: {email___eq: "…"}', _PATIENT)
BY_GRANT = Question("Appointment", "", None, "Patient")
BY_BOTH = Question("Appointment", 'patient: {email___eq: "…"}', _PATIENT, "Patient")
QUESTIONS: Sequence[Question] = (
    BY_EMAIL,
    BY_GRANT,
    BY_BOTH,
    Question("Appointment", 'patient: {email___eq: "another"}', _OTHER, "Patient"),
    Question("Appointment", 'patient: {email___eq: "…"}', _PATIENT, "Clerk"),
    Question("Appointment", 'patient_email___eq: "…"', _is("patient_email", EMAIL)),
    Question("Appointment", "filter_exp: \"patient_email == '…'\"", f"patient_email == '{EMAIL}'"),
    Question("Appointment", 'patient: {_id___eq: "…"}', _to("Appointment.patient", _is("_id", "Patient7"))),
    Question(
        "Appointment",
        'patient: {email___in: ["…", "…", "…"]}',
        _to("Appointment.patient", _is("email", _THREE)),
    ),
    Question(
        "Appointment",
        "patient: {card: {number___eq: 7}}",
        _to("Appointment.patient", _to("Patient.card", _is("number", 7))),
    ),
    Question(
        "Appointment",
        'doctor: {code___eq: "…"}, sorted by starts_at',
        _to("Appointment.doctor", _is("code", "d7")),
        order=Order.of([OrderTerm("starts_at")]),
    ),
    Question("Appointment", 'tags___some: {name___eq: "…"}', _to("Appointment.tags", _is("name", "t6"))),
    Question("Note", 'appointment: {patient: {email___eq: "…"}}', _to("Note.appointment", _PATIENT)),
    Question("Note", "", None, "Patient"),
    Question("Card", 'patient: {email___eq: "…"}', _to("Card.patient", _is("email", EMAIL))),
    Question("Patient", "card: {number___eq: 7}", _to("Patient.card", _is("number", 7))),
    Question("Patient", 'email___eq: "…"', _is("email", EMAIL)),
    Question("Patient", 'email___in: ["…", "…", "…"]', _is("email", _THREE)),
    Question("Doctor", 'department: {name___eq: "…"}', _to("Doctor.department", _is("name", "d1"))),
    Question("Appointment", 'doctor: {department: {name___eq: "…"}}', _DEPARTMENT),
    Question("Appointment", "room: {number___eq: 1}", _to("Appointment.room", _is("number", 1))),
    Question("Appointment", 'NOT: {patient: {email___eq: "…"}}', Not(_PATIENT)),
    Question(
        "Appointment",
        'starts_at___gte: "…", patient: {email___eq: "…"}',
        And((Comparison("starts_at", Operator.GTE, "2026-01-01T00:00:00.000Z"), _PATIENT)),
    ),
)
_ROUND_TRIPS, _READ_UNITS = 5, 6
"""The limits for two appointments of a patient, with their count: at any number of appointments."""


def main(folder: Path) -> None:
    """Print the cost of two appointments of one patient for each engine and size."""
    with ExitStack() as stack:
        engines = {"SQLite": sqlite_engines(folder, stack), "DynamoDB": dynamodb_engines(stack)}
        for name, opened in engines.items():
            for size in SIZES:
                clinic = Clinic(opened(f"questions{size}"), size, is_whole=False)
                print_table(f"Two of {size:,} appointments on {name}", list(_figures(clinic)))


def _figures(clinic: Clinic) -> Iterator[Figure]:
    questions = {"by role": BY_EMAIL, "by grant": BY_GRANT, "by both": BY_BOTH}
    for name, question in questions.items():
        answer = clinic.ask(question)
        yield Figure(f"{name}: round trips", answer.cost.round_trips, "", _ROUND_TRIPS)
        yield Figure(f"{name}: read units", answer.cost.read_units, "", _READ_UNITS)
        fastest = min(clinic.ask(question).seconds for _ in range(REPETITIONS))
        yield Figure(f"{name}: time, the least of {REPETITIONS}", fastest * 1000, "ms")


def table(clinic: Clinic) -> Iterator[str]:
    """Yield the lines of the table of questions, with the plan and the cost of each."""
    yield "| page of | filter | as | plan | round trips | read units |"
    yield "|---|---|---|---|---|---|"
    for question in QUESTIONS:
        answer = clinic.ask(question)
        cells = (
            question.class_name,
            f"`{question.text}`" if question.text else "",
            question.profile,
            answer.plan,
            f"{answer.cost.round_trips:,}",
            f"{answer.cost.read_units:,g}",
        )
        yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder_name, ExitStack() as engines:
        opened_engine = SqliteEngine(Path(folder_name) / "questions.db")
        engines.callback(opened_engine.close)
        print(*table(Clinic(opened_engine, DOCUMENTED_SIZE)), sep="\n")
