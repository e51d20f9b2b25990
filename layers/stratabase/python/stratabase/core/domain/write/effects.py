"""The effects of a write, once all requests of its objects and links are resolved.

Among them are the platform attributes: who created, last modified and owns an object, and when. With a
member's name, the service also records the member's ID (`core/model/member_names.py`).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.change import (
    Creation,
    Deletion,
    Effect,
    LinkEffect,
    Modification,
    ObjectCheck,
    ObjectEffect,
    Restoration,
    Tombstone,
)
from stratabase.core.domain.objects.entity import Entity, Reference, SerialName, State, whole_of
from stratabase.core.domain.objects.instant import Instant, format_instant
from stratabase.core.domain.objects.version import Author, instant_after, with_version_times
from stratabase.core.domain.write.commands import AnyCommand, Delete, Update
from stratabase.core.domain.write.request import ObjectWrite, WriteRequest
from stratabase.core.domain.write.role_requests import LinkKey, RoleSubject
from stratabase.core.model.member_names import MEMBER_IDS, member_id, with_ids
from stratabase.core.model.model import Class, ClassKind, PlatformAttribute
from stratabase.core.model.types.base import Stored

Named = tuple[str, bool]
"""The name of an attribute, and whether its value is a member's name (otherwise an instant)."""


def author_of(caller: Caller, commit_id: str) -> Author:
    """Return the author of what a commit of a caller writes."""
    return Author(caller.id, "" if caller.proof is None else caller.proof.means, commit_id)


class NewOwner(NamedTuple):
    """The member who becomes the owner of an object."""

    id: str
    username: str


def _named(*attributes: PlatformAttribute) -> tuple[Named, ...]:
    return tuple((attribute.value, attribute.value.endswith("by")) for attribute in attributes)


OWNED_BY, OWNED_ON = PlatformAttribute.OWNED_BY.value, PlatformAttribute.OWNED_ON.value
_CREATION = _named(*PlatformAttribute)
_MODIFICATION = _named(PlatformAttribute.LAST_MODIFIED_BY, PlatformAttribute.LAST_MODIFIED_ON)


def creation_values(class_: Class, caller: Caller, instant: Instant) -> State:
    """Return the platform values of an object that a caller creates."""
    return _values(class_, _CREATION, caller, instant, {})


def modification_values(class_: Class, before: Entity, caller: Caller, instant: Instant) -> State:
    """Return the platform values that an update changes. The first write of a singleton is its creation."""
    is_first = class_.kind is ClassKind.SINGLETON and not before.commit_ids
    return _values(class_, _CREATION if is_first else _MODIFICATION, caller, instant, before.state)


def hand_over_values(
    class_: Class, before: Entity, owner: NewOwner, caller: Caller, instant: Instant
) -> State:
    """Return the platform values of an object that a caller hands over to another member."""
    modified = _values(class_, _MODIFICATION, caller, instant, before.state)
    owned: dict[str, Stored] = {OWNED_BY: owner.username}
    if OWNED_ON in class_.attributes:
        owned[OWNED_ON] = format_instant(instant)
    ids = with_ids({**before.state, **modified, **owned}, {OWNED_BY: owner.id})
    return {**modified, **owned, MEMBER_IDS: ids}


def last_owner_values(class_: Class, former: State, last: State) -> State:
    """Return the platform values that give an object in a former state its last owner."""
    owned = {name: last.get(name) for name in (OWNED_BY, OWNED_ON) if name in class_.attributes}
    if OWNED_BY not in owned:
        return owned
    return {**owned, MEMBER_IDS: with_ids({**former, **owned}, {OWNED_BY: member_id(last, OWNED_BY)})}


def _values(
    class_: Class, attributes: Iterable[Named], caller: Caller, instant: Instant, before: State
) -> dict[str, Stored]:
    # Every write comes here. To look names up in `attributes` is several times faster than to look up enum
    # members in `class_.platform`. It is as safe, because no other attribute's name begins with `_`.
    moment = ""
    values: dict[str, Stored] = {}
    ids: dict[str, str] = {}
    for name, tells_who in attributes:
        if name in class_.attributes:
            moment = moment or format_instant(instant)
            values[name] = caller.username if tells_who else moment
            if tells_who:
                ids[name] = caller.id
    if ids:
        values[MEMBER_IDS] = with_ids({**before, **values}, ids)
    return values


class Effects(NamedTuple):
    """All effects of a write in the order of the request: on objects, then on links, then checks."""

    instant: Instant
    """The start of all versions that the write creates."""
    effects: tuple[Effect, ...] = ()


def effects_of(
    request: WriteRequest, links: tuple[LinkEffect, ...], command: AnyCommand, *, numbering: bool
) -> Effects:
    """Choose the start of the new versions, and return the effects on objects and links, and the checks.

    With `numbering`, new objects get the numbers of their Serial attributes.
    """
    # 1. Assign Serial numbers only if the write has no issues and lacks nothing: a number is never reused.
    snapshot = request.context.snapshot
    if numbering and not request.issues and snapshot.is_complete:
        _assign_serials(request)
        if not snapshot.is_complete:
            return Effects(request.context.now, links)  # The effects are made when the numbers are there.
    # 2. Choose the start of the versions, one instant for the whole commit: the clock's time, or one
    #    millisecond after the latest version or deletion that the write follows. So the versions of an object
    #    are in order even if the clock of another process is ahead.
    written = {reference: write for reference, write in request.objects.items() if write.is_written}
    if not written and not links:
        return Effects(request.context.now)
    instant = instant_after(request.context.now, map(_last_change, written.values()))
    # 3. Add a check of each unchanged object that the request names in order to write others through it.
    checks: Iterable[ObjectCheck] = ()
    if len(written) < len(request.objects):
        checks = _object_checks(request, links, written, _relied_objects(request, command))
    return Effects(instant, (*_object_effects(request, written.values(), instant), *links, *checks))


def _assign_serials(request: WriteRequest) -> None:
    """Set the numbers of each new object."""
    for write in request.objects.values():
        for attribute in write.subject.class_.serials if write.is_new else ():
            name = SerialName(write.reference.class_name, attribute)
            write.state[attribute] = request.context.snapshot.serial(name, write.subject.path)


def _last_change(write: ObjectWrite) -> Instant | None:
    """Return the instant at which an object's present version began, or at which the object was deleted."""
    if write.tombstone is not None:
        return write.tombstone.last_end
    return None if write.before is None else write.before.start


def _object_effects(
    request: WriteRequest, written: Iterable[ObjectWrite], instant: Instant
) -> Iterator[ObjectEffect]:
    """Yield an effect for each object that is created, restored, changed or deleted."""
    for write in written:
        if write.is_new:
            yield Creation(_created(request, write, instant))
        elif write.tombstone is not None:
            yield _restored(request, write, write.tombstone, instant)
        elif write.before is not None:
            yield (
                Deletion(write.before)
                if write.is_deleted
                else _updated(request, write, write.before, instant)
            )


def _created(request: WriteRequest, write: ObjectWrite, instant: Instant) -> Entity:
    class_ = write.subject.class_
    recorded = creation_values(class_, request.context.caller, instant)
    state = with_version_times(class_, {**write.state, **recorded}, instant)
    return Entity(write.reference, state, start=instant)


def _restored(request: WriteRequest, write: ObjectWrite, gone: Tombstone, instant: Instant) -> Restoration:
    class_, former = write.subject.class_, Entity(write.reference, write.state, gone.commit_ids)
    recorded = modification_values(class_, former, request.context.caller, instant)
    state = with_version_times(class_, {**write.state, **recorded}, instant)
    return Restoration(gone, Entity(write.reference, state, gone.commit_ids, start=instant))


def _updated(request: WriteRequest, write: ObjectWrite, before: Entity, instant: Instant) -> Modification:
    class_ = write.subject.class_
    recorded = modification_values(class_, before, request.context.caller, instant)
    state = with_version_times(class_, {**write.state, **recorded}, instant)
    after = Entity(write.reference, state, before.commit_ids, start=instant, lock=before.lock)
    return Modification(before, after)


def _relied_objects(request: WriteRequest, command: AnyCommand) -> frozenset[Reference]:
    """Return the objects whose version or revision the client expects."""
    relied = [each.reference for each in request.context.ids.expected_revisions]
    if isinstance(command, Update | Delete) and command.if_version is not None:
        relied.append(request.context.ids.root)
    return frozenset(relied)


def _object_checks(
    request: WriteRequest,
    links: Iterable[LinkEffect],
    written: Mapping[Reference, ObjectWrite],
    relied: Collection[Reference],
) -> Iterator[ObjectCheck]:
    """Yield a check of each unchanged object that the request names in order to write others through it.

    `relied`: the objects that must also be unchanged in the store, whether others are written through them or
    not.
    """
    named = {*request.context.ids.existing}
    unchanged = [
        write.before
        for write in request.objects.values()
        if write.reference in named and write.before is not None and write.reference not in written
    ]
    touched = _touched_objects(request, links, written) if unchanged else ()
    for before in unchanged:
        if before.reference in touched or before.reference in relied:
            yield ObjectCheck(before, before.reference in relied)


def _touched_objects(
    request: WriteRequest, links: Iterable[LinkEffect], written: Iterable[Reference]
) -> frozenset[Reference]:
    """Return the objects whose roles change something, and the wholes of these and of all written objects."""
    found: set[Reference] = set()
    for reference in (
        *_requesting_objects(request, links),
        *filter(None, (_whole(request, each) for each in written)),
    ):
        at: Reference | None = reference
        while at is not None and at not in found:
            found.add(at)
            at = _whole(request, at)
    return frozenset(found)


def _requesting_objects(request: WriteRequest, links: Iterable[LinkEffect]) -> Iterator[Reference]:
    """Yield the objects through whose roles the request changes links or keys of other objects."""
    for requester in (*_link_requesters(request, links), *_key_requesters(request)):
        if requester.subject.id is not None:
            yield Reference(requester.subject.class_.name, requester.subject.id)


def _link_requesters(request: WriteRequest, links: Iterable[LinkEffect]) -> Iterator[RoleSubject]:
    for link in links:
        requests = request.link_requests[LinkKey(link.role, link.owner, link.other)]
        yield from (*requests.additions, *requests.removals)


def _key_requesters(request: WriteRequest) -> Iterator[RoleSubject]:
    for (holder, _), requests in request.key_requests.items():
        if holder in request.objects and request.objects[holder].is_written:
            yield from (each.requester for each in (*requests.releases, *requests.assignments, *requests.own))


def _whole(request: WriteRequest, reference: Reference) -> Reference | None:
    """Return the whole that an object of the request had before."""
    write = request.objects.get(reference)
    if write is None or write.before is None:
        return None
    owner = whole_of(write.subject.class_, write.before.state)
    return None if owner is None else owner.reference
