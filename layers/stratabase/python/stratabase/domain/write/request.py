"""The state of one write while it is planned: its objects, what is asked of their roles, and the issues."""

from collections import defaultdict, deque
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from stratabase.domain.access.grants import Access
from stratabase.domain.issues.issue import Issue, Level, Path, Subject
from stratabase.domain.members.member import Caller
from stratabase.domain.objects.change import Tombstone
from stratabase.domain.objects.entity import Entity, Reference, RoleName, State
from stratabase.domain.objects.identity import is_unwritten
from stratabase.domain.objects.instant import Instant
from stratabase.domain.write.commands import PlacedCommand, Restore
from stratabase.domain.write.request_ids import RequestIds
from stratabase.domain.write.role_requests import KeyRequests, LinkKey, LinkRequests, Requester
from stratabase.domain.write.snapshot import Snapshot
from stratabase.model.model import Class, Model, Role
from stratabase.model.types.storage import Stored


@dataclass(slots=True, eq=False)
class ObjectWrite:
    """An object in a request."""

    subject: Subject
    reference: Reference
    before: Entity | None
    state: dict[str, Stored]
    is_new: bool = False
    """The request makes it."""
    is_deleted: bool = False
    tombstone: Tombstone | None = None
    """What is remembered of it, if the request brings it back."""
    role_paths: dict[str, Path] = field(default_factory=dict)
    """Where something is asked of its roles."""
    emptied_roles: set[str] = field(default_factory=set)
    """The roles that the request asks to lead to nothing, whatever they led to."""

    @property
    def begins(self) -> bool:
        """Whether the request makes it: also a singleton by its first write, and what comes back."""
        is_first = self.before is not None and is_unwritten(self.subject.class_, self.before)
        return self.is_new or self.tombstone is not None or is_first

    @property
    def is_changed(self) -> bool:
        """Whether it shall be another than it was."""
        before = {} if self.before is None else self.before.state
        return any(before.get(name) != value for name, value in self.state.items())

    @property
    def is_written(self) -> bool:
        """Whether it begins, changes or ends."""
        return self.is_new or self.is_deleted or self.is_changed

    def value_before(self, name: str) -> Stored:
        """Return the value that it had."""
        return None if self.before is None else self.before.state.get(name)

    def role_path(self, role: str) -> Path:
        """Return where the request speaks of a role."""
        return self.role_paths.get(role, (*self.subject.path, role))


class CreateObject(NamedTuple):
    """An object to be made; `back` is the key to its whole, if it is a part."""

    placed: PlacedCommand
    key_to_whole: State


class UpdateObject(NamedTuple):
    """An object to be changed."""

    placed: PlacedCommand


class DeleteObject(NamedTuple):
    """An object to be ended, because of what the request says at a place."""

    reference: Reference
    path: Path


class RestoreObject(NamedTuple):
    """An object to become what it was; `back` is the key to its whole, if it is a part."""

    reference: Reference
    command: Restore
    path: Path
    key_to_whole: State


class RestoreKeys(NamedTuple):
    """An object whose keys are to lead where those of a version did, once it is known what comes back."""

    reference: Reference
    command: Restore
    version: Entity


Task = CreateObject | UpdateObject | DeleteObject | RestoreObject | RestoreKeys


class WriteContext(NamedTuple):
    """What a plan depends on beside the command."""

    model: Model
    ids: RequestIds
    caller: Caller
    now: Instant
    snapshot: Snapshot
    access: Access | None = None
    """What the caller may do; None for everything."""
    reports_missing: bool = False
    """Whether the plan reports what is required and still empty; that takes reads that no write needs."""


@dataclass(slots=True)
class WriteRequest:
    """The objects that a request writes, what it asks of keys and links, and what is wrong with it."""

    context: WriteContext
    objects: dict[Reference, ObjectWrite] = field(default_factory=dict)
    key_requests: dict[tuple[Reference, RoleName], KeyRequests] = field(
        default_factory=partial(defaultdict, KeyRequests)
    )
    """By the object that holds the key, and its role."""
    link_requests: dict[LinkKey, LinkRequests] = field(default_factory=partial(defaultdict, LinkRequests))
    requested_targets: dict[Reference, list[Requester]] = field(default_factory=partial(defaultdict, list))
    """Who asks that something lead to an object that may not be there."""
    named: set[Reference] = field(default_factory=set)
    """What the request names to write it."""
    reported_missing: set[tuple[Reference, Path]] = field(default_factory=set)
    """Of what has been told that it is not there, and to whom: the place of who asks."""
    confidential_paths: set[Path] = field(default_factory=set)
    """The places of roles of which no message may tell what they led to."""
    issues: list[Issue] = field(default_factory=list)
    reports: list[Issue] = field(default_factory=list)
    """What validations tell beside the issues, and what stops no write."""
    tasks: deque[Task] = field(default_factory=deque)
    """Gone into one after the other and not by recursion: parts may have parts without end."""
    restored_parts: int = 0
    """How many parts the request looks at to restore them."""
    unfinished: dict[Reference, None] = field(default_factory=dict)
    """Objects of which an earlier write has left something to be done before this one: parts are there that
    none of them lists."""
    deferred_tasks: deque[Task] = field(default_factory=deque)
    """What is gone into after all that."""
    _error_paths: set[Path] = field(default_factory=set)
    """Places with which something is wrong, and those above them, as the first `_blamed_by` issues say."""
    _scanned_issues: int = 0

    def __post_init__(self) -> None:
        """Note what the request is on, with its parts."""
        self.named.update(self.context.ids.existing)

    def class_(self, name: str) -> Class:
        """Return a class of the model."""
        return self.context.model.classes[name]

    def role(self, name: RoleName) -> Role:
        """Return a role of the model."""
        return self.class_(name.class_name).roles[name.role_name]

    def resolve(self, class_name: str, id_: str) -> Reference:
        """Return the object of a class that an id means to the client."""
        return self.context.ids.resolve(class_name, id_)

    def add(self, write: ObjectWrite) -> ObjectWrite:
        """Note an object that the request writes."""
        self.objects[write.reference] = write
        return write

    def touch(self, reference: Reference, requester: Requester) -> ObjectWrite | None:
        """Return an object that is written because of what another asks; None where there is none."""
        if reference in self.objects:
            return self.objects[reference]
        before = self.before(reference)
        if before is None:
            return None
        subject = Subject(self.class_(reference.class_name), reference.id, path=requester.path)
        return self.add(ObjectWrite(subject, reference, before, dict(before.state)))

    def require_target(self, class_: Class, reference: Reference, requester: Requester) -> None:
        """Note who asks for an object; whether that is there the store says, but not of a form."""
        if self.is_new(reference) or requester.path in self.confidential_paths:
            return
        self.requested_targets[reference].append(requester)
        # The store looks by itself whether it is there, but for no form, and not whether it is seen.
        is_looked_for = not class_.is_stored or self._may_be_hidden(reference)
        if is_looked_for:
            self._look_up(reference, requester)

    def look_up_target(self, reference: Reference, requester: Requester) -> None:
        """Note who asks for an object to which something leads already: nothing is written, so look here."""
        if reference not in self.objects:
            self.requested_targets[reference].append(requester)
            self._look_up(reference, requester)

    def _look_up(self, reference: Reference, requester: Requester) -> None:
        if self.before(reference) is None and self.knows(reference):
            self.report_missing(reference, requester)

    def report_missing(self, reference: Reference, requester: Requester) -> None:
        """Tell who asks that an object is not there: once, whoever finds that out."""
        if (reference, requester.path) not in self.reported_missing:
            self.reported_missing.add((reference, requester.path))
            self.issues.append(requester.not_found_issue(reference))

    def before(self, reference: Reference) -> Entity | None:
        """Return an object as it was; None where there is none that the caller sees."""
        entity = self.context.snapshot.entity(reference)
        return entity if entity is not None and self.sees(reference) else None

    def knows(self, reference: Reference) -> bool:
        """Return whether it is known what `before` returns."""
        snapshot = self.context.snapshot
        is_told = snapshot.entities.get(reference) is None or reference in snapshot.seen
        return snapshot.knows(reference) and (is_told or not self._may_be_hidden(reference))

    def sees(self, reference: Reference) -> bool:
        """Return whether the caller sees an object that is there."""
        return not self._may_be_hidden(reference) or self.context.snapshot.sees(reference)

    def hides(self, reference: Reference) -> bool:
        """Return whether the caller must not know of an object, as far as is known."""
        return self._may_be_hidden(reference) and self.before(reference) is None

    def saw_version(self, reference: Reference, at: Instant) -> bool:
        """Return whether the caller sees what an object was at an instant, as far as that is asked of it."""
        access, name = self.context.access, reference.class_name
        if access is None or access.sees_every_object(name):
            return True
        return access.may_read_class(name) and self.context.snapshot.saw_version(reference, at)

    def hid_version(self, reference: Reference, at: Instant) -> bool:
        """Return whether the caller must not know what an object was, of a class that is seen in part."""
        return self._may_be_hidden(reference) and not self.saw_version(reference, at)

    def may_identify(self, reference: Reference) -> bool:
        """Return whether a message may tell which object it is about: the caller has named it, or sees it."""
        access = self.context.access
        if access is None or reference in self.requested_targets or reference in self.named:
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
        """Return whether objects of a class are seen in part: those that nobody reads are not hidden so."""
        access, name = self.context.access, reference.class_name
        return access is not None and access.may_read_class(name) and not access.sees_every_object(name)

    def is_deleted(self, reference: Reference) -> bool:
        """Return whether the request ends an object."""
        return reference in self.objects and self.objects[reference].is_deleted

    def is_new(self, reference: Reference) -> bool:
        """Return whether the request makes an object."""
        return reference in self.objects and self.objects[reference].is_new

    def has_error_at(self, path: Path) -> bool:
        """Return whether something is wrong with what the request says at a place, or below it."""
        for issue in self.issues[self._scanned_issues :]:
            if issue.level is Level.ERROR:
                self._error_paths.update(issue.path[:length] for length in range(len(issue.path) + 1))
        self._scanned_issues = len(self.issues)
        return path in self._error_paths
