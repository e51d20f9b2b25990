"""Read versions of objects, each as of its own instant, by the grants of that instant and of now."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TypeVar

from stratabase.core.domain.objects.entity import (
    Entity,
    Moment,
    Reference,
    State,
    normalize_reference,
    part_ids,
    whole_of,
)
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.derived import Computed
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.model import Role
from stratabase.core.model.types.base import Stored
from stratabase.core.operations.context import ReadContext
from stratabase.core.operations.ports import ReadableObjects
from stratabase.core.operations.read.as_of import AsOfBatch
from stratabase.core.operations.read.batched_reads import BatchedRead, run, run_together
from stratabase.core.operations.read.read_policy import CurrentVisibility, last_instant
from stratabase.core.operations.read.reader import Reader

T = TypeVar("T")
_TOGETHER = 100
"""Versions in one batch if the number of wanted versions is unknown."""


def get_version(read_context: ReadContext, reference: Reference, instant: Instant) -> Entity | None:
    """Return the version of an object at an instant, regardless of grants. None if there was none.

    Raises ReadBudgetExceeded, Unavailable.
    """
    return AsOfBatch(read_context).objects([Moment(normalize_reference(reference), instant)])[0]


def resolve_instant(
    entities: ReadableObjects,
    reference: Reference,
    readings: Sequence[Instant],
    budget: ReadBudget | None = None,
) -> Instant:
    """Return which of several possible instants a client means. `readings` has the earlier ones first.

    A local time is ambiguous in the hour that repeats when daylight saving time ends. It means the first
    instant at which a version of the object starts or ends, or the earliest one if none does. So the times in
    a response find the same version again. Raises ReadBudgetExceeded, Unavailable.
    """
    if len(readings) == 1:
        return readings[0]
    named = normalize_reference(reference)
    # A version starts or ends at an instant if the object differs from a millisecond before.
    moments = [Moment(named, instant) for reading in readings for instant in (reading - 1, reading)]
    found = entities.as_of(moments, budget)
    edges = zip(readings, found[::2], found[1::2], strict=True)
    return next((reading for reading, before, at in edges if _start(before) != _start(at)), readings[0])


def _start(entity: Entity | None) -> Instant | None:
    return None if entity is None else entity.start


class VersionReader:
    """Reads versions for a caller, with what their roles led to.

    Many versions take as few round trips as one.
    """

    def __init__(self, read_context: ReadContext, *, of_deleted: bool = False) -> None:
        """`of_deleted`: reads the last versions of deleted objects, and shows them as of their last instants.

        Other versions are shown as of their starts.
        """
        self._read_context = read_context
        self._of_deleted = of_deleted
        self.access = read_context.access
        self._current = None if self.access is None else CurrentVisibility(read_context, self.access)

    def at(self, instant: Instant, batch: AsOfBatch | None = None) -> Reader:
        """Return a reader of objects as of an instant. The readers of an instance share `batch`."""
        return Reader(self._read_context, instant, batch=batch, current=self._current)

    def each(self, versions: Sequence[Entity], find: Callable[[Reader, Entity], BatchedRead[T]]) -> list[T]:
        """Return what `find` finds for each version, with a reader of objects as of its instant.

        All versions share their round trips. Raises ReadBudgetExceeded, Unavailable, and what `find` raises.
        """
        batch = AsOfBatch(self._read_context)
        if self._current is not None:
            note = self._current.note_deleted if self._of_deleted else self._current.note
            note(versions)
        # The versions were read without the wholes of parts, which may have lost them by then.
        detached = batch.detach_lost_parts(versions)
        return run_together(find(self.at(self._instant(each), batch), each) for each in detached)

    def _instant(self, version: Entity) -> Instant:
        return last_instant(version) if self._of_deleted else version.start or 0

    def hides(self, class_name: str) -> bool:
        """Return whether some objects of a class may be hidden from the caller."""
        return self.access is not None and not self.access.sees_every_object(class_name)

    def show(self, version: Entity | None, instant: Instant) -> Entity | None:
        """Return what is visible of an object's version at an instant. Raises ReadBudgetExceeded."""
        if version is None or not self._is_attached(version, instant):
            return None
        return version if self.access is None else run(self.at(instant).add_visible([version]))[0]

    def show_each(self, versions: Sequence[Entity]) -> list[Entity | None]:
        """Return what is visible of each version as of its start. Raises ReadBudgetExceeded, Unavailable."""
        return list(versions) if self.access is None else self.each(versions, _show)

    def visible(
        self, class_name: str, versions: Iterable[Entity], together: int | None = None
    ) -> Iterator[Entity]:
        """Yield the versions of objects of a class that are visible, unchanged.

        `together` is the size of the first batch. Raises ReadBudgetExceeded.
        """
        if self._read_context.model.classes[class_name].part:
            versions = (version for version in versions if self._is_attached(version, version.start or 0))
        if not self.hides(class_name):
            yield from versions
            return
        for batch in _batches(versions, together or _TOGETHER):
            shown = self.each(batch, _show)
            yield from (version for version, each in zip(batch, shown, strict=True) if each is not None)

    def with_derived(self, versions: Iterable[Entity], names: Sequence[str]) -> Iterator[Entity]:
        """Yield versions whose states also have the values of derived attributes.

        Raises ReadBudgetExceeded.
        """
        for batch in _batches(versions, _TOGETHER):
            yield from self.each(batch, partial(_derive, names=names))

    def readable_state(self, shown: Entity, instant: Instant) -> State:
        """Return all attributes and stored roles that the caller may know of a version, null values included.

        `shown` is what is visible of the version. Roles lead only to visible objects. Raises
        ReadBudgetExceeded.
        """
        class_ = self._read_context.model.classes[shown.reference.class_name]
        reader = self.at(instant)
        roles = [role for role in class_.roles.values() if role.holds_key or role.composition]
        names = [*class_.attributes, *(role.name for role in roles)]
        state = {name: shown.state.get(name) for name in names if self._shows(reader, shown.reference, name)}
        for role in roles:
            if role.name in state:
                state[role.name] = self._visible_ids(reader, role, state[role.name])
        return state

    def _is_attached(self, version: Entity, instant: Instant) -> bool:
        """Return whether a version is not a part, or was a part of its whole at an instant.

        Otherwise it belongs to a restoration that is not finished. That is possible only for open versions,
        so only these are checked. Raises ReadBudgetExceeded, Unavailable.
        """
        classes = self._read_context.model.classes
        owner = whole_of(classes[version.reference.class_name], version.state)
        if owner is None or version.end is not None or not classes[owner.reference.class_name].versioned:
            return True
        return bool(run(Reader(self._read_context, instant, unrestricted=True).attached([version])))

    def _shows(self, reader: Reader, owner: Reference, name: str) -> bool:
        """Return whether an attribute or a role of an object is visible."""
        if self.access is None:
            return True
        role = self._read_context.model.classes[owner.class_name].roles.get(name)
        if role is not None and not self.access.may_follow(owner.class_name, role):
            return False
        return run(reader.shows(owner, name))

    def _visible_ids(self, reader: Reader, role: Role, value: Stored) -> Stored:
        """Return those ids in the value of a role that lead to visible objects."""
        if not self.hides(role.target) or value is None:
            return value
        references = [Reference(role.target, id_) for id_ in part_ids(value)]
        run(reader.load_with_wholes(references))
        ids = [each.id for each in references if reader.find(each) is not None]
        return (ids or None) if role.many else next(iter(ids), None)


def _show(reader: Reader, version: Entity) -> BatchedRead[Entity | None]:
    return (yield from reader.add_visible([version]))[0]


def _derive(reader: Reader, version: Entity, names: Sequence[str]) -> BatchedRead[Entity]:
    """Return a version with derived attributes in its state, computed from what is visible of it."""
    (shown,) = yield from reader.add_visible([version])
    if shown is None:
        return version
    (whole,) = yield from reader.with_computed(version.reference.class_name, [shown], Computed(tuple(names)))
    return replace(version, state={**version.state, **{name: whole.state.get(name) for name in names}})


def _batches(versions: Iterable[Entity], size: int) -> Iterator[Sequence[Entity]]:
    """Yield batches of versions. Small batches grow, because all versions of a batch may be hidden."""
    each = iter(versions)
    while some := tuple(islice(each, size)):
        yield some
        size = max(size, min(2 * size, _TOGETHER))
