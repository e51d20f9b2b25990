"""What was found on the way to derived values: where roles lead, and the values that there are already."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from stratabase.domain.objects.entity import Entity, RoleName
from stratabase.domain.query.fetch import Render
from stratabase.expressions.environment import EvaluationContext

Member = tuple[str, str]
"""A class, and one of its attributes."""
InTime = Callable[[str, Iterable[Entity]], Iterable[Entity]]
Numbered = Mapping[int, Any]
"""Something of each of some objects, by `id`: two readings of one object may differ, and count as two."""


class Findings:
    """By objects as they were read; whoever looks for something has seen to it that it was found.

    `in_time` yields objects of a class as long as there is time for them.
    """

    def __init__(self, face: Render, circumstances: EvaluationContext, in_time: InTime) -> None:
        self.face = face
        self.in_time = in_time
        self.circumstances = circumstances
        self.leads: dict[RoleName, dict[int, tuple[Entity, ...]]] = {}
        """What a role leads to from an object."""
        self.values: dict[Member, Numbered] = {}
        """The values of derived attributes."""

    def last(self, roles: Iterable[RoleName], entity: Entity) -> Entity | None:
        """Return the one object to which to-one roles lead, one after the other."""
        at: Entity | None = entity
        for role in roles:
            led_to = () if at is None else self.leads[role][id(at)]
            at = led_to[0] if led_to else None
        return at

    def state(self, entity: Entity, derived: Iterable[Member]) -> Mapping[str, Any]:
        """Return an object's state, with the values of derived attributes of its."""
        state = self.face(entity)
        values = {member[1]: self.values[member][id(entity)] for member in derived}
        return {**state, **values} if values else state
