"""What a command requests of a to-many association: changes of other objects' keys, or of links."""

from typing import NamedTuple

from stratabase.core.domain.objects.entity import Reference, RoleName, describe_object
from stratabase.core.domain.objects.role_storage import opposite_name
from stratabase.core.domain.write.commands import PlacedCommand, ToManyCommand
from stratabase.core.domain.write.request import ObjectWrite, WriteRequest
from stratabase.core.domain.write.role_requests import KeyRequest, LinkKey, RoleSubject
from stratabase.core.model.model import Role
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
