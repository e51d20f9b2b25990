"""Versions of objects as who asks sees them, each in the light of its own instant."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TypeVar

from stratabase.domain.access.grants import Access, access_of
from stratabase.domain.objects.entity import Entity, Reference, State
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.parts import owner_of, part_ids
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.expressions.environment import EvaluationContext
from stratabase.model.model import Role
from stratabase.model.types.storage import Stored
from stratabase.operations.fetching.as_of import AsOf
from stratabase.operations.fetching.known import Known
from stratabase.operations.fetching.moments import Moments
from stratabase.operations.fetching.rounds import Rounds
from stratabase.operations.fetching.seen import Seen
from stratabase.operations.fetching.source import Source
from stratabase.operations.seeing.present import Present
from stratabase.operations.services import Services

T = TypeVar("T")

_TOGETHER = 100
"""How many versions are looked at together, where nobody knows how many are wanted."""


class Past:
    """What there was, for who asks: grants are asked of objects as they were, and as they are."""

    def __init__(self, world: Services, allowance: ReadBudget, circumstances: EvaluationContext) -> None:
        self._world = world
        self._allowance = allowance
        self._circumstances = circumstances
        self.access: Access | None = access_of(world.model, circumstances.caller_field("profile"))
        given = (world.entities, world.model, allowance)
        self._present = None if self.access is None else Present(*given, self.access, circumstances)

    def known(self, instant: Instant) -> Known:
        """Return what reads objects as they were at an instant."""
        return self._known(AsOf(self._world.entities, self._world.model, instant), self._allowance)

    def each(self, versions: Sequence[Entity], find: Callable[[Known, Entity], T]) -> list[T]:
        """Return what is found of each version, which reads objects as they were when it began.

        All are looked at together: the round trips do not depend on how many there are. What finds may be
        called several times for each. Raises TooMuchRead, Unavailable, and what finding raises.
        """

        def begin(number: int, source: Source, allowance: ReadBudget) -> Callable[[], T]:
            return partial(find, self._known(source, allowance), told[number])

        moments = Moments(self._world.entities, self._world.model)
        told = moments.loosened(versions, self._allowance)
        starts = [each.start or 0 for each in versions]
        if self._present is None:
            return Rounds(moments, self._allowance).each(starts, begin)
        self._present.note(versions)
        with self._present.awaiting():
            return Rounds(moments, self._allowance, self._present.catch_up).each(starts, begin)

    def _known(self, source: Source, allowance: ReadBudget) -> Known:
        given = (source, self._world.model, allowance)
        return Known(*given, circumstances=self._circumstances, present=self._present)

    def hides(self, class_name: str) -> bool:
        """Return whether some objects of a class may be hidden."""
        return self.access is not None and not self.access.sees_every_object(class_name)

    def seen(self, version: Entity | None, instant: Instant) -> Entity | None:
        """Return what is seen of what an object was at an instant. Raises TooMuchRead."""
        if version is None or not self.is_there(version, instant):
            return None
        return version if self.access is None else self.known(instant).admitted([version])[0]

    def is_there(self, version: Entity, instant: Instant) -> bool:
        """Return whether a version of an object was part of its whole at an instant, if it is one's.

        Otherwise a restoration brings it back and is not done yet: so that is asked of open versions alone.
        Raises TooMuchRead, Unavailable.
        """
        up = owner_of(self._world.class_(version.reference.class_name), version.state)
        if up is None or version.end is not None or not self._world.class_(up.reference.class_name).versioned:
            return True
        source = AsOf(self._world.entities, self._world.model, instant)
        return bool(Seen(source, self._world.model, self._allowance).standing([version]))

    def shown(self, versions: Sequence[Entity]) -> list[Entity | None]:
        """Return what is seen of each version, as of when it began. Raises TooMuchRead, Unavailable."""
        if self.access is None:
            return list(versions)
        return self.each(versions, lambda known, version: known.admitted([version])[0])

    def visible(
        self, class_name: str, versions: Iterable[Entity], together: int | None = None
    ) -> Iterator[Entity]:
        """Yield those versions of objects of a class that are seen, as they were.

        `together`: how many are looked at first. Raises TooMuchRead.
        """
        versions = (version for version in versions if self.is_there(version, version.start or 0))
        if not self.hides(class_name):
            yield from versions
            return
        for some in _batches(versions, together or _TOGETHER):
            seen = self.each(some, lambda known, version: known.admitted([version])[0] is not None)
            yield from (version for version, is_seen in zip(some, seen, strict=True) if is_seen)

    def derived(self, versions: Iterable[Entity], names: Sequence[str]) -> Iterator[Entity]:
        """Yield versions with the values of derived attributes in their states. Raises TooMuchRead."""
        for some in _batches(versions, _TOGETHER):
            yield from self.each(some, partial(_derived, names=names))

    def told(self, shown: Entity, instant: Instant) -> State:
        """Return what may be told of a version of which this much is shown, null included.

        Roles lead only to what is seen. What must not be read is not in it. Raises TooMuchRead.
        """
        class_ = self._world.class_(shown.reference.class_name)
        known = self.known(instant)
        roles = [role for role in class_.roles.values() if role.holds_key or role.composition]
        names = [*class_.attributes, *(role.name for role in roles)]
        state = {name: shown.state.get(name) for name in names if self._tells(known, shown.reference, name)}
        for role in roles:
            if role.name in state:
                state[role.name] = self._led_to(known, role, state[role.name])
        return state

    def _tells(self, known: Known, owner: Reference, name: str) -> bool:
        """Return whether an attribute or a role of an object is seen."""
        if self.access is None:
            return True
        role = self._world.class_(owner.class_name).roles.get(name)
        if role is not None and not self.access.may_follow(owner.class_name, role):
            return False
        return known.tells(owner, name)

    def _led_to(self, known: Known, role: Role, value: Stored) -> Stored:
        """Return those of the objects that a role leads to that are seen."""
        if not self.hides(role.target) or value is None:
            return value
        references = [Reference(role.target, id_) for id_ in part_ids(value)]
        known.settle(references)
        ids = [each.id for each in references if known.get(each) is not None]
        return (ids or None) if role.many else next(iter(ids), None)


def _derived(known: Known, version: Entity, names: Sequence[str]) -> Entity:
    """Return a version with the values of derived attributes in its state, as far as it is seen."""
    (shown,) = known.admitted([version])
    if shown is None:
        return version
    (whole,) = known.derived(version.reference.class_name, [shown], names)
    return replace(version, state={**version.state, **{name: whole.state.get(name) for name in names}})


def _batches(versions: Iterable[Entity], size: int) -> Iterator[Sequence[Entity]]:
    """Yield versions, so many at a time; small numbers of them become larger, since all may be hidden."""
    each = iter(versions)
    while some := tuple(islice(each, size)):
        yield some
        size = max(size, min(2 * size, _TOGETHER))
