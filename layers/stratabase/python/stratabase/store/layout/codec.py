"""Heads as entities: an object's state as JSON text, and the attributes beside it.

The text has no `_id`, which is in the key, no start and end of a version, which are attributes of the item,
and no nulls. It keeps values of attributes that the model does not have (any more), so that nothing is lost
when an edit of the model is undone.

Heads that are older than `versionStart` count as written when their state was last recorded as changed, or
created, or else when their id was made.
"""

from collections.abc import Iterable
from typing import Any

import orjson

from stratabase.domain.objects.commit_refusals import TooLarge
from stratabase.domain.objects.entity import Entity, RoleName, State
from stratabase.domain.objects.instant import Instant, format_instant, parse_instant
from stratabase.domain.objects.version import VERSION_END, VERSION_START
from stratabase.messages import _
from stratabase.model.model import Class, PlatformAttribute
from stratabase.model.types.identifier import id_timestamp
from stratabase.store.engine.port import Item, Value
from stratabase.store.layout import keys
from stratabase.store.layout.locks import lock_of, part_lock_of

COMMIT_IDS = "commitIds"
"""The attribute of a head with the ids of the last commits that wrote it, the newest last."""
MOST_COMMIT_IDS = 8


LINKED = "linked"
"""The attribute of a head with the id of the last commit that made a link in its partition."""
VERSION_START_ATTRIBUTE = "versionStart"
"""The attribute of a head with the instant since which its state holds, in milliseconds."""
PREVIOUS_START_ATTRIBUTE = "previousStart"
"""The attribute of a head, tombstone or version with the start of the version before it."""
_COUNT_PREFIX = "n."


LARGEST_STATE = 350 * 1024
"""Bytes."""
_NOT_IN_STATE = frozenset({"_id", VERSION_START, VERSION_END})


def state_text(entity: Entity) -> str:
    """Return an object's state as JSON text. Raises TooLarge."""
    values = {
        name: value for name, value in entity.state.items() if value is not None and name not in _NOT_IN_STATE
    }
    text = orjson.dumps(values)
    if len(text) > LARGEST_STATE:
        message = _(
            "The {class_name} has {size} bytes. The maximum is {maximum} bytes.",
            class_name=entity.reference.class_name,
            size=len(text),
            maximum=LARGEST_STATE,
        )
        raise TooLarge(message, entity.reference)
    return text.decode()


def state_of(item: Item, class_: Class | None = None) -> State:
    """Return the state of a head; of a versioned class with `_versionStart`."""
    return _state(item, keys.id_of(item.key), class_)


def raw_state(item: Item) -> State:
    """Return the state of a head or a version with the object's `_id`, and nothing else."""
    return _state(item, keys.id_of(item.key), None)


def _state(item: Item, id_: str, class_: Class | None) -> State:
    state: dict[str, Any] = orjson.loads(item.state or b"{}")
    state["_id"] = id_
    if class_ is not None and class_.versioned and item.attributes.get(COMMIT_IDS):
        state[VERSION_START] = format_instant(head_start(item, state))
    return state


def entity_of(item: Item, class_: Class | None = None, state: State | None = None) -> Entity:
    """Return the object of a head; `state`: that of the head, if it has been decoded already."""
    reference = keys.reference_of(item.key)
    values = _state(item, reference.id, class_) if state is None else state
    attributes, named = item.attributes, commit_ids(item)
    start = head_start(item, values) if named else None
    if len(attributes) == 2 and VERSION_START_ATTRIBUTE in attributes:  # most objects
        return Entity(reference, values, named, start=start)
    linked = attributes.get(LINKED)
    return Entity(
        reference,
        values,
        named,
        counts(item),
        None if linked is None else str(linked),
        start=start,
        previous=previous_start(item),
        lock=lock_of(item),
        part_lock=part_lock_of(item),
    )


def count_attribute(role: RoleName) -> str:
    """Return the attribute of a head that counts what a role leads to, or what leads here by it."""
    return f"{_COUNT_PREFIX}{role}"


def counts(item: Item) -> dict[RoleName, int]:
    """Return the counts of a head, by role."""
    return {
        RoleName(*name.removeprefix(_COUNT_PREFIX).split(".", 1)): value
        for name, value in item.attributes.items()
        if name.startswith(_COUNT_PREFIX) and isinstance(value, int)
    }


def commit_ids(item: Item) -> tuple[str, ...]:
    """Return the ids of the last commits that wrote an item, the newest last."""
    named: Any = item.attributes.get(COMMIT_IDS)
    return tuple(named or ())


def append_commit_id(before: Iterable[str], commit_id: str) -> list[str]:
    """Return the commit ids of a head after one more commit."""
    return [*before, commit_id][-MOST_COMMIT_IDS:]


_RECORDED = (PlatformAttribute.LAST_MODIFIED_ON.value, PlatformAttribute.CREATED_ON.value)


def head_start(item: Item, state: State) -> Instant:
    """Return since when a head has its state."""
    start = item.attributes.get(VERSION_START_ATTRIBUTE)
    return start if isinstance(start, int) else recorded_start(state)


def entity_start(entity: Entity) -> Instant:
    """Return since when an object that was written has its state."""
    return recorded_start(entity.state) if entity.start is None else entity.start


def recorded_start(state: State) -> Instant:
    """Return since when an object has its state at the latest, as the state itself tells."""
    found = (parse_instant(value) for name in _RECORDED if isinstance(value := state.get(name), str))
    instant = next(found, None)
    return (id_timestamp(str(state.get("_id"))) or 0) if instant is None else instant


def previous_start(item: Item) -> Instant | None:
    """Return the start of the version before a head, tombstone or version."""
    previous = item.attributes.get(PREVIOUS_START_ATTRIBUTE)
    return previous if isinstance(previous, int) else None


def previous_start_attributes(previous: Instant | None) -> dict[str, Value]:
    """Return the attribute for the start of the version before, if there is one."""
    return {} if previous is None else {PREVIOUS_START_ATTRIBUTE: previous}
