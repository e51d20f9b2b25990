"""Whatever plan finds the objects of a page, the page is that of a scan, for all profiles."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.change import Change, Creation, Modification
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.query.filter import And, Comparison, ExpressionFilter, Filter, Not, Or, RoleFilter
from stratabase.core.domain.query.order import Order, OrderTerm
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.model.model import Model
from stratabase.core.model.model_expressions import expressions_of
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.operators import Operator
from stratabase.core.operations.context import ReadContext, evaluation_context
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.operations.read.reader import Reader
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.query import planner, semi_join
from stratabase.core.store.renamed_repository import open_repository
from tests.contract.engine.engines import DISTANT, EngineImplementation
from tests.contract.engine.reference import ReferenceEngine
from tests.fakes import unlimited_budget
from tests.soak import EXAMPLES, count

CONDITIONS = {
    "Team": [
        "name == caller.notes",
        "size >= 2",
        "size >= 2 && name in ['t1', 't2', 't3']",
        "lead.name == 'm1'",
    ],
    "Mate": [
        "team.name == caller.notes",
        "team.lead.size == 1",
        "team_name == caller.notes || team_name == 't0'",
        "name == 'm1' || size == 2",
        "size == 1 && team.size == 1",
        "lead_size >= 1.5 && lead_size < 2.5",
    ],
    "Task": ["mate.team.name == 't1'", "name.startsWith('m1')", "mate.name in ['m1', 'm2']"],
}


def text(chance: random.Random) -> str:
    """Return a model with random grants, indexes and constraints, and perhaps with other stored names."""
    grants = {
        name: chance.choice(["", f', where: "{chance.choice(each)}"']) for name, each in CONDITIONS.items()
    }
    index = chance.choice(["", '@index(attributes: ["size"])'])
    unique = chance.choice(["", '@unique(attributes: ["name"])', '@unique(attributes: ["name"])'])
    old = chance.random() < 0.5

    def renamed(name: str) -> str:
        return f' @renamed(from: "{name}")' if old else ""

    follows = chance.random() < 0.5
    task = "" if follows else f'@grant(profile: "Member", allow: [READ]{grants["Task"]})'
    return f"""
extend schema @application(name: "Plans") @profile(name: "Admin", administrator: true)
  @profile(name: "Member")
type Team {unique} {index}{renamed("T")} @grant(profile: "Member", allow: [READ]{grants["Team"]}) {{
  name: String{renamed("label")}
  size: Int
  mates: [Mate!] @association(opposite: "team")
  lead: Mate @association(opposite: "leads", holds: true){renamed("boss")}
}}
type Mate {unique} {index} @grant(profile: "Member", allow: [READ]{grants["Mate"]}) {{
  name: String
  size: Int
  team: Team @association(opposite: "mates"){renamed("group")}
  leads: Team @association(opposite: "lead")
  friends: [Mate!] @association
  team_name: String @derived(path: "team.name")
  lead_size: Int @derived(path: "team.lead.size")
  tasks: [Task!] @composition(whole: "mate")
}}
type Task {unique} @class(exposed: true) {task} {{ name: String size: Int }}
"""


def filled(chance: random.Random, engine: Engine, model: Model, groups: int = 1) -> EntityRepository:
    """Return a repository with random objects. `groups`: how many times 5 teams and 8 mates."""
    entities = open_repository(engine, model)
    for group in range(groups):
        effects = [
            Creation(Entity(Reference(name, id_), {"_id": id_, "name": id_, **state}))
            for name, id_, state in a_group(chance, 5 * group, 8 * group)
        ]
        entities.commit(Change(f"c{group}", 0, tuple(effects)))
    return entities


def a_group(
    chance: random.Random, first_team: int, first_mate: int
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield classes, ids and states."""
    leads = chance.sample(range(8), 5)
    for number in range(5):
        lead = {"lead": f"m{first_mate + leads[number]}"} if chance.random() < 0.8 else {}
        yield "Team", f"t{first_team + number}", {"size": chance.randint(0, 3), **lead}
    for number in range(first_mate, first_mate + 8):
        team = {"team": f"t{first_team + chance.randint(0, 4)}"} if chance.random() < 0.8 else {}
        tasks = [f"m{number}k{task}" for task in range(chance.choice([0, 1, 2]))]
        listed = {"tasks": tasks} if tasks else {}
        yield "Mate", f"m{number}", {"size": chance.randint(0, 3), **team, **listed}
        for task in tasks:
            yield "Task", task, {"size": chance.randint(0, 3), "mate": f"m{number}"}


ROLES = {
    "Team": [("mates", "Mate"), ("lead", "Mate")],
    "Mate": [("team", "Team"), ("leads", "Team"), ("friends", "Mate"), ("tasks", "Task")],
    "Task": [("mate", "Mate")],
}


def a_filter(chance: random.Random, class_name: str, depth: int = 3) -> Filter:
    kind = chance.choice(["name", "size", "derived", *(["role"] * 3 if depth else []), "and", "or", "not"])
    if kind == "role":
        role, target = chance.choice(ROLES[class_name])
        return RoleFilter(RoleName(class_name, role), a_filter(chance, target, depth - 1))
    if kind in {"and", "or", "not"} and depth:
        one, other = (a_filter(chance, class_name, depth - 1) for _ in "ab")
        combined: dict[str, Filter] = {"and": And((one, other)), "or": Or((one, other)), "not": Not(one)}
        return combined[kind]
    return a_comparison(chance, class_name, kind)


def a_comparison(chance: random.Random, class_name: str, kind: str) -> Comparison:
    number = chance.randint(0, 3)
    if kind == "derived" and class_name == "Mate":
        by_size = Comparison("lead_size", Operator.EQ, number)
        by_team = Comparison("team_name", chance.choice([Operator.EQ, Operator.NE]), f"t{number}")
        return chance.choice([by_size, by_team])
    if kind == "size":
        return Comparison("size", chance.choice([Operator.EQ, Operator.GTE]), number)
    letter = "t" if class_name == "Team" else "m"
    names = tuple(f"{letter}{chance.randint(0, 7)}" + ("k0" if class_name == "Task" else "") for _ in "ab")
    return Comparison(chance.choice(["name", "_id"]), Operator.IN, names)


def queries(chance: random.Random, model: Model) -> Iterator[tuple[str, Query]]:
    """Yield profiles and queries."""
    for _ in range(6):
        class_name = chance.choice([*ROLES])
        filter_: Filter | None = chance.choice([None, a_filter(chance, class_name)])
        if class_name == "Mate" and chance.random() < 0.2:
            condition = expressions_of(model).filter("Mate", "team_name == 't1' && size >= 1")
            filter_ = ExpressionFilter(condition, evaluation_context(CALLER, 0))
        order = chance.choice([Order(), Order.of([OrderTerm("size", descending=True)])])
        window = Window(chance.choice([2, 100]), chance.random() < 0.3, chance.choice([0, 0, 1]))
        fields = chance.choice([ALL, replace(ALL, total_count=False)])
        yield chance.choice(["Admin", "Member", "Member"]), Query(class_name, order, filter_, window, fields)


ALL = PageFields(items=True, total_count=True, has_next=True, has_prev=True)
CALLER = Caller("1", "ada", "Member", notes="t1")


def hold_plans_against_scans(engine: Engine, number: int) -> None:
    chance = random.Random(number)
    model = read_model(text(chance), "plans")
    entities = filled(chance, engine, model)
    limit = chance.choice([1, 2, 100])
    for profile, query in queries(chance, model):
        caller = replace(CALLER, profile=profile, administrator=profile == "Admin")

        context = ReadContext(model, entities, unlimited_budget(), evaluation_context(caller, 0))
        with patch.object(semi_join, "MAX_TARGETS", limit), patch.object(semi_join, "MAX_OWNERS", 2 * limit):
            found = seen(context, query)
        with (
            patch.object(planner, "_selective", lambda _: ()),
            patch.object(planner, "_by_key", lambda _: ()),
        ):
            assert found == seen(context, query), (profile, query)


def seen(context: ReadContext, query: Query) -> tuple[list[str], int | None, bool | None, bool | None]:
    """Return the content of a page, with ids for objects."""
    page = Reader(context).page(query)
    return [each.reference.id for each in page.items], page.total_count, page.has_next, page.has_prev


@pytest.mark.soak
@settings(max_examples=count(EXAMPLES, EXAMPLES // 2))
@given(st.integers(0, 2**64))
def test_a_page_is_that_of_a_scan(number: int) -> None:
    """Random grants along roles, filters, objects, and stored names."""
    hold_plans_against_scans(ReferenceEngine(), number)


@pytest.mark.soak
@pytest.mark.parametrize("kind", DISTANT, ids=lambda kind: kind.name)
@settings(max_examples=count(3, 100))
@given(st.integers(0, 2**64))
def test_a_page_is_that_of_a_scan_on_each_engine(
    kind: EngineImplementation, tmp_path_factory: pytest.TempPathFactory, number: int
) -> None:
    engine = kind.open(tmp_path_factory.mktemp("store"))
    hold_plans_against_scans(engine, number)
    engine.close()


def hide_more(entities: EntityRepository, chance: random.Random, hidden: Sequence[Reference]) -> None:
    """Give other sizes to some objects."""
    found = [entity for entity in entities.read(hidden) if entity is not None]
    changed = [
        Modification(each, replace(each, state={**each.state, "size": chance.randint(0, 3)}))
        for each in found
    ]
    entities.commit(Change("h", 1, tuple(changed)))


def everything_seen(context: ReadContext) -> dict[str, dict[str, Any]]:
    """Return the states of all objects that a caller sees, by class and id."""
    pages = {name: Reader(context).page(Query(name, Order(), window=Window(100))) for name in ROLES}
    return {name: {each.reference.id: each.state for each in page.items} for name, page in pages.items()}


def compare_pages(number: int) -> int:
    """Compare two stores that differ only in what a member doesn't see; return the number of queries."""
    chance = random.Random(number)
    model = read_model(text(chance), "plans")
    state, stores, contexts = chance.getstate(), list[EntityRepository](), list[ReadContext]()
    for _ in "ab":
        chance.setstate(state)
        stores.append(filled(chance, ReferenceEngine(), model))
        contexts.append(ReadContext(model, stores[-1], unlimited_budget(), evaluation_context(CALLER, 0)))
    plain, other = contexts
    before = everything_seen(plain)
    everyone = [Reference("Team", f"t{each}") for each in range(5)]
    everyone += [Reference("Mate", f"m{each}") for each in range(8)]
    hidden = [each for each in everyone if each.id not in before[each.class_name]]
    hide_more(stores[-1], chance, hidden)
    if everything_seen(other) != before:  # what a grant's condition follows has changed, so others are seen
        return 0
    compared = 0
    for _, query in queries(chance, model):
        assert seen(plain, query) == seen(other, query), query
        compared += bool(hidden)
    return compared


@pytest.mark.soak
@settings(max_examples=count(EXAMPLES, EXAMPLES // 2))
@given(st.integers(0, 2**64))
def test_what_is_hidden_changes_no_page(number: int) -> None:
    """Random grants along roles, filters, objects, and stored names."""
    compare_pages(number)


def test_often_something_is_hidden() -> None:
    assert sum(map(compare_pages, range(20))) > 20
