"""The cost of versions: writing versioned objects, and reading former versions."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from benchmarks.role_rows import CALLER, Cost, Operations
from stratabase.core.domain.objects.change import Change, Creation, Deletion, Effect
from stratabase.core.domain.objects.change import Modification as Updated
from stratabase.core.domain.objects.entity import Entity, Moment, Reference, RoleName
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.version import instant_after
from stratabase.core.domain.write.commands import Create, Delete, RoleCommand, ToOneCommand, Update
from stratabase.core.model.types.base import Stored
from stratabase.core.operations.context import Services
from stratabase.core.operations.write.services import delete, save

MODEL = """
type Vessel @class(versioned: true) { name: String mates: [Mate!] @association(opposite: "vessel") }
type Mate @class(versioned: true) { name: String vessel: Vessel @association(opposite: "mates") }
type Crate @class(versioned: true) { name: String }
"""
VERSION_COUNTS = (1, 100, 10_000)
"""The numbers of former versions of the objects. Reads must not cost more if there are more versions."""
DELETED = 1_000
"""The number of deleted crates. Nor must a page of them cost more if there are more."""
_TOGETHER = 25
"""The number of crates that one commit makes or deletes."""


class History(NamedTuple):
    """An object, and the instants at which its versions start."""

    reference: Reference
    starts: Sequence[Instant]


class Versions:
    """Objects with former versions, and the operations to measure. Each object has 1 index slot."""

    def __init__(self, services: Services) -> None:
        self._services = services
        for id_ in ("here", "there"):
            self._make("Vessel", id_)
        self._moved, self._gone = (self._make("Mate", id_, vessel="here") for id_ in ("moved", "gone"))
        self._crate = self._make("Crate", "crate")
        self._delete_crates()
        self._histories = [self._make_history(number) for number in VERSION_COUNTS]

    def operations(self) -> Operations:
        """Return the operations to measure, by name."""
        reassignment = Update(self._moved, roles={"vessel": ToOneCommand("there")})
        return {
            "create, versioned": (Cost(1, 0, 2), self._create({})),
            "create with a key, versioned": (
                Cost(1, 0, 2 + 1 + 4),
                self._create({"vessel": ToOneCommand("here")}),
            ),
            "update, versioned": (
                Cost(2, 1, 4 + 1),
                lambda: save(self._services, Update(self._moved, {"name": "new"}), CALLER),
            ),
            "update of a key, versioned": (
                Cost(2, 1, 4 + 1 + 6 + 2),
                lambda: save(self._services, reassignment, CALLER),
            ),
            "delete with a key, versioned": (
                Cost(2, 1, 4 + 1 + 2 + 2 + 2),
                lambda: delete(self._services, Delete(self._gone), CALLER),
            ),
            "delete, versioned": (
                Cost(2, 1, 4 + 1 + 2),
                lambda: delete(self._services, Delete(self._crate), CALLER),
            ),
            f"page of 10 deleted objects of {DELETED:,}": (Cost(3, 0.5 + 10 + 10, 0), self._deleted),
            "role as of an instant": (Cost(1, 1, 0), self._role),
            **{name: row for history in self._histories for name, row in self._history_rows(history)},
        }

    def _history_rows(self, history: History) -> Iterator[tuple[str, tuple[Cost, Callable[[], object]]]]:
        """Yield the operations to measure on an object, with their names."""
        reference, starts = history
        number = len(starts) - 1
        yield f"version of now, of {number:,}", (Cost(1, 1, 0), self._at(reference, starts[-1]))
        yield f"first version of {number:,}", (Cost(2, 1.5, 0), self._at(reference, starts[0]))
        yield f"middle version of {number:,}", (Cost(2, 1.5, 0), self._at(reference, starts[number // 2]))
        yield f"page of 10 versions of {number:,}", (Cost(1, 1, 0), lambda: self._page(reference, number))

    def _create(self, roles: Mapping[str, RoleCommand]) -> Callable[[], object]:
        return lambda: save(self._services, Create("Mate", {"name": "n" * 200}, roles=roles), CALLER)

    def _at(self, reference: Reference, instant: Instant) -> Callable[[], object]:
        return lambda: self._services.entities.as_of([Moment(reference, instant)])

    def _page(self, reference: Reference, number: int) -> None:
        read = [*self._services.entities.versions(reference, limit=10, backward=True)]
        assert len(read) == min(10, number + 1)

    def _role(self) -> None:
        role = RoleName("Vessel", "mates")
        self._services.entities.linked(role, ["here"], at=[self._histories[0].starts[0]])

    def _deleted(self) -> None:
        services = self._services
        pages = services.entities.deleted("Crate", None, services.new_budget(), size=10)
        assert len(next(pages)) == 10

    def _delete_crates(self) -> None:
        for first in range(0, DELETED, _TOGETHER):
            ids = [f"gone{number}" for number in range(first, first + _TOGETHER)]
            crates = [Entity(Reference("Crate", id_), {"_id": id_, "name": "n" * 200}) for id_ in ids]
            self._write(map(Creation, crates))
            found = self._services.entities.read([each.reference for each in crates])
            self._write(Deletion(each) for each in found if each is not None)

    def _write(self, effects: Iterable[Effect]) -> None:
        change = tuple(effects)
        earlier = (each.before.start for each in change if isinstance(each, Deletion))
        now = instant_after(self._services.clock.now(), earlier)
        self._services.entities.commit(Change(self._services.ids.new(), now, change))

    def _make_history(self, number: int) -> History:
        """Create an object with a number of former versions."""
        reference = self._make("Mate", f"old{number}", vessel="here")
        (first,) = self._services.entities.read([reference])
        assert first is not None
        assert first.start is not None
        return History(reference, [first.start, *(self._change(reference, turn) for turn in range(number))])

    def _change(self, reference: Reference, turn: int) -> Instant:
        """Change an object once more, and return the instant of the change."""
        (before,) = self._services.entities.read([reference])
        assert before is not None
        state = {**before.state, "name": f"{turn:05}" + "n" * 200}
        return self._commit(before, Entity(reference, state, before.commit_ids))

    def _make(self, class_name: str, id_: str, **state: Stored) -> Reference:
        reference = Reference(class_name, id_)
        self._commit(None, Entity(reference, {"_id": id_, "name": "n" * 200, **state}))
        return reference

    def _commit(self, before: Entity | None, after: Entity) -> Instant:
        now = instant_after(self._services.clock.now(), [None if before is None else before.start])
        effect = Creation(after) if before is None else Updated(before, after)
        self._services.entities.commit(Change(self._services.ids.new(), now, (effect,)))
        return now
