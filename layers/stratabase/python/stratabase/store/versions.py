"""The items that remember what was: closed versions, and the tombstones of deleted objects."""

from collections.abc import Iterator
from typing import Any

from stratabase.domain.objects.change import Change, Deletion, ObjectEffect, Tombstone
from stratabase.domain.objects.entity import Entity
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.version import with_version_times
from stratabase.model.class_ import Class
from stratabase.store import codec, keys, since
from stratabase.store.engine.port import NOT_EXISTS, Item, Put, Value
from stratabase.store.presence import DELETED

START, END = "start", "end"
"""The attributes of a closed version that tell when it began, and when it ended."""
LAST_END = "lastEnd"
"""The attribute of a tombstone that tells when the object was deleted."""


def closed(effect: ObjectEffect, class_: Class, change: Change) -> Iterator[Put]:
    """Yield the version that an effect on an object of a versioned class ends. Raises TooLarge."""
    before = effect.before
    if isinstance(effect, Deletion) and effect.withdrawn is not None:
        return
    if class_.versioned and before is not None and before.commit_ids:
        yield Put(_version(before, change), NOT_EXISTS)


def tombstone(before: Entity, instant: Instant, commit_id: str, withdrawn: Tombstone | None = None) -> Item:
    """Return what stands for the head of an object that is deleted.

    `withdrawn`: what is remembered of it, if its restoration is undone: it has been deleted since then.
    """
    attributes: dict[str, Value] = {
        codec.COMMIT_IDS: codec.remembered(before.commit_ids, commit_id),
        DELETED: True,
        LAST_END: instant if withdrawn is None else withdrawn.last_end,
        since.PREVIOUS_START: since.start_of_entity(before)
        if withdrawn is None
        else withdrawn.previous_start,
    }
    return Item(keys.head(before.reference), attributes)


def version_of(item: Item, class_: Class) -> Entity:
    """Return an object as it was, from a closed version."""
    start, end = _times(item)
    return Entity(
        keys.reference_of(item.key),
        with_version_times(class_, codec.kept_state(item), start, end),
        start=start,
        end=end,
        previous=since.previous_of(item),
    )


def gone_of(item: Item | None) -> Tombstone | None:
    """Return what a tombstone remembers, None of what is none."""
    if item is None or DELETED not in item.attributes:
        return None
    end: Any = item.attributes[LAST_END]
    previous: Any = item.attributes[since.PREVIOUS_START]
    return Tombstone(keys.reference_of(item.key), end, previous, codec.commit_ids(item))


def _version(before: Entity, change: Change) -> Item:
    start = since.start_of_entity(before)
    if change.instant <= start:
        raise ValueError(
            f"A version that began at {start} cannot end at {change.instant}: {before.reference}"
        )
    return Item(
        keys.version(before.reference, start),
        {
            START: start,
            END: change.instant,
            codec.COMMIT_IDS: [change.commit_id],
            **since.told_previous(before.previous),
        },
        codec.state_text(before),
    )


def _times(item: Item) -> tuple[Instant, Instant]:
    start: Any = item.attributes[START]
    end: Any = item.attributes[END]
    return start, end
