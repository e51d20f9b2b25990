"""What one atomic write does: all of it, or nothing."""

from dataclasses import dataclass, field
from typing import ClassVar

from stratabase.domain.entity import Entity, Reference
from stratabase.domain.instant import Instant
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
    """The end of an object; it must still be as it was read."""

    before: Entity
    after: ClassVar[None] = None


Effect = Creation | Update | Deletion


def reference_of(effect: Effect) -> Reference:
    """Return the object that an effect is on."""
    return effect.before.reference if effect.after is None else effect.after.reference


@dataclass(frozen=True, slots=True)
class Change:
    """One commit: its id (for retries), its instant, and what it does."""

    commit_id: str
    instant: Instant
    effects: tuple[Effect, ...] = field(default_factory=tuple)


class Conflict(Exception):
    """Another write came between reading and committing; nothing was written."""


class Taken(Exception):
    """Unique values that another object holds; nothing was written."""

    def __init__(self, taken: tuple[tuple[Reference, Unique], ...]) -> None:
        super().__init__(taken)
        self.taken = taken
        """Which object of the change, and which of its class's constraints."""


class TooLarge(Exception):
    """More than the store takes at once, found before anything was written."""

    def __init__(self, what: str, size: int, limit: int) -> None:
        super().__init__(f"{size:,} {what}: at most {limit:,} are possible")
        self.what = what
        self.size = size
        self.limit = limit
