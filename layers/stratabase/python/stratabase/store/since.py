"""Since when an object is as it is: its head tells it, in whatever class.

So it is known when versions begin to be kept. Heads that were written before heads told it count as written
when their state was last recorded as changed, or made, or else when their id was made.
"""

from stratabase.domain.objects.entity import Entity, State
from stratabase.domain.objects.instant import Instant, parse_instant
from stratabase.model.class_ import PlatformAttribute
from stratabase.model.types.identifier import made_at
from stratabase.store.engine.port import Item, Value

VERSION_START = "versionStart"
"""The attribute of a head that tells it, in milliseconds."""
PREVIOUS_START = "previousStart"
"""The attribute that tells the start of the last version that was closed before."""
_RECORDED = (PlatformAttribute.LAST_MODIFIED_ON.value, PlatformAttribute.CREATED_ON.value)


def start_of(item: Item, state: State) -> Instant:
    """Return since when an object has had the state that its head keeps."""
    start = item.attributes.get(VERSION_START)
    return start if isinstance(start, int) else recorded(state)


def start_of_entity(entity: Entity) -> Instant:
    """Return since when an object that was written is as it is."""
    return recorded(entity.state) if entity.start is None else entity.start


def recorded(state: State) -> Instant:
    """Return since when an object is as it is, as far as its state tells: at the latest."""
    found = (parse_instant(value) for name in _RECORDED if isinstance(value := state.get(name), str))
    instant = next(found, None)
    return (made_at(str(state.get("_id"))) or 0) if instant is None else instant


def previous_of(item: Item) -> Instant | None:
    """Return the start of the version before that of an item, head, tombstone or version."""
    previous = item.attributes.get(PREVIOUS_START)
    return previous if isinstance(previous, int) else None


def told_previous(previous: Instant | None) -> dict[str, Value]:
    """Return the attribute that tells of the version before, if there is one."""
    return {} if previous is None else {PREVIOUS_START: previous}
