"""What a command requests of a to-one association: a change of its object's key, or of the opposite one."""

from collections.abc import Iterator

from stratabase.core.domain.objects.entity import Reference, RoleName
from stratabase.core.domain.objects.role_storage import opposite_name
from stratabase.core.domain.write.commands import PlacedCommand, ToOneCommand
from stratabase.core.domain.write.request import ObjectWrite, WriteRequest
from stratabase.core.domain.write.role_requests import KeyRequest, RoleSubject
from stratabase.core.model.model import Role
from stratabase.values.messages import _


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
