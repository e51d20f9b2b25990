"""The expansion of a restoration: an object becomes what it was at an instant, with its parts.

Each object gets its former values, and then its former parts are restored in the same way. When all objects
that come back are known, their keys are set. A former target that no longer exists is left out, with a
warning. Messages reveal neither hidden objects nor former values that the caller must not see.
"""

from collections.abc import Iterator
from dataclasses import replace

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.issue import Issue, IssueType, Level, Path, Subject
from stratabase.core.domain.objects.change import Tombstone
from stratabase.core.domain.objects.entity import (
    Entity,
    Reference,
    RoleName,
    State,
    describe_object,
    part_ids,
)
from stratabase.core.domain.objects.former_state import merge_restored_state
from stratabase.core.domain.objects.version import describe_version_instant
from stratabase.core.domain.write.commands import Restore
from stratabase.core.domain.write.draft import Draft, check_draft
from stratabase.core.domain.write.effects import OWNED_BY, last_owner_values
from stratabase.core.domain.write.limits import MAX_PARTS_PER_RESTORATION
from stratabase.core.domain.write.request import (
    DeleteObject,
    ObjectWrite,
    RestoreKeys,
    RestoreObject,
    WriteRequest,
)
from stratabase.core.domain.write.role_requests import KeyRequest, RoleSubject
from stratabase.core.model.attribute import Origin, unread_names
from stratabase.core.model.model import Action, Class, Role
from stratabase.core.model.types.base import Stored
from stratabase.values.messages import _, and_list

AT_VERSION = "atVersion"
AT_VERSION_PATH: Path = (AT_VERSION,)
"""The path of issues about the requested version."""


def expand_restore(request: WriteRequest, task: RestoreObject) -> None:
    """Add an object with its former values, tasks for its former parts, and a later task for its keys."""
    # 1. Find the object or its tombstone, and the version to restore.
    snapshot, reference = request.context.snapshot, task.reference
    subject = Subject(request.class_(reference.class_name), reference.id, path=task.path)
    version_key = (reference, task.command.at)
    present, version = snapshot.entity(reference), snapshot.version(*version_key)
    # Whether the caller sees the object matters only for the root. Its parts come back with it.
    before = request.before(reference) if reference == request.context.ids.root else present
    tombstone = snapshot.tombstone(reference) if present is None and snapshot.knows(reference) else None
    is_hidden = reference == request.context.ids.root and request.hides_version(*version_key)
    if version is None or is_hidden or (before is None and tombstone is None):
        if snapshot.is_complete:
            request.issues.append(_no_version(subject, task.command, request.context.caller, task.path))
        return
    if before is None and reference != request.context.ids.root and not request.sees_version(*version_key):
        subject = replace(subject, id=None)  # messages must not reveal a hidden part's ID
    # 2. Set and check its former values. A hand-over is not undone: the last owner stays.
    write = request.add(ObjectWrite(subject, reference, before, {}, tombstone=tombstone))
    write.state = {
        **merge_restored_state(subject.class_, before, version.state),
        **_owner_values(request, subject.class_, version.state, tombstone),
        **task.key_to_whole,
    }
    _check(request, write, task)
    # 3. Restore its parts next. Its keys wait until all objects that come back are known.
    for role in subject.class_.roles.values():
        if role.composition and _has_role(request, version, RoleSubject(write.subject, role.name), task):
            _restore_parts(request, write, role, version.state.get(role.name), task)
    request.deferred_tasks.append(RestoreKeys(reference, task.command, version))


def restore_keys(request: WriteRequest, task: RestoreKeys) -> None:
    """Request that an object's keys lead to their former targets, if these exist."""
    write, former_state = request.objects[task.reference], task.version.state
    for role in write.subject.class_.roles.values():
        id_ = former_state.get(role.name) if role.holds_key else None
        if not role.holds_key or (write.before is not None and id_ == write.value_before(role.name)):
            continue
        requester = RoleSubject(write.subject, role.name)
        if not _has_role(request, task.version, requester, task):
            continue
        if not may_disclose(request, write, role.name, task):
            request.confidential_paths.add(requester.path)
        is_unseen = is_hidden_part(request, write, task.command)
        if isinstance(id_, str) and not _will_exist(
            request, Reference(role.target, id_), is_unseen=is_unseen
        ):
            skip_missing_target(request, task, requester, Reference(role.target, id_))
            id_ = None
        name = RoleName(task.reference.class_name, role.name)
        request.key_requests[task.reference, name].own.append(
            KeyRequest(id_ if isinstance(id_, str) else None, requester)
        )


def _has_role(
    request: WriteRequest, version: Entity, requester: RoleSubject, task: RestoreObject | RestoreKeys
) -> bool:
    """Return whether a version has what a role led to. If not, the role stays as it is, with a warning."""
    class_, role = requester.subject.class_, requester.role
    if request.context.snapshot.has_role(version, RoleName(class_.name, role)):
        return True
    if may_disclose(request, request.objects[task.reference], role, task):
        message = _(
            "That version does not have it, because the model has changed since how the role is stored, "
            "so it can't be restored."
        )
        warn_left_out(request, task, requester.issue(IssueType.ROLE_DOMAIN, message, AT_VERSION_PATH))
    return False


def _owner_values(request: WriteRequest, class_: Class, former: State, tombstone: Tombstone | None) -> State:
    """Return the owner values of a deleted object: its last owner's. No restoration undoes a hand-over."""
    if tombstone is None or OWNED_BY not in class_.attributes:
        return {}
    last = request.context.snapshot.version(tombstone.reference, tombstone.previous_start)
    return {} if last is None else last_owner_values(class_, former, last.state)


def _no_version(subject: Subject, command: Restore, caller: Caller, path: Path) -> Issue:
    message = _(
        "{object} has no version at {instant}.",
        object=describe_object(Reference(subject.class_.name, str(subject.id))),
        instant=describe_version_instant(command.at, caller.formats, AT_VERSION),
    )
    return subject.issue(IssueType.ENTITY_NOT_FOUND, message, *path)


def _check(request: WriteRequest, write: ObjectWrite, task: RestoreObject) -> None:
    """Add an issue for each former value that violates the rules of today."""
    class_ = write.subject.class_
    unread = unread_names(write.state)
    for name in (each for each in class_.attributes if each in unread):
        message = _(
            "The type of {attribute} has changed, so its previous value can't be restored.",
            attribute=f"{class_.name}.{name}",
        )
        if may_disclose(request, write, name, task):
            warn_left_out(request, task, write.subject.attribute_issue(IssueType.DATA_TYPE, message, name))
    changed: State = {
        name: write.state.get(name)
        for name, attribute in class_.attributes.items()
        if attribute.origin is Origin.NATIVE and write.state.get(name) != write.value_before(name)
    }
    draft = Draft(write.subject, write.before, write.state, changed, formats=request.context.caller.formats)
    for issue in check_draft(draft):
        is_open = all(may_disclose(request, write, name, task) for name in issue.attribute_names)
        request.issues.append(issue if is_open else _without_value(issue))


def _without_value(issue: Issue) -> Issue:
    """Return an issue without the value, for a caller who may write the attribute but not read it."""
    names = and_list(f"{issue.entity_name}.{name}" for name in issue.attribute_names)
    message = _(
        "Restoring the previous value of {attributes} would violate the current rules.", attributes=names
    )
    return replace(issue, message=message)


def _restore_parts(
    request: WriteRequest, write: ObjectWrite, role: Role, former: Stored, task: RestoreObject
) -> None:
    """Set the list of parts to that of the version, and add tasks to restore and delete parts."""
    requester, present = RoleSubject(write.subject, role.name), part_ids(write.value_before(role.name))
    path = write.role_paths[role.name] = requester.path
    if _exceeds_limit(request, requester, part_ids(former)):
        return
    # 1. Parts that the caller does not see stay.
    hidden = [id_ for id_ in present if request.hides(Reference(role.target, id_))]
    # 2. Former parts come back if possible, in their former order.
    listed = [
        id_ for id_ in part_ids(former) if id_ in hidden or _returns(request, write, requester, id_, task)
    ]
    listed += (id_ for id_ in hidden if id_ not in listed)
    # If the parts are the same, their order stays: hidden ones may have no place in the former order.
    if hidden and {*listed} == {*present}:
        listed = list(present)
    if not role.many and len(listed) > 1:
        message = _("Only one {class_name} is allowed.", class_name=role.target)
        request.issues.append(requester.cardinality_issue(message, path))
    write.state[role.name] = (listed or None) if role.many else (listed[-1] if listed else None)
    # 3. Parts that the version did not have are deleted.
    request.tasks += (DeleteObject(Reference(role.target, id_), path) for id_ in present if id_ not in listed)
    if request.class_(role.target).versioned:
        request.tasks += _parts(write, role, [id_ for id_ in listed if id_ not in hidden], task)


def _exceeds_limit(request: WriteRequest, requester: RoleSubject, ids: list[str]) -> bool:
    """Count the parts of a role, and return whether the request restores too many. Add an issue once."""
    before = request.restored_parts
    request.restored_parts += len(ids)
    if before <= MAX_PARTS_PER_RESTORATION < request.restored_parts:
        message = _(
            "The version has too many parts to restore in one request. The maximum is {maximum}.",
            maximum=MAX_PARTS_PER_RESTORATION,
        )
        request.issues.append(requester.issue(IssueType.MALFORMED_REQUEST, message, AT_VERSION_PATH))
    return request.restored_parts > MAX_PARTS_PER_RESTORATION


def _returns(
    request: WriteRequest, write: ObjectWrite, requester: RoleSubject, id_: str, task: RestoreObject
) -> bool:
    """Return whether an object gets a former part back. If not, a warning says so, if the caller may know."""
    role = write.subject.class_.roles[requester.role]
    reference, is_part = Reference(role.target, id_), id_ in part_ids(write.value_before(role.name))
    is_skipped = (
        not is_part
        and request.hides_version(reference, task.command.at)
        and not was_deleted_with_whole(request, write, reference)
    )
    if not is_skipped and _comes_back(request, reference, task, is_part=is_part):
        return True
    skip_missing_target(request, task, requester, reference)
    return False


def _parts(write: ObjectWrite, role: Role, ids: list[str], task: RestoreObject) -> Iterator[RestoreObject]:
    key_to_whole: State = {str(role.opposite): write.reference.id}
    for number, id_ in enumerate(ids):
        path = (*write.role_paths[role.name], number)
        yield RestoreObject(Reference(role.target, id_), task.command, path, key_to_whole)


def _comes_back(request: WriteRequest, reference: Reference, task: RestoreObject, *, is_part: bool) -> bool:
    """Return whether a former part can exist again. If its class keeps no versions, it must still exist."""
    if not request.class_(reference.class_name).versioned:
        return is_part
    snapshot = request.context.snapshot
    version = snapshot.version(reference, task.command.at)
    is_remembered = is_part or snapshot.tombstone(reference) is not None
    is_lost = version is not None and not is_remembered and snapshot.knows_tombstone(reference)
    # A part that exists although no whole lists it is a leftover of another write: clean it up first.
    if is_lost and snapshot.entity(reference) is not None:
        request.unfinished |= {task.reference: None, request.context.ids.root: None}
    return version is not None and is_remembered


def _will_exist(request: WriteRequest, reference: Reference, *, is_unseen: bool) -> bool:
    """Return whether an object that a key led to exists after the write, as far as the caller may know.

    For the key of a hidden part (`is_unseen`), it does not matter whether the caller sees the target.
    """
    if reference in request.objects:
        return not request.is_deleted(reference)
    entity = request.context.snapshot.entity(reference) if is_unseen else request.before(reference)
    return entity is not None


def skip_missing_target(
    request: WriteRequest, task: RestoreObject | RestoreKeys, requester: RoleSubject, reference: Reference
) -> None:
    """Leave out a former target. Warn of it if the caller may know that the version had it."""
    is_open = may_disclose(request, request.objects[task.reference], requester.role, task)
    if is_open and request.sees_version(reference, task.command.at):
        warn_left_out(request, task, requester.no_longer_found_issue(reference))


def warn_left_out(request: WriteRequest, task: RestoreObject | RestoreKeys, issue: Issue) -> None:
    """Add a warning about what a restoration leaves out, unless the client has accepted that."""
    if not task.command.forced:
        message = _(
            "{message} To continue without it, use forceWarnings: {{dataValidation: true}}.",
            message=issue.message,
        )
        request.issues.append(replace(issue, message=message, level=Level.WARNING))


def may_disclose(
    request: WriteRequest, write: ObjectWrite, name: str, task: RestoreObject | RestoreKeys
) -> bool:
    """Return whether the caller may learn the former value of an attribute or a role of an object."""
    access, role = request.context.access, write.subject.class_.roles.get(name)
    if access is None:
        return True
    allowed = access.field_permission(write.reference.class_name, name)
    is_open = allowed is None or Action.READ in allowed.actions
    leads = role is None or access.may_follow(write.reference.class_name, role)
    if write.reference == request.context.ids.root:
        return is_open and leads and access.may_read_class(write.reference.class_name)
    return is_open and leads and request.sees_version(write.reference, task.command.at)


def is_hidden_part(request: WriteRequest, write: ObjectWrite, command: Restore) -> bool:
    """Return whether a restored object is a deleted part whose former state is hidden from the caller.

    It comes back with its whole, so no permission is required for it, and no message may reveal it.
    """
    is_root = write.reference == request.context.ids.root
    return not is_root and write.tombstone is not None and request.hides_version(write.reference, command.at)


def was_deleted_with_whole(request: WriteRequest, whole: ObjectWrite, part: Reference) -> bool:
    """Return whether a part existed until its whole, which is deleted too, was deleted."""
    if whole.tombstone is None:
        return False
    tombstone = request.context.snapshot.tombstone(part)
    return tombstone is not None and tombstone.last_end >= whole.tombstone.last_end
