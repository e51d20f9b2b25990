"""An association as the store sees it: a key that objects hold, or links that lie on their own."""

from collections.abc import Iterator
from typing import NamedTuple

from stratabase.domain.objects.entity import Entity, Reference, RoleName


class Keyed(NamedTuple):
    """A role whose key lies in the state of the objects of its class, and what keeps it at its target."""

    role: RoleName
    target: str
    """A class."""
    back: RoleName | None
    """The opposite."""
    link: RoleName | None
    """Under what name its target has a link for each such key: that of the opposite, if it leads to many.

    A required key without opposite has links as well, so that it is known which keys are counted.
    """
    exclusive: bool
    """The opposite leads to one: a guard names the only object whose key leads there."""
    needed: bool
    """It is exclusive, and the opposite is required."""
    counted: tuple[RoleName, ...]
    """The required roles, of this one and its opposite, of which the target counts such keys."""
    former: RoleName | None = None
    """Under what name its target remembers who led there before: of versioned objects their opposite's."""

    def key(self, entity: Entity | None) -> str | None:
        """Return the id that an object's key leads to."""
        value = None if entity is None else entity.state.get(self.role.role_name)
        return value if isinstance(value, str) else None


class End(NamedTuple):
    """One end of an association that no key stands for."""

    role: RoleName
    """Its class, and the name that its links have there: of its own where it is no role of the model."""
    required: bool
    """Its objects count their links."""
    kept: bool
    """Its objects have links."""
    always: bool
    """Its class has exactly one object, which is always there."""


class Requirement(NamedTuple):
    """A required role, and what the store keeps so that nobody empties it."""

    role: RoleName
    other: str
    """The class that it leads to."""
    key: RoleName | None
    """The role whose key stands for it: itself, or its opposite. None if links stand for it."""
    opposite: str | None
    """The name of the role that leads back."""
    kept: str
    """What is kept. It is another text whenever that must be built anew."""


class Ends(NamedTuple):
    """Both ends of an association that no key stands for, as seen from `near`."""

    near: End
    far: End

    @property
    def counted(self) -> bool:
        """Whether an end counts its links."""
        return self.near.required or self.far.required

    def turned(self) -> "Ends":
        """Return them as seen from the other end."""
        return Ends(self.far, self.near)


class Pair(NamedTuple):
    """Two objects that such an association joins, as seen from one of them."""

    ends: Ends
    near: str
    far: str
    """Ids."""

    def sides(self) -> Iterator[tuple[End, Reference, str]]:
        """Yield each end, the object there, and the id of the other one."""
        near, far = self.ends
        yield near, Reference(near.role.class_name, self.near), self.far
        yield far, Reference(far.role.class_name, self.far), self.near

    @property
    def name(self) -> tuple[RoleName, str, str]:
        """What is the same from wherever the pair is seen."""
        near, far = self.ends
        if near.role <= far.role:
            return near.role, self.near, self.far
        return far.role, self.far, self.near
