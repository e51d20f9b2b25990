"""The expansion of a command into the objects that it writes, with their values and requests of roles."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from stratabase.core.domain.issues.issue import Issue, IssueType, Subject
from stratabase.core.domain.objects.entity import (
    Reference,
    RoleName,
    RoleStorage,
    describe_object,
    opposite_name,
    parts_of,
    storage_of,
)
from stratabase.core.domain.write.checks import needs_object_issue
from stratabase.core.domain.write.commands import (
    AnyCommand,
    Create,
    Delete,
    PlacedCommand,
    RequestIds,
    Restore,
    ToManyCommand,
    ToOneCommand,
    Update,
)
from stratabase.core.domain.write.draft import check_draft, read_draft, report_missing_values, take_files
from stratabase.core.domain.write.request import (
    CreateObject,
    DeleteObject,
    ObjectWrite,
    RestoreKeys,
    RestoreObject,
    Task,
    UpdateObject,
    WriteContext,
    WriteRequest,
)
from stratabase.core.domain.write.restore import AT_VERSION_PATH, expand_restore, restore_keys
from stratabase.core.domain.write.role_requests import KeyRequest, LinkKey, RoleSubject, not_found_issue
from stratabase.core.domain.write.roles import request_parts
from stratabase.core.model.api_names import ID, IF_REVISION_OF_PART
from stratabase.core.model.model import Role
from stratabase.values.formats.invalid_value import describe_value
from stratabase.values.messages import _


class ChangedIds(NamedTuple):
    """The added and the removed IDs, each ID once and in one of the two lists."""

    added: list[str]
    removed: list[str]


def request_opposite_keys(
    request: WriteRequest, write: ObjectWrite, role: Role, placed: PlacedCommand
) -> None:
    """Request that the keys of added objects lead here, and that those of removed objects no longer do.

    A key that leads to another object moves.
    """
    key_request = KeyRequest(write.reference.id, RoleSubject(write.subject, role.name))
    opposite = opposite_name(role)
    assert opposite is not None
    changed = changed_ids(request, write, role, placed)
    for id_ in changed.added:
        request.key_requests[Reference(role.target, id_), opposite].assignments.append(key_request)
    for id_ in changed.removed:
        request.key_requests[Reference(role.target, id_), opposite].releases.append(key_request)


def request_links(request: WriteRequest, write: ObjectWrite, role: Role, placed: PlacedCommand) -> None:
    """Request that links are added and removed."""
    requester = RoleSubject(write.subject, role.name)
    changed = changed_ids(request, write, role, placed)
    for id_ in changed.added:
        request.link_requests[_link_key(write, role, id_)].additions.append(requester)
    for id_ in changed.removed:
        request.link_requests[_link_key(write, role, id_)].removals.append(requester)


def _link_key(write: ObjectWrite, role: Role, other: str) -> LinkKey:
    name, opposite = RoleName(write.reference.class_name, role.name), opposite_name(role)
    if opposite is not None and opposite < name:
        return LinkKey(opposite, other, write.reference.id)
    return LinkKey(name, write.reference.id, other)


def changed_ids(request: WriteRequest, write: ObjectWrite, role: Role, placed: PlacedCommand) -> ChangedIds:
    """Return the IDs that a command adds and removes. An ID that it both adds and removes is an issue."""
    command = placed.command.roles[role.name]
    assert isinstance(command, ToManyCommand)
    added = {request.resolve(role.target, id_): None for id_ in command.add}
    removed = {request.resolve(role.target, id_): None for id_ in command.remove}
    for reference in added.keys() & removed.keys():
        message = _(
            "The request both adds and removes {object}. Do only one of these.",
            object=describe_object(reference),
        )
        request.issues.append(RoleSubject(write.subject, role.name).contradiction_issue(message))
    ids = {reference.id: None for reference in added}
    removed_ids = {reference.id: None for reference in removed if reference.id not in ids}
    if command.remove_all and not write.is_new:
        name = RoleName(write.reference.class_name, role.name)
        linked = request.context.snapshot.linked_ids(name, write.reference.id)
        visible = (id_ for id_ in linked if not request.hides(Reference(role.target, id_)))
        removed_ids |= {id_: None for id_ in visible if id_ not in ids}
    return ChangedIds(list(ids), list(removed_ids))


def request_own_key(request: WriteRequest, write: ObjectWrite, role: Role, placed: PlacedCommand) -> None:
    """Request that the object's own key leads to the target of the command."""
    requester = RoleSubject(write.subject, role.name)
    for target_id in requested_target(request, role, placed, requester):
        name = RoleName(write.reference.class_name, role.name)
        request.key_requests[write.reference, name].own.append(KeyRequest(target_id, requester))


def request_opposite_key(
    request: WriteRequest, write: ObjectWrite, role: Role, placed: PlacedCommand
) -> None:
    """Request that the current partner's key releases the object, and the new partner's key leads to it."""
    requester, own_id = RoleSubject(write.subject, role.name), write.reference.id
    opposite = opposite_name(role)
    assert opposite is not None
    for target_id in requested_target(request, role, placed, requester):
        for id_ in _partners(request, write, role):
            if id_ != target_id:
                request.key_requests[Reference(role.target, id_), opposite].releases.append(
                    KeyRequest(own_id, requester)
                )
        if target_id is not None:
            request.key_requests[Reference(role.target, target_id), opposite].assignments.append(
                KeyRequest(own_id, requester)
            )


def _partners(request: WriteRequest, write: ObjectWrite, role: Role) -> tuple[str, ...]:
    """Return the IDs that the role leads to now, as far as the caller sees them: at most one."""
    if write.is_new:
        return ()
    ids = request.context.snapshot.linked_ids(
        RoleName(write.reference.class_name, role.name), write.reference.id
    )
    return tuple(id_ for id_ in ids if not request.hides(Reference(role.target, id_)))


def requested_target(
    request: WriteRequest, role: Role, placed: PlacedCommand, requester: RoleSubject
) -> Iterator[str | None]:
    """Yield the ID of the requested target, None for no target; nothing if the command is contradictory."""
    command = placed.command.roles[role.name]
    assert isinstance(command, ToOneCommand)
    if command.target is not None and command.remove:
        message = _("The request both sets and removes the association. Do only one of these.")
        request.issues.append(requester.contradiction_issue(message))
    else:
        yield None if command.target is None else request.resolve(role.target, command.target).id


ROLE_REQUESTS: Mapping[RoleStorage, Callable[[WriteRequest, ObjectWrite, Role, PlacedCommand], None]] = {
    RoleStorage.OWN_KEY: request_own_key,
    RoleStorage.OPPOSITE_KEY: request_opposite_key,
    RoleStorage.OPPOSITE_KEYS: request_opposite_keys,
    RoleStorage.LINKS: request_links,
    RoleStorage.PARTS: request_parts,
}
"""By storage of a role: the function that records what a command requests of it.

The role of a part that leads to its whole is missing, because a command cannot change it.
"""


def expand(command: AnyCommand, context: WriteContext) -> WriteRequest:
    """Return the objects that a command writes, with checked values and unresolved roles.

    A command that exceeds a limit is refused without being expanded.
    """
    request = WriteRequest(context)
    if context.excess is not None:
        request.issues.append(context.excess)
    if context.ids.duplicates:
        request.issues += _duplicate_issues(request)
    if context.excess is not None:
        return request
    # Tasks add further tasks. The keys of restored objects wait until all objects that come back are known.
    task = _first_task(command, context.ids)
    while True:
        _EXPANSIONS[type(task)](request, task)
        if not (tasks := request.tasks or request.deferred_tasks):
            return request
        context.before_object()
        task = tasks.popleft()


def _first_task(command: AnyCommand, ids: RequestIds) -> Task:
    if isinstance(command, Delete):
        return DeleteObject(ids.root, command.id_path)
    if isinstance(command, Restore):
        return RestoreObject(ids.root, command, AT_VERSION_PATH, {})
    placed = ids.commands[0]
    return CreateObject(placed, {}) if isinstance(command, Create) else UpdateObject(placed)


def _create(request: WriteRequest, task: CreateObject) -> None:
    """Add a new object with its values, and collect the requests of its roles."""
    command, path = task.placed
    assert isinstance(command, Create)
    class_ = request.class_(command.class_name)
    subject = Subject(class_, None, command.client_id, path)
    if command.if_revision is not None:
        request.issues.append(needs_object_issue(subject, IF_REVISION_OF_PART, *path, IF_REVISION_OF_PART))
    draft = read_draft(subject, None, command.values, request.context.caller.formats)
    request.issues += check_draft(draft)
    reference = Reference(class_.name, request.context.ids.new_id(path))
    files = take_files(request, draft) if class_.has_files else {}
    state = {**draft.state, ID: reference.id, **task.key_to_whole, **files}
    write = request.add(ObjectWrite(subject, reference, None, state, is_new=True))
    if command.roles:
        _request_roles(request, write, task.placed)


def _update(request: WriteRequest, task: UpdateObject) -> None:
    """Add an object with its new values, and collect the requests of its roles."""
    command, path = task.placed
    assert isinstance(command, Update)
    reference = request.context.ids.resolve(command.reference)
    class_ = request.class_(reference.class_name)
    subject = Subject(class_, reference.id, command.client_id, path)
    before = request.before(reference)
    if before is None and request.knows(reference):
        request.issues.append(not_found_issue(subject))
        return
    draft = read_draft(subject, before, command.values, request.context.caller.formats)
    request.issues += check_draft(draft)
    if request.context.reports_missing:
        request.reports += (issue for issue in report_missing_values(draft) if request.may_report(issue))
    state = {**draft.state, **take_files(request, draft)} if class_.has_files else dict(draft.state)
    write = request.add(ObjectWrite(subject, reference, before, state))
    if command.roles:
        _request_roles(request, write, task.placed)


def _delete(request: WriteRequest, task: DeleteObject) -> None:
    """Add the deletion of an object if it exists, and tasks to delete its parts."""
    reference, place = task
    is_root = reference == request.context.ids.root
    # A part ends with its whole, even if the caller does not see the part.
    before = request.before(reference) if is_root else request.context.snapshot.entity(reference)
    if before is None:
        return
    class_ = request.class_(reference.class_name)
    subject = Subject(class_, reference.id, path=place)
    request.add(ObjectWrite(subject, reference, before, {}, is_deleted=True))
    request.tasks += (DeleteObject(part, place) for part in parts_of(class_, before))


def _request_roles(request: WriteRequest, write: ObjectWrite, placed: PlacedCommand) -> None:
    """Collect what a command requests of an object's roles."""
    for name, command in placed.command.roles.items():
        role = write.subject.class_.roles[name]
        write.role_paths[name] = (*placed.path, name)
        if command.empties_role:
            write.emptied_roles.add(name)
        ROLE_REQUESTS[storage_of(request.context.model, role)](request, write, role, placed)


def _duplicate_issues(request: WriteRequest) -> Iterator[Issue]:
    for command, path in request.context.ids.duplicates:
        name = command.class_name if isinstance(command, Create) else command.reference.class_name
        message = _(
            "Another {class_name} in the request already has the _clientId {value}. "
            "Each _clientId must be unique within a request.",
            class_name=name,
            value=describe_value(command.client_id),
        )
        subject = Subject(request.class_(name), client_id=command.client_id, path=path)
        yield subject.issue(IssueType.MALFORMED_REQUEST, message, *path, "_clientId")


_EXPANSIONS: Mapping[type[Task], Callable[[WriteRequest, Any], None]] = {
    CreateObject: _create,
    UpdateObject: _update,
    DeleteObject: _delete,
    RestoreObject: expand_restore,
    RestoreKeys: restore_keys,
}
