"""Operations with queries over derived attributes: pages, reads by key, and bulk writes."""

from dataclasses import replace
from random import Random

import pytest

from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.query.derived import Computed
from stratabase.core.domain.query.filter import And, Comparison, ExpressionFilter, Or, RoleFilter
from stratabase.core.domain.query.order import Order, OrderTerm
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.domain.write.commands import UpdateBulk
from stratabase.core.model.model_expressions import expressions_of
from stratabase.core.model.types.operators import Operator
from stratabase.core.operations.context import Services, evaluation_context
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.write.bulk import delete_bulk, matching_references, update_bulk
from stratabase.values.formats.preferences import Formats
from tests.contract.engine.reference import ReferenceEngine
from tests.core.operations.read.derived.firm import firm, objects
from tests.core.operations.read.derived.staff import STAFF, Staff
from tests.fakes import ADMINISTRATOR, NOON, DictEntities, fake_services, request_of, unlimited_budget
from tests.soak import seed

MODEL = firm(
    Person="""
      team_name: String @derived(path: "team.name")
      mates: Int @derived(path: "team.members", aggregate: COUNT)
      is_me: Boolean @derived(expression: "lower(name) == caller.username")
    """
)
RED = Comparison("team_name", Operator.EQ, "red")
BY_MATES = Order.of([OrderTerm("mates", descending=True), OrderTerm("_id")])
HERE = evaluation_context(ADMINISTRATOR, NOON)


def firm_world() -> tuple[Services, DictEntities]:
    services, entities, _ = fake_services(MODEL)
    entities.graph = objects(MODEL).graph
    return services, entities


def ids(entities: list[Entity]) -> list[str]:
    return [each.reference.id for each in entities]


def test_a_page_shows_the_derived_values_of_its_filter() -> None:
    services, _ = firm_world()
    query = Query("Person", BY_MATES, RED, Window(1), PageFields(items=True, total_count=True, has_next=True))
    shown = Reader(request_of(services.model, services.entities, HERE)).page(query)
    assert [(each.reference.id, each.state["mates"]) for each in shown.items] == [("ada", 2)]
    assert (shown.total_count, shown.has_next) == (2, True)


def test_conditions_of_clients_may_use_the_caller() -> None:
    services, _ = firm_world()
    mine = expressions_of(MODEL).filter("Person", "is_me && mates > 1")
    query = Query("Person", Order(), ExpressionFilter(mine, HERE))
    assert ids([*Reader(request_of(services.model, services.entities, HERE)).page(query).items]) == ["ada"]
    bert = evaluation_context(replace(ADMINISTRATOR, username="bob"), NOON)
    assert ids([*Reader(request_of(services.model, services.entities, bert)).page(query).items]) == ["bob"]


def test_objects_read_again_by_key_are_filtered_by_their_present_values() -> None:
    """Bob has left the team meanwhile, so he is no longer shown, and Ada has one mate less."""
    services, entities = firm_world()
    query = Query("Person", BY_MATES, RED)
    shown = Reader(request_of(services.model, services.entities, HERE)).page(query)
    bob = Reference("Person", "bob")
    entities.objects[bob] = Entity(bob, {**entities.objects[bob].state, "team": "t2"})
    again = Reader(request_of(services.model, services.entities, HERE)).confirm(query, shown)
    assert [(each.reference.id, each.state["mates"]) for each in again] == [("ada", 1)]


def test_bulk_services_find_objects_by_derived_values() -> None:
    services, entities = firm_world()
    query = Query("Person", Order(), RED, Window(100))
    written = update_bulk(
        services, UpdateBulk("Person", {"age": 1}), query, ADMINISTRATOR, unlimited_budget(), HERE
    )
    assert [each.reference.id for each in written.results] == ["ada", "bob"]
    assert matching_references(
        services,
        replace(query, filter=And((RED, Comparison("age", Operator.EQ, 1)))),
        unlimited_budget(),
        HERE,
    ) == [
        Reference("Person", "ada"),
        Reference("Person", "bob"),
    ]
    assert len(delete_bulk(services, query, ADMINISTRATOR, unlimited_budget(), HERE).results) == 2
    assert Reference("Person", "bob") not in entities.objects


def test_an_object_that_no_longer_matches_is_skipped() -> None:
    """If the first of two members is deleted, the second one has no team mates."""
    services, entities = firm_world()
    mated = Query("Person", Order(), Comparison("mates", Operator.GT, 1), Window(100))
    assert len(delete_bulk(services, mated, ADMINISTRATOR, unlimited_budget(), HERE).results) == 1
    assert Reference("Person", "ada") not in entities.objects
    assert Reference("Person", "bob") in entities.objects


def test_the_evaluation_context_has_the_data_of_the_caller() -> None:
    caller = replace(
        ADMINISTRATOR,
        email="ada@x.org",
        notes="likes tea",
        formats=Formats("dd.MM.yyyy", "HH:mm:ss", "Asia/Tokyo", "it"),
    )
    evaluation = evaluation_context(caller, NOON + 6 * 3_600_000)
    assert evaluation.caller == {
        "id": "m1",
        "username": "ada",
        "email": "ada@x.org",
        "notes": "likes tea",
        "profile": "Administrator",
        "timeFormat": "HH:mm:ss",
        "dateFormat": "dd.MM.yyyy",
        "timeZone": "Asia/Tokyo",
        "language": "it",
    }
    assert (evaluation.now, evaluation.today) == ("2020-01-01T18:00:00.000Z", "2020-01-02")


def test_an_unknown_time_zone_does_not_prevent_requests() -> None:
    lost = replace(ADMINISTRATOR, formats=Formats(time_zone="Atlantis/Poseidonis"))
    assert evaluation_context(lost, NOON).today == "2020-01-01"


def test_reads_for_derived_values_count_towards_the_read_budget() -> None:
    """Objects that were read before cost nothing more."""
    staff = Staff(ReferenceEngine(), Random(seed()))
    people = staff.plain.all_of("Person")
    plenty_of = ReadBudget(2**60, 1, clock=lambda: 0.0)
    run(
        Reader(request_of(STAFF, staff.entities, budget=plenty_of)).with_computed(
            "Person", people, Computed(("mates",))
        )
    )
    assert plenty_of.bytes_read > 0
    few = ReadBudget(1, 1, clock=lambda: 0.0)
    with pytest.raises(ReadBudgetExceeded):
        run(
            Reader(request_of(STAFF, staff.entities, budget=few)).with_computed(
                "Person", people, Computed(("mates",))
            )
        )
    run(
        Reader(request_of(STAFF, staff.entities, budget=few)).with_computed(
            "Person", people, Computed(("next_size",))
        )
    )


def test_derivation_stops_when_the_request_times_out() -> None:
    """However much has been read already."""
    _, entities = firm_world()
    now = [0.0]

    def tick() -> float:
        now[0] += 1
        return now[0]

    slow = ReadBudget(2**60, 10, clock=tick)
    people = [Entity(Reference("Person", f"p{number}"), {"_id": f"p{number}"}) for number in range(1000)]
    with pytest.raises(ReadBudgetExceeded, match="Person"):
        run(
            Reader(request_of(MODEL, entities, HERE, slow)).with_computed(
                "Person", people, Computed(("is_me",))
            )
        )
    assert now[0] < 20


def test_a_filter_on_a_role_stops_while_it_compares_a_long_text() -> None:
    """The refusal says what took the time."""
    services, entities = firm_world()
    team = Reference("Team", "t1")
    entities.objects[team] = Entity(team, {"_id": "t1", "name": "x" * 200_000})
    people = [entity for entity in entities.objects.values() if entity.reference.id == "ada"]
    wide = Or(tuple(Comparison("name", Operator.CONTAINS, f"{number}") for number in range(500)))
    turns: list[int] = []
    budget = ReadBudget(2**60, 10, lambda: len(turns), lambda: turns.append(1))

    with pytest.raises(ReadBudgetExceeded, match=r"Team: .*Search long texts by fewer conditions"):
        run(
            Reader(request_of(services.model, entities, HERE, budget)).with_computed(
                "Person", people, Computed((), (RoleFilter(RoleName("Person", "team"), wide),))
            )
        )
    assert len(turns) == 11
