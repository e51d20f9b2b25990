"""Versions of objects, each seen as of its own instant: by the grants of then and of now."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TypeVar

from stratabase.domain.objects.entity import Entity, Reference, State
from stratabase.domain.objects.identity import normalize_reference
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.parts import part_ids, whole_of
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.model.model import Role
from stratabase.model.types.storage import Stored
from stratabase.operations.context import RequestContext
from stratabase.operations.ports import Entities
from stratabase.operations.read.as_of import AsOfBatch
from stratabase.operations.read.loading import Reading, run, run_together
from stratabase.operations.read.policy import CurrentVisibility
from stratabase.operations.read.reader import Reader

T = TypeVar("T")

_TOGETHER = 100
"""How many versions are looked at together, where nobody knows how many are wanted."""


def get_version(request: RequestContext, reference: Reference, instant: Instant) -> Entity | None:
    """Return the version of an instant, whoever may see it; None where there was none.

    Raises ReadBudgetExceeded, Unavailable.
    """
    return AsOfBatch(request).objects([(normalize_reference(reference), instant)])[0]


def resolve_instant(
    entities: Entities, reference: Reference, readings: Sequence[Instant], budget: ReadBudget | None = None
) -> Instant:
    """Return which of the instants that a text may mean is meant, the earlier ones first.

    The first at which a version of the object begins or ends; the earliest, if none does. So what an answer
    tells of a version finds that version again, also in the hour that occurs twice. Raises
    ReadBudgetExceeded, Unavailable.
    """
    if len(readings) == 1:
        return readings[0]
    named = normalize_reference(reference)
    moments = [(named, instant) for reading in readings for instant in (reading - 1, reading)]
    found = entities.as_of(moments, budget)
    edges = zip(readings, found[::2], found[1::2], strict=True)
    return next((reading for reading, before, at in edges if _start(before) != _start(at)), readings[0])


def _start(entity: Entity | None) -> Instant | None:
    return None if entity is None else entity.start


class VersionReader:
    """Reads versions for who asks, and what they led to: many versions in as few round trips as one."""

    def __init__(self, request: RequestContext) -> None:
        self._request = request
        self.access = request.access
        self._current = None if self.access is None else CurrentVisibility(request, self.access)

    def at(self, instant: Instant, batch: AsOfBatch | None = None) -> Reader:
        """Return what reads objects as they were at an instant."""
        return Reader(self._request, instant, batch=batch, current=self._current)

    def each(self, versions: Sequence[Entity], find: Callable[[Reader, Entity], Reading[T]]) -> list[T]:
        """Return what is found of each version, by a reader of objects as they were when it began.

        All are looked at together: the round trips do not depend on how many there are. Raises
        ReadBudgetExceeded, Unavailable, and what finding raises.
        """
        batch = AsOfBatch(self._request)
        if self._current is not None:
            self._current.note(versions)
        detached = batch.detach_lost_parts(versions)
        return run_together(find(self.at(each.start or 0, batch), each) for each in detached)

    def hides(self, class_name: str) -> bool:
        """Return whether some objects of a class may be hidden."""
        return self.access is not None and not self.access.sees_every_object(class_name)

    def show(self, version: Entity | None, instant: Instant) -> Entity | None:
        """Return what is visible of what an object was at an instant. Raises ReadBudgetExceeded."""
        if version is None or not self._is_attached(version, instant):
            return None
        return version if self.access is None else run(self.at(instant).admit([version]))[0]

    def show_each(self, versions: Sequence[Entity]) -> list[Entity | None]:
        """Return what is visible of each version, as of when it began.

        Raises ReadBudgetExceeded, Unavailable.
        """
        return list(versions) if self.access is None else self.each(versions, _show)

    def visible(
        self, class_name: str, versions: Iterable[Entity], together: int | None = None
    ) -> Iterator[Entity]:
        """Yield those versions of objects of a class that are visible, as they were.

        `together`: how many are looked at first. Raises ReadBudgetExceeded.
        """
        versions = (version for version in versions if self._is_attached(version, version.start or 0))
        if not self.hides(class_name):
            yield from versions
            return
        for batch in _batches(versions, together or _TOGETHER):
            shown = self.each(batch, _show)
            yield from (version for version, each in zip(batch, shown, strict=True) if each is not None)

    def with_derived(self, versions: Iterable[Entity], names: Sequence[str]) -> Iterator[Entity]:
        """Yield versions with the values of derived attributes in their states. Raises ReadBudgetExceeded."""
        for batch in _batches(versions, _TOGETHER):
            yield from self.each(batch, partial(_derive, names=names))

    def readable_state(self, shown: Entity, instant: Instant) -> State:
        """Return what may be told of a version of which this much is visible, null included.

        Roles lead only to what is visible. What must not be read is not in it. Raises ReadBudgetExceeded.
        """
        class_ = self._request.model.classes[shown.reference.class_name]
        reader = self.at(instant)
        roles = [role for role in class_.roles.values() if role.holds_key or role.composition]
        names = [*class_.attributes, *(role.name for role in roles)]
        state = {name: shown.state.get(name) for name in names if self._shows(reader, shown.reference, name)}
        for role in roles:
            if role.name in state:
                state[role.name] = self._visible_ids(reader, role, state[role.name])
        return state

    def _is_attached(self, version: Entity, instant: Instant) -> bool:
        """Return whether a version of an object was part of its whole at an instant, if it is one's.

        Otherwise a restoration brings it back and is not done yet: so that is asked of open versions alone.
        Raises ReadBudgetExceeded, Unavailable.
        """
        classes = self._request.model.classes
        owner = whole_of(classes[version.reference.class_name], version.state)
        if owner is None or version.end is not None or not classes[owner.reference.class_name].versioned:
            return True
        return bool(run(Reader(self._request, instant, unrestricted=True).attached([version])))

    def _shows(self, reader: Reader, owner: Reference, name: str) -> bool:
        """Return whether an attribute or a role of an object is visible."""
        if self.access is None:
            return True
        role = self._request.model.classes[owner.class_name].roles.get(name)
        if role is not None and not self.access.may_follow(owner.class_name, role):
            return False
        return run(reader.shows(owner, name))

    def _visible_ids(self, reader: Reader, role: Role, value: Stored) -> Stored:
        """Return those of the objects that a role leads to that are visible."""
        if not self.hides(role.target) or value is None:
            return value
        references = [Reference(role.target, id_) for id_ in part_ids(value)]
        run(reader.resolve(references))
        ids = [each.id for each in references if reader.find(each) is not None]
        return (ids or None) if role.many else next(iter(ids), None)


def _show(reader: Reader, version: Entity) -> Reading[Entity | None]:
    return (yield from reader.admit([version]))[0]


def _derive(reader: Reader, version: Entity, names: Sequence[str]) -> Reading[Entity]:
    """Return a version with the values of derived attributes in its state, as far as it is visible."""
    (shown,) = yield from reader.admit([version])
    if shown is None:
        return version
    (whole,) = yield from reader.with_derived(version.reference.class_name, [shown], names)
    return replace(version, state={**version.state, **{name: whole.state.get(name) for name in names}})


def _batches(versions: Iterable[Entity], size: int) -> Iterator[Sequence[Entity]]:
    """Yield versions, so many at a time; small numbers of them become larger, since all may be hidden."""
    each = iter(versions)
    while some := tuple(islice(each, size)):
        yield some
        size = max(size, min(2 * size, _TOGETHER))
