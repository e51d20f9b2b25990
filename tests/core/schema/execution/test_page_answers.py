"""Pages are those of a straightforward reader, and the same to the byte without compiled operations.

The objects were stored under several models. The reference reads all of each object, then filters, hides,
sorts and cuts. The service checks and converts only what a request uses.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.change import Change, Creation
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.query.filter import And, Comparison, Filter
from stratabase.core.domain.query.order import Order, OrderTerm
from stratabase.core.model.model import Class, Model
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.operators import Operator
from stratabase.core.operations.services import Services
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.renamed_repository import open_repository
from stratabase.evolution.backfill.reindex import Reindex
from stratabase.values.formats.preferences import Formats
from tests.contract.engine.engines import DISTANT, EngineImplementation
from tests.core.domain.query import naive
from tests.fakes import CountedIds, FrozenClock, unlimited_budget
from tests.soak import count, seed

FORMER = {"size": "String", "day": "String", "price": "String", "moment": "String"}
PRESENT = {"size": "Int", "day": "Date", "price": "Real", "moment": "Datetime"}
VALUES: Mapping[str, Sequence[Any]] = {
    "title": ["a", "b", "b" * 300, "c", None],
    "size": ["5", "7", "007", "x", None],
    "day": ["2020-01-31", "2021-12-01", "soon", None],
    "price": ["1.5", "20", "1.50", "x", None],
    "moment": ["2020-01-31T10:00:00.000Z", "2020-07-31T23:30:00.120Z", "then", None],
}
"""By attribute: what the former model stored, of which the present one reads a part."""
CLEAN: Mapping[str, Sequence[Any]] = {
    "title": ["a", "d", "", None],
    "size": [5, 6, -1, None],
    "day": ["2020-02-01", "2021-12-01", None],
    "price": ["1.5", "-3", "2E+40", None],
    "moment": ["2020-01-31T10:00:00.000Z", None],
    "level": [1, 2, 3, 4, 5],
}
WHERE = {"": "", "level": ', where: "level >= 3"', "title": ", where: \"title == 'b' || size == 5\""}
COMPARED: Mapping[str, Sequence[Any]] = {
    "title": ["a", "b"],
    "size": [5, 6],
    "day": ["2020-02-01"],
    "price": ["1.5"],
    "level": [2, 4],
}
OPERATORS = (Operator.EQ, Operator.NE, Operator.GTE, Operator.LT)
CALLERS = (
    Caller("1", "ada", "Admin", administrator=True),
    Caller("2", "bob", "Member"),
    Caller("3", "eve", "Member", formats=Formats(time_zone="Europe/Rome")),
)
OBJECTS = 160
"""More than the service reads at first."""


class Rules(NamedTuple):
    """What members may see."""

    where: str
    """The key of a condition in WHERE."""
    hidden: str | None
    """An attribute that they may not read."""
    conditional: str | None
    """An attribute that they may read of objects with a level below 4."""

    def sees(self, state: Mapping[str, Any]) -> bool:
        """Return whether members see an object."""
        if self.where == "level":
            return state.get("level") is not None and state["level"] >= 3
        return self.where == "" or state.get("title") == "b" or state.get("size") == 5

    def shows(self, name: str, state: Mapping[str, Any]) -> bool:
        """Return whether members see an attribute of an object that they see."""
        if name == self.hidden:
            return False
        level = state.get("level")
        return name != self.conditional or (level is not None and level < 4)


class Store:
    """Random objects of a class whose attributes had other types before."""

    def __init__(self, engine: Engine, chance: Random) -> None:
        self._chance = chance
        restricted = chance.sample(["day", "price", "moment"], 2)
        self.rules = Rules(chance.choice([*WHERE]), *(chance.choice([None, name]) for name in restricted))
        index = chance.choice(["", 'title", "size', "size", "level", 'price", "title'])
        versioned = chance.random() < 0.3
        former = self._model(FORMER, "", versioned=versioned)
        self.model = self._model(PRESENT, index, versioned=versioned)
        self.states = [*self._fill(engine, former, "a", VALUES), *self._fill(engine, self.model, "b", CLEAN)]
        if index:
            Reindex(engine, self.model, sleep=lambda _: None).run("Note")
        self._entities = open_repository(engine, self.model)

    def executor(self, *, compiled: bool) -> SchemaExecutor:
        """Return an executor that numbers the issues on its own."""
        services = Services(self.model, self._entities, FrozenClock(), CountedIds(), unlimited_budget)
        return SchemaExecutor(services, _failed, compile_answers=compiled)

    @property
    def class_(self) -> Class:
        """The class of the objects."""
        return self.model.classes["Note"]

    def _model(self, types: Mapping[str, str], index: str, *, versioned: bool) -> Model:
        where = WHERE[self.rules.where] if types is PRESENT else ""

        def grant(name: str) -> str:
            if name == self.rules.hidden:
                return ' @grant(profile: "Member", allow: [])'
            if name == self.rules.conditional:
                return ' @grant(profile: "Member", allow: [READ], where: "level < 4")'
            return ""

        fields = "\n".join(f"  {name}: {type_}{grant(name)}" for name, type_ in types.items())
        return read_model(
            f"""extend schema @application(name: "Pages") @profile(name: "Admin", administrator: true)
              @profile(name: "Member")
            type Note @class(versioned: {str(versioned).lower()})
              {f'@index(attributes: ["{index}"])' if index else ""}
              @grant(profile: "Member", allow: [READ]{where}) {{
              title: String
              level: Int @default(value: "3")
            {fields} }}""",
            "pages.graphql",
        )

    def _fill(
        self, engine: Engine, model: Model, prefix: str, values: Mapping[str, Sequence[Any]]
    ) -> list[dict[str, Any]]:
        entities, states = open_repository(engine, model), list[dict[str, Any]]()
        for number in range(OBJECTS // 2):
            chosen = {name: self._chance.choice(each) for name, each in values.items()}
            stored = {name: value for name, value in chosen.items() if value is not None}
            states.append({"_id": f"{self._chance.randrange(10**6):06}{prefix}{number}", **stored})
        for first in range(0, len(states), 20):
            new = [Entity(Reference("Note", one["_id"]), one, start=1) for one in states[first : first + 20]]
            entities.commit(Change(f"{prefix}{first}", 1, tuple(map(Creation, new))))
        return states


class Request(NamedTuple):
    """A random query for a page."""

    selected: Sequence[str]
    filter: Filter | None
    order: Order
    size: int
    backward: bool
    offset: int

    def text(self, cursor: str | None) -> str:
        """Return the request, from a cursor on or from the beginning."""
        options = [f"{'prev' if self.backward else 'next'}: {self.size}", f"offset: {self.offset}"]
        terms = [f"{term.attribute}___{'DESC' if term.descending else 'ASC'}" for term in self.order.terms]
        options.append(f"orderBy: [{', '.join(terms)}]")
        if isinstance(self.filter, And):
            parts = [
                f"{each.attribute}___{each.operator.value}: {json.dumps(each.operand)}"
                for each in self.filter.parts
                if isinstance(each, Comparison)
            ]
            options.append(f"filter: {{{', '.join(parts)}}}")
        if cursor is not None:
            options.append(f'cursor: "{cursor}"')
        edge = "prevCursor hasPrev" if self.backward else "nextCursor hasNext"
        return (
            f"{{ Note___getPage(options: {{{', '.join(options)}}}) "
            f"{{ items {{ _id {' '.join(self.selected)} }} totalCount {edge} }} }}"
        )


def a_request(chance: Random, comparable: Sequence[str]) -> Request:
    """Return a request that filters and sorts by some of the comparable attributes."""
    parts = [
        Comparison(name, chance.choice(OPERATORS), chance.choice(COMPARED[name]))
        for name in chance.sample(comparable, chance.choice([0, 1, 1, 2]))
    ]
    terms = [
        OrderTerm(name, chance.random() < 0.4) for name in chance.sample(comparable, chance.randint(0, 2))
    ]
    return Request(
        chance.sample(["title", "level", *PRESENT], chance.randint(1, 5)),
        And(tuple(parts)) if parts else None,
        Order.of(terms),
        chance.choice([1, 20, 50, 90]),
        chance.random() < 0.3,
        chance.choice([0, 0, 0, 7]),
    )


def expected(store: Store, request: Request, caller: Caller) -> tuple[list[dict[str, Any]], list[Any]]:
    """Return all matches that the caller sees, in the reading order: as the answer shows them; their ids."""
    class_, is_member = store.class_, not caller.administrator
    shown = [class_.state_reader.read({**state}) for state in store.states]
    shown = [state for state in shown if not is_member or store.rules.sees(state)]
    if request.filter is not None:
        shown = [state for state in shown if naive.matches(request.filter, state, class_)]
    matches = naive.in_order(shown, request.order, class_)
    if request.backward:
        matches.reverse()
    write = {
        name: class_.attributes[name].type.serializer("default", caller.formats) for name in request.selected
    }

    def item(state: Mapping[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = {"_id": state["_id"]}
        for name in request.selected:
            value = state.get(name)
            is_shown = value is not None and (not is_member or store.rules.shows(name, state))
            result[name] = write[name](value) if is_shown else None
        return result

    return [item(state) for state in matches], [state["_id"] for state in matches]


def hold_pages(engine: Engine, chance: Random) -> None:
    """Compare pages of random requests, each followed to the end by its cursors."""
    store = Store(engine, chance)
    executor, plain = store.executor(compiled=True), store.executor(compiled=False)
    for _ in range(6):
        caller = chance.choice(CALLERS)
        secret = {store.rules.hidden, store.rules.conditional} - {None}
        comparable = [name for name in COMPARED if caller.administrator or name not in secret]
        request = a_request(chance, comparable)
        matches, ids = expected(store, request, caller)
        cursor, start = None, 0
        for _ in range(3):
            text = request.text(cursor)
            answer = executor.execute(text, {}, None, caller, "t").body
            assert answer == plain.execute(text, {}, None, caller, "t").body, text
            page = json.loads(answer)["data"]["Note___getPage"]
            first, end = start + request.offset, start + request.offset + request.size
            items = matches[first:end]
            assert page["items"] == (items[::-1] if request.backward else items), text
            assert page["totalCount"] == len(ids), text
            assert page["hasPrev" if request.backward else "hasNext"] == (end < len(ids)), text
            cursor, start = page["prevCursor" if request.backward else "nextCursor"], end
            if cursor is None:
                break


def _failed(error: BaseException, _: str) -> None:
    raise error


@pytest.mark.soak
@pytest.mark.parametrize("kind", DISTANT, ids=lambda kind: kind.name)
def test_a_page_is_that_of_a_straightforward_reader(kind: EngineImplementation, tmp_path: Path) -> None:
    for turn in range(count(4, 200) if kind.name == "sqlite" else count(1, 30)):
        folder = tmp_path / str(turn)
        folder.mkdir()
        engine = kind.open(folder)
        hold_pages(engine, Random(seed() + turn))
        engine.close()
