"""What one atomic write does: all of it, or nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from stratabase.domain.entity import Entity, Reference
from stratabase.domain.instant import Instant
from stratabase.domain.lock import Lock
from stratabase.domain.role_name import RoleName
from stratabase.model.class_ import Unique
from stratabase.model.plurals import at_most


@dataclass(frozen=True, slots=True)
class Creation:
    """A new object; its id must be free: none has it, and none that is remembered had it."""

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
    withdrawn: "Gone | None" = None
    """What is remembered of an object that a restoration brought back in vain: it is as if it never had."""


class Gone(NamedTuple):
    """A deleted object of which is remembered that there was one: its versions are kept."""

    reference: Reference
    last_end: Instant
    """When it was deleted."""
    previous_start: Instant
    """The start of its last version."""
    commit_ids: tuple[str, ...] = ()
    """The last commits that wrote it, that which deleted it last."""


@dataclass(frozen=True, slots=True)
class Restoration:
    """A deleted object comes back under its id; nobody must have brought it back since it was read."""

    before: ClassVar[None] = None
    gone: Gone
    after: Entity


@dataclass(frozen=True, slots=True)
class Touch:
    """An object that is written through, but stays as it is.

    A whole whose part is changed, an object of which only links are set: it must still be there, and admit
    him who writes.
    """

    before: Entity
    unchanged: bool = False
    """It must also still be as it was read."""


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


OnObject = Creation | Update | Deletion | Restoration
OnLink = Linking | Unlinking
Effect = OnObject | OnLink | Touch
"""At most one on each object, and one on each link; an object that ends is in no Linking or Unlinking.

Of an object that is touched there is no other effect, but on its links.
"""


def reference_of(effect: OnObject) -> Reference:
    """Return the object that an effect is on."""
    return effect.before.reference if effect.after is None else effect.after.reference


@dataclass(frozen=True, slots=True)
class Change:
    """One commit: its id (for retries), its instant, what it does, and on whose behalf."""

    commit_id: str
    instant: Instant
    """Since when everything is as the change leaves it: later than all that it changes began to be as it was.

    So it may be ahead of the clock, where that has stepped back (domain/version)."""
    effects: tuple[Effect, ...] = field(default_factory=tuple)
    by: str | None = None
    """The id of the member whom locks must admit; None for a change that was allowed before: all do."""
    now: Instant | None = None
    """What the clock said, by which locks are judged; None: `instant`, which may be ahead of it."""
    root: Reference | None = None
    """The object that is restored with its parts. Without it, all that comes back must fit in one commit."""

    def on_objects(self) -> Iterator[OnObject]:
        """Yield the effects that make, change or end objects."""
        return (effect for effect in self.effects if isinstance(effect, OnObject))

    def touched(self) -> Iterator[Entity]:
        """Yield the objects that stay as they are, and are written through."""
        return (effect.before for effect in self.effects if isinstance(effect, Touch))

    def unchanged(self) -> Iterator[Entity]:
        """Yield those of them that must still be as they were read."""
        return (effect.before for effect in self.effects if isinstance(effect, Touch) and effect.unchanged)

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


class NotBuilt(Exception):
    """Values of uniqueness constraints that `reindex` has not built yet; nothing was written.

    Older objects may have the same values, and nobody can tell without reading them all.
    """

    def __init__(self, unbuilt: Sequence[tuple[Reference, Unique]]) -> None:
        super().__init__(tuple(unbuilt))
        self.unbuilt = tuple(unbuilt)
        """Which object of the change, and which of its class's constraints."""


class Held(Exception):
    """Others have locked objects that it would write; nothing was written."""

    def __init__(self, held: Sequence[tuple[Reference, Lock]]) -> None:
        super().__init__(tuple(held))
        self.held = tuple(held)
        """All that were found, with the locks as they were then."""


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


class Unbuilt(NamedTuple):
    """A required `role` that `reindex` has not built yet, so that nobody can tell whether it stays filled.

    `reference`: an object that the change deletes and that the role may lead to, or the one whose role it is
    and from which the change takes something away.
    """

    reference: Reference
    role: RoleName


Breach = Missing | Bereft | Coupled | Unbuilt


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
        super().__init__(f"{number} {what}: {at_most(limit)}")
        self.what = what
        self.size = size
        self.limit = limit
        self.reference = reference
        """The object that is too large by itself, if one is."""
        self.cause = cause
        """What most of it is for, if that is one thing."""
