"""Resolve what both sides ask of links: which begin and which end."""

from collections.abc import Iterator

from stratabase.domain.objects.change import LinkCreation, LinkDeletion, LinkEffect
from stratabase.domain.objects.entity import Reference
from stratabase.domain.write.request import WriteRequest
from stratabase.domain.write.role_requests import LinkKey, LinkRequests


def resolve_links(request: WriteRequest) -> Iterator[LinkEffect]:
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
