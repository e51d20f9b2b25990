"""What versions cost: writing what is remembered, and reading what was."""

from collections.abc import Callable, Mapping

from benchmarks.role_rows import CALLER, Cost, Operations
from stratabase.domain.change import Change, Creation
from stratabase.domain.change import Update as Updated
from stratabase.domain.command import Create, Delete, Update
from stratabase.domain.entity import Entity, Reference
from stratabase.domain.instant import Instant
from stratabase.domain.role_command import Point, RoleCommand
from stratabase.domain.role_name import RoleName
from stratabase.domain.version import instant_after
from stratabase.model.attribute import Stored
from stratabase.operations.create import create
from stratabase.operations.delete import delete
from stratabase.operations.update import update
from stratabase.operations.world import World

MODEL = """
type Crew @class(versioned: true) { name: String sailors: [Sailor!] @association(opposite: "crew") }
type Sailor @class(versioned: true) { name: String crew: Crew @association(opposite: "sailors") }
"""
VERSIONS = 100
"""Of one object."""


class Versions:
    """Objects with a past, and what is measured of them; s, their index slots, is 1."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._crews = [self._make("Crew", id_) for id_ in ("here", "there")]
        self._old, self._moved, self._gone = (
            self._make("Sailor", id_, crew="here") for id_ in ("old", "moved", "gone")
        )
        self._starts = [self._changed(number) for number in range(VERSIONS)]

    def operations(self) -> Operations:
        """Return what is measured."""
        bound = Update(self._moved, roles={"crew": Point("there")})
        return {
            "create, versioned": (Cost(1, 0, 2), self._create({})),
            "create with a key, versioned": (Cost(1, 0, 2 + 1 + 4), self._create({"crew": Point("here")})),
            "update, versioned": (
                Cost(2, 1, 4 + 1),
                lambda: update(self._world, Update(self._moved, {"name": "new"}), CALLER),
            ),
            "update of a key, versioned": (
                Cost(2, 1, 4 + 1 + 6 + 2),
                lambda: update(self._world, bound, CALLER),
            ),
            "delete with a key, versioned": (
                Cost(2, 1, 4 + 1 + 2 + 2),
                lambda: delete(self._world, Delete(self._gone), CALLER),
            ),
            "version of now": (Cost(1, 1, 0), self._at(self._starts[-1])),
            f"version of {VERSIONS}, the first": (Cost(2, 1.5, 0), self._at(self._starts[0])),
            f"version of {VERSIONS}, in the middle": (Cost(2, 1.5, 0), self._at(self._starts[VERSIONS // 2])),
            f"page of 10 versions of {VERSIONS}": (Cost(1, 1, 0), self._page),
            "role as of an instant": (Cost(1, 1, 0), self._role),
        }

    def _create(self, roles: Mapping[str, RoleCommand]) -> Callable[[], object]:
        return lambda: create(self._world, Create("Sailor", {"name": "n" * 200}, roles=roles), CALLER)

    def _at(self, instant: Instant) -> Callable[[], object]:
        return lambda: self._world.entities.as_of([(self._old, instant)])

    def _page(self) -> None:
        assert len([*self._world.entities.versions(self._old, limit=10, backward=True)]) == 10

    def _role(self) -> None:
        role = RoleName("Crew", "sailors")
        self._world.entities.linked(role, ["here"], at=self._starts[0])

    def _changed(self, number: int) -> Instant:
        """Change an object once more, and return when."""
        (before,) = self._world.entities.read([self._old])
        assert before is not None
        state = {**before.state, "name": f"{number:03}" + "n" * 200}
        return self._commit(before, Entity(self._old, state, before.commit_ids))

    def _make(self, class_name: str, id_: str, **state: Stored) -> Reference:
        reference = Reference(class_name, id_)
        self._commit(None, Entity(reference, {"_id": id_, "name": "n" * 200, **state}))
        return reference

    def _commit(self, before: Entity | None, after: Entity) -> Instant:
        now = instant_after(self._world.clock.now(), [None if before is None else before.start])
        effect = Creation(after) if before is None else Updated(before, after)
        self._world.entities.commit(Change(self._world.ids.new(), now, (effect,)))
        return now
