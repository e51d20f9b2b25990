"""Resolve what both sides ask of an association: where each key leads, which links begin and end."""

from collections.abc import Iterator, Sequence

from stratabase.domain.objects.change import LinkCreation, LinkDeletion, LinkEffect
from stratabase.domain.objects.entity import Reference, RoleName, describe_object
from stratabase.domain.objects.role_storage import is_one_to_one
from stratabase.domain.write.request import ObjectWrite, WriteRequest
from stratabase.domain.write.role_requests import (
    KeyRequest,
    KeyRequests,
    LinkKey,
    LinkRequests,
)
from stratabase.messages import _
from stratabase.model.model import Role


def resolve_roles(request: WriteRequest) -> tuple[LinkEffect, ...]:
    """Set the keys of the request's objects; return the links that begin and end. Conflicts are issues."""
    _resolve_keys(request)
    return tuple(_resolve_links(request))


def _resolve_keys(request: WriteRequest) -> None:
    """Let each key lead where it is asked to, or note why it cannot."""
    for (holder, name), requests in request.key_requests.items():
        requester = requests.first.requester
        write = request.touch(holder, requester)
        if write is None:
            _refuse_missing(request, holder, requests.assignments)
        elif write.is_deleted:
            request.issues += [
                claim.requester.deleted_by_request_issue(holder) for claim in requests.assignments
            ]
        else:
            write.role_paths[name.role_name] = requester.path
            _settle(request, write, request.role(name), requests)
    _exclude(request)


def _refuse_missing(request: WriteRequest, holder: Reference, claims: Sequence[KeyRequest]) -> None:
    if request.knows(holder):
        for claim in claims:
            request.report_missing(holder, claim.requester)


def _settle(request: WriteRequest, write: ObjectWrite, role: Role, requests: KeyRequests) -> None:
    wanted = {each.id: each for each in (*requests.assignments, *requests.own)}
    named = describe_object(write.reference)
    if len(wanted) > 1:
        message = _(
            "{object} can have only one {class_name} in the role {role}.",
            object=named,
            class_name=role.target,
            role=role.name,
        )
        request.issues.append(requests.last.requester.cardinality_issue(message))
    elif wanted.keys() & {each.id for each in requests.releases}:
        message = _(
            "The request both adds and removes the association of {object} in the role {role}. "
            "Do only one of these.",
            object=named,
            role=role.name,
        )
        request.issues.append(requests.first.requester.contradiction_issue(message))
    elif wanted:
        _lead(request, write, role, requests)
    elif write.value_before(role.name) in {each.id for each in requests.releases}:
        write.state[role.name] = None


def _lead(request: WriteRequest, write: ObjectWrite, role: Role, requests: KeyRequests) -> None:
    """Let a key lead to the one thing that is asked for, if it can."""
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
    elif target is not None and requests.own:
        request.look_up_target(target, requester)


def _is_taken(request: WriteRequest, write: ObjectWrite, role: Role, requests: KeyRequests) -> bool:
    """Return whether who claims a partner would take it from another, who does not let it go."""
    partner = write.value_before(role.name)
    known = {each.id for each in (*requests.assignments, *requests.releases)}
    if requests.own or partner in {None, *known} or not is_one_to_one(request.context.model, role):
        return False
    rival = Reference(role.target, str(partner))
    return not request.is_deleted(rival) and request.context.snapshot.entity(rival) is not None


def _exclude(request: WriteRequest) -> None:
    """Note where several keys of the request shall lead to what only one may lead to."""
    led_to: set[tuple[RoleName, str]] = set()
    for (holder, name), requests in request.key_requests.items():
        write, role = request.objects.get(holder), request.role(name)
        id_ = write.state.get(name.role_name) if write and not write.is_deleted else None
        if not isinstance(id_, str) or not is_one_to_one(request.context.model, role):
            continue
        if (name, id_) in led_to:
            message = _(
                "Only one {class_name} can have {object} in the role {role}.",
                class_name=name.class_name,
                object=describe_object(Reference(role.target, id_)),
                role=role.name,
            )
            request.issues.append(requests.last.requester.cardinality_issue(message))
        led_to.add((name, id_))


def _resolve_links(request: WriteRequest) -> Iterator[LinkEffect]:
    """Yield the links that begin and end; what cannot be is an issue."""
    for link_key, requests in request.link_requests.items():
        if requests.additions and requests.removals:
            message = _(
                "The request adds an association on one side and removes it on the other side. "
                "Do only one of these."
            )
            request.issues.append(requests.removals[0].contradiction_issue(message))
        elif requests.additions:
            yield from _begun(request, link_key, requests)
        else:
            yield from _ended(request, link_key)


def _begun(request: WriteRequest, link_key: LinkKey, requests: LinkRequests) -> Iterator[LinkEffect]:
    requester, ends = requests.additions[0], _ends(request, link_key)
    if gone := [end for end in ends if request.is_deleted(end)]:
        request.issues.append(requester.deleted_by_request_issue(gone[-1]))
    elif any(map(request.is_new, ends)) or not request.context.snapshot.is_linked(*link_key):
        for end in ends:
            request.require_target(request.class_(link_key.role.class_name), end, requester)
        yield LinkCreation(*link_key)
    else:
        for end in ends:
            request.look_up_target(end, requester)


def _ended(request: WriteRequest, link_key: LinkKey) -> Iterator[LinkEffect]:
    """Yield the end of a link, unless it ends by itself with what it joins."""
    if not any(map(request.is_deleted, _ends(request, link_key))) and request.context.snapshot.is_linked(
        *link_key
    ):
        yield LinkDeletion(*link_key)


def _ends(request: WriteRequest, link_key: LinkKey) -> tuple[Reference, Reference]:
    return Reference(link_key.role.class_name, link_key.owner), Reference(
        request.role(link_key.role).target, link_key.other
    )
