"""Each kind of derived attribute over each kind of role: its value, and when it is null."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.query.derived import Computed
from stratabase.core.model.model import Model
from stratabase.core.model.model_expressions import expressions_of
from stratabase.core.operations.context import evaluation_context
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.operations.read.reader import Reader
from stratabase.values.formats.preferences import Formats
from tests.core.operations.read.derived.firm import firm, objects, of_class
from tests.fakes import ADMINISTRATOR, NOON, DictEntities, request_of
from tests.rows import each_row

CALLER = replace(ADMINISTRATOR, email="ada@x.org", formats=Formats(time_zone="Asia/Tokyo"))


def known_of(model: Model, entities: DictEntities) -> Reader:
    """Return the reader of a request by a caller in Tokyo."""
    return Reader(request_of(model, entities, evaluation_context(CALLER, NOON)))


def values(class_name: str, name: str, model: Model) -> dict[str, Any]:
    """Return a derived attribute of all objects of a class, by their ids."""
    entities = objects(model)
    found = run(
        known_of(model, entities).with_computed(class_name, of_class(entities, class_name), Computed((name,)))
    )
    return {each.reference.id: each.state[name] for each in found}


PEOPLE = ["ada", "bob", "cy", "dee"]


@each_row(
    ("text", "expected"),
    [
        # Expressions over the object itself.
        ('Int @derived(expression: "age + 1")', [37, 21, 51, None]),
        ('Real @derived(expression: "pay / 2.0")', ["500.05", "0.1", None, None]),
        ('Boolean @derived(expression: "age > 30")', [True, False, True, None]),
        ("String @derived(expression: \"firstNotNull(name, '?')\")", ["Ada", "Bob", "?", "Dee"]),
        ('Int @derived(expression: "year(born)")', [1815, 2000, None, None]),
        ('Int @derived(expression: "age * 2000000000")', [None] * 4),
        ('Int @derived(expression: "age / 0")', [None] * 4),
        # Who asks, and when; days are those of the caller's zone.
        ('String @derived(expression: "caller.email")', ["ada@x.org"] * 4),
        ('Boolean @derived(expression: "lower(name) == caller.username")', [True, False, None, False]),
        ('Date @derived(expression: "today()")', ["2020-01-01"] * 4),
        ('Datetime @derived(expression: "now()")', ["2020-01-01T12:00:00.000Z"] * 4),
        ('Date @derived(expression: "date(seen)")', ["2020-07-01", None, None, None]),
        # Over to-one roles: by a key, its other side, a part, and several in a row.
        ("String @derived(expression: \"team.name + '!'\")", ["red!", "red!", "blue!", None]),
        ('Boolean @derived(expression: "isNull(team)")', [False, False, False, True]),
        ('String @derived(expression: "leads.name")', ["red", None, None, None]),
        ('Boolean @derived(expression: "isNull(leads)")', [False, True, True, True]),
        ('String @derived(expression: "home.street + home.keeper.name")', ["1stBob", None, None, None]),
        ('String @derived(expression: "team.lead._id")', ["ada", "ada", None, None]),
        ('Int @derived(expression: "mentor.mentor.age")', [None, None, None, 36]),
        ('Int @derived(expression: "firstNotNull(team.size, age)")', [3, 3, 50, None]),
        # Paths.
        ('String @derived(path: "team.name")', ["red", "red", "blue", None]),
        ('Real @derived(path: "leads.budget")', ["10.5", None, None, None]),
        ('Mood @derived(path: "team.mood")', ["GOOD", "GOOD", None, None]),
        ('Int @derived(path: "home.keeper.age")', [20, None, None, None]),
        ('String @derived(path: "mentor.team.lead.name")', [None, "Ada", "Ada", "Ada"]),
        # Aggregates: over the holders of a key, links on both sides and on one, and parts.
        ('Int @derived(path: "pupils", aggregate: COUNT)', [2, 1, 0, 0]),
        ('Int @derived(path: "pupils.name", aggregate: COUNT)', [1, 1, 0, 0]),
        ('Int @derived(path: "projects", aggregate: COUNT)', [2, 2, 0, 0]),
        ('Int @derived(path: "likes", aggregate: COUNT)', [2, 0, 0, 0]),
        ('Int @derived(path: "addresses", aggregate: COUNT)', [2, 0, 0, 0]),
        ('Real @derived(path: "projects.hours", aggregate: SUM)', ["3", "1", "0", "0"]),
        ('Int @derived(path: "addresses.number", aggregate: SUM)', [2, 0, 0, 0]),
        ('Real @derived(path: "addresses.number", aggregate: SUM)', ["2", "0", "0", "0"]),
        ('Real @derived(path: "addresses.number", aggregate: AVG)', ["2", None, None, None]),
        ('Real @derived(path: "projects.hours", aggregate: AVG)', ["1.5", "1", None, None]),
        ('Real @derived(path: "projects.hours", aggregate: MAX)', ["2", "1", None, None]),
        ('String @derived(path: "projects.name", aggregate: MIN)', ["mars", "moon", None, None]),
        ('Date @derived(path: "team.members.born", aggregate: MAX)', ["2000-01-01"] * 2 + [None] * 2),
        ('Datetime @derived(path: "team.members.seen", aggregate: MIN)',
         ["2020-06-30T22:30:00.000Z"] * 2 + [None] * 2),
        ('Mood @derived(path: "likes.mood", aggregate: MAX)', ["GOOD", None, None, None]),
        # What is met on two ways counts twice: with the project p1, both Ada and Bob lead to Ada.
        ('Int @derived(path: "projects.people", aggregate: COUNT)', [3, 3, 0, 0]),
        ('Int @derived(path: "team.members.projects", aggregate: COUNT)', [4, 4, 0, 0]),
        ('Int @derived(path: "pupils.team.members.age", aggregate: SUM)', [106, 0, 0, 0]),
        # Nobody is there without a whole.
        ('Int @derived(path: "addresses.keeper.age", aggregate: SUM)', [50, 0, 0, 0]),
    ],
)  # fmt: skip
def test_each_kind_of_derived_attribute_has_its_value(text: str, expected: list[Any]) -> None:
    model = firm(Person=f"it: {text}")
    assert values("Person", "it", model) == dict(zip(PEOPLE, expected, strict=True))


def test_a_part_derives_values_from_its_existing_whole() -> None:
    model = firm(
        Address='owner: String @derived(path: "visitor.name")  homes: String @derived(path: "dweller.name")'
    )
    assert values("Address", "owner", model) == {"h1": None, "a1": "Ada", "a2": "Ada", "orphan": None}
    assert values("Address", "homes", model) == {"h1": "Ada", "a1": None, "a2": None, "orphan": None}


def test_a_part_of_a_deleted_whole_is_invisible_to_derivations() -> None:
    model = firm(Person='kept: Int @derived(expression: "leads.lead.home.number")')
    assert values("Person", "kept", model)["ada"] == 1


def test_derived_attributes_may_use_one_another_across_classes() -> None:
    """Ada is paid 1000.1, and leads Team t1, which has two members."""
    model = firm(
        Person='half: Real @derived(expression: "pay / 2.0")'
        '  share: Real @derived(expression: "team.cost / 4.0")'
        '  twice: Real @derived(expression: "share + share + half")'
        '  lead_share: Real @derived(path: "team.lead.share")',
        Team='cost: Real @derived(path: "members.half", aggregate: SUM)'
        '  most: Real @derived(path: "members.twice", aggregate: MAX)',
    )
    assert values("Team", "cost", model) == {"t1": "500.15", "t2": "0", "t3": "0"}
    assert values("Person", "share", model) == {"ada": "125.0375", "bob": "125.0375", "cy": "0", "dee": None}
    assert values("Person", "twice", model)["ada"] == "750.125"
    assert values("Person", "lead_share", model) == {
        "ada": "125.0375",
        "bob": "125.0375",
        "cy": None,
        "dee": None,
    }
    assert values("Team", "most", model) == {"t1": "750.125", "t2": None, "t3": None}


def test_a_value_formerly_stored_under_a_derived_name_is_ignored() -> None:
    """The attribute was stored before the model made it derived."""
    model = firm(
        Person='age_next: Int @derived(expression: "age + 1")'
        '  later: Int @derived(expression: "age_next + 1")'
    )
    entity = Entity(Reference("Person", "x"), {"_id": "x", "age_next": 7})
    (found,) = run(
        known_of(model, objects(model)).with_computed("Person", [entity], Computed(("age_next", "later")))
    )
    assert (found.state["age_next"], found.state["later"]) == (None, None)


def test_a_stale_link_is_checked_against_the_key_of_its_object() -> None:
    """The key of the object decides what it belongs to."""
    model = firm(Team='count: Int @derived(path: "members", aggregate: COUNT)')

    class Late(DictEntities):
        def linked(self, role: RoleName, ids: Sequence[str], *_: Any, **__: Any) -> list[tuple[str, ...]]:
            return [("ada", "bob", "cy")] * len(ids)

    late = Late(model)
    late.graph = objects(model).graph
    teams = run(known_of(model, late).with_computed("Team", of_class(late, "Team"), Computed(("count",))))
    assert [team.state["count"] for team in teams] == [2, 1, 0]


def test_unnamed_expressions_are_evaluated() -> None:
    """Conditions of warnings, say: true, false, or null; over roles and derived attributes too."""
    model = firm(Person='older: Int @derived(expression: "age + 1")')
    entities = objects(model)
    reader = known_of(model, entities)
    texts = ["older > 37", "team.name == 'red'", "caller.username == lower(name)"]
    conditions = [expressions_of(model).condition("Person", text) for text in texts]
    people = [entities.objects[Reference("Person", id_)] for id_ in PEOPLE]
    assert reader.values("Person", people, conditions) == [
        (False, True, True),
        (False, True, False),
        (True, False, None),
        (None, None, False),
    ]
    assert reader.values("Person", people, []) == [()] * 4
    assert reader.values("Person", [], conditions) == []
