"""Semi-joins: pages of objects that are found by what their roles lead to."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.domain.issues.refusals import Hint, ReadBudgetExceeded
from stratabase.core.domain.objects.change import Change, Creation, Effect, LinkCreation, Modification
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.query.derived import role_filters
from stratabase.core.domain.query.filter import (
    MATCH_ALL,
    And,
    Comparison,
    Filter,
    FlagFilter,
    Not,
    Or,
    RoleFilter,
)
from stratabase.core.domain.query.matching import matcher
from stratabase.core.domain.query.order import Order, OrderTerm
from stratabase.core.domain.query.page import Page, PageFields, Query, Window
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.query import pages, semi_join
from stratabase.core.store.query.planner import plan_candidates
from stratabase.core.store.query.row_sources import PlanSource
from stratabase.core.store.query.schema import Found, QuerySchema, built_schema
from stratabase.core.store.repository import Repository
from tests.contract.engine.lagging import LaggingEngine
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.stores import unlimited
from tests.core.store.watched_engine import WatchedEngine
from tests.fakes import unlimited_budget
from tests.rows import each_row
from tests.soak import seed

MODEL = read_model(
    """
    extend schema @application(name: "Joined")
    type Near @index(attributes: ["size"]) @unique(attributes: ["name"]) {
      name: String size: Int
      key: Far @association(opposite: "keys")
      lone: Far @association
      needed: Far! @association
      only: Far @association(opposite: "its", holds: true)
      many: [Far!] @association(opposite: "manys")
      ways: [Far!] @association
      parts: [Part!] @composition(whole: "whole")
    }
    type Far @index(attributes: ["size"]) @unique(attributes: ["name"]) {
      name: String size: Int note: String
      keys: [Near!] @association(opposite: "key")
      its: Near @association(opposite: "only")
      manys: [Near!] @association(opposite: "many")
    }
    type Part @index(attributes: ["size"]) @unique(attributes: ["name"]) { name: String size: Int }
    """,
    "joined",
)
ROLES = [RoleName(class_.name, role) for class_ in MODEL.classes.values() for role in class_.roles]
ALL = PageFields(items=True, total_count=True, has_next=True, has_prev=True)


class Graph:
    """Objects of all classes that lead to each other, in a store and in memory."""

    def __init__(self, chance: random.Random, engine: Engine, size: int = 8) -> None:
        self.repository = Repository(engine, MODEL)
        self.states: dict[str, dict[str, dict[str, Any]]] = {"Far": {}, "Near": {}, "Part": {}}
        self.links: dict[RoleName, dict[str, set[str]]] = {role: {} for role in ROLES}
        for number in range(size):
            self._add("Far", f"f{number}", {"name": f"f{number}", "size": chance.randint(0, 3)})
        far = list(self.states["Far"])
        free = chance.sample(far, size)
        linked = [each for number in range(size) for each in self._add_near(chance, f"n{number}", far, free)]
        self._commit_all([Creation(self._entity(*each)) for each in self._objects()])
        self._commit_all([LinkCreation(*each) for each in linked])

    def _objects(self) -> Iterator[Reference]:
        return (Reference(name, id_) for name, states in self.states.items() for id_ in states)

    def _entity(self, class_name: str, id_: str) -> Entity:
        return Entity(Reference(class_name, id_), self.states[class_name][id_])

    def _add_near(
        self, chance: random.Random, id_: str, far: list[str], free: list[str]
    ) -> Iterator[tuple[RoleName, str, str]]:
        """Add an object with its parts. Yield its links, which the store keeps on their own."""
        keys = {name: chance.choice(far) for name in ("key", "lone") if chance.random() < 0.8}
        keys |= {"needed": chance.choice(far)} | ({"only": free.pop()} if chance.random() < 0.8 else {})
        parts = [f"{id_}p{part}" for part in range(chance.choice([0, 1, 2]))]
        self._add(
            "Near",
            id_,
            {"name": id_, "size": chance.randint(0, 3), **keys, **({"parts": parts} if parts else {})},
        )
        for name, other in keys.items():
            self._lead("Near", name, id_, other)
        for part in parts:
            self._add("Part", part, {"name": part, "size": chance.randint(0, 3), "whole": id_})
            self._lead("Near", "parts", id_, part)
        for name in ("many", "ways"):
            for other in chance.sample(far, chance.choice([0, 1, 2])):
                self._lead("Near", name, id_, other)
                yield RoleName("Near", name), id_, other

    def _commit_all(self, effects: Sequence[Effect]) -> None:
        for first in range(0, len(effects), 20):
            self.commit(*effects[first : first + 20])

    def commit(self, *effects: Effect) -> None:
        self.repository.commit(Change(f"c{random.random()}", 0, effects))

    def _add(self, class_name: str, id_: str, state: dict[str, Any]) -> None:
        self.states[class_name][id_] = {"_id": id_, **state}

    def _lead(self, class_name: str, name: str, id_: str, other: str) -> None:
        role = MODEL.classes[class_name].roles[name]
        self.links[RoleName(class_name, name)].setdefault(id_, set()).add(other)
        if role.opposite:
            self.links[RoleName(role.target, role.opposite)].setdefault(other, set()).add(id_)

    def holds(self, class_name: str, id_: str, filter_: Filter) -> bool:
        """Return whether an object in memory matches a filter."""
        match filter_:
            case And(parts):
                return all(self.holds(class_name, id_, part) for part in parts)
            case Or(parts):
                return any(self.holds(class_name, id_, part) for part in parts)
            case Not(part):
                return not self.holds(class_name, id_, part)
            case RoleFilter(role, part):
                target = MODEL.classes[class_name].roles[role.role_name].target
                return any(self.holds(target, other, part) for other in self.links[role].get(id_, ()))
        return bool(matcher(filter_, MODEL.classes[class_name])(self.states[class_name][id_]))

    def derive(self, query: Query) -> Any:
        """Return the function that adds the results of the role filters of a query to states."""
        conditions = list(role_filters(query.filter))

        def derived(entities: Sequence[Entity]) -> Sequence[Entity]:
            return [
                replace(
                    each,
                    state={
                        **each.state,
                        **{one.mark: self.holds(*each.reference, one) for one in conditions},
                    },
                )
                for each in entities
            ]

        return derived if conditions else None

    def related(self, query: Query, budget: ReadBudget) -> Page:
        return self.repository.page(query, budget, self.derive(query), self.related)

    def expected(self, query: Query) -> list[str]:
        """Return the ids of all matches."""
        ids = self.states[query.class_name]
        return sorted(
            id_ for id_ in ids if query.filter is None or self.holds(query.class_name, id_, query.filter)
        )

    def ways(self, query: Query) -> Iterator[tuple[str, Page]]:
        """Yield the page of a query by each plan that does not give up, and as the store finds it."""
        store = self.repository._store
        schema = QuerySchema(MODEL, store.associations, store.write_schema())
        source = PlanSource(store.engine, unlimited(), self.derive(query), related=self.related, store=store)
        for one in plan_candidates(MODEL.classes[query.class_name], query, schema):
            if (plan := one.build(source, query)) is not None:
                yield one.description, pages.page_of(plan, query)
        yield "the store's own", self.related(query, unlimited_budget())


def a_filter(chance: random.Random, class_name: str, depth: int = 2) -> Filter:
    """Return a random filter, mostly one by which a role's targets can be found."""
    kind = chance.choice(
        ["name", "name", "id", "size", *(["role"] * 4 if depth else []), "and", "or", "not", "all"]
    )
    if kind == "role":
        role = chance.choice([each for each in ROLES if each.class_name == class_name])
        target = MODEL.classes[class_name].roles[role.role_name].target
        return RoleFilter(role, a_filter(chance, target, depth - 1))
    if kind in {"and", "or"} and depth:
        parts = tuple(a_filter(chance, class_name, depth - 1) for _ in "ab")
        return And(parts) if kind == "and" else Or(parts)
    if kind == "not":
        return Not(Comparison("size", Operator.EQ, 1))
    if kind == "size":
        return Comparison("size", Operator.EQ, chance.randint(0, 3))
    letter = {"Near": "n", "Far": "f", "Part": "n"}[class_name]
    ids = tuple(f"{letter}{number}" for number in chance.sample(range(8), 2))
    ids = tuple(f"{id_}p0" for id_ in ids) if class_name == "Part" else ids
    if kind == "all":
        return MATCH_ALL
    return Comparison("_id" if kind == "id" else "name", Operator.IN, ids)


@pytest.mark.soak
@given(st.integers(0, 2**64))
def test_every_plan_agrees_with_the_naive_model(number: int) -> None:
    """Random objects, filters, orders and limits."""
    hold_against_the_naive_model(ReferenceEngine(), number)


def test_plans_agree_on_each_engine(engine: Engine) -> None:
    hold_against_the_naive_model(engine, 0, 20)


def hold_against_the_naive_model(engine: Engine, number: int, queries: int = 6) -> None:
    chance = random.Random(number)
    graph = Graph(chance, engine)
    for _ in range(queries):
        role = chance.choice(ROLES)
        target = MODEL.classes[role.class_name].roles[role.role_name].target
        found: list[Filter] = [RoleFilter(role, a_filter(chance, target))]
        found += [a_filter(chance, role.class_name) for _ in range(chance.choice([0, 0, 1]))]
        order = chance.choice(
            [Order(), Order.of([OrderTerm("_id", descending=True)]), Order.of([OrderTerm("name")])]
        )
        query = Query(role.class_name, order, And(tuple(found)), Window(chance.choice([1, 3, 100])), ALL)
        if chance.random() < 0.5:
            query = replace(query, implied_by_grants=And(tuple(found)))
        ids = graph.expected(query)[:: -1 if order.terms[0].descending else 1]
        with (
            patch.object(semi_join, "MAX_TARGETS", chance.choice([1, 3, 100])),
            patch.object(semi_join, "MAX_OWNERS", chance.choice([1, 3, 100])),
        ):
            for why, page in graph.ways(query):
                assert [each.reference.id for each in page.items] == ids[: query.window.size], why
                assert (page.total_count, page.has_prev) == (len(ids), False), why
                assert page.has_next is (len(ids) > query.window.size), why


@each_row(
    ("role", "found"),
    [
        (RoleName("Near", "key"), Found.LINKS),
        (RoleName("Near", "lone"), None),
        (RoleName("Near", "needed"), Found.LINKS),
        (RoleName("Near", "only"), Found.GUARD),
        (RoleName("Near", "many"), Found.LINKS),
        (RoleName("Near", "ways"), None),
        (RoleName("Near", "parts"), Found.STATE),
        (RoleName("Far", "keys"), Found.STATE),
        (RoleName("Far", "its"), Found.STATE),
        (RoleName("Far", "manys"), Found.LINKS),
        (RoleName("Part", "whole"), Found.STATE),
    ],
)
def test_roles_are_followed_back_by_what_is_stored_at_their_targets(
    role: RoleName, found: Found | None
) -> None:
    way = built_schema(MODEL).way_back(role)
    assert (way and way.found) == found


KEY = RoleName("Near", "key")


def appointments(engine: Engine, size: int = 500) -> Graph:
    """Return a store of many objects, of which about two lead to each target."""
    graph = Graph(random.Random(1), engine, 0)
    far = [
        Entity(Reference("Far", f"f{n:03}"), {"_id": f"f{n:03}", "name": f"f{n}", "size": n % 2})
        for n in range(size // 2)
    ]
    near = [
        Entity(
            Reference("Near", f"n{n:03}"),
            {"_id": f"n{n:03}", "key": f"f{n // 2:03}", "needed": f"f{n % 2:03}"},
        )
        for n in range(size)
    ]
    for entity in (*far, *near):
        class_name, id_ = entity.reference
        graph.states[class_name][id_] = dict(entity.state)
        graph.links[KEY] |= {id_: {str(entity.state["key"])}} if class_name == "Near" else {}
    graph._commit_all([*map(Creation, far), *map(Creation, near)])
    return graph


def by_name(name: str) -> RoleFilter:
    return RoleFilter(KEY, Comparison("name", Operator.EQ, name))


@pytest.mark.parametrize("by_grants", [False, True])
def test_only_the_targets_and_what_leads_to_them_is_read(by_grants: bool) -> None:
    engine = WatchedEngine()
    graph = appointments(engine)
    query = Query("Near", Order(), by_name("f7"), fields=ALL)
    if by_grants:
        query = replace(query, implied_by_grants=query.filter)
    engine.items_read, engine.keys_got = 0, []
    page = graph.related(query, unlimited_budget())
    assert [each.reference.id for each in page.items] == ["n014", "n015"]
    assert page.total_count == 2
    assert (engine.items_read, len(engine.keys_got)) == (2, 4), "two links; a guard, its holder, two objects"


def test_a_semi_join_with_too_many_targets_is_given_up_early() -> None:
    engine = WatchedEngine()
    graph = appointments(engine)
    query = Query("Near", Order(), RoleFilter(KEY, Comparison("size", Operator.EQ, 1)), fields=ALL)
    engine.items_read = 0
    with patch.object(semi_join, "MAX_TARGETS", 20):
        page = graph.related(query, unlimited_budget())
    assert page.total_count == 250
    assert engine.items_read <= 500 + 101 + 3


def test_a_semi_join_that_finds_too_many_objects_is_given_up() -> None:
    graph = appointments(WatchedEngine())
    query = Query("Near", Order(), by_name("f7"), fields=ALL)
    with patch.object(semi_join, "MAX_OWNERS", 1):
        assert graph.related(query, unlimited_budget()).total_count == 2


def test_a_semi_join_reads_only_a_part_of_the_budget() -> None:
    """If that part is used up, another plan answers; if the whole budget is, the query is refused."""
    graph = appointments(WatchedEngine())
    query = Query("Near", Order(), by_name("f7"), fields=ALL)
    with patch.object(semi_join, "MAX_BYTES", 300):
        assert graph.related(query, unlimited_budget()).total_count == 2
        budget = ReadBudget(10_000, 1, clock=lambda: 0.0)
        with pytest.raises(ReadBudgetExceeded, match="Near"):
            graph.related(query, budget)
        assert budget.bytes_read > 10_000


def test_recent_writes_are_found_despite_lagging_indexes() -> None:
    """Unique values, links and objects are read by key, which is strongly consistent."""
    graph = Graph(random.Random(1), LaggingEngine(seed()), 0)

    def changed(number: int, **changes: Any) -> Modification:
        (before,) = graph.repository.read([Reference("Near", f"n{number}")])
        assert before is not None
        return Modification(before, replace(before, state={**before.state, **changes}))

    for number in range(10):
        graph._add("Far", f"f{number}", {"name": f"f{number}"})
        graph._add("Near", f"n{number}", {"needed": f"f{number}", "key": f"f{number}"})
        graph._lead("Near", "key", f"n{number}", f"f{number}")
        graph.commit(Creation(graph._entity("Far", f"f{number}")))
        graph.commit(Creation(graph._entity("Near", f"n{number}")))
        assert ids_by_name(graph, f"f{number}") == [f"n{number}"]
    for number in range(9):
        graph.links[KEY][f"n{number}"] = {"f9"}
        graph.commit(changed(number, key="f9"))
        assert ids_by_name(graph, f"f{number}") == []
        assert ids_by_name(graph, "f9") == [*(f"n{each}" for each in range(number + 1)), "n9"]


def ids_by_name(graph: Graph, name: str) -> list[str]:
    page = graph.related(Query("Near", Order(), by_name(name), fields=ALL), unlimited_budget())
    assert page.total_count == len(page.items)
    return [each.reference.id for each in page.items]


def test_negated_role_filters_propose_nothing() -> None:
    schema = built_schema(MODEL)
    query = Query("Near", Order(), And((Not(by_name("f7")), Or((by_name("f8"), by_name("f9"))))))
    found = plan_candidates(MODEL.classes["Near"], query, schema)
    assert len(found) == 2


def test_the_caller_s_sight_decides_about_the_targets_of_the_caller_s_conditions() -> None:
    """The store does not look for them in its own way, which would see hidden objects."""
    graph = appointments(WatchedEngine(), 20)
    asked: list[Query] = []

    def related(query: Query, budget: ReadBudget) -> Page:
        asked.append(query)
        return graph.related(query, budget)

    query = Query("Near", Order(), by_name("f7"))
    assert len(graph.repository.page(query, unlimited_budget(), graph.derive(query), related).items) == 2
    assert [each.class_name for each in asked] == ["Far"]
    by_grants = replace(query, filter=None, implied_by_grants=query.filter)
    assert len(graph.repository.page(by_grants, unlimited_budget(), None, related).items) == 2
    assert len(asked) == 1
    hidden: Mapping[str, Any] = {"items": ()}
    found = graph.repository.page(query, unlimited_budget(), graph.derive(query), lambda *_: Page(**hidden))
    assert found.items == ()


@each_row(
    ("role", "part", "hint"),
    [
        ("key", Comparison("size", Operator.EQ, 1), Hint(roles=("key",))),
        ("key", Comparison("note", Operator.EQ, "a"), Hint(("note",), roles=("key",), index_class="Far")),
        ("lone", Comparison("name", Operator.EQ, "f1"), Hint(("lone",), roles=("lone",))),
        ("ways", Comparison("name", Operator.EQ, "f1"), Hint(roles=("ways",))),
    ],
)
def test_a_refusal_names_the_index_that_a_role_filter_lacks(role: str, part: Filter, hint: Hint) -> None:
    """It is one of the role's target, or one with the role in it."""
    graph = appointments(WatchedEngine(), 100)
    query = Query("Near", Order(), RoleFilter(RoleName("Near", role), part), fields=ALL)
    hidden = replace(query, filter=FlagFilter(".visible"), implied_by_grants=query.filter)
    for asked, expected in ((query, hint), (hidden, Hint())):
        budget = ReadBudget(5_000, 1, clock=lambda: 0.0)
        with patch.object(semi_join, "MAX_OWNERS", -1), pytest.raises(ReadBudgetExceeded) as refusal:
            graph.related(asked, budget)
        assert replace(refusal.value.hint, shared=False, costly=()) == expected


def test_the_advice_about_another_class_names_it() -> None:
    refusal = ReadBudgetExceeded("Near", 9, Hint(("note",), index_class="Far"))
    assert str(refusal).endswith('Declare @index(attributes: ["note"]) (Far) in the model.')
