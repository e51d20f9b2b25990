"""Random grants, objects and requests: no answer depends on what its caller must not see.

Each request is sent to two stores, which differ in nothing but that: in the values that are hidden, and in
objects that are.
"""

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st

from stratabase.domain.access.grants import access_of
from stratabase.domain.members.member import Caller
from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.objects.parts import part_ids
from stratabase.model.model import Model
from stratabase.operations.services import Services
from stratabase.schema.executor import SchemaExecutor
from tests.role_rules import ends
from tests.schema.grants.naive import Eyes
from tests.schema.grants.random_model import random_model
from tests.schema.grants.random_requests import Requests
from tests.soak import count
from tests.worlds import CountedIds, DictEntities, FrozenClock, plenty

MEMBER = Caller("m7", "smith", "Member")
QUERIES, WRITES = 12, 6


class Orchard:
    """Some objects, told by chance; the same chance tells the same."""

    def __init__(self, model: Model, chance: Random) -> None:
        self.model = model
        self.entities = DictEntities(model)
        self._chance = chance
        self._number = 0

    def plant(self) -> None:
        """Put objects of each class there."""
        for class_name, number in (("Bush", 4), ("Apple", 6), ("Seed", 5)):
            for index in range(number):
                self.put(class_name, f"{class_name[0].lower()}{index}")
        for _ in range(6):
            self._link(self._any("Apple"), self._any("Apple"))

    def put(self, class_name: str, id_: str) -> Entity:
        """Put an object there, with values and roles."""
        self._number += 1
        state: dict[str, Any] = {"_id": id_, "level": self._chance.randrange(4)}
        for name in ("text", "other") if class_name != "Seed" else ("text",):
            state[name] = f"{self._chance.choice('abcxyz')} {class_name} {id_} {name}"
        for role, target in KEYS[class_name].items():
            if role == "apple" or (self._chance.random() < 0.7 and self.ids(target)):
                state[role] = self._any(target)
        entity = Entity(Reference(class_name, id_), state, ("before",))
        self.entities.objects[entity.reference] = entity
        if class_name == "Seed":
            self._sow(entity)
        return entity

    def hide_more(self) -> None:
        """Give what is hidden other values, and add hidden objects, with what leads to them and from them."""
        eyes = Eyes(self.model, dict(self.entities.objects))
        for reference, entity in [*self.entities.objects.items()]:
            hidden = {
                name: f"{value} hidden"
                for name, value in entity.state.items()
                if name in {"text", "other"} and not eyes.read(entity, name)
            }
            self.entities.objects[reference] = Entity(reference, {**entity.state, **hidden}, ("before",))
        for index in range(6):
            self._add_hidden(self._chance.choice(["Apple", "Apple", "Bush", "Seed"]), f"h{index}")

    def _add_hidden(self, class_name: str, id_: str) -> None:
        before = dict(self.entities.objects)
        new = self.put(class_name, id_)
        if Eyes(self.model, self.entities.objects).see(new):
            self.entities.graph.objects = before
            return
        if class_name == "Apple":
            self._link(new.reference.id, self._any("Apple"))
            self._link(self._any("Apple"), new.reference.id)

    def ids(self, class_name: str) -> list[str]:
        """Return the ids of the objects of a class."""
        return [reference.id for reference in self.entities.objects if reference.class_name == class_name]

    def _any(self, class_name: str) -> str:
        return self._chance.choice(self.ids(class_name))

    def _link(self, owner: str, other: str) -> None:
        self.entities.graph.links |= set(ends(self.model, RoleName("Apple", "peers"), owner, other))

    def _sow(self, seed: Entity) -> None:
        whole = self.entities.objects[Reference("Apple", str(seed.state["apple"]))]
        seeds: Any = [*part_ids(whole.state.get("seeds")), seed.reference.id]
        self.entities.objects[whole.reference] = Entity(
            whole.reference, {**whole.state, "seeds": seeds}, ("before",)
        )


KEYS = {
    "Bush": {"boss": "Bush"},
    "Apple": {"one": "Bush", "pal": "Bush"},
    "Seed": {"friend": "Apple", "apple": "Apple"},
}


class Garden:
    """One service of several orchards, which reads each document once."""

    def __init__(self, model: Model, orchards: Sequence[Orchard]) -> None:
        self._worlds = [
            Services(model, each.entities, FrozenClock(), CountedIds(), plenty) for each in orchards
        ]
        self._graphs = [(each.entities, each.entities.graph) for each in orchards]
        self._executor = SchemaExecutor(self._worlds[0], _failed)

    def answers(self, request: str) -> list[Any]:
        """Return what each orchard answers; writes, which may bring things to light, are undone."""
        found = []
        for world, (entities, graph) in zip(self._worlds, self._graphs, strict=True):
            entities.graph = graph
            self._executor._services = world
            found.append(json.loads(self._executor.execute(request, {}, None, MEMBER, "t").body))
        return found


def _failed(error: BaseException, _: str) -> None:
    raise error


@pytest.mark.long
@settings(max_examples=count(15, 1000))
@given(st.integers(0, 2**32))
@example(43859225)
def test_no_answer_depends_on_what_is_hidden(seed: int) -> None:
    model = random_model(Random(seed))
    orchards = [Orchard(model, Random(seed)) for _ in range(2)]
    for orchard in orchards:
        orchard.plant()
    orchards[1].hide_more()
    access = access_of(model, "Member")
    assert access is not None
    ids = {name: orchards[0].ids(name) for name in KEYS}
    asking = Requests(access, Random(seed), ids)
    requests = [asking.reading() for _ in range(QUERIES)] + [asking.writing() for _ in range(WRITES)]

    garden, answered = Garden(model, orchards), 0

    for request in requests:
        one, other = garden.answers(request)
        assert one == other, request
        assert "hidden" not in json.dumps(other), request
        answered += "errors" not in one
    event(f"{answered // 6 * 6} or more answered")
