"""Random grants, objects and requests: no response depends on data hidden from the caller.

Each request is sent to two stores, which differ in nothing but that: in the values that are hidden, and in
objects that are.
"""

import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st

from stratabase.core.domain.access.grants import access_of
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName, part_ids
from stratabase.core.model.model import Model
from stratabase.core.operations.context import Services
from stratabase.core.schema.executor import SchemaExecutor
from tests.core.schema.grants.naive import NaiveVisibility
from tests.core.schema.grants.random_model import random_model
from tests.core.schema.grants.random_requests import RandomRequests
from tests.fakes import CountedIds, DictEntities, FrozenClock, unlimited_budget
from tests.soak import count

MEMBER = Caller("m7", "smith", "Member")
QUERIES, WRITES = 12, 6


class RandomObjects:
    """Random objects. The same seed gives the same objects."""

    def __init__(self, model: Model, chance: Random) -> None:
        self.model = model
        self.entities = DictEntities(model)
        self._chance = chance
        self._number = 0

    def create_all(self) -> None:
        """Store objects of each class."""
        for class_name, number in (("Bush", 4), ("Apple", 6), ("Seed", 5)):
            for index in range(number):
                self.put(class_name, f"{class_name[0].lower()}{index}")
        for _ in range(6):
            self._link(self._any("Apple"), self._any("Apple"))

    def put(self, class_name: str, id_: str) -> Entity:
        """Store an object with values and roles."""
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
            self._add_to_whole(entity)
        return entity

    def hide_more(self) -> None:
        """Change hidden values, and add hidden objects with links to and from them."""
        eyes = NaiveVisibility(self.model, dict(self.entities.objects))
        for reference, entity in [*self.entities.objects.items()]:
            hidden = {
                name: f"{value} hidden"
                for name, value in entity.state.items()
                if name in {"text", "other"} and not eyes.can_read(entity, name)
            }
            self.entities.objects[reference] = Entity(reference, {**entity.state, **hidden}, ("before",))
        for index in range(6):
            self._add_hidden(self._chance.choice(["Apple", "Apple", "Bush", "Seed"]), f"h{index}")

    def _add_hidden(self, class_name: str, id_: str) -> None:
        before = dict(self.entities.objects)
        new = self.put(class_name, id_)
        if NaiveVisibility(self.model, self.entities.objects).can_see(new):
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
        self.entities.graph.link(self.model, RoleName("Apple", "peers"), owner, other)

    def _add_to_whole(self, seed: Entity) -> None:
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


class ServicesSideBySide:
    """One service over several orchards, which reads each document once."""

    def __init__(self, model: Model, orchards: Sequence[RandomObjects]) -> None:
        self._worlds = [
            Services(model, each.entities, FrozenClock(), CountedIds(), unlimited_budget) for each in orchards
        ]
        self._graphs = [(each.entities, each.entities.graph) for each in orchards]
        self._executor = SchemaExecutor(self._worlds[0], _failed)

    def answers(self, request: str) -> list[Any]:
        """Return the response for each orchard. Writes are undone."""
        found = []
        for services, (entities, graph) in zip(self._worlds, self._graphs, strict=True):
            entities.graph = graph
            self._executor._services = services
            found.append(json.loads(self._executor.execute(request, {}, None, MEMBER, "t").body))
        return found


def _failed(error: BaseException, _: str) -> None:
    raise error


@pytest.mark.long
@settings(max_examples=count(8, 1000))
@given(st.integers(0, 2**32))
@example(43859225)
def test_no_response_depends_on_hidden_data(seed: int) -> None:
    answered, _ = compare_answers(seed)
    event(f"{answered // 6 * 6} or more answered")


def test_the_random_requests_often_succeed_and_much_is_hidden() -> None:
    """Otherwise, the test above would compare refusals, or a store with itself."""
    found = [compare_answers(seed) for seed in range(4)]
    assert sum(answered for answered, _ in found) > 4 * (QUERIES + WRITES) * 2 / 5
    assert min(hidden for _, hidden in found) > 0


def check_unreadable_fields(body: dict[str, Any]) -> None:
    """Assert that each field with an issue of its own is null wherever it is, and has only one issue."""
    errors = body.get("errors", [])
    # A profile that may do nothing at all gets an error without a path.
    paths = [tuple(error["path"]) for error in errors if len(error.get("path", ())) > 1]
    assert len(set(paths)) == len(paths)
    for path in paths:
        assert set(_values_at(body["data"], path)) <= {None}


def _values_at(value: Any, path: Sequence[str]) -> Iterator[Any]:
    """Yield the values at a path of response keys, for each item of the lists on the way."""
    if isinstance(value, list):
        for each in value:
            yield from _values_at(each, path)
    elif value is None or not path:
        yield value
    else:
        yield from _values_at(value[path[0]], path[1:])


def compare_answers(seed: int) -> tuple[int, int]:
    """Return how many requests were answered, and in how many objects the stores differ."""
    model = random_model(Random(seed))
    orchards = [RandomObjects(model, Random(seed)) for _ in range(2)]
    for orchard in orchards:
        orchard.create_all()
    orchards[1].hide_more()
    access = access_of(model, "Member")
    assert access is not None
    ids = {name: orchards[0].ids(name) for name in KEYS}
    asking = RandomRequests(access, Random(seed), ids)
    requests = [asking.reading() for _ in range(QUERIES)] + [asking.writing() for _ in range(WRITES)]

    objects, others = (orchard.entities.objects for orchard in orchards)
    hidden = sum(objects.get(reference) != entity for reference, entity in others.items())
    garden, answered = ServicesSideBySide(model, orchards), 0

    for request in requests:
        one, other = garden.answers(request)
        assert one == other, request
        assert "hidden" not in json.dumps(other), request
        check_unreadable_fields(one)
        answered += any(value is not None for value in (one.get("data") or {}).values())
    return answered, hidden
