"""Why a store refuses a commit, or to lock objects; whichever is raised, nothing was written."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stratabase.domain.objects.entity import Reference, RoleName
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.lock import Lock, is_active
from stratabase.messages import Message
from stratabase.model.model import Unique


class Conflict(Exception):
    """Another write came between reading and committing; nothing was written."""


class UniqueViolation(Exception):
    """Unique values that another object holds; nothing was written."""

    def __init__(self, taken: tuple[tuple[Reference, Unique], ...]) -> None:
        super().__init__(taken)
        self.violations = taken
        """Which object of the change, and which of its class's constraints."""


class UniqueNotBuilt(Exception):
    """Values of uniqueness constraints that `reindex` has not built yet; nothing was written.

    Older objects may have the same values, and nobody can tell without reading them all.
    """

    def __init__(self, unbuilt: Sequence[tuple[Reference, Unique]]) -> None:
        super().__init__(tuple(unbuilt))
        self.unbuilt = tuple(unbuilt)
        """Which object of the change, and which of its class's constraints."""


class LockedByOthers(Exception):
    """Others have locked objects that it would write; nothing was written."""

    def __init__(self, held: Sequence[tuple[Reference, Lock]]) -> None:
        super().__init__(tuple(held))
        self.locks = tuple(held)
        """All that were found, with the locks as they were then."""

    def still_hold(self, now: Instant) -> bool:
        """Return whether one of the locks has not ended; otherwise the write need only be tried once more."""
        return any(is_active(lock, now) for _reference, lock in self.locks)


class TargetNotFound(NamedTuple):
    """An object is not there (any more) that the change lets a role lead to."""

    reference: Reference


class RequiredRoleEmpty(NamedTuple):
    """A required role would be left empty: to the change, `reference` is as if it were still needed there.

    A to-one `role`: other objects lead by it to `reference`, which the change deletes. Otherwise, and for the
    side of a one-to-one association that holds no key: it is the role of `reference` itself that the change
    would leave without any object.
    """

    reference: Reference
    role: RoleName


class AlreadyAssociated(NamedTuple):
    """The `target` of a one-to-one association that another object holds already by `role`, the key's."""

    role: RoleName
    target: str


class RoleNotBuilt(NamedTuple):
    """A required `role` that `reindex` has not built yet, so that nobody can tell whether it stays filled.

    `reference`: an object that the change deletes and that the role may lead to, or the one whose role it is
    and from which the change takes something away.
    """

    reference: Reference
    role: RoleName


RoleViolation = TargetNotFound | RequiredRoleEmpty | AlreadyAssociated | RoleNotBuilt


class IntegrityViolation(Exception):
    """What keeps a change's roles from being as the model wants them; nothing was written."""

    def __init__(self, breaches: Sequence[RoleViolation]) -> None:
        super().__init__(tuple(breaches))
        self.violations = tuple(breaches)
        """All that were found: each was true when it was read once more, after the store had refused."""


class SizeCause(NamedTuple):
    """The role of an object that most of a change is for, and how many of its links are written at once."""

    role: RoleName
    most: int


class TooLarge(Exception):
    """More than the store takes at once, found before anything was written."""

    def __init__(
        self, message: Message, reference: Reference | None = None, *, cause: SizeCause | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        """How much it is, and how much is possible."""
        self.reference = reference
        """The object that is too large by itself, if one is."""
        self.cause = cause
        """What most of it is for, if that is one thing."""


class LockRefused(Exception):
    """Some are not there, or another has locked them; nothing was written."""

    def __init__(self, held: Iterable[tuple[Reference, Lock]], missing: Iterable[Reference]) -> None:
        self.locks = tuple(held)
        """All that were found, with the locks as they were then."""
        self.missing = tuple(missing)
        super().__init__(self.locks, self.missing)
