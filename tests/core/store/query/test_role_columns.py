"""Comparisons with the key of a role are served by an index, as those with attributes are."""

import pytest

from stratabase.core.domain.objects.change import Change, Creation
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.query.filter import And, Comparison, Filter, RoleFilter
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.model.types.operators import Operator
from stratabase.core.operations.context import ReadContext
from stratabase.core.operations.read.reader import Reader
from stratabase.core.store.indexes.registry_cache import RegistryCache
from stratabase.core.store.layout.associations import Associations
from stratabase.core.store.query import pages
from stratabase.core.store.query.planner import plan_candidates
from stratabase.core.store.query.row_sources import PlanSource
from stratabase.core.store.query.schema import QuerySchema
from stratabase.core.store.repository import Repository
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.stores import built, unlimited
from tests.core.store.watched_engine import WatchedEngine
from tests.fakes import unlimited_budget
from tests.graphs.hospital import HOSPITAL

CLASS = HOSPITAL.classes["Appointment"]
OF_ONE = Comparison("doctor", Operator.EQ, "d1")
CASES: dict[str, tuple[Filter, list[str]]] = {
    "one target": (OF_ONE, ["a1", "a4", "a7"]),
    "several targets": (
        Comparison("doctor", Operator.IN, ("d1", "d2")),
        ["a1", "a2", "a4", "a5", "a7", "a8"],
    ),
    "no target": (Comparison("doctor", Operator.NULL, True), ["a9"]),
    "a target and a range": (
        And((OF_ONE, Comparison("starts_at", Operator.GT, "2026-01-04T00:00:00.000Z"))),
        ["a7"],
    ),
}


@pytest.fixture
def engine() -> WatchedEngine:
    """An engine with appointments of three doctors, and one of none."""
    engine = WatchedEngine()
    entities = Repository(engine, HOSPITAL)
    doctors = [Reference("Doctor", f"d{number}") for number in range(3)]
    states = {
        f"a{number}": {
            "doctor": f"d{number % 3}" if number < 9 else None,
            "starts_at": f"2026-01-0{number or 9}T00:00:00.000Z",
        }
        for number in range(10)
    }
    written = [Entity(each, {"_id": each.id}, start=1) for each in doctors]
    written += [
        Entity(Reference("Appointment", id_), {"_id": id_, **state}, start=1) for id_, state in states.items()
    ]
    entities.commit(Change("c", 1, tuple(map(Creation, written))))
    return engine


@pytest.mark.parametrize(("filter_", "ids"), CASES.values(), ids=CASES)
def test_every_plan_finds_the_objects_by_their_target(
    engine: ReferenceEngine, filter_: Filter, ids: list[str]
) -> None:
    query = Query("Appointment", Order(), filter_, Window(size=20), PageFields())
    registry = RegistryCache(engine, HOSPITAL).write_schema()
    candidates = plan_candidates(CLASS, query, QuerySchema(HOSPITAL, Associations(HOSPITAL), registry))
    for each in candidates:
        page = pages.page_of(built(each, PlanSource(engine, unlimited()), query), query)
        assert [entity.reference.id for entity in page.items] == ids, each.description
    assert any("@index doctor, starts_at" in each.description for each in candidates)


def test_a_page_of_one_target_reads_only_its_range(engine: ReferenceEngine) -> None:
    budget, all_ = unlimited_budget(), unlimited_budget()
    entities = Repository(engine, HOSPITAL)
    query = Query("Appointment", Order(), OF_ONE, Window(size=20), PageFields())
    found = entities.page(query, budget)
    entities.page(Query("Appointment", Order(), None, Window(size=20), PageFields()), all_)
    assert [entity.reference.id for entity in found.items] == ["a1", "a4", "a7"]
    assert budget.bytes_read < all_.bytes_read / 2


def test_a_filter_on_a_role_reads_only_the_objects_with_its_key(engine: WatchedEngine) -> None:
    with_id = RoleFilter(RoleName("Appointment", "doctor"), Comparison("_id", Operator.EQ, "d1"))
    reader = Reader(ReadContext(HOSPITAL, Repository(engine, HOSPITAL), unlimited_budget()))
    engine.items_read = 0
    page = reader.page(Query("Appointment", Order(), with_id, fields=PageFields(total_count=True)))
    assert [each.reference.id for each in page.items] == ["a1", "a4", "a7"]
    assert page.total_count == 3
    assert engine.items_read == 3
