"""What one atomic write does: all of it, or nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from stratabase.domain.entity import Entity, Reference
from stratabase.domain.instant import Instant
from stratabase.domain.role_name import RoleName
from stratabase.model.class_ import Unique


@dataclass(frozen=True, slots=True)
class Creation:
    """A new object; its id must be free."""

    before: ClassVar[None] = None
    after: Entity


@dataclass(frozen=True, slots=True)
class Update:
    """An object's new state; it must still be as it was read (`before`)."""

    before: Entity
    after: Entity


@dataclass(frozen=True, slots=True)
class Deletion:
    """The end of an object; it must still be as it was read.

    Its associations end with it, but for the keys of others that lead to it: they lead to nothing then. Its
    parts do not end by themselves: each is a deletion in the same change.
    """

    before: Entity
    after: ClassVar[None] = None


@dataclass(frozen=True, slots=True)
class Linking:
    """One object more in a role that no key stands for (many-to-many, or to-many one way).

    `owner` (an id of the role's class) leads by it to `other` (an id of its target); both must be there, or
    be made by the same change. The opposite leads back by this same effect. Linking what is linked already
    does nothing, but where either side is required: there it is a Conflict.
    """

    role: RoleName
    owner: str
    other: str


@dataclass(frozen=True, slots=True)
class Unlinking:
    """One object less in such a role; told of what is not linked, as with Linking."""

    role: RoleName
    owner: str
    other: str


OnObject = Creation | Update | Deletion
OnLink = Linking | Unlinking
Effect = OnObject | OnLink
"""At most one on each object, and one on each link; an object that ends is in no Linking or Unlinking."""


def reference_of(effect: OnObject) -> Reference:
    """Return the object that an effect is on."""
    return effect.before.reference if effect.after is None else effect.after.reference


@dataclass(frozen=True, slots=True)
class Change:
    """One commit: its id (for retries), its instant, and what it does."""

    commit_id: str
    instant: Instant
    effects: tuple[Effect, ...] = field(default_factory=tuple)

    def on_objects(self) -> Iterator[OnObject]:
        """Yield the effects on objects."""
        return (effect for effect in self.effects if not isinstance(effect, OnLink))

    def on_links(self) -> Iterator[OnLink]:
        """Yield the effects on links."""
        return (effect for effect in self.effects if isinstance(effect, OnLink))


class Conflict(Exception):
    """Another write came between reading and committing; nothing was written."""


class Taken(Exception):
    """Unique values that another object holds; nothing was written."""

    def __init__(self, taken: tuple[tuple[Reference, Unique], ...]) -> None:
        super().__init__(taken)
        self.taken = taken
        """Which object of the change, and which of its class's constraints."""


class Missing(NamedTuple):
    """An object is not there (any more) that the change lets a role lead to."""

    reference: Reference


class Bereft(NamedTuple):
    """A required role would be left empty: to the change, `reference` is as if it were still needed there.

    A to-one `role`: other objects lead by it to `reference`, which the change deletes. Otherwise, and for the
    side of a one-to-one association that holds no key: it is the role of `reference` itself that the change
    would leave without any object.
    """

    reference: Reference
    role: RoleName


class Coupled(NamedTuple):
    """The `target` of a one-to-one association that another object holds already by `role`, the key's."""

    role: RoleName
    target: str


Breach = Missing | Bereft | Coupled


class Broken(Exception):
    """What keeps a change's roles from being as the model wants them; nothing was written."""

    def __init__(self, breaches: Sequence[Breach]) -> None:
        super().__init__(tuple(breaches))
        self.breaches = tuple(breaches)
        """All that were found: each was true when it was read once more, after the store had refused."""


class Cause(NamedTuple):
    """The role of an object that most of a change is for, and how many of its links are written at once."""

    role: RoleName
    most: int


class TooLarge(Exception):
    """More than the store takes at once, found before anything was written."""

    def __init__(  # noqa: PLR0913 - all that is known of it
        self,
        what: str,
        size: int,
        limit: int,
        reference: Reference | None = None,
        *,
        at_least: bool = False,
        cause: Cause | None = None,
    ) -> None:
        """`at_least`: no more were counted."""
        number = f"at least {size:,}" if at_least else f"{size:,}"
        super().__init__(f"{number} {what}: at most {limit:,} are possible")
        self.what = what
        self.size = size
        self.limit = limit
        self.reference = reference
        """The object that is too large by itself, if one is."""
        self.cause = cause
        """What most of it is for, if that is one thing."""
