"""The combination of what both sides of an association request: where each key leads, which links change."""

from collections.abc import Iterator, Sequence

from stratabase.core.domain.objects.change import LinkCreation, LinkDeletion, LinkEffect
from stratabase.core.domain.objects.entity import Reference, RoleName, describe_object, is_one_to_one
from stratabase.core.domain.write.request import ObjectWrite, WriteRequest
from stratabase.core.domain.write.role_requests import (
    KeyRequest,
    KeyRequests,
    LinkKey,
    LinkRequests,
)
from stratabase.core.model.model import Role
from stratabase.values.messages import _


def resolve_roles(request: WriteRequest) -> tuple[LinkEffect, ...]:
    """Set the keys of the request's objects, and return the effects on links. Contradictions are issues."""
    _resolve_keys(request)
    return tuple(_resolve_links(request))


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
