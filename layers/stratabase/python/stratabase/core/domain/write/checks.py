"""What prevents a planned write: required roles that would be empty, locks of others, and other versions.

The rule for roles is the same as for required attributes (`draft`): a role that was empty before, and that
the request does not touch, may stay empty.

The store checks locks again, because a lock can begin after the plan was made. It writes each head on the
condition that no other member has locked it (`lock_conditions` in `core/store/layout/object_items.py`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from stratabase.core.domain.issues.issue import Issue, IssueType, Subject
from stratabase.core.domain.objects.change import LinkCreation, LinkEffect
from stratabase.core.domain.objects.entity import (
    Entity,
    Reference,
    RoleName,
    RoleStorage,
    describe_object,
    opposite_name,
    storage_of,
)
from stratabase.core.domain.objects.instant import Instant, format_instant
from stratabase.core.domain.objects.lock import Lock, admits
from stratabase.core.domain.objects.version import format_version_instant, revision_of
from stratabase.core.domain.write.commands import AnyCommand, Delete, ExpectedRevision, Update
from stratabase.core.domain.write.draft import still_empty
from stratabase.core.domain.write.request import ObjectWrite, WriteRequest
from stratabase.core.model.api_names import ID, IF_VERSION
from stratabase.core.model.model import PlatformAttribute, Role
from stratabase.core.model.types import TYPES
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages import Message, _

Filled = set[tuple[RoleName, str]]
"""The roles that keys and links of the request fill, each with the ID of the object that has the role."""


def check_cardinality(request: WriteRequest, links: Iterable[LinkEffect]) -> None:
    """Add an issue for each required role that the write would leave empty.

    If other objects of the request take the last object away from an existing one, the store detects it,
    because it counts them.
    """
    required = [
        (write, role)
        for write in request.objects.values()
        if not write.is_deleted
        for role in write.subject.class_.required_roles
    ]
    filled = {*_filled_by_keys(request), *_filled_by_links(request, links)} if required else set()
    for write, role in required:
        if _is_empty(request, write, role, filled):
            _refuse(request, write, role)
        elif request.context.reports_missing and write.reference in request.named and not write.begins:
            _report(request, write, role, filled)


def _is_empty(request: WriteRequest, write: ObjectWrite, role: Role, filled: Filled) -> bool:
    """Return whether a required role would be empty although the request must fill it."""
    match storage_of(request.context.model, role):
        case RoleStorage.WHOLE:
            return False  # a part always has a whole
        case RoleStorage.OWN_KEY | RoleStorage.PARTS:
            is_ignored = (
                not write.begins
                and role.name not in write.emptied_roles
                and write.value_before(role.name) is None
            )
            return write.state.get(role.name) is None and not is_ignored
        case _:
            name = RoleName(write.reference.class_name, role.name)
            if write.tombstone is not None:
                return not _has_incoming_key(request, write, role)
            # Only this request can fill the role of a new object. The role of an existing one is read only if
            # the request empties it; whatever else it may lose, the store counts.
            is_filled = (name, write.reference.id) in filled
            if write.is_new or is_filled or role.name not in write.emptied_roles:
                return write.is_new and not is_filled
            return not request.context.snapshot.linked_ids(name, write.reference.id)


def _has_incoming_key(request: WriteRequest, write: ObjectWrite, role: Role) -> bool:
    """Return whether keys of others still lead to a restored object. They stayed when it was deleted."""
    snapshot = request.context.snapshot
    for id_ in snapshot.linked_ids(RoleName(write.reference.class_name, role.name), write.reference.id):
        other = snapshot.entity(Reference(role.target, id_))
        if (
            other is not None
            and other.state.get(str(role.opposite), write.reference.id) == write.reference.id
        ):
            return True
    return False


def _refuse(request: WriteRequest, write: ObjectWrite, role: Role) -> None:
    path = write.role_path(role.name)
    if not request.has_error_at(path):
        name = f"{write.subject.class_.name}.{role.name}"
        if role.many:
            message = _("{role} requires at least one {class_name}.", role=name, class_name=role.target)
        else:
            message = _("{role} requires one {class_name}.", role=name, class_name=role.target)
        request.issues.append(write.subject.role_issue(IssueType.ROLE_CARDINALITY, message, role.name, path))


def _report(request: WriteRequest, write: ObjectWrite, role: Role, filled: Filled) -> None:
    """Report a required role that was empty before, and that the request leaves empty."""
    message = still_empty(f"{write.subject.class_.name}.{role.name}")
    issue = write.subject.role_issue(IssueType.ROLE_CARDINALITY, message, role.name).as_report()
    if request.may_report(issue) and _is_still_empty(request, write, role, filled):
        request.reports.append(issue)


def _is_still_empty(request: WriteRequest, write: ObjectWrite, role: Role, filled: Filled) -> bool:
    """Return whether a role of an existing object leads to nothing, as far as is known."""
    name, snapshot = RoleName(write.reference.class_name, role.name), request.context.snapshot
    match storage_of(request.context.model, role):
        case RoleStorage.WHOLE:
            return False
        case RoleStorage.PARTS:
            return write.state.get(role.name) is None
        case RoleStorage.OWN_KEY:
            # A key to a deleted object is empty, too.
            id_ = write.state.get(role.name)
            if not isinstance(id_, str):
                return True
            target = Reference(role.target, id_)
            return id_ == write.value_before(role.name) and snapshot.entity(target) is None
        case _:
            is_counted = write.before is not None and write.before.counts.get(name, 0) > 0
            is_filled = is_counted or (name, write.reference.id) in filled
            return not is_filled and not snapshot.linked_ids(name, write.reference.id)


def _filled_by_keys(request: WriteRequest) -> Iterator[tuple[RoleName, str]]:
    for holder, name in request.key_requests:
        write, opposite = request.objects.get(holder), opposite_name(request.role(name))
        if write is not None and opposite is not None:
            yield opposite, str(write.state.get(name.role_name))


def _filled_by_links(request: WriteRequest, links: Iterable[LinkEffect]) -> Iterator[tuple[RoleName, str]]:
    for link in links:
        if isinstance(link, LinkCreation):
            opposite = opposite_name(request.role(link.role))
            yield link.role, link.owner
            if opposite is not None:
                yield opposite, link.other


_DATETIME = TYPES["Datetime"]


def check_locks(request: WriteRequest, command: AnyCommand) -> None:
    """Add an issue for each locked object that the request writes, or names in order to write it.

    Also add one for each object that has another version or revision than the client expects.
    """
    locked = [write for write in request.objects.values() if write.before and write.before.lock is not None]
    named = frozenset(request.context.ids.existing) if locked else frozenset()
    for write in locked:
        if write.reference in named or write.is_written:
            request.issues += _lock_issues(request, write)
    root = request.objects.get(request.context.ids.root)
    if root is not None and isinstance(command, Update | Delete) and command.if_version is not None:
        _check_version(request, root, command.if_version)
    for expected in request.context.ids.expected_revisions:
        _check_revision(request, expected)


def needs_object_issue(subject: Subject, argument: str, *path: str | int) -> Issue:
    """Return the issue of a condition on an object that is to be created, at a path."""
    message = _(
        "{argument} requires an existing object. Specify {id} in data, or remove {argument}.",
        argument=argument,
        id=ID,
    )
    return subject.issue(IssueType.MALFORMED_REQUEST, message, *path)


def _check_version(request: WriteRequest, write: ObjectWrite, expected_starts: Sequence[Instant]) -> None:
    """Add an issue if the current version of an object began at none of the expected instants."""
    subject, before, caller = write.subject, write.before, request.context.caller
    if before is None or before.start in expected_starts:
        return
    object_name = describe_object(write.reference)
    if before.start is None:
        message = _("{object} has no versions because it hasn't been saved yet.", object=object_name)
    else:
        message = _(
            "{object} has changed since the version that you sent as {argument}. Its current version started "
            "at {instant}. Read it, and then send {argument}: {text}.",
            object=object_name,
            argument=IF_VERSION,
            instant=_DATETIME.serializer("default", caller.formats)(format_instant(before.start)),
            text=f'"{format_version_instant(before.start, caller.formats)}"',
        )
    issue = subject.issue(IssueType.ENTITY_LOCK_PERSIST, message, IF_VERSION)
    request.issues.append(replace(issue, shows_current=True))


def _check_revision(request: WriteRequest, expected: ExpectedRevision) -> None:
    """Add an issue if an object has another revision than the client expects.

    A missing object, or one that the caller does not see, has an issue already, or is not deleted.
    """
    write = request.objects.get(expected.reference)
    if write is None:
        return
    if write.before is None:
        if write.tombstone is not None:
            message = _(
                "{object} is deleted. To restore it, remove {argument}.",
                object=describe_object(write.reference),
                argument=expected.path[-1],
            )
            issue = write.subject.issue(IssueType.ENTITY_LOCK_PERSIST, message, *expected.path)
            request.issues.append(issue)
        return
    if revision_of(write.before.start) == expected.revision:
        return
    message = _other_revision(request, write, write.before, str(expected.path[-1]))
    issue = write.subject.issue(IssueType.ENTITY_LOCK_PERSIST, message, *expected.path)
    request.issues.append(replace(issue, shows_current=True))


def _other_revision(request: WriteRequest, write: ObjectWrite, before: Entity, argument: str) -> Message:
    """Return the message about an object with another revision: when it was changed, and by whom."""
    access, formats = request.context.access, request.context.caller.formats
    class_, name = write.subject.class_, PlatformAttribute.LAST_MODIFIED_BY.value
    by = before.state.get(name) if name in class_.attributes else None
    if before.start is None:
        return _(
            "{object} hasn't been saved yet, so it isn't the revision that you sent as {argument}. Read its "
            "_revision again.",
            object=describe_object(write.reference),
            argument=argument,
        )
    changed_on = _DATETIME.serializer("default", formats)(format_instant(before.start))
    if by is None or (access is not None and not access.always_shows(class_.name, name)):
        return _(
            "{object} has changed since the revision that you sent as {argument}. It was last changed on "
            "{instant}. Read it again, and then send its new _revision.",
            object=describe_object(write.reference),
            argument=argument,
            instant=changed_on,
        )
    return _(
        "{object} has changed since the revision that you sent as {argument}. {username} last changed it on "
        "{instant}. Read it again, and then send its new _revision.",
        object=describe_object(write.reference),
        argument=argument,
        username=str(by),
        instant=changed_on,
    )


def _lock_issues(request: WriteRequest, write: ObjectWrite) -> Iterator[Issue]:
    caller, lock = request.context.caller, None if write.before is None else write.before.lock
    if lock is not None and not admits(lock, caller.id, request.context.now):
        yield locked_issue(IssueType.ENTITY_LOCK_PERSIST, issue_subject(request, write), lock, caller.formats)


def locked_issue(type_: IssueType, subject: Subject, lock: Lock, formats: Formats) -> Issue:
    """Return the issue of a locked object, with the path of the subject.

    If the subject has no ID, the message does not say which object is locked, because the caller must not
    know.
    """
    until = _DATETIME.serializer("default", formats)(format_instant(lock.until))
    class_name = subject.class_.name
    if subject.id is None:
        message = _(
            "Another {class_name} is locked by {username} until {instant}.",
            class_name=class_name,
            username=lock.name,
            instant=until,
        )
    else:
        message = _(
            "{object} is locked by {username} until {instant}.",
            object=describe_object(Reference(class_name, subject.id)),
            username=lock.name,
            instant=until,
        )
    return subject.issue(type_, message, *subject.path)


def issue_subject(request: WriteRequest, write: ObjectWrite) -> Subject:
    """Return the subject of an object, without its ID if the caller must not learn it."""
    return write.subject if request.may_identify(write.reference) else replace(write.subject, id=None)
