"""The state of one write while it is planned: its objects, its requests of their roles, and its issues."""

from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from stratabase.core.domain.access.grants import Access
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.pending_file import PendingFile
from stratabase.core.domain.issues.issue import Issue, Level, Path, Subject
from stratabase.core.domain.objects.change import Tombstone
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName, State, is_unwritten
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.write.commands import PlacedCommand, RequestIds, Restore
from stratabase.core.domain.write.role_requests import KeyRequests, LinkKey, LinkRequests, RoleSubject
from stratabase.core.domain.write.snapshot import Snapshot
from stratabase.core.model.model import Class, Model, Role
from stratabase.core.model.types.base import Stored


@dataclass(slots=True, eq=False)
class ObjectWrite:
    """An object that a request writes, or that it names in order to write others.

    `before` is the object as it was read, None if it did not exist. `state` has its state after the write.
    """

    subject: Subject
    reference: Reference
    before: Entity | None
    state: dict[str, Stored]
    is_new: bool = False
    """Whether the request creates the object."""
    is_deleted: bool = False
    tombstone: Tombstone | None = None
    """The object's tombstone, if the request restores the deleted object."""
    role_paths: dict[str, Path] = field(default_factory=dict)
    """By role: where the request writes it."""
    emptied_roles: set[str] = field(default_factory=set)
    """The roles that the request asks to lead to nothing, whatever they lead to now."""

    @property
    def begins(self) -> bool:
        """Whether the object begins to exist: it is created or restored, or a singleton is written first."""
        is_first = self.before is not None and is_unwritten(self.subject.class_, self.before)
        return self.is_new or self.tombstone is not None or is_first

    @property
    def is_changed(self) -> bool:
        """Whether the new state differs from the previous one."""
        before = {} if self.before is None else self.before.state
        # The first comparison is fast. It fails also for a null that the former state leaves out.
        if not self.state.items() <= before.items():
            for name, value in self.state.items():  # a loop is faster than `any`
                if before.get(name) != value:
                    return True
        return False

    @property
    def is_written(self) -> bool:
        """Whether the object is created, changed, restored or deleted."""
        return self.is_new or self.is_deleted or self.tombstone is not None or self.is_changed

    def value_before(self, name: str) -> Stored:
        """Return the previous value of an attribute or role."""
        return None if self.before is None else self.before.state.get(name)

    def role_path(self, role: str) -> Path:
        """Return the place in the request that writes a role."""
        return self.role_paths.get(role, (*self.subject.path, role))


class CreateObject(NamedTuple):
    """The task to create an object. For a part, `key_to_whole` has its role and ID of the whole."""

    placed: PlacedCommand
    key_to_whole: State


class UpdateObject(NamedTuple):
    """The task to update an object."""

    placed: PlacedCommand


class DeleteObject(NamedTuple):
    """The task to delete an object. `path` is the place of the request that causes the deletion."""

    reference: Reference
    path: Path


class RestoreObject(NamedTuple):
    """The task to restore an object. For a part, `key_to_whole` has its role and ID of the whole."""

    reference: Reference
    command: Restore
    path: Path
    key_to_whole: State


class RestoreKeys(NamedTuple):
    """The task to restore the keys of an object, after all restored objects are known."""

    reference: Reference
    command: Restore
    version: Entity


Task = CreateObject | UpdateObject | DeleteObject | RestoreObject | RestoreKeys


class WriteContext(NamedTuple):
    """Everything that a plan depends on besides the command."""

    model: Model
    ids: RequestIds
    caller: Caller
    now: Instant
    snapshot: Snapshot
    access: Access | None = None
    """The caller's grants; None if the caller may do everything."""
    reports_missing: bool = False
    """Whether to report required attributes and roles that stay empty, which takes additional reads."""
    excess: Issue | None = None
    """The issue of a command that exceeds a limit (see `find_excess`)."""
    before_object: Callable[[], object] = lambda: None
    """Is called before each further object is planned, because long texts take time.

    It may raise an exception.
    """


@dataclass(slots=True)
class WriteRequest:
    """The objects that a request writes, its requests of keys and links, and its issues."""

    context: WriteContext
    objects: dict[Reference, ObjectWrite] = field(default_factory=dict)
    key_requests: dict[tuple[Reference, RoleName], KeyRequests] = field(
        default_factory=partial(defaultdict, KeyRequests)
    )
    """The requests by key: the object that holds the key, and its role."""
    link_requests: dict[LinkKey, LinkRequests] = field(default_factory=partial(defaultdict, LinkRequests))
    requested_targets: dict[Reference, list[RoleSubject]] = field(default_factory=partial(defaultdict, list))
    """By object that may not exist: the roles that are requested to lead to it."""
    named: set[Reference] = field(default_factory=set)
    """The objects that the request names in order to write them."""
    reported_missing: set[tuple[Reference, Path]] = field(default_factory=set)
    """The missing objects that were reported, each with the path of the role that requests it."""
    confidential_paths: set[Path] = field(default_factory=set)
    """The paths of roles whose former targets no message may reveal."""
    issues: list[Issue] = field(default_factory=list)
    reports: list[Issue] = field(default_factory=list)
    """Issues that only a validation shows, and that stop no write."""
    tasks: deque[Task] = field(default_factory=deque)
    """The tasks to be done. A queue, because recursion would limit the depth of parts."""
    files: dict[str, PendingFile] = field(default_factory=dict)
    """By ID: the pending files that the request's objects take."""
    restored_parts: int = 0
    """The number of former parts that the restoration has looked at."""
    unfinished: dict[Reference, None] = field(default_factory=dict)
    """Objects whose leftovers of an earlier write must be cleaned up before this write.

    Leftovers are parts that exist, although no whole lists them.
    """
    deferred_tasks: deque[Task] = field(default_factory=deque)
    """Tasks to be done when `tasks` is empty."""
    _error_paths: set[Path] = field(default_factory=set)
    """The paths of errors, and all paths above them, of the first `_scanned_issues` issues."""
    _scanned_issues: int = 0

    def __post_init__(self) -> None:
        """Note the objects that the command names, with their parts."""
        self.named.update(self.context.ids.existing)

    def class_(self, name: str) -> Class:
        """Return a class of the model."""
        return self.context.model.classes[name]

    def role(self, name: RoleName) -> Role:
        """Return a role of the model."""
        return self.class_(name.class_name).roles[name.role_name]

    def resolve(self, class_name: str, id_: str) -> Reference:
        """Return the object of a class that a client means by an `_id` or a `_clientId`."""
        return self.context.ids.resolve(Reference(class_name, id_))

    def add(self, write: ObjectWrite) -> ObjectWrite:
        """Add an object that the request writes, and return it."""
        self.objects[write.reference] = write
        return write

    def write_of(self, reference: Reference, requester: RoleSubject) -> ObjectWrite | None:
        """Return the write of an object that another object's role changes; None if it does not exist."""
        if reference in self.objects:
            return self.objects[reference]
        before = self.before(reference)
        if before is None:
            return None
        subject = Subject(self.class_(reference.class_name), reference.id, path=requester.path)
        return self.add(ObjectWrite(subject, reference, before, dict(before.state)))

    def require_target(self, class_: Class, reference: Reference, requester: RoleSubject) -> None:
        """Note that a role is to lead to an object, and check its existence if the store does not.

        `class_` is the class of the object that has the role.
        """
        if self.is_new(reference) or requester.path in self.confidential_paths:
            return
        self.requested_targets[reference].append(requester)
        # The commit checks that the target exists. But a form has no commit, the store has no members, and it
        # knows no grants.
        has_store = class_.is_stored and self.class_(reference.class_name).is_stored
        if not has_store or self._may_be_hidden(reference):
            self._look_up(reference, requester)

    def look_up_target(self, reference: Reference, requester: RoleSubject) -> None:
        """Check the existence of an object that a role leads to already, since no commit checks it."""
        if reference not in self.objects:
            self.requested_targets[reference].append(requester)
            self._look_up(reference, requester)

    def _look_up(self, reference: Reference, requester: RoleSubject) -> None:
        if self.before(reference) is None and self.knows(reference):
            self.report_missing(reference, requester)

    def report_missing(self, reference: Reference, requester: RoleSubject) -> None:
        """Add an issue for an object that does not exist, once for each role that requests it."""
        if (reference, requester.path) not in self.reported_missing:
            self.reported_missing.add((reference, requester.path))
            self.issues.append(requester.not_found_issue(reference))

    def before(self, reference: Reference) -> Entity | None:
        """Return an object as it was read; None if it does not exist, or the caller does not see it."""
        entity = self.context.snapshot.entity(reference)
        if entity is None or self.context.access is None:
            return entity
        return entity if self.sees(reference) else None

    def knows(self, reference: Reference) -> bool:
        """Return whether the result of `before` is known."""
        snapshot = self.context.snapshot
        is_told = snapshot.entities.get(reference) is None or reference in snapshot.seen
        return snapshot.knows(reference) and (is_told or not self._may_be_hidden(reference))

    def sees(self, reference: Reference) -> bool:
        """Return whether the caller sees an object that exists."""
        return not self._may_be_hidden(reference) or self.context.snapshot.sees(reference)

    def hides(self, reference: Reference) -> bool:
        """Return whether an object is hidden from the caller. Until this is known, it counts as hidden."""
        return self._may_be_hidden(reference) and self.before(reference) is None

    def sees_version(self, reference: Reference, at: Instant) -> bool:
        """Return whether the caller may see the state of an object at an instant, as far as is known."""
        access, name = self.context.access, reference.class_name
        if access is None or access.sees_every_object(name):
            return True
        return access.may_read_class(name) and self.context.snapshot.sees_version(reference, at)

    def hides_version(self, reference: Reference, at: Instant) -> bool:
        """Return whether a former state is hidden, in a class of which the caller sees some objects."""
        return self._may_be_hidden(reference) and not self.sees_version(reference, at)

    def may_identify(self, reference: Reference) -> bool:
        """Return whether a message may contain an object's ID: the caller has named it, or sees it."""
        access = self.context.access
        if access is None or reference in self.requested_targets or reference in self.named:
            return True
        if access.sees_every_object(reference.class_name):
            return True
        is_read = access.may_read_class(reference.class_name)
        return is_read and reference in self.objects and not self.hides(reference)

    def may_report(self, issue: Issue) -> bool:
        """Return whether the caller may learn that the attributes and roles of an issue are empty."""
        access, class_name = self.context.access, str(issue.entity_name)
        if access is None:
            return True
        targets = (self.class_(class_name).roles[name].target for name in issue.role_names)
        names = (*issue.attribute_names, *issue.role_names)
        return all(access.always_shows(class_name, name) for name in names) and all(
            map(access.sees_every_object, targets)
        )

    def _may_be_hidden(self, reference: Reference) -> bool:
        """Return whether the caller sees some objects of a class, but perhaps not this one.

        If the caller sees no object of the class at all, missing grants are reported instead.
        """
        access, name = self.context.access, reference.class_name
        return access is not None and access.may_read_class(name) and not access.sees_every_object(name)

    def is_deleted(self, reference: Reference) -> bool:
        """Return whether the request deletes an object."""
        return reference in self.objects and self.objects[reference].is_deleted

    def is_new(self, reference: Reference) -> bool:
        """Return whether the request creates an object."""
        return reference in self.objects and self.objects[reference].is_new

    def has_error_at(self, path: Path) -> bool:
        """Return whether there is an error at a path, or below it."""
        # Issues are only added, so each is scanned once.
        for issue in self.issues[self._scanned_issues :]:
            if issue.level is Level.ERROR:
                self._error_paths.update(issue.path[:length] for length in range(len(issue.path) + 1))
        self._scanned_issues = len(self.issues)
        return path in self._error_paths
