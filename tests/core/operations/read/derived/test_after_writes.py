"""Derived values in previews, and after the write."""

from collections.abc import Mapping
from typing import Any

from stratabase.core.domain.objects.change import EffectIndex
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.query.derived import Computed
from stratabase.core.domain.query.fetch import Fetch, render_stored
from stratabase.core.domain.query.filter import MATCH_ALL, Comparison, Filter, RoleFilter
from stratabase.core.domain.query.order import Order, OrderTerm
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.domain.write.commands import Command, Create, RoleCommand
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.operators import Operator
from stratabase.core.operations.context import evaluation_context
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.operations.read.pending import PendingWrite
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.read.views import read_views
from stratabase.core.operations.write.pipeline import Write
from tests.core.operations.read.derived.firm import firm, objects
from tests.fakes import ADMINISTRATOR, NOON, fake_services, request_of
from tests.graphs.commands import (
    add,
    create,
    create_command,
    delete,
    delete_command,
    point,
    remove,
    update,
    update_command,
)
from tests.rows import each_row

MODEL = firm(
    Person="""
      shout: String @derived(expression: "name + '!'")
      team_name: String @derived(path: "team.name")
      mates: Int @derived(path: "team.members", aggregate: COUNT)
      streets: String @derived(path: "addresses.street", aggregate: MAX)
      project_hours: Real @derived(path: "projects.hours", aggregate: SUM)
      leads_many: Boolean @derived(expression: "leads.count > 1")
    """,
    Team="""
      count: Int @derived(path: "members", aggregate: COUNT)
      ages: Int @derived(path: "members.age", aggregate: SUM)
    """,
)
NAMES = {
    "Person": ("shout", "team_name", "mates", "streets", "project_hours", "leads_many"),
    "Team": ("count", "ages"),
}
PERSON_PARTS: Mapping[str, Filter] = {
    "team": RoleFilter(RoleName("Team", "members"), Comparison("age", Operator.LT, 8)),
    "leads": RoleFilter(RoleName("Team", "members"), MATCH_ALL),
    "addresses": Comparison("street", Operator.GT, "8"),
    "projects": Comparison("hours", Operator.NULL, False),
}
ROLES = {
    "Person": tuple(RoleFilter(RoleName("Person", role), part) for role, part in PERSON_PARTS.items()),
    "Team": (RoleFilter(RoleName("Team", "members"), Comparison("mates", Operator.GT, 2)),),
}
"""By class: role filters, one of them about a derived attribute."""
WRITES: dict[str, Command] = {
    "a new person": create_command(
        "Person",
        name="Eve",
        age=7,
        team=point("t1"),
        leads=point("t3"),
        projects=add("p1", "p2"),
        addresses=create(create_command("Address", street="9th"), create_command("Address", street="8th")),
    ),
    "a new team of others": create_command(
        "Team", name="pink", members=add("ada", "bob", "dee"), lead=point("dee")
    ),
    "another name": update_command("Person", "ada", name="Zoe", age=1),
    "to another team": update_command("Person", "bob", team=point("t2")),
    "out of a team": update_command("Team", "t1", members=remove("bob")),
    "parts": update_command(
        "Person",
        "ada",
        addresses=create(create_command("Address", street="zzz")),
    ),
    "a part": update_command(
        "Person", "ada", addresses=update(update_command("Address", "a1", street="zzz"))
    ),
    "no part": update_command("Person", "ada", addresses=delete("a2")),
    "no project": update_command("Project", "p2", hours=None, people=remove("ada")),
    "no team": delete_command("Team", "t1"),
    "nobody": delete_command("Person", "bob"),
}


def derived_values(
    entities: EntityRepository, pending: PendingWrite | None = None
) -> dict[str, list[dict[str, Any]]]:
    """Return the derived values of all objects of a source."""
    reader = Reader(request_of(MODEL, entities, evaluation_context(ADMINISTRATOR, NOON)), pending=pending)
    found: dict[str, list[dict[str, Any]]] = {}
    for class_name, names in NAMES.items():
        ids = [f"{prefix}{n}" for prefix in ("t", "id") for n in range(9)] + ["ada", "bob", "cy", "dee"]
        there = [each for each in reader.read([Reference(class_name, id_) for id_ in ids]) if each]
        computed = Computed(names, ROLES[class_name])
        states = [each.state for each in run(reader.with_computed(class_name, there, computed))]
        shown = ("_id", *names, *(condition.mark for condition in computed.roles))
        found[class_name] = [{name: state[name] for name in shown} for state in states]
    return found


@each_row("command", WRITES.values())
def test_a_preview_shows_the_derived_values_after_the_write(command: Command) -> None:
    services, entities, _ = fake_services(MODEL)
    entities.graph = objects(MODEL).graph
    before = derived_values(entities)
    rehearsed = Write(services, command, ADMINISTRATOR).dry_run()
    assert not rehearsed.issues
    expected = derived_values(entities, PendingWrite(EffectIndex(rehearsed.change.effects, MODEL)))

    entities.commit(rehearsed.change)

    assert derived_values(entities) == expected != before
    # An answer is shaped from what was written, wherever an index lags behind.
    assert derived_values(entities, PendingWrite(EffectIndex(rehearsed.change.effects, MODEL))) == expected


def test_a_new_object_has_no_id_in_an_expression_of_a_preview() -> None:
    """A derived value does not show the id that the view hides."""
    model = firm(Person="tag: String @derived(expression: \"'#' + _id\")")
    services, entities, _ = fake_services(model)
    done = Write(services, create_command("Person", name="Eve"), ADMINISTRATOR).dry_run().result()
    pending = PendingWrite(EffectIndex(done.effects, model))
    for face, expected in ((_without_id, None), (render_stored, "#id1")):
        reader = Reader(request_of(model, entities), pending=pending, render=face)
        reader.add([done.entity])
        (view,) = read_views(reader, Fetch({}, ("tag",)), [done.entity])
        assert view["tag"] == expected


def _without_id(entity: Entity) -> Mapping[str, Any]:
    return {**entity.state, "_id": None}


def test_objects_that_are_never_stored_have_derived_values() -> None:
    model = read_model(
        """extend schema @application(name: "A")
        type Person { name: String }
        type Leave @class(kind: FORM) {
          first_day: Date!  last_day: Date!  employee: Person!  deputies: [Person!]
          days: Int @derived(expression: "dateDiff(last_day, first_day) + 1")
          who: String @derived(path: "employee.name")
          covered: Boolean @derived(expression: "deputy_count > 0")
          deputy_count: Int @derived(path: "deputies", aggregate: COUNT)
        }""",
        "form",
    )
    services, entities, _ = fake_services(model)
    for id_ in ("ada", "bob", "cy"):
        reference = Reference("Person", id_)
        entities.objects[reference] = Entity(reference, {"_id": id_, "name": id_})
    roles: dict[str, RoleCommand] = {"employee": point("ada"), "deputies": add("bob", "cy")}
    asked = Create("Leave", {"first_day": "2020-01-30", "last_day": "2020-02-02"}, roles=roles)
    done = Write(services, asked, ADMINISTRATOR).dry_run().result()
    reader = Reader(request_of(model, entities), pending=PendingWrite(EffectIndex(done.effects, model)))
    reader.add([done.entity])
    names = ("days", "who", "covered", "deputy_count")
    (view,) = read_views(reader, Fetch({}, names), [done.entity])
    assert [view[name] for name in names] == [4, "ada", True, 2]


def test_a_page_finds_objects_by_derived_values_after_the_write() -> None:
    """Beside new ones, which no page of a class shows before they are indexed."""
    services, entities, _ = fake_services(MODEL)
    entities.graph = objects(MODEL).graph
    effects = [
        *Write(services, update_command("Person", "dee", name="Abe"), ADMINISTRATOR).dry_run().change.effects,
        *Write(services, delete_command("Person", "bob"), ADMINISTRATOR).dry_run().change.effects,
    ]
    reader = Reader(request_of(MODEL, entities), pending=PendingWrite(EffectIndex(effects, MODEL)))
    page = reader.page(Query("Person", Order.of([OrderTerm("shout")]), None, Window(9)))
    assert [each.state["shout"] for each in page.items] == [None, "Abe!", "Ada!"]
