"""Random commands on a graph, most of which are valid."""

from collections.abc import Iterator, Sequence
from itertools import count
from random import Random
from typing import Any

from stratabase.core.domain.objects.entity import Reference, RoleStorage, is_one_to_one, storage_of
from stratabase.core.domain.write.commands import (
    Command,
    Create,
    Delete,
    PartsCommand,
    RoleCommand,
    ToManyCommand,
    ToOneCommand,
    Update,
)
from stratabase.core.model.model import Class, Role
from tests.graphs.reference_graph import ReferenceGraph

MISSING_ID = "gone"
"""The id of no object."""


class RandomCommands:
    """A generator of random commands on a graph, few of which are invalid."""

    def __init__(self, graph: ReferenceGraph, chance: Random) -> None:
        self._graph = graph
        self._chance = chance
        self._named: list[tuple[str, str]] = []
        self._numbers: Iterator[int] = count(1)

    def command(self) -> Command:
        """Return a random create, update or delete command."""
        whole = [class_ for class_ in self._graph.model.classes.values() if not class_.part]
        class_ = self._chance.choice(whole)
        living = self._living(class_.name)
        what = self._chance.random()
        if what < 0.4 or not living:
            return self._create(class_, 0)
        if what < 0.85:
            return self._update(Reference(class_.name, self._id(living)), 0)
        return Delete(Reference(class_.name, self._id(living)))

    def _living(self, class_name: str) -> list[str]:
        return [reference.id for reference in self._graph.objects if reference.class_name == class_name]

    def _id(self, ids: Sequence[str]) -> str:
        return MISSING_ID if self._seldom() or not ids else self._chance.choice(ids)

    def _seldom(self) -> bool:
        return self._chance.random() < 0.02

    def _create(self, class_: Class, depth: int) -> Create:
        client_id = None
        if self._chance.random() < 0.5:
            client_id = "c0" if self._seldom() else f"c{next(self._numbers)}"
            self._named.append((class_.name, client_id))
        roles = {
            role.name: self._asked(None, role, depth)
            for role in class_.roles.values()
            if not role.whole and self._chance.random() < (0.95 if role.required else 0.4 - 0.1 * depth)
        }
        return Create(class_.name, {"size": 1, **self._given()}, client_id, roles)

    def _update(self, reference: Reference, depth: int) -> Update:
        class_ = self._graph.model.classes[reference.class_name]
        roles = {
            role.name: self._asked(reference, role, depth)
            for role in class_.roles.values()
            if not role.whole and self._chance.random() < 0.4 - 0.1 * depth
        }
        client_id = None
        if self._chance.random() < 0.2:
            client_id = f"c{next(self._numbers)}"
            self._named.append((class_.name, client_id))
        return Update(reference, self._given(), client_id, roles)

    def _given(self) -> dict[str, Any]:
        value: dict[str, Any] = {}
        if self._chance.random() < 0.4:
            value["size"] = "much" if self._seldom() else self._chance.randrange(4)
        if self._chance.random() < 0.4:
            value["name"] = self._chance.choice([None, *"abcdefgh"])
        return value

    def _asked(self, own: Reference | None, role: Role, depth: int) -> RoleCommand:
        way = storage_of(self._graph.model, role)
        if way is RoleStorage.PARTS:
            return self._parts(own, role, depth)
        if not role.many:
            return self._point(role)
        return self._links(own, role)

    def _target(self, role: Role) -> str:
        """Return the id of a random target for a role, or the client id of an object in the request."""
        named = [name for class_name, name in self._named if class_name == role.target]
        if named and self._chance.random() < 0.2:
            return self._chance.choice(named)
        living = self._living(role.target)
        if is_one_to_one(self._graph.model, role) and not self._seldom():
            opposite = self._graph.model.classes[role.target].roles[str(role.opposite)]
            living = [id_ for id_ in living if not self._graph.led_to(Reference(role.target, id_), opposite)]
        return self._id(living)

    def _point(self, role: Role) -> ToOneCommand:
        if self._chance.random() < (0.02 if role.required else 0.2):
            return ToOneCommand(None, remove=self._chance.random() < 0.5)
        return ToOneCommand(self._target(role), remove=self._seldom())

    def _links(self, own: Reference | None, role: Role) -> ToManyCommand:
        add = [self._target(role) for _ in range(self._chance.randrange(1 if role.required else 0, 4))]
        present = [] if own is None else self._graph.led_to(own, role)
        remove = [self._id(present) for _ in range(self._chance.choice([0, 0, 1, 2]))]
        remove = [id_ for id_ in remove if id_ not in add or self._seldom()]
        return ToManyCommand(add, remove, remove_all=self._chance.random() < 0.15)

    def _parts(self, own: Reference | None, role: Role, depth: int) -> PartsCommand:
        present = [] if own is None else self._graph.parts[own, role.name]
        class_ = self._graph.model.classes[role.target]
        delete = [self._id(present) for _ in range(self._chance.choice([0, 0, 0, 1, 2] if present else [0]))]
        delete_all = self._chance.random() < 0.1
        stay = [id_ for id_ in present if not (delete_all or id_ in delete) or self._seldom()]
        change = self._chance.sample(stay, self._chance.randint(0, len(stay)))
        most = 2 if role.many and depth < 3 else 0
        created = self._chance.randint(0, most) if stay or not role.required else max(1, most)
        if not role.many and not stay and depth < 3:
            created = 1 if role.required else self._chance.randint(0, 1)
        return PartsCommand(
            [self._create(class_, depth + 1) for _ in range(created)],
            [self._update(Reference(role.target, id_), depth + 1) for id_ in change],
            delete,
            delete_all,
        )
