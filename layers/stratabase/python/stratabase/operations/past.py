"""Versions of objects as who asks sees them, each in the light of its own instant."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from stratabase.domain.access import Access, access_of
from stratabase.domain.allowance import Allowance
from stratabase.domain.entity import Entity, Reference, State
from stratabase.domain.instant import Instant
from stratabase.domain.parts import ids_in
from stratabase.model.attribute import Stored
from stratabase.model.expressions import Circumstances
from stratabase.model.role import Role
from stratabase.operations.fetching.as_of import AsOf
from stratabase.operations.fetching.known import Known
from stratabase.operations.world import World


class Past:
    """What there was, for who asks: grants are asked of objects as they were."""

    def __init__(self, world: World, allowance: Allowance, circumstances: Circumstances) -> None:
        self._world = world
        self._allowance = allowance
        self._circumstances = circumstances
        self.access: Access | None = access_of(world.model, circumstances.of_caller("profile"))

    def known(self, instant: Instant) -> Known:
        """Return what reads objects as they were at an instant."""
        source = AsOf(self._world.entities, self._world.model, instant)
        return Known(source, self._world.model, self._allowance, circumstances=self._circumstances)

    def hides(self, class_name: str) -> bool:
        """Return whether some objects of a class may be hidden."""
        return self.access is not None and not self.access.sees_all(class_name)

    def seen(self, version: Entity | None, instant: Instant) -> Entity | None:
        """Return what is seen of what an object was at an instant. Raises TooMuchRead."""
        if version is None or self.access is None:
            return version
        return self.known(instant).admitted([version])[0]

    def visible(self, versions: Iterable[Entity]) -> Iterator[Entity]:
        """Yield those versions of objects of one class that are seen, as they were. Raises TooMuchRead."""
        for version in versions:
            is_open = not self.hides(version.reference.class_name)
            if is_open or self.seen(version, version.start or 0) is not None:
                yield version

    def derived(self, versions: Iterable[Entity], names: Sequence[str]) -> Iterator[Entity]:
        """Yield versions with the values of derived attributes in their states. Raises TooMuchRead."""
        for version in versions:
            known = self.known(version.start or 0)
            (shown,) = known.admitted([version])
            if shown is not None and names:
                (whole,) = known.derived(version.reference.class_name, [shown], names)
                found = {name: whole.state.get(name) for name in names}
                yield replace(version, state={**version.state, **found})
            else:
                yield version

    def told(self, shown: Entity, instant: Instant) -> State:
        """Return what may be told of a version of which this much is shown, null included.

        Roles lead only to what is seen. What must not be read is not in it. Raises TooMuchRead.
        """
        class_ = self._world.class_(shown.reference.class_name)
        known = self.known(instant)
        roles = [role for role in class_.roles.values() if role.holds or role.composition]
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
        if role is not None and not self.access.leads(owner.class_name, role):
            return False
        return known.tells(owner, name)

    def _led_to(self, known: Known, role: Role, value: Stored) -> Stored:
        """Return those of the objects that a role leads to that are seen."""
        if not self.hides(role.target) or value is None:
            return value
        references = [Reference(role.target, id_) for id_ in ids_in(value)]
        known.settle(references)
        ids = [each.id for each in references if known.get(each) is not None]
        return (ids or None) if role.many else next(iter(ids), None)
