"""Expand a restoration: an object becomes what it was at an instant, with its parts.

Each object gets its former values and says which parts it had; those are restored after it. Once it is known
which objects come back, the keys of all lead where they did. What an object led to and is there no more is
left out, with a warning. Nobody learns from that of what he is not to see: neither which objects there were,
nor what their attributes and roles were.
"""

from collections.abc import Iterator
from dataclasses import replace

from stratabase.domain.issues.issue import Issue, IssueType, Level, Path, Subject
from stratabase.domain.members.member import Caller
from stratabase.domain.objects.change import Tombstone
from stratabase.domain.objects.entity import Reference, RoleName, State, describe_object
from stratabase.domain.objects.former_state import incompatible_attributes, merge_restored_state
from stratabase.domain.objects.parts import part_ids
from stratabase.domain.objects.version import describe_version_instant
from stratabase.domain.write.commands import Restore
from stratabase.domain.write.draft import Draft, check_draft
from stratabase.domain.write.limits import MOST_RESTORED
from stratabase.domain.write.platform_attributes import OWNED_BY, last_owner_values
from stratabase.domain.write.request import (
    DeleteObject,
    ObjectWrite,
    RestoreKeys,
    RestoreObject,
    WriteRequest,
)
from stratabase.domain.write.role_requests import KeyRequest, Requester
from stratabase.messages import _, and_list
from stratabase.model.attribute import Origin
from stratabase.model.model import Action, Class, Role
from stratabase.model.types.storage import Stored

AT_VERSION = "atVersion"
AT_VERSION_PATH: Path = (AT_VERSION,)
"""The place of what is wrong with the version that is asked for."""


def expand_restore(request: WriteRequest, task: RestoreObject) -> None:
    """Note an object with its former content; its parts come next, and its keys in the end."""
    # 1. Find the object as it is, or what is remembered of a deleted one, and the version that comes back.
    snapshot, reference = request.context.snapshot, task.reference
    subject = Subject(request.class_(reference.class_name), reference.id, path=task.path)
    moment = (reference, task.command.at)
    there, version = snapshot.entity(reference), snapshot.version(*moment)
    # A part comes back with its whole: whether the caller sees it is not asked again.
    before = request.before(reference) if reference == request.context.ids.root else there
    gone = snapshot.tombstone(reference) if there is None and snapshot.knows(reference) else None
    is_hidden = reference == request.context.ids.root and request.hid_version(*moment)
    if version is None or is_hidden or (before is None and gone is None):
        if not snapshot.missing:
            request.issues.append(_no_version(subject, task.command, request.context.caller, task.path))
        return
    if before is None and reference != request.context.ids.root and not request.saw_version(*moment):
        subject = replace(subject, id=None)  # which it is, no message may tell
    # 2. Give it its former values, but not the owner that it had before a hand-over, and check them.
    write = request.add(ObjectWrite(subject, reference, before, {}, tombstone=gone))
    write.state = {
        **merge_restored_state(subject.class_, before, version.state),
        **_owner(request, subject.class_, version.state, gone),
        **task.key_to_whole,
    }
    _check(request, write, task)
    # 3. Restore its parts next, and its keys when all objects that come back are known.
    for role in subject.class_.roles.values():
        if role.composition:
            _restore_parts(request, write, role, version.state.get(role.name), task)
    request.deferred_tasks.append(RestoreKeys(reference, task.command, version))


def restore_keys(request: WriteRequest, task: RestoreKeys) -> None:
    """Ask an object's keys to lead where they did, if that is there."""
    write, kept = request.objects[task.reference], task.version.state
    for role in write.subject.class_.roles.values():
        id_ = kept.get(role.name) if role.holds_key else None
        if not role.holds_key or (write.before is not None and id_ == write.value_before(role.name)):
            continue
        requester = Requester(write.subject, role.name)
        if not may_disclose(request, write, role.name, task):
            request.confidential_paths.add(requester.path)
        is_unseen = is_hidden_part(request, write, task.command)
        if isinstance(id_, str) and not _is_there(request, Reference(role.target, id_), is_unseen=is_unseen):
            skip_missing_target(request, task, requester, Reference(role.target, id_))
            id_ = None
        name = RoleName(task.reference.class_name, role.name)
        request.key_requests[task.reference, name].own.append(
            KeyRequest(id_ if isinstance(id_, str) else None, requester)
        )


def _owner(request: WriteRequest, class_: Class, former: State, gone: Tombstone | None) -> State:
    """Return who owns an object that was deleted: its last owner, since no restoration undoes a hand-over."""
    if gone is None or OWNED_BY not in class_.attributes:
        return {}
    last = request.context.snapshot.version(gone.reference, gone.previous_start)
    return {} if last is None else last_owner_values(class_, former, last.state)


def _no_version(subject: Subject, command: Restore, caller: Caller, place: Path) -> Issue:
    message = _(
        "{object} has no version at {instant}.",
        object=describe_object(Reference(subject.class_.name, str(subject.id))),
        instant=describe_version_instant(command.at, caller.formats, AT_VERSION),
    )
    return subject.issue(IssueType.ENTITY_NOT_FOUND, message, *place)


def _check(request: WriteRequest, write: ObjectWrite, task: RestoreObject) -> None:
    """Note what is wrong with values that come back, by the rules of today."""
    class_ = write.subject.class_
    for name in incompatible_attributes(class_, write.state):
        message = _(
            "The type of {attribute} has changed, so its previous value can't be restored.",
            attribute=f"{class_.name}.{name}",
        )
        if may_disclose(request, write, name, task):
            warn_left_out(request, task, write.subject.attribute_issue(IssueType.DATA_TYPE, message, name))
        write.state[name] = None
    changed: State = {
        name: write.state.get(name)
        for name, attribute in class_.attributes.items()
        if attribute.origin is Origin.NATIVE and write.state.get(name) != write.value_before(name)
    }
    draft = Draft(write.subject, write.before, write.state, changed, formats=request.context.caller.formats)
    for issue in check_draft(draft):
        is_open = all(may_disclose(request, write, name, task) for name in issue.attribute_names)
        request.issues.append(issue if is_open else _discreet(issue))


def _discreet(issue: Issue) -> Issue:
    """Return an issue of a value that its reader may write, and not read."""
    names = and_list(f"{issue.entity_name}.{name}" for name in issue.attribute_names)
    message = _(
        "Restoring the previous value of {attributes} would violate the current rules.", attributes=names
    )
    return replace(issue, message=message)


def _restore_parts(
    request: WriteRequest, write: ObjectWrite, role: Role, kept: Stored, task: RestoreObject
) -> None:
    """Let an object have the parts that it had then, and no others."""
    requester, now = Requester(write.subject, role.name), part_ids(write.value_before(role.name))
    place = write.role_paths[role.name] = requester.path
    if _are_too_many(request, requester, part_ids(kept)):
        return
    # 1. Parts that the caller does not see stay as they are.
    left = [id_ for id_ in now if request.hides(Reference(role.target, id_))]
    # 2. Those that there were and can be again come back, in the order of then.
    there = [id_ for id_ in part_ids(kept) if id_ in left or _returns(request, write, requester, id_, task)]
    there += (id_ for id_ in left if id_ not in there)
    if left and {*there} == {*now}:
        there = list(now)
    if not role.many and len(there) > 1:
        message = _("Only one {class_name} is allowed.", class_name=role.target)
        request.issues.append(requester.cardinality_issue(message, place))
    write.state[role.name] = (there or None) if role.many else (there[-1] if there else None)
    # 3. Those that there were not end.
    request.tasks += (DeleteObject(Reference(role.target, id_), place) for id_ in now if id_ not in there)
    if request.class_(role.target).versioned:
        request.tasks += _parts(write, role, [id_ for id_ in there if id_ not in left], task)


def _are_too_many(request: WriteRequest, requester: Requester, ids: list[str]) -> bool:
    """Return whether there are more parts than a request restores, which is told once."""
    before = request.restored_parts
    request.restored_parts += len(ids)
    if before <= MOST_RESTORED < request.restored_parts:
        message = _(
            "The version has too many parts to restore in one request. The maximum is {maximum}.",
            maximum=MOST_RESTORED,
        )
        request.issues.append(requester.issue(IssueType.MALFORMED_REQUEST, message, AT_VERSION_PATH))
    return request.restored_parts > MOST_RESTORED


def _returns(
    request: WriteRequest, write: ObjectWrite, requester: Requester, id_: str, task: RestoreObject
) -> bool:
    """Return whether an object has a part that it had; one that cannot come back is told, if it is seen."""
    role = write.subject.class_.roles[requester.role]
    reference, is_part = Reference(role.target, id_), id_ in part_ids(write.value_before(role.name))
    is_passed_over = (
        not is_part
        and request.hid_version(reference, task.command.at)
        and not was_deleted_with_whole(request, write, reference)
    )
    if not is_passed_over and _comes_back(request, reference, task, is_part=is_part):
        return True
    skip_missing_target(request, task, requester, reference)
    return False


def _parts(write: ObjectWrite, role: Role, ids: list[str], task: RestoreObject) -> Iterator[RestoreObject]:
    back: State = {str(role.opposite): write.reference.id}
    for number, id_ in enumerate(ids):
        place = (*write.role_paths[role.name], number)
        yield RestoreObject(Reference(role.target, id_), task.command, place, back)


def _comes_back(request: WriteRequest, reference: Reference, task: RestoreObject, *, is_part: bool) -> bool:
    """Return whether a part can be there again; one that keeps no versions only if it still is."""
    if not request.class_(reference.class_name).versioned:
        return is_part
    snapshot = request.context.snapshot
    version = snapshot.version(reference, task.command.at)
    is_remembered = is_part or snapshot.tombstone(reference) is not None
    is_lost = version is not None and not is_remembered and snapshot.knows_tombstone(reference)
    if is_lost and snapshot.entity(reference) is not None:  # it is there, but its whole does not list it
        request.unfinished |= {task.reference: None, request.context.ids.root: None}
    return version is not None and is_remembered


def _is_there(request: WriteRequest, reference: Reference, *, is_unseen: bool) -> bool:
    """Return whether a key may lead to an object when the request is done: to any, if it is itself unseen."""
    if reference in request.objects:
        return not request.is_deleted(reference)
    there = request.context.snapshot.entity(reference) if is_unseen else request.before(reference)
    return there is not None


def skip_missing_target(
    request: WriteRequest, task: RestoreObject | RestoreKeys, requester: Requester, reference: Reference
) -> None:
    """Leave out what is led to no more; it is told if the version shows the caller that it was led to."""
    is_open = may_disclose(request, request.objects[task.reference], requester.role, task)
    if is_open and request.saw_version(reference, task.command.at):
        warn_left_out(request, task, requester.no_longer_found_issue(reference))


def warn_left_out(request: WriteRequest, task: RestoreObject | RestoreKeys, issue: Issue) -> None:
    """Note what is left out, unless the client has said that it may be."""
    if not task.command.forced:
        message = _(
            "{message} To continue without it, use forceWarnings: {{dataValidation: true}}.",
            message=issue.message,
        )
        request.issues.append(replace(issue, message=message, level=Level.WARNING))


def may_disclose(
    request: WriteRequest, write: ObjectWrite, name: str, task: RestoreObject | RestoreKeys
) -> bool:
    """Return whether it may be told what an attribute or a role of an object was."""
    access, role = request.context.access, write.subject.class_.roles.get(name)
    if access is None:
        return True
    allowed = access.member_permission(write.reference.class_name, name)
    is_open = allowed is None or Action.READ in allowed.actions
    leads = role is None or access.may_follow(write.reference.class_name, role)
    if write.reference == request.context.ids.root:
        return is_open and leads and access.may_read_class(write.reference.class_name)
    return is_open and leads and request.saw_version(write.reference, task.command.at)


def is_hidden_part(request: WriteRequest, write: ObjectWrite, command: Restore) -> bool:
    """Return whether an object that comes back is such a part: nobody asks for it, or must be told of it."""
    is_root = write.reference == request.context.ids.root
    return not is_root and write.tombstone is not None and request.hid_version(write.reference, command.at)


def was_deleted_with_whole(request: WriteRequest, whole: ObjectWrite, part: Reference) -> bool:
    """Return whether a part was there as long as its whole was, which is gone."""
    if whole.tombstone is None:
        return False
    gone = request.context.snapshot.tombstone(part)
    return gone is not None and gone.last_end >= whole.tombstone.last_end
