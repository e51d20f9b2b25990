"""Short methods that write versioned objects at times that the test sets."""

from collections.abc import Sequence
from itertools import count
from typing import Any

from stratabase.core.domain.objects.change import (
    Change,
    Creation,
    Deletion,
    Effect,
    Modification,
    ObjectEffect,
    Restoration,
)
from stratabase.core.domain.objects.entity import Entity, Moment, Reference, RoleName, State
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.version import Author, instant_after
from stratabase.core.operations.ports import EntityRepository

_numbers = count(1)


NOON = 1_577_880_000_000


HOUR = 3_600_000


class VersionedObjects:
    """Short methods that write and read objects. The clock advances one second with each commit."""

    def __init__(self, entities: EntityRepository) -> None:
        self.entities = entities
        self.clock = NOON
        self.member = "grace"
        """The ID of the member who writes."""

    def commit(self, *effects: Effect, commit_id: str | None = None) -> Instant:
        """Commit effects as one change, and return its instant."""
        self.clock += 1000
        result = self.change(*effects, commit_id=commit_id)
        self.entities.commit(result)
        return result.instant

    def change(self, *effects: Effect, commit_id: str | None = None) -> Change:
        """Return a change with these effects and an instant as operations choose it."""
        earlier = (_earlier(effect) for effect in effects if isinstance(effect, ObjectEffect))
        instant = instant_after(self.clock, earlier)
        commit_id = commit_id or f"chronicle{next(_numbers)}"
        return Change(commit_id, instant, effects, Author(self.member, "token", commit_id))

    def creation(self, class_name: str, id_: str, **state: Any) -> Creation:
        return Creation(Entity(Reference(class_name, id_), {"_id": id_, **state}))

    def create(self, class_name: str, id_: str, **state: Any) -> Instant:
        return self.commit(self.creation(class_name, id_, **state))

    def updating(self, class_name: str, id_: str, **changes: Any) -> Modification:
        """Return the modification of an object in its present state. None removes a value."""
        before = self.get(class_name, id_)
        state = {name: value for name, value in {**before.state, **changes}.items() if value is not None}
        return Modification(before, Entity(before.reference, state, before.commit_ids))

    def update(self, class_name: str, id_: str, **changes: Any) -> Instant:
        return self.commit(self.updating(class_name, id_, **changes))

    def deletion(self, class_name: str, id_: str) -> Deletion:
        """Return the deletion of an object in its present state."""
        return Deletion(self.get(class_name, id_))

    def delete(self, class_name: str, id_: str) -> Instant:
        return self.commit(self.deletion(class_name, id_))

    def restoration(self, class_name: str, id_: str, **state: Any) -> Restoration:
        """Return the restoration of a deleted object to a state."""
        (gone,) = self.entities.tombstones([Reference(class_name, id_)])
        assert gone is not None
        return Restoration(gone, Entity(gone.reference, {"_id": id_, **state}))

    def restore(self, class_name: str, id_: str, **state: Any) -> Instant:
        return self.commit(self.restoration(class_name, id_, **state))

    def find(self, class_name: str, id_: str) -> Entity | None:
        """Return an object, or None if it does not exist."""
        return self.entities.read([Reference(class_name, id_)])[0]

    def get(self, class_name: str, id_: str) -> Entity:
        """Return an existing object."""
        entity = self.find(class_name, id_)
        assert entity is not None, f"there is no {class_name} {id_}"
        return entity

    def at(self, instant: Instant, class_name: str, id_: str) -> State | None:
        """Return the state of an object at an instant, without the attributes of the version."""
        (entity,) = self.entities.as_of([Moment(Reference(class_name, id_), instant)])
        return None if entity is None else plain(entity)

    def names(self, class_name: str, id_: str, *instants: Instant) -> str:
        """Return an object's names at some instants, as one text. `-` means that it did not exist."""
        found = self.entities.as_of([Moment(Reference(class_name, id_), instant) for instant in instants])
        return " ".join("-" if entity is None else str(entity.state.get("name")) for entity in found)

    def versions(self, class_name: str, id_: str, **range_: Any) -> Sequence[Entity]:
        return [*self.entities.versions(Reference(class_name, id_), **range_)]

    def times(self, class_name: str, id_: str) -> list[tuple[Instant | None, Instant | None]]:
        """Return the start and the end of each version of an object."""
        return [(version.start, version.end) for version in self.versions(class_name, id_)]

    def led_to(self, at: Instant, class_name: str, role: str, id_: str) -> str:
        """Return the ids that a role led to at an instant, without candidates whose key led elsewhere."""
        name = RoleName(class_name, role)
        (ids,) = self.entities.linked(name, [id_], at=[at])
        target, back = BACK[name]
        moments = [Moment(Reference(target, other), at) for other in ids]
        found = self.entities.as_of(moments)
        return " ".join(
            other
            for other, entity in zip(ids, found, strict=True)
            if entity is not None and entity.state.get(back) == id_
        )


BACK = {
    RoleName("Team", "members"): ("Employee", "team"),
    RoleName("Desk", "owner"): ("Employee", "desk"),
    RoleName("Room", "people"): ("Employee", "room"),
    RoleName("Room", "lamps"): ("Lamp", "room"),
}
"""For each role that is stored as a key of the opposite side: the opposite class and role."""


def plain(entity: Entity) -> State:
    """Return the state of an object without the attributes of its version."""
    return {name: value for name, value in entity.state.items() if not name.startswith("_version")}


def _earlier(effect: ObjectEffect) -> Instant | None:
    if isinstance(effect, Restoration):
        return effect.tombstone.last_end
    return None if effect.before is None else effect.before.start
