"""The model and the objects that are compared with PostGraphile 5.1: employees and their teams.

An employee has a key, a unique attribute, three indexes, two dates, and a reference to a team. Three in five
employees match the filter of a page, whose order is that of another attribute.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path

from stratabase.core.app.platform import open_engine, platform_of
from stratabase.core.domain.objects.change import Change, Creation, Modification
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.objects.version import instant_after
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.base import Stored
from stratabase.core.settings import Settings
from stratabase.core.store.engine.port import Key
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.store.repository import Repository
from stratabase.core.waiting import system_now

APPLICATION = "Staff"
MODEL = """
extend schema @application(name: "Staff") @profile(name: "Administrator", administrator: true)
type Employee
  @unique(attributes: ["email"])
  @index(attributes: ["last_name", "first_name"])
  @index(attributes: ["hired_on"])
  @index(attributes: ["badge"]) {
  first_name: String!
  last_name: String!
  email: String!
  badge: Int
  salary: Real @domain(min: "0", digits: 2)
  date_of_birth: Date
  hired_on: Date
  phone: String
  about: Text
  team: Team @association(opposite: "members")
}
type Team @unique(attributes: ["name"]) { name: String! members: [Employee!] @association(opposite: "team") }
type Order { number: Int! customer: Employee lines: [Line!] @composition }
type Line { product: String! quantity: Int! }
type Contract @class(versioned: true) { title: String! wage: Real since: Date }
"""
VERSIONS = 10
"""The number of former versions of the contract."""
DATES = ("date_of_birth", "hired_on")
TEAMS = 100
LEAST_SALARY = 400
"""Three in five employees earn at least so much."""
_WRITES = Key("benchmark", "writes")
_PER_COMMIT = 24
"""An employee takes four of the 100 actions of a commit: itself, its email address, its link, its team."""


class Staff:
    """The employees in the store of a running service. They are written directly, which is faster."""

    def __init__(self, home: Path, settings: Settings | None = None) -> None:
        """Create the teams. `settings`: those of the service, if they are not the default."""
        self._model = read_model(MODEL, "staff")
        self._engine = open_engine(platform_of(replace(settings or Settings(), home=home)))
        self._entities = Repository(self._engine, self._model)
        self._new_id = TimeOrderedIds().new
        self._teams = [self._entity("Team", {"name": f"Team {number}"}) for number in range(TEAMS)]
        self.ids: list[str] = []
        self.contract = self._new_id()
        """The ID of an object with former versions."""
        self._commit(self._teams)
        self._make_versions()

    def close(self) -> None:
        """Close the store."""
        self._engine.close()

    def write(self) -> None:
        """Commit something that no request reads."""
        self._engine.increment(_WRITES, "number", 1)

    def writes(self) -> int:
        """Return how often `write` was called."""
        (found,) = self._engine.get([_WRITES])
        return 0 if found is None else int(str(found.attributes["number"]))

    def grow(self, size: int) -> None:
        """Create employees until there are `size` of them."""
        made = [
            self._entity("Employee", {**state, "team": self._teams[number % TEAMS].reference.id})
            for number, state in zip(range(len(self.ids), size), employees("e", len(self.ids)), strict=False)
        ]
        self._commit(made)
        self.ids += [entity.reference.id for entity in made]

    def _make_versions(self) -> None:
        reference = Reference("Contract", self.contract)
        before: Entity | None = None
        for number in range(VERSIONS + 1):
            state = {"_id": self.contract, "title": "Programmer", "wage": str(number), "since": "2015-12-10"}
            now = instant_after(system_now(), [None if before is None else before.start])
            after = Entity(reference, state, () if before is None else before.commit_ids, start=now)
            effect = Creation(after) if before is None else Modification(before, after)
            self._entities.commit(Change(self._new_id(), now, (effect,)))
            (before,) = self._entities.read([reference])

    def _entity(self, class_name: str, state: Mapping[str, Stored]) -> Entity:
        id_ = self._new_id()
        return Entity(Reference(class_name, id_), {"_id": id_, **state})

    def _commit(self, entities: list[Entity]) -> None:
        for at in range(0, len(entities), _PER_COMMIT):
            effects = tuple(map(Creation, entities[at : at + _PER_COMMIT]))
            self._entities.commit(Change(self._new_id(), system_now(), effects))


def employees(name: str, first: int = 0) -> Iterator[Mapping[str, Stored]]:
    """Yield the attributes of new employees. `name`: distinguishes their email addresses from others'."""
    for number in count(first):
        yield {
            "first_name": f"Ada {number % 97}",
            # The order by name is not the order of creation.
            "last_name": f"Lovelace {number * 7919 % 100_003:06}",
            "email": f"{name}.{number}@example.com",
            "badge": number,
            "salary": str(number * 617 % 1000),  # as it is stored
            "date_of_birth": f"{1950 + number % 50}-{number % 12 + 1:02}-{number % 28 + 1:02}",
            "hired_on": f"{2000 + number % 25}-{number % 12 + 1:02}-{number % 28 + 1:02}",
            "phone": "+39 06 1234567",
        }


def as_sent(state: Mapping[str, Stored]) -> Mapping[str, Stored]:
    """Return the attributes of an employee as a client sends them."""
    return {**state, **{name: "/".join(reversed(str(state[name]).split("-"))) for name in DATES}}
