"""One step in the history of an object: a closed version, the open one, or its end."""

from typing import Any, NamedTuple

from stratabase.domain.objects.entity import Entity
from stratabase.domain.objects.instant import Instant
from stratabase.model.class_ import Class
from stratabase.store import codec, keys, since, versions
from stratabase.store.engine.port import Item
from stratabase.store.presence import DELETED


class Step(NamedTuple):
    """What an object was, or that it was not any more, since `start`.

    Each names the version that was closed before it, so that it is seen whether one is missing between them.
    """

    start: Instant
    previous: Instant | None
    """The start of the last version that was closed before."""
    version: Entity | None
    """None: the object is deleted."""

    @property
    def end(self) -> Instant | None:
        """Until when it was so; None while it is."""
        return None if self.version is None else self.version.end


def step_of(item: Item, class_: Class) -> Step | None:
    """Return the step that a version, head or tombstone stands for; None of a head never written."""
    if item.key.sort != keys.HEAD:
        return _of(versions.version_of(item, class_))
    if DELETED in item.attributes:
        end: Any = item.attributes[versions.LAST_END]
        return Step(end, since.previous_of(item), None)
    return _of(codec.entity_of(item, class_)) if codec.commit_ids(item) else None


def _of(version: Entity) -> Step:
    assert version.start is not None
    return Step(version.start, version.previous, version)
