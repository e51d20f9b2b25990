"""The versions of objects in plain dicts: the oracle for the versions of a store."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from stratabase.core.domain.objects.change import Change, ObjectEffect, Restoration, Tombstone, reference_of
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.objects.instant import Instant, format_instant
from stratabase.core.model.model import Model

Objects = Mapping[Reference, Entity]


@dataclass
class Past:
    """The closed versions of objects of versioned classes, and the tombstones of deleted objects."""

    closed: dict[Reference, tuple[Entity, ...]] = field(default_factory=dict)
    gone: dict[Reference, Tombstone] = field(default_factory=dict)
    restored: frozenset[Reference] = frozenset()
    """The objects that were restored at least once."""

    def after(self, change: Change, objects: Objects, model: Model) -> "Past":
        """Return the versions after a change. `objects` are the objects before it."""
        past = Past(dict(self.closed), dict(self.gone), self.restored)
        for effect in change.object_effects():
            if model.classes[reference_of(effect).class_name].versioned:
                past.note(effect, change, objects)
        return past

    def note(self, effect: ObjectEffect, change: Change, objects: Objects) -> None:
        """Add the version and the tombstone that an effect on an object creates."""
        reference = reference_of(effect)
        if isinstance(effect, Restoration):
            del self.gone[reference]
            self.restored |= {reference}
        if reference not in objects:
            return
        before = objects[reference]
        start = before.start or 0
        state = {
            **before.state,
            "_versionStart": format_instant(start),
            "_versionEnd": format_instant(change.instant),
        }
        version = replace(before, state=state, start=start, end=change.instant)
        self.closed[reference] = (*self.closed.get(reference, ()), version)
        if effect.after is None:
            commit_ids = (*before.commit_ids, change.commit_id)[-8:]
            self.gone[reference] = Tombstone(reference, change.instant, start, commit_ids)

    def versions(self, reference: Reference, objects: Objects) -> Iterator[Entity]:
        """Yield all versions of an object, from the oldest to the present one."""
        yield from self.closed.get(reference, ())
        if reference in objects:
            yield objects[reference]

    def at(self, reference: Reference, instant: Instant, objects: Objects) -> Entity | None:
        """Return the version of an object at an instant, or None if there is none."""
        for version in self.versions(reference, objects):
            if (version.start or 0) <= instant and (version.end is None or instant < version.end):
                return version
        return None

    def forbids(self, effect: ObjectEffect) -> bool:
        """Return whether an effect creates an object despite its tombstone, or restores from a stale one."""
        remembered = self.gone.get(reference_of(effect))
        if isinstance(effect, Restoration):
            return remembered != effect.tombstone
        return effect.before is None and remembered is not None


def dated(entity: Entity, model: Model, instant: Instant) -> Entity:
    """Return an object as a read returns it after the object was written at an instant."""
    versioned = model.classes[entity.reference.class_name].versioned
    state = {**entity.state, "_versionStart": format_instant(instant)} if versioned else entity.state
    return replace(entity, state=state, start=instant)
