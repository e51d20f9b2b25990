"""What a command requests of roles: parts, and the combination of what both sides of an association request.

Parts are created, updated and deleted through their whole. The combination says where each key leads, and
which links change.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from stratabase.core.domain.issues.issue import IssueType, Path
from stratabase.core.domain.objects.change import LinkCreation, LinkDeletion, LinkEffect
from stratabase.core.domain.objects.entity import (
    Reference,
    RoleName,
    describe_object,
    is_one_to_one,
    part_ids,
)
from stratabase.core.domain.write.commands import (
    PartsCommand,
    PlacedCommand,
    Update,
    placed_creates,
    placed_updates,
)
from stratabase.core.domain.write.request import (
    CreateObject,
    DeleteObject,
    ObjectWrite,
    UpdateObject,
    WriteRequest,
)
from stratabase.core.domain.write.role_requests import (
    KeyRequest,
    KeyRequests,
    LinkKey,
    LinkRequests,
    RoleSubject,
)
from stratabase.core.model.api_names import ID
from stratabase.core.model.model import Role
from stratabase.core.model.types.base import Stored
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message, _


def request_parts(request: WriteRequest, write: ObjectWrite, role: Role, placed: PlacedCommand) -> None:
    """Add the tasks to create, update and delete parts, and set the list of parts of the whole."""
    command = placed.command.roles[role.name]
    assert isinstance(command, PartsCommand)
    before = part_ids(write.value_before(role.name))
    visible = dict.fromkeys(id_ for id_ in before if not request.hides(Reference(role.target, id_)))
    parts = _PartsOfRole(request, role, RoleSubject(write.subject, role.name), visible)
    deleted = parts.deleted_parts(command)
    remaining = [id_ for id_ in dict.fromkeys(before) if id_ not in deleted]
    created = placed_creates(placed, role.name, command)
    request.tasks += (DeleteObject(Reference(role.target, id_), parts.requester.path) for id_ in deleted)
    request.tasks += map(
        UpdateObject, parts.updated_parts(placed_updates(placed, role.name, command), deleted)
    )
    request.tasks += (CreateObject(part, {str(role.opposite): write.reference.id}) for part in created)
    # The whole lists the parts that stay, then the new ones. Their IDs are already known.
    new = [request.context.ids.new_id(part.path) for part in created]
    write.state[role.name] = parts.stored_value([*remaining, *new])


@frozen
class _PartsOfRole:
    """The parts of an object in one role. `before` has the IDs of the parts that the caller sees."""

    request: WriteRequest
    role: Role
    requester: RoleSubject
    before: Mapping[str, None]

    def deleted_parts(self, command: PartsCommand) -> Mapping[str, None]:
        """Return the IDs of the parts to delete. A named ID that is not a part in this role is an issue."""
        named = dict.fromkeys(self.request.resolve(self.role.target, id_) for id_ in command.delete)
        self.request.named.update(named)
        for reference in named:
            self.request.context.snapshot.entity(reference)  # load it with its whole, not one round later
            if reference.id not in self.before:
                self._refuse_unknown_part(reference, (*self.requester.path, "delete"))
        if command.delete_all:
            return self.before
        return {reference.id: None for reference in named if reference.id in self.before}

    def updated_parts(
        self, parts: Iterable[PlacedCommand], deleted: Mapping[str, None]
    ) -> Iterator[PlacedCommand]:
        """Yield the updates of existing parts. Any other update is an issue."""
        seen: set[Reference] = set()
        for part in parts:
            assert isinstance(part.command, Update)
            reference, path = self.request.resolve(*part.command.reference), (*part.path, ID)
            if reference.id not in self.before:
                self._refuse_unknown_part(reference, path)
            elif reference.id in deleted:
                message = _(
                    "The request both updates and deletes {object}. Do only one of these.",
                    object=describe_object(reference),
                )
                self._refuse(IssueType.MALFORMED_REQUEST, message, path)
            elif reference in seen:
                message = _(
                    "The request updates {object} more than once. Combine the updates.",
                    object=describe_object(reference),
                )
                self._refuse(IssueType.MALFORMED_REQUEST, message, path)
            else:
                yield part
            seen.add(reference)

    def stored_value(self, ids: list[str]) -> Stored:
        """Return the stored value of the composition: a list of IDs, one ID, or null."""
        if self.role.many:
            return ids or None
        if len(ids) > 1:
            message = _(
                "Only one {class_name} is allowed. "
                "Update the existing one by its _id, or delete it and create a new one.",
                class_name=self.role.target,
            )
            self.request.issues.append(self.requester.cardinality_issue(message))
        return ids[-1] if ids else None

    def _refuse_unknown_part(self, reference: Reference, path: Path) -> None:
        message = _("{object} does not exist in this role.", object=describe_object(reference))
        self._refuse(IssueType.ENTITY_NOT_FOUND, message, path)

    def _refuse(self, type_: IssueType, message: Message, path: Path) -> None:
        self.request.issues.append(self.requester.issue(type_, message, path))


def resolve_roles(request: WriteRequest) -> tuple[LinkEffect, ...]:
    """Set the keys of the request's objects, and return the effects on links. Contradictions are issues."""
    if request.key_requests:
        _resolve_keys(request)
    return tuple(_resolve_links(request)) if request.link_requests else ()


def _resolve_keys(request: WriteRequest) -> None:
    """Set each key to its requested target, or add an issue if that is not possible."""
    for (holder, name), requests in request.key_requests.items():
        requester = requests.first.requester
        write = request.write_of(holder, requester)
        if write is None:
            _refuse_missing(request, holder, requests.assignments)
        elif write.is_deleted:
            request.issues += [
                assignment.requester.deleted_by_request_issue(holder) for assignment in requests.assignments
            ]
        else:
            write.role_paths[name.role_name] = requester.path
            _set_key(request, write, request.role(name), requests)
    # Only now are all keys set, so that those of one-to-one associations can be compared.
    _check_one_to_one(request)


def _refuse_missing(request: WriteRequest, holder: Reference, assignments: Sequence[KeyRequest]) -> None:
    if request.knows(holder):
        for assignment in assignments:
            request.report_missing(holder, assignment.requester)


def _set_key(request: WriteRequest, write: ObjectWrite, role: Role, requests: KeyRequests) -> None:
    """Set a key if its requests agree; otherwise add an issue."""
    targets = {each.id: each for each in (*requests.assignments, *requests.own)}
    if len(targets) > 1:
        message = _(
            "{object} can have only one {class_name} in the role {role}.",
            object=describe_object(write.reference),
            class_name=role.target,
            role=role.name,
        )
        request.issues.append(requests.last.requester.cardinality_issue(message))
    elif targets.keys() & {each.id for each in requests.releases}:
        message = _(
            "The request both adds and removes the association of {object} in the role {role}. "
            "Do only one of these.",
            object=describe_object(write.reference),
            role=role.name,
        )
        request.issues.append(requests.first.requester.contradiction_issue(message))
    elif targets:
        _assign_key(request, write, role, requests)
    # A release only counts if the key still leads to the object that releases it.
    elif write.value_before(role.name) in {each.id for each in requests.releases}:
        write.state[role.name] = None


def _assign_key(request: WriteRequest, write: ObjectWrite, role: Role, requests: KeyRequests) -> None:
    """Set a key to its only requested target, if that exists and is free."""
    id_, requester = requests.last
    target = None if id_ is None else Reference(role.target, id_)
    if target is not None and request.is_deleted(target):
        request.issues.append(requester.deleted_by_request_issue(target))
    elif _is_taken(request, write, role, requests):
        message = _(
            "{object} is already associated with another {class_name}. It can be associated with only one.",
            object=describe_object(write.reference),
            class_name=role.target,
        )
        request.issues.append(requester.cardinality_issue(message))
    elif id_ != write.value_before(role.name):
        write.state[role.name] = id_
        if target is not None and requests.own:
            request.require_target(write.subject.class_, target, requester)
    # The key leads there already, so the commit does not write it, and does not check its target.
    elif target is not None and requests.own:
        request.look_up_target(target, requester)


def _is_taken(request: WriteRequest, write: ObjectWrite, role: Role, requests: KeyRequests) -> bool:
    """Return whether an object claims a partner of another object that does not release it.

    The partner can leave by its own key. A partner whose other side is deleted is free.
    """
    partner = write.value_before(role.name)
    known = {each.id for each in (*requests.assignments, *requests.releases)}
    if requests.own or partner in {None, *known} or not is_one_to_one(request.context.model, role):
        return False
    rival = Reference(role.target, str(partner))
    return not request.is_deleted(rival) and request.context.snapshot.entity(rival) is not None


def _check_one_to_one(request: WriteRequest) -> None:
    """Add an issue for each one-to-one association in which several of the keys lead to one object."""
    taken: set[tuple[RoleName, str]] = set()
    for (holder, name), requests in request.key_requests.items():
        write, role = request.objects.get(holder), request.role(name)
        id_ = write.state.get(name.role_name) if write and not write.is_deleted else None
        if not isinstance(id_, str) or not is_one_to_one(request.context.model, role):
            continue
        if (name, id_) in taken:
            message = _(
                "Only one {class_name} can have {object} in the role {role}.",
                class_name=name.class_name,
                object=describe_object(Reference(role.target, id_)),
                role=role.name,
            )
            request.issues.append(requests.last.requester.cardinality_issue(message))
        taken.add((name, id_))


def _resolve_links(request: WriteRequest) -> Iterator[LinkEffect]:
    """Yield the links to create and delete. Contradictory requests are issues."""
    for link_key, requests in request.link_requests.items():
        if requests.additions and requests.removals:
            message = _(
                "The request adds an association on one side and removes it on the other side. "
                "Do only one of these."
            )
            request.issues.append(requests.removals[0].contradiction_issue(message))
        elif requests.additions:
            yield from _created_links(request, link_key, requests)
        else:
            yield from _deleted_links(request, link_key)


def _created_links(request: WriteRequest, link_key: LinkKey, requests: LinkRequests) -> Iterator[LinkEffect]:
    requester, ends = requests.additions[0], _ends(request, link_key)
    if deleted := [end for end in ends if request.is_deleted(end)]:
        request.issues.append(requester.deleted_by_request_issue(deleted[-1]))
    # A new object has no links, so there is nothing to read.
    elif any(map(request.is_new, ends)) or not request.context.snapshot.is_linked(*link_key):
        for end in ends:
            request.require_target(request.class_(link_key.role.class_name), end, requester)
        yield LinkCreation(*link_key)
    else:
        for end in ends:
            request.look_up_target(end, requester)


def _deleted_links(request: WriteRequest, link_key: LinkKey) -> Iterator[LinkEffect]:
    """Yield the deletion of a link, unless the link ends because one of its objects is deleted."""
    if not any(map(request.is_deleted, _ends(request, link_key))) and request.context.snapshot.is_linked(
        *link_key
    ):
        yield LinkDeletion(*link_key)


def _ends(request: WriteRequest, link_key: LinkKey) -> tuple[Reference, Reference]:
    return Reference(link_key.role.class_name, link_key.owner), Reference(
        request.role(link_key.role).target, link_key.other
    )
