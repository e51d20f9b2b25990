"""What becomes of the objects in a request."""

from collections.abc import Iterator

from stratabase.domain.objects.change import (
    Creation,
    Deletion,
    Modification,
    ObjectEffect,
    Restoration,
    Tombstone,
)
from stratabase.domain.objects.entity import Entity
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.serials import SerialName, serial_attributes
from stratabase.domain.objects.version import instant_after, with_version_times
from stratabase.domain.write import platform_attributes
from stratabase.domain.write.object_write import ObjectWrite
from stratabase.domain.write.request import WriteRequest


def assign_serials(request: WriteRequest) -> None:
    """Give each new object the numbers that it is to have."""
    for write in request.objects.values():
        for attribute in serial_attributes(write.subject.class_) if write.is_new else ():
            name = SerialName(write.reference.class_name, attribute)
            write.state[attribute] = request.context.snapshot.serial(name, write.subject.path)


def instant_of(request: WriteRequest) -> Instant:
    """Return since when all that is written is as it shall be."""
    return instant_after(
        request.context.now, (_since(write) for write in request.objects.values() if write.is_written)
    )


def _since(write: ObjectWrite) -> Instant | None:
    """Return since when an object is as it is, or is no more."""
    if write.tombstone is not None:
        return write.tombstone.last_end
    return None if write.before is None else write.before.start


def object_effects(request: WriteRequest, instant: Instant) -> Iterator[ObjectEffect]:
    """Yield an effect for each object that begins, changes or ends at an instant."""
    for write in request.objects.values():
        if write.is_new:
            yield Creation(_created(request, write, instant))
        elif write.tombstone is not None:
            yield _restored(request, write, write.tombstone, instant)
        elif write.before is not None:
            yield from _on_former(request, write, write.before, instant)


def _created(request: WriteRequest, write: ObjectWrite, instant: Instant) -> Entity:
    class_ = write.subject.class_
    recorded = platform_attributes.creation_values(class_, request.context.caller, instant)
    return Entity(
        write.reference, with_version_times(class_, {**write.state, **recorded}, instant), start=instant
    )


def _restored(request: WriteRequest, write: ObjectWrite, gone: Tombstone, instant: Instant) -> Restoration:
    class_, former = write.subject.class_, Entity(write.reference, write.state, gone.commit_ids)
    recorded = platform_attributes.modification_values(class_, former, request.context.caller, instant)
    state = with_version_times(class_, {**write.state, **recorded}, instant)
    return Restoration(gone, Entity(write.reference, state, gone.commit_ids, start=instant))


def _on_former(
    request: WriteRequest, write: ObjectWrite, before: Entity, instant: Instant
) -> Iterator[ObjectEffect]:
    if write.is_deleted:
        yield Deletion(before)
    elif write.is_changed:
        class_ = write.subject.class_
        recorded = platform_attributes.modification_values(class_, before, request.context.caller, instant)
        state = with_version_times(class_, {**write.state, **recorded}, instant)
        yield Modification(
            before, Entity(write.reference, state, before.commit_ids, start=instant, lock=before.lock)
        )
