"""The reasons why a store refuses a commit or a lock. None of these refusals has written anything."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from stratabase.core.domain.issues.issue import Issue, IssueType, ReferenceType
from stratabase.core.domain.issues.refusals import Refused, Unavailable
from stratabase.core.domain.objects.entity import Reference, RoleName, describe_object
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.lock import Lock, is_active
from stratabase.core.model.model import Unique
from stratabase.values.messages import Message, _


class CommitRefusal(Exception):
    """The base class of the reasons why a store refuses a commit or a lock."""


class Conflict(CommitRefusal):
    """Another write intervened between the read and the commit."""


class AlreadyRecorded(CommitRefusal):
    """The step has an idempotency record already: another request with the same key was faster."""


class UniqueViolation(CommitRefusal):
    """Another object has the same unique values."""

    def __init__(
        self, violations: tuple[tuple[Reference, Unique], ...], *, within_change: bool = False
    ) -> None:
        """`within_change`: the other objects are of the same change."""
        super().__init__(violations)
        self.within_change = within_change
        self.violations = violations
        """Each violation: the object of the change, and the uniqueness constraint of its class."""


class UniqueNotBuilt(CommitRefusal):
    """The change sets values of uniqueness constraints that `reindex` has not built yet.

    Older objects may have the same values, which cannot be known without reading them all.
    """

    def __init__(self, unbuilt: Sequence[tuple[Reference, Unique]]) -> None:
        super().__init__(tuple(unbuilt))
        self.unbuilt = tuple(unbuilt)
        """Each object of the change, and the uniqueness constraint of its class."""


class LockedByOthers(CommitRefusal):
    """Other members have locked objects that the change writes."""

    def __init__(self, locks: Sequence[tuple[Reference, Lock]]) -> None:
        super().__init__(tuple(locks))
        self.locks = tuple(locks)
        """All such objects, with the locks as they were found."""

    def still_hold(self, now: Instant) -> bool:
        """Return whether any of the locks is still active. If none is, the write can be tried again."""
        return any(is_active(lock, now) for _reference, lock in self.locks)


class TargetNotFound(NamedTuple):
    """A target of a role does not exist, or no longer exists."""

    reference: Reference


class RequiredRoleEmpty(NamedTuple):
    """A required role would become empty.

    If `role` is to-one and holds a key, other objects refer to `reference` by it, and the change deletes
    `reference`. Otherwise `role` is a role of `reference` itself, and the change takes its last object away.
    """

    reference: Reference
    role: RoleName


class AlreadyAssociated(NamedTuple):
    """Another object refers to `target` in a one-to-one association. `role` is the side with the key."""

    role: RoleName
    target: str


class RoleNotBuilt(NamedTuple):
    """A role that `reindex` has not built yet, so nobody can tell what the change would do to it.

    `reference` is an object that the change deletes and that the role may refer to. Or it is the owner of the
    role, and the change sets the role, or takes an object away from it.
    """

    reference: Reference
    role: RoleName


RoleViolation = TargetNotFound | RequiredRoleEmpty | AlreadyAssociated | RoleNotBuilt


class IntegrityViolation(CommitRefusal):
    """The change would break the integrity of roles as the model defines them."""

    def __init__(self, violations: Sequence[RoleViolation]) -> None:
        super().__init__(tuple(violations))
        self.violations = tuple(violations)
        """All violations. After the store had refused the change, another read confirmed each of them."""


class SizeCause(NamedTuple):
    """A role that accounts for most of a change, and how many of its links one commit can write."""

    role: RoleName
    max_links: int


class TooLarge(CommitRefusal):
    """The change has more than the store accepts in one commit."""

    def __init__(
        self, message: Message, reference: Reference | None = None, *, cause: SizeCause | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        """How large the change is, and how large it may be."""
        self.reference = reference
        """The object that by itself is too large; None if there is none."""
        self.cause = cause
        """The role that accounts for most of the change, if there is one."""


class ObjectTooLarge(TooLarge):
    """An object of the change by itself has more than the store accepts. The sizes are in bytes."""

    def __init__(self, reference: Reference, size: int, maximum: int) -> None:
        message = _(
            "The {class_name} has {size} bytes. The maximum is {maximum} bytes.",
            class_name=reference.class_name,
            size=size,
            maximum=maximum,
        )
        super().__init__(message, reference)
        self.size = size
        self.maximum = maximum


class BeingRestored(Unavailable):
    """Another request is restoring the object."""

    def __init__(self, reference: Reference) -> None:
        message = _(
            "Another request is restoring {object}. Try again in a moment.", object=describe_object(reference)
        )
        super().__init__(message, retry_after=5)
        self.reference = reference


class RoleUnavailable(Refused):
    """A role cannot be answered, because its associations are still stored as a former model stored them."""

    def __init__(self, role: RoleName, reason: Callable[[RoleName], Message]) -> None:
        """`reason`: returns the message for the name of the role."""
        self.role, self.reason = role, reason
        issue = Issue(
            IssueType.ROLE_DOMAIN,
            reason(role),
            reference_type=ReferenceType.ENTITY_ROLE,
            entity_name=role.class_name,
            role_names=(role.role_name,),
        )
        super().__init__([issue])


class DeletedNotListed(Refused):
    """The deleted objects of a class cannot be listed, because some of them may still lack their position."""

    def __init__(self, class_name: str) -> None:
        self.class_name = class_name
        message = _(
            "The list of the deleted {class_name} objects isn't built yet. When all processes run this "
            "version of Stratabase, run `stratabase reindex`. If you have just done so, try again in a few "
            "seconds.",
            class_name=class_name,
        )
        issue = Issue(
            IssueType.SERVICE_HANDLER_ERROR,
            message,
            reference_type=ReferenceType.ENTITY,
            entity_name=class_name,
        )
        super().__init__([issue])


class LockRefused(CommitRefusal):
    """Some of the objects to lock do not exist, or another member has locked them."""

    def __init__(self, locks: Iterable[tuple[Reference, Lock]], missing: Iterable[Reference]) -> None:
        self.locks = tuple(locks)
        """All objects with locks of other members, with the locks as they were found."""
        self.missing = tuple(missing)
        super().__init__(self.locks, self.missing)
