"""The cost of operations on roles: keys, links, counts, one-to-one associations, and parts."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.change import Change, Creation, LinkCreation
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.write.commands import (
    Create,
    Delete,
    PartsCommand,
    RoleCommand,
    ToManyCommand,
    ToOneCommand,
    Update,
)
from stratabase.core.model.types.base import Stored
from stratabase.core.operations.context import Services
from stratabase.core.operations.write.services import delete, save

MODEL = """
type Team { name: String members: [Worker!] @association(opposite: "team") }
type Worker { name: String team: Team @association(opposite: "members") }
type Boss { name: String team: Squad! @association(opposite: "bosses") }
type Squad { name: String bosses: [Boss!] @association(opposite: "team") }
type Note { name: String tags: [Tag!] @association(opposite: "notes") }
type Tag { name: String notes: [Note!] @association(opposite: "tags") }
type Driver { name: String car: Car @association(opposite: "driver", holds: true) }
type Car { name: String driver: Driver @association(opposite: "car") }
type Order { name: String lines: [Line!] @composition }
type Line { name: String }
"""

CALLER = Caller("1", "admin", "Administrator", administrator=True)
MEMBERS = 50


class Cost(NamedTuple):
    """The maximum cost of an operation for objects of up to 1 KB. None means that no limit is set."""

    calls: float | None
    read_units: float | None
    write_units: float | None


Operations = Mapping[str, tuple[Cost, Callable[[], object]]]


class Roles:
    """Objects with references to each other, and the operations to measure. Each object has 1 index slot."""

    def __init__(self, services: Services) -> None:
        self._services = services
        for id_ in ("t", "u"):
            self._make("Team", id_)
            self._make("Squad", id_)
        for number in range(MEMBERS):
            self._make("Worker", f"w{number}", team="t")
        for id_ in ("b", "c"):
            self._make("Boss", id_, team="t")
        for id_ in ("x", "y", "z", "free"):
            self._make("Tag", id_)
        for id_ in ("n", "m"):
            self._make("Note", id_)
            links = (LinkCreation(RoleName("Note", "tags"), id_, tag) for tag in "xyz")
            self._commit(*links)
        for id_ in ("k", "l"):
            self._make("Car", id_)

    def operations(self) -> Operations:
        """Return the operations to measure, by name."""
        return {
            "create with a key": (Cost(1, 0, 2 + 1 + 4), self._create("Worker", team=ToOneCommand("t"))),
            "create with a required key": (
                Cost(1, 0, 2 + 1 + 4),
                self._create("Boss", team=ToOneCommand("t")),
            ),
            "create with 3 links": (
                Cost(1, 0, 2 + 1 + 3 * 6),
                self._create("Note", tags=ToManyCommand(("x", "y", "z"))),
            ),
            "create one to one": (Cost(1, 0, 2 + 1 + 4 + 2), self._create("Driver", car=ToOneCommand("k"))),
            "create with 3 parts": (
                Cost(1, 0, 4 * 3),
                self._create("Order", lines=PartsCommand(create=[Create("Line", {"name": "x"})] * 3)),
            ),
            "move a key": (Cost(2, 1, 2 + 1 + 6), self._update("Worker", "w1", team=ToOneCommand("u"))),
            "move a required key": (
                Cost(2, 1, 2 + 1 + 6 + 2),
                self._update("Boss", "b", team=ToOneCommand("u")),
            ),
            "link": (Cost(3, 2, 4 + 4), self._update("Note", "n", tags=ToManyCommand(("free",)))),
            # Two link items, and a check of the note's lock.
            "unlink": (Cost(3, 2, 4 + 2), self._update("Note", "n", tags=ToManyCommand(remove=("x",)))),
            "delete with a key": (Cost(2, 1, 2 + 1 + 2), self._delete("Worker", "w2")),
            "delete with a required key": (Cost(2, 1, 2 + 1 + 2 + 2), self._delete("Boss", "c")),
            "delete with 3 links": (Cost(3, 2, 2 + 1 + 3 * 4), self._delete("Note", "m")),
            "what 48 keys lead to": (Cost(2, 1 + MEMBERS, 0), self._members),
        }

    def _create(self, class_name: str, **roles: RoleCommand) -> Callable[[], object]:
        return lambda: save(self._services, Create(class_name, {"name": "new"}, roles=roles), CALLER)

    def _update(self, class_name: str, id_: str, **roles: RoleCommand) -> Callable[[], object]:
        return lambda: save(self._services, Update(Reference(class_name, id_), roles=roles), CALLER)

    def _delete(self, class_name: str, id_: str) -> Callable[[], object]:
        return lambda: delete(self._services, Delete(Reference(class_name, id_)), CALLER)

    def _members(self) -> object:
        (ids,) = self._services.entities.linked(RoleName("Team", "members"), ["t"])
        return self._services.entities.read([Reference("Worker", id_) for id_ in ids])

    def _make(self, class_name: str, id_: str, **state: Stored) -> None:
        state = {"_id": id_, "name": "n" * 300, **state}
        self._commit(Creation(Entity(Reference(class_name, id_), state)))

    def _commit(self, *effects: Creation | LinkCreation) -> None:
        self._services.entities.commit(Change(self._services.ids.new(), self._services.clock.now(), effects))
