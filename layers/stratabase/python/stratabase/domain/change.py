"""What one atomic write does: all of it, or nothing."""

from dataclasses import dataclass, field

from stratabase.domain.entity import Entity, Reference
from stratabase.domain.instant import Instant
from stratabase.model.class_ import Unique


@dataclass(frozen=True, slots=True)
class Creation:
    """A new object; its id must be free."""

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


Effect = Creation | Update | Deletion


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
