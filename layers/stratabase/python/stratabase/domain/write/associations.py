"""Resolve what both sides ask of an association: where each key leads, which links begin and end."""

from collections.abc import Iterator, Sequence

from stratabase.domain.objects.change import LinkCreation, LinkDeletion, LinkEffect
from stratabase.domain.objects.entity import Reference, RoleName
from stratabase.domain.objects.role_storage import is_one_to_one
from stratabase.domain.write.request import ObjectWrite, WriteRequest
from stratabase.domain.write.role_requests import (
    KeyRequest,
    KeyRequests,
    LinkKey,
    LinkRequests,
    describe_object,
)
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
        text = f"{named} leads to one {role.target} by {role.name}, and cannot to several"
        request.issues.append(requests.last.requester.cardinality_issue(text))
    elif wanted.keys() & {each.id for each in requests.releases}:
        text = f"{named} is asked to lead here by {role.name}, and not to; do one of the two"
        request.issues.append(requests.first.requester.contradiction_issue(text))
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
        named = describe_object(write.reference)
        text = f"{named} leads to another {role.target} already; it can lead to one only"
        request.issues.append(requester.cardinality_issue(text))
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
            target = describe_object(Reference(role.target, id_))
            text = f"one {name.class_name} only can lead to {target} by {role.name}"
            request.issues.append(requests.last.requester.cardinality_issue(text))
        led_to.add((name, id_))


def _resolve_links(request: WriteRequest) -> Iterator[LinkEffect]:
    """Yield the links that begin and end; what cannot be is an issue."""
    for link_key, requests in request.link_requests.items():
        if requests.additions and requests.removals:
            text = "the same link is added and removed, from its two sides; do one of the two"
            request.issues.append(requests.removals[0].contradiction_issue(text))
        elif requests.additions:
            yield from _begun(request, link_key, requests)
        else:
            yield from _ended(request, link_key)


def _begun(request: WriteRequest, link_key: LinkKey, requests: LinkRequests) -> Iterator[LinkEffect]:
    (requester, *_), ends = requests.additions, _ends(request, link_key)
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
