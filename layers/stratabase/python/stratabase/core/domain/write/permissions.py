"""The permissions that a create, update or delete requires, as far as the command shows them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from stratabase.core.domain.access.capabilities import capabilities_of
from stratabase.core.domain.access.grants import Access
from stratabase.core.domain.access.requirements import RequiredPermission
from stratabase.core.domain.issues.issue import Subject
from stratabase.core.domain.objects.entity import Reference, opposite_name, whole_of
from stratabase.core.domain.write.checks import issue_subject
from stratabase.core.domain.write.commands import (
    ROOT_PATH,
    AnyCommand,
    Create,
    Delete,
    PartsCommand,
    PlacedCommand,
    Restore,
    RoleCommand,
    ToManyCommand,
    Update,
    commands_within,
)
from stratabase.core.domain.write.request import ObjectWrite, WriteRequest
from stratabase.core.domain.write.restore import is_hidden_part
from stratabase.core.domain.write.restore_permissions import (
    permissions_for_any_restoration,
    permissions_to_restore,
    without_single_objects,
)
from stratabase.core.domain.write.role_requests import RoleSubject
from stratabase.core.model.model import Action


def required_permissions(
    request: WriteRequest, access: Access, command: AnyCommand
) -> list[RequiredPermission]:
    """Return the required permissions, each once, in the order of the request."""
    if isinstance(command, Restore) and not request.context.snapshot.is_complete:
        # Which permissions a restoration requires depends on the former and the present state.
        return [*permissions_for_any_restoration(request, access)]
    unique: dict[object, RequiredPermission] = {}
    all_required = chain(
        _permissions_of_root(request, access, command),
        _key_permissions(request, access, command),
        _link_permissions(request),
    )
    for required in without_single_objects(all_required):
        unique.setdefault(required.key, required)
    return list(unique.values())


def _permissions_of_root(
    request: WriteRequest, access: Access, command: AnyCommand
) -> Iterator[RequiredPermission]:
    """Yield the permissions that the commands and the deletions that follow from them require."""
    if isinstance(command, Delete):
        root = request.context.ids.root
        subject = Subject(request.class_(root.class_name), root.id, path=command.id_path)
        yield RequiredPermission(Action.DELETE, subject, root, command.id_path)
        return
    if isinstance(command, Restore):
        yield from permissions_to_restore(request, access, command)
    else:
        yield from _permissions_of_nested(request, access, command)
    # A part without grants of its own follows its whole; a part that is deleted with its whole needs none.
    for write in request.objects.values():
        if (
            write.is_deleted
            and not access.follows_whole(write.reference.class_name)
            and not _goes_with_its_whole(request, write)
        ):
            yield RequiredPermission(
                Action.DELETE, issue_subject(request, write), write.reference, write.subject.path
            )


def _goes_with_its_whole(request: WriteRequest, write: ObjectWrite) -> bool:
    whole = _whole(request, write.reference)
    return whole is not None and request.is_deleted(whole)


def _key_permissions(
    request: WriteRequest, access: Access, command: AnyCommand
) -> Iterator[RequiredPermission]:
    """Yield the permissions that changes of keys require.

    The holder of a key changes. On the opposite side, the former and the new target of the key change.
    """
    for (holder, name), requests in request.key_requests.items():
        write, requester = request.objects.get(holder), requests.first.requester
        if isinstance(command, Restore) and write is not None and is_hidden_part(request, write, command):
            continue
        former_id = None if write is None else write.value_before(name.role_name)
        if requests.assignments or any(each.id == former_id for each in requests.releases):
            yield from _holder_permissions(request, access, holder, requester)
            yield _role_permission(request, holder, name.role_name, requester)
        opposite = opposite_name(request.role(name))
        if opposite is not None and requests.own:
            may_name = not isinstance(command, Restore) or access.always_shows(*name)
            ends = dict.fromkeys((*(each.id for each in requests.own), former_id))
            for end in (each for each in ends if isinstance(each, str)):
                required = _role_permission(
                    request, Reference(opposite.class_name, end), opposite.role_name, requester
                )
                # The request does not name the former target, so a message must not reveal its ID.
                is_named = may_name and end != former_id
                yield (
                    required if is_named else required._replace(subject=replace(required.subject, id=None))
                )


def _holder_permissions(
    request: WriteRequest, access: Access, holder: Reference, requester: RoleSubject
) -> Iterator[RequiredPermission]:
    """Yield the permission to edit the holder of a key, or the whole that it follows, from the other side."""
    current: Reference | None = holder
    while current is not None and access.follows_whole(current.class_name):
        current = _whole(request, current)
    if current is not None and not request.is_new(current) and not request.is_new(holder):
        yield RequiredPermission(Action.EDIT, _subject(request, current, requester), current, requester.path)


def _link_permissions(request: WriteRequest) -> Iterator[RequiredPermission]:
    """Yield the permissions for the roles at both ends of links."""
    for link_key, requests in request.link_requests.items():
        requester, opposite = (
            [*requests.additions, *requests.removals][0],
            opposite_name(request.role(link_key.role)),
        )
        yield _role_permission(
            request, Reference(link_key.role.class_name, link_key.owner), link_key.role.role_name, requester
        )
        if opposite is not None:
            yield _role_permission(
                request, Reference(opposite.class_name, link_key.other), opposite.role_name, requester
            )


def _role_permission(
    request: WriteRequest, reference: Reference, role: str, requester: RoleSubject
) -> RequiredPermission:
    action = Action.CREATE if request.is_new(reference) else Action.EDIT
    return RequiredPermission(
        action, _subject(request, reference, requester), reference, requester.path, role
    )


def _subject(request: WriteRequest, reference: Reference, requester: RoleSubject) -> Subject:
    id_ = None if request.is_new(reference) else reference.id
    return Subject(request.class_(reference.class_name), id_, path=requester.path)


def _whole(request: WriteRequest, part: Reference) -> Reference | None:
    """Return the whole of an object, as far as is known."""
    write = request.objects.get(part)
    before = request.context.snapshot.entity(part) if write is None else write.before
    state = write.state if write is not None and write.is_new else {} if before is None else before.state
    owner = whole_of(request.class_(part.class_name), state)
    return None if owner is None else owner.reference


class _ObjectCommand(NamedTuple):
    """A command with the object that it writes, and the command for its whole if it is a part."""

    placed: PlacedCommand
    subject: Subject
    reference: Reference
    whole: "_ObjectCommand | None" = None

    @property
    def action(self) -> Action:
        """The action that the command performs on the object."""
        return Action.CREATE if isinstance(self.placed.command, Create) else Action.EDIT

    def required(self, name: str | None = None, action: Action | None = None) -> RequiredPermission:
        """Return the permission for an action (by default the command's) on the object or a field of it."""
        path = self.placed.path if name is None else (*self.placed.path, name)
        return RequiredPermission(action or self.action, self.subject, self.reference, path, name)


def _permissions_of_nested(
    request: WriteRequest, access: Access, command: Create | Update
) -> Iterator[RequiredPermission]:
    """Yield the permissions that a command and all commands within it require."""
    waiting = [_object_command(request, PlacedCommand(command, ROOT_PATH), None)]
    while waiting:
        object_command = waiting.pop()
        yield from _permissions_of_command(access, object_command)
        waiting += reversed(
            [
                _object_command(request, placed, object_command)
                for placed in commands_within(object_command.placed)
            ]
        )


def _object_command(
    request: WriteRequest, placed: PlacedCommand, whole: _ObjectCommand | None
) -> _ObjectCommand:
    command, path = placed
    if isinstance(command, Create):
        reference = Reference(command.class_name, request.context.ids.new_id(path))
        return _ObjectCommand(
            placed,
            Subject(request.class_(command.class_name), None, command.client_id, path),
            reference,
            whole,
        )
    reference = request.resolve(*command.reference)
    subject = Subject(request.class_(reference.class_name), reference.id, command.client_id, path)
    return _ObjectCommand(placed, subject, reference, whole)


def _permissions_of_command(access: Access, object_command: _ObjectCommand) -> Iterator[RequiredPermission]:
    command = object_command.placed.command
    values = [
        name for name, value in command.values.items() if value is not None or isinstance(command, Update)
    ]
    role_commands = {
        name: each for name, each in command.roles.items() if _has_effect(each, object_command.action)
    }
    class_ = object_command.subject.class_
    may_create = Action.CREATE in access.class_permission(class_.name).actions
    if isinstance(command, Create) and may_create and not capabilities_of(access).creates(class_):
        yield object_command.required()._replace(is_impossible=True)
    if values or _changes_object(access, object_command, role_commands):
        yield from _object_permission(access, object_command)
    yield from (object_command.required(name) for name in values)
    for name, each in role_commands.items():
        if isinstance(each, PartsCommand):
            yield from (object_command.required(name, action) for action in _part_actions(each))
            yield from _all_parts_permission(access, object_command, name) if each.delete_all else ()
        else:
            yield from (object_command.required(name), object_command.required(name, Action.READ))


def _all_parts_permission(
    access: Access, object_command: _ObjectCommand, name: str
) -> Iterator[RequiredPermission]:
    """Yield the permission to delete every part, if the caller can't see any object of the part's class.

    Permissions for single parts would reveal which parts exist.
    """
    target = object_command.subject.class_.roles[name].target
    if not access.may_read_class(target) and not access.follows_whole(target):
        path = (*object_command.placed.path, name)
        subject = Subject(access.model.classes[target], path=path)
        yield RequiredPermission(Action.DELETE, subject, Reference(target, ""), path, of_every_object=True)


def _changes_object(
    access: Access, object_command: _ObjectCommand, role_commands: Mapping[str, RoleCommand]
) -> bool:
    """Return whether a command changes more than parts that have grants of their own."""
    class_ = object_command.subject.class_
    own = all(
        isinstance(each, PartsCommand) and not access.follows_whole(class_.roles[name].target)
        for name, each in role_commands.items()
    )
    return (
        not role_commands
        or not own
        or object_command.action is Action.CREATE
        or not access.may_read_class(class_.name)
    )


def _object_permission(access: Access, object_command: _ObjectCommand) -> Iterator[RequiredPermission]:
    """Yield the permission for an action on an object, or on the whole that it follows."""
    current: _ObjectCommand | None = object_command
    while current is not None and access.follows_whole(current.subject.class_.name):
        current = current.whole
    if current is not None:
        yield current.required()


def _part_actions(parts: PartsCommand) -> Iterator[Action]:
    if parts.create:
        yield Action.CREATE
    if parts.update:
        yield Action.EDIT
    if parts.delete or parts.delete_all:
        yield Action.DELETE


def _has_effect(command: RoleCommand, action: Action) -> bool:
    """Return whether a role command changes anything. A new object has no association to remove."""
    if isinstance(command, ToManyCommand):
        return bool(command.add or command.remove or command.remove_all)
    if isinstance(command, PartsCommand):
        return any(_part_actions(command))
    return command.target is not None or action is Action.EDIT
