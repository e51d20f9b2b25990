"""What becomes of the objects and links of a request, once all that is asked of them is resolved."""

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import NamedTuple

from stratabase.domain.objects.change import (
    Creation,
    Deletion,
    Effect,
    LinkEffect,
    Modification,
    ObjectEffect,
    Restoration,
    Tombstone,
    Touch,
)
from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.parts import whole_of
from stratabase.domain.objects.serials import SerialName, serial_attributes
from stratabase.domain.objects.version import instant_after, with_version_times
from stratabase.domain.write import platform_attributes
from stratabase.domain.write.commands import AnyCommand, Delete, Update
from stratabase.domain.write.request import ObjectWrite, WriteRequest
from stratabase.domain.write.role_requests import LinkKey, Requester


class Effects(NamedTuple):
    """All effects of a write, in the order of the request: on objects, then on links, then touches."""

    instant: Instant
    """Since when all is as the effects leave it."""
    effects: tuple[Effect, ...] = ()


def effects_of(
    request: WriteRequest, links: tuple[LinkEffect, ...], command: AnyCommand, *, numbering: bool
) -> Effects:
    """Return what becomes of the objects of a request, beside its links; new ones are numbered if asked."""
    # 1. Numbers are given out last, and only to what may be written: none is ever given again.
    if numbering and not request.issues and not request.context.snapshot.missing:
        _assign_serials(request)
    # 2. All versions that this write makes begin at one instant, later than all that they follow.
    written = {reference: write for reference, write in request.objects.items() if write.is_written}
    instant = instant_after(request.context.now, map(_since, written.values()))
    # 3. What the request only passes through must still be there, and admit the caller.
    relies = isinstance(command, Update | Delete) and command.if_version is not None
    touches = _touches(request, links, written, relies_on_version=relies)
    return Effects(instant, (*_object_effects(request, written, instant), *links, *touches))


def _assign_serials(request: WriteRequest) -> None:
    """Give each new object the numbers that it is to have."""
    for write in request.objects.values():
        for attribute in serial_attributes(write.subject.class_) if write.is_new else ():
            name = SerialName(write.reference.class_name, attribute)
            write.state[attribute] = request.context.snapshot.serial(name, write.subject.path)


def _since(write: ObjectWrite) -> Instant | None:
    """Return since when an object is as it is, or is no more."""
    if write.tombstone is not None:
        return write.tombstone.last_end
    return None if write.before is None else write.before.start


def _object_effects(
    request: WriteRequest, written: Container[Reference], instant: Instant
) -> Iterator[ObjectEffect]:
    """Yield an effect for each object that begins, changes or ends at an instant."""
    for write in request.objects.values():
        if write.is_new:
            yield Creation(_created(request, write, instant))
        elif write.tombstone is not None:
            yield _restored(request, write, write.tombstone, instant)
        elif write.before is not None and write.is_deleted:
            yield Deletion(write.before)
        elif write.before is not None and write.reference in written:
            yield _updated(request, write, write.before, instant)


def _created(request: WriteRequest, write: ObjectWrite, instant: Instant) -> Entity:
    class_ = write.subject.class_
    recorded = platform_attributes.creation_values(class_, request.context.caller, instant)
    state = with_version_times(class_, {**write.state, **recorded}, instant)
    return Entity(write.reference, state, start=instant)


def _restored(request: WriteRequest, write: ObjectWrite, gone: Tombstone, instant: Instant) -> Restoration:
    class_, former = write.subject.class_, Entity(write.reference, write.state, gone.commit_ids)
    recorded = platform_attributes.modification_values(class_, former, request.context.caller, instant)
    state = with_version_times(class_, {**write.state, **recorded}, instant)
    return Restoration(gone, Entity(write.reference, state, gone.commit_ids, start=instant))


def _updated(request: WriteRequest, write: ObjectWrite, before: Entity, instant: Instant) -> Modification:
    class_ = write.subject.class_
    recorded = platform_attributes.modification_values(class_, before, request.context.caller, instant)
    state = with_version_times(class_, {**write.state, **recorded}, instant)
    after = Entity(write.reference, state, before.commit_ids, start=instant, lock=before.lock)
    return Modification(before, after)


def _touches(
    request: WriteRequest,
    links: Iterable[LinkEffect],
    written: Mapping[Reference, ObjectWrite],
    *,
    relies_on_version: bool,
) -> Iterator[Touch]:
    """Yield the objects that the request names only to write others through them, which it does.

    `relies_on_version`: of the object that the command is on.
    """
    named = {*request.context.ids.existing}
    stay = [
        write.before
        for write in request.objects.values()
        if write.reference in named and write.before is not None and write.reference not in written
    ]
    passed = _on_the_way(request, links, written) if stay else ()
    for before in stay:
        if before.reference in passed:
            yield Touch(before, relies_on_version and before.reference == request.context.ids.root)


def _on_the_way(
    request: WriteRequest, links: Iterable[LinkEffect], written: Iterable[Reference]
) -> frozenset[Reference]:
    """Return what asks for something that is written, and the wholes of that and of what is written."""
    found: set[Reference] = set()
    for reference in (
        *_asking(request, links),
        *filter(None, (_whole(request, each) for each in written)),
    ):
        at: Reference | None = reference
        while at is not None and at not in found:
            found.add(at)
            at = _whole(request, at)
    return frozenset(found)


def _asking(request: WriteRequest, links: Iterable[LinkEffect]) -> Iterator[Reference]:
    """Yield the objects of which a role is spoken where links or the keys of others change."""
    for requester in (*_of_links(request, links), *_of_keys(request)):
        if requester.subject.id is not None:
            yield Reference(requester.subject.class_.name, requester.subject.id)


def _of_links(request: WriteRequest, links: Iterable[LinkEffect]) -> Iterator[Requester]:
    for link in links:
        requests = request.link_requests[LinkKey(link.role, link.owner, link.other)]
        yield from (*requests.additions, *requests.removals)


def _of_keys(request: WriteRequest) -> Iterator[Requester]:
    for (holder, _), requests in request.key_requests.items():
        if holder in request.objects and request.objects[holder].is_written:
            yield from (each.requester for each in (*requests.releases, *requests.assignments, *requests.own))


def _whole(request: WriteRequest, reference: Reference) -> Reference | None:
    """Return what an object of the request was a part of before."""
    write = request.objects.get(reference)
    if write is None or write.before is None:
        return None
    owner = whole_of(write.subject.class_, write.before.state)
    return None if owner is None else owner.reference
