"""A class with derived attributes of each kind, some of them interdependent, and random stored objects."""

from collections.abc import Iterator
from random import Random
from typing import Any

from stratabase.core.domain.objects.change import Change, Creation, Deletion, Effect
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.query.filter import Filter
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.operators import Aggregate
from stratabase.core.operations.context import evaluation_context
from stratabase.core.operations.read.reader import Reader
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.repository import Repository
from tests.contract.engine.engine_calls import settle
from tests.core.operations.read.derived.derived_specs import (
    DerivedSpec,
    aggregated,
    followed,
    plain,
    template,
)
from tests.core.operations.read.derived.naive import NaiveDerivation
from tests.fakes import ADMINISTRATOR, NOON, DictEntities, request_of

CIRCUMSTANCES = evaluation_context(ADMINISTRATOR, NOON)
_TOLD: dict[str, tuple[DerivedSpec, ...]] = {
    "Team": (
        aggregated("members_count", Aggregate.COUNT, "role", ("members",)),
        aggregated("largest", Aggregate.MAX, "Int", ("members", "size")),
        aggregated("cost", Aggregate.SUM, "Real", ("members", "double_price")),
    ),
    "Person": (
        plain("next_size", template("{} + {}"), (("size",), ("size",))),
        plain("shout", template("{} + '!'"), (("name",),)),
        plain("double_price", template("{} * 0.5"), (("price",),)),
        plain("alone", template("isNull({})", "role"), (("team",),)),
        followed("team_name", "String", ("team", "name")),
        followed("team_cost", "Real", ("team", "cost")),
        followed("boss_shout", "String", ("team", "lead", "shout")),
        aggregated("mates", Aggregate.COUNT, "role", ("team", "members")),
    ),
}
_TEXT = """
extend schema @application(name: "Staff")
type Team {{
  name: String  size: Int  price: Real
  members: [Person!] @association(opposite: "team")
  lead: Person @association(opposite: "leads", holds: true)
  {}
}}
type Person @index(attributes: ["name", "size"]) @index(attributes: ["size"]) {{
  name: String  size: Int  price: Real
  team: Team @association(opposite: "members")
  leads: Team @association(opposite: "lead")
  {}
}}
"""
STAFF = read_model(
    _TEXT.format(*("\n  ".join(map(str, _TOLD[name])) for name in ("Team", "Person"))), "staff"
)
TOLD = {(class_name, one.name): one for class_name, several in _TOLD.items() for one in several}
TEAMS, PEOPLE = [f"t{number}" for number in range(5)], [f"p{number:02}" for number in range(30)]
_SIZES, _NAMES, _PRICES = [None, 0, 1, 2], [None, "x", "y", "xy"], [None, "0.1", "-2.5", "5E+39"]


class Staff:
    """The same objects in a store and in memory. Two of the teams are deleted."""

    def __init__(self, engine: Engine, chance: Random) -> None:
        self.engine = engine
        self.entities = Repository(engine, STAFF)
        self.dict = DictEntities(STAFF)
        self.plain = NaiveDerivation(STAFF, TOLD, self.dict)
        for entity in _people(chance):
            self.dict.objects[entity.reference] = entity
        self._commit(*map(Creation, self.dict.objects.values()))
        gone = [Reference("Team", id_) for id_ in TEAMS[:2]]
        self._commit(*(Deletion(entity) for entity in self.entities.read(gone) if entity))
        for reference in gone:
            del self.dict.objects[reference]
        settle(engine)

    def known(self) -> Reader:
        """Return a new reader."""
        return Reader(request_of(STAFF, self.entities, CIRCUMSTANCES))

    def states(self, class_name: str, filter_: Filter | None = None) -> list[dict[str, Any]]:
        """Return the states of a class's objects, including what a filter on them needs computed."""
        return [self.plain.state(each, filter_) for each in self.plain.all_of(class_name)]

    def _commit(self, *effects: Effect) -> None:
        self.entities.commit(Change(f"c{len(effects)}", NOON, effects))


def _people(chance: Random) -> Iterator[Entity]:
    leads = chance.sample(PEOPLE, len(TEAMS))
    for id_, lead in zip(TEAMS, leads, strict=True):
        yield _entity(chance, "Team", id_, lead=lead)
    for id_ in PEOPLE:
        yield _entity(chance, "Person", id_, team=chance.choice([None, *TEAMS]))


def _entity(chance: Random, class_name: str, id_: str, **keys: str | None) -> Entity:
    kept = {
        "name": chance.choice(_NAMES),
        "size": chance.choice(_SIZES),
        "price": chance.choice(_PRICES),
        **keys,
    }
    state = {name: value for name, value in kept.items() if value is not None}
    return Entity(Reference(class_name, id_), {"_id": id_, **state})
