"""Round trips of derived attributes depend on path length, and not on the number of objects."""

from collections.abc import Sequence
from typing import Any

import pytest

from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.query.fetch import Fetch, RoleFetch, ToMany, ToOne
from stratabase.core.domain.query.filter import Comparison
from stratabase.core.domain.query.order import Order, OrderTerm
from stratabase.core.domain.query.page import Page, PageFields, Query, Window
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.types.operators import Operator
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.read.views import read_views
from tests.core.operations.read.derived.firm import firm, of_class
from tests.fakes import DictEntities, request_of

MODEL = firm(
    Person="""
      shout: String @derived(expression: "name + '!'")
      team_name: String @derived(path: "team.name")
      boss: String @derived(expression: "team.lead.name + '!'")
      mates: Int @derived(path: "team.members", aggregate: COUNT)
      team_age: Int @derived(path: "team.age")
      pupil_count: Int @derived(path: "pupils", aggregate: COUNT)
    """,
    Team='age: Int @derived(path: "members.age", aggregate: SUM)',
)
PERSON, TEAM = MODEL.classes["Person"], MODEL.classes["Team"]


class Counted(DictEntities):
    """An in-memory store that records its calls."""

    def __init__(self, size: int) -> None:
        super().__init__(MODEL)
        self.calls: list[str] = []
        self.read_at: list[Reference] = []
        for number in range(size):
            self._put("Team", f"t{number}", name="x", lead=f"p{number}")
            mentor = {"mentor": "p0"} if number == 1 else {}
            self._put("Person", f"p{number}", name="y", age=1, team=f"t{number // 2}", **mentor)

    def _put(self, class_name: str, id_: str, **state: Any) -> None:
        reference = Reference(class_name, id_)
        self.objects[reference] = Entity(reference, {"_id": id_, **state})

    def read(self, references: Sequence[Reference], budget: ReadBudget | None = None) -> list[Entity | None]:
        self.calls.append("read")
        self.read_at += references
        return super().read(references, budget)

    def linked(
        self, role: RoleName, ids: Sequence[str], *arguments: Any, **options: Any
    ) -> list[tuple[str, ...]]:
        self.calls.append(f"{role}")
        return super().linked(role, ids, *arguments, **options)

    def page(self, *arguments: Any, **options: Any) -> Page:
        self.calls.append("page")
        return super().page(*arguments, **options)


def calls(fetch: Fetch, size: int) -> list[str]:
    """Return the store calls of a fetch on a number of people, with empty caches."""
    entities = Counted(size)
    read_views(Reader(request_of(MODEL, entities)), fetch, of_class(entities, "Person"))
    assert len(set(entities.read_at)) == len(entities.read_at)
    return entities.calls


def test_nested_pages_of_all_owners_are_filtered_in_one_batch() -> None:
    """The filter needs two more levels of objects."""
    by_mates = Comparison("mates", Operator.GT, 0)
    wanted = ToMany(
        RoleName("Team", "members"),
        TEAM.roles["members"],
        Fetch(),
        Query("Person", Order.of([OrderTerm("boss")]), by_mates, Window(1)),
        lambda _, views: views,
    )
    asked = []
    for size in (5, 500):
        entities = Counted(size)
        views = read_views(
            Reader(request_of(MODEL, entities)), Fetch({"k.members": wanted}), of_class(entities, "Team")
        )
        assert sum(len(view["k.members"]) for view in views) == (size + 1) // 2
        asked.append(entities.calls)
    assert asked[0] == asked[1] == ["Team.members", "read", "read"]


def test_a_count_does_not_read_the_attributes_of_the_order() -> None:
    """Nothing is computed that makes no difference to it."""
    entities = Counted(9)
    wanted = PageFields(items=False, total_count=True)
    query = Query("Person", Order.of([OrderTerm("boss")]), fields=wanted)
    nested = ToMany(RoleName("Team", "members"), TEAM.roles["members"], Fetch(), query, lambda page, _: page)
    reader = Reader(request_of(MODEL, entities))
    views = read_views(reader, Fetch({"k.members": nested}), of_class(entities, "Team"))
    assert [view["k.members"].total_count for view in views] == [2, 2, 2, 2, 1, 0, 0, 0, 0]
    assert reader.page(query).total_count == 9
    assert entities.calls == ["Team.members", "read", "page"]


def to(class_name: str, role: str, below: Fetch) -> RoleFetch:
    """Return the fetch of a role."""
    name, found = RoleName(class_name, role), MODEL.classes[class_name].roles[role]
    if not found.many:
        return ToOne(name, found, below)
    return ToMany(name, found, below, Query(found.target, Order()), lambda _, views: views)


TEAM_OF = Fetch({"k.team": to("Person", "team", Fetch())})
MATES_OF = Fetch({"k.team": to("Person", "team", Fetch({"k.members": to("Team", "members", Fetch())}))})
BOTH = Fetch({**MATES_OF.roles, "k.pupils": to("Person", "pupils", Fetch())})


@pytest.mark.parametrize(
    ("names", "expected", "visible"),
    [
        (("shout",), [], Fetch()),
        (("team_name",), ["read"], TEAM_OF),
        (("boss", "team_name"), ["read", "read"], None),
        (("mates",), ["read", "Team.members", "read"], MATES_OF),
        (("team_age",), ["read", "Team.members", "read"], MATES_OF),
        (("mates", "team_age", "team_name", "shout"), ["read", "Team.members", "read"], MATES_OF),
        (("mates", "pupil_count"), ["Person.pupils", "read", "Team.members", "read"], BOTH),
    ],
)
@pytest.mark.parametrize("size", [5, 500])
def test_round_trips_do_not_grow_with_the_number_of_objects(
    names: tuple[str, ...], expected: list[str], visible: Fetch | None, size: int
) -> None:
    """There are as many as for visible roles of the same depth, and no more if both are selected."""
    assert calls(Fetch({}, names), size) == expected
    if visible is not None:
        assert len(calls(visible, size)) == len(expected)
        assert len(calls(Fetch(visible.roles, names), size)) == len(expected)
