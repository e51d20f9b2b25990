"""Between objects and the items that keep them.

The state is JSON without `_id`, which the key holds, without the times of a version, which attributes of the
item tell, and without nulls. Values of attributes that the model does not have (any more) are kept, so that
nothing is lost when an edit of the model is undone.
"""

from collections.abc import Iterable
from typing import Any

import orjson

from stratabase.domain.objects.commit_refusals import TooLarge
from stratabase.domain.objects.entity import Entity, RoleName, State
from stratabase.domain.objects.instant import format_instant
from stratabase.domain.objects.version import VERSION_END, VERSION_START
from stratabase.model.class_ import Class
from stratabase.store import keys, since
from stratabase.store.engine.port import Item
from stratabase.store.locks import lock_of, part_lock_of

COMMIT_IDS = "commitIds"
"""The attribute of a head that names the last commits that wrote it, the newest last."""
REMEMBERED = 8
LINKED = "linked"
"""The attribute of a head that names the last commit that made a link in its partition."""
_COUNT = "n."
LARGEST_STATE = 350 * 1024
"""Bytes."""
_TOLD_ELSEWHERE = frozenset({"_id", VERSION_START, VERSION_END})


def state_text(entity: Entity) -> str:
    """Return an object's state as it is stored. Raises TooLarge."""
    values = {
        name: value
        for name, value in entity.state.items()
        if value is not None and name not in _TOLD_ELSEWHERE
    }
    text = orjson.dumps(values)
    if len(text) > LARGEST_STATE:
        what = f"bytes in one {entity.reference.class_name}"
        raise TooLarge(what, len(text), LARGEST_STATE, entity.reference)
    return text.decode()


def state_of(item: Item, class_: Class | None = None) -> State:
    """Return the state that a head keeps. Only of a versioned class does it tell when it began."""
    return _state(item, keys.id_of(item.key), class_)


def kept_state(item: Item) -> State:
    """Return the state that a head or a version keeps, with the object's `_id`."""
    return _state(item, keys.id_of(item.key), None)


def _state(item: Item, id_: str, class_: Class | None) -> State:
    state: dict[str, Any] = orjson.loads(item.state or b"{}")
    state["_id"] = id_
    if class_ is not None and class_.versioned and item.attributes.get(COMMIT_IDS):
        state[VERSION_START] = format_instant(since.start_of(item, state))
    return state


def entity_of(item: Item, class_: Class | None = None, state: State | None = None) -> Entity:
    """Return the object whose head this is; with its `state`, if that has been read already."""
    reference = keys.reference_of(item.key)
    known = _state(item, reference.id, class_) if state is None else state
    attributes, named = item.attributes, commit_ids(item)
    start = since.start_of(item, known) if named else None
    if len(attributes) == 2 and since.VERSION_START in attributes:  # as of most objects
        return Entity(reference, known, named, start=start)
    linked = attributes.get(LINKED)
    return Entity(
        reference,
        known,
        named,
        counts(item),
        None if linked is None else str(linked),
        start=start,
        previous=since.previous_of(item),
        lock=lock_of(item),
        part_lock=part_lock_of(item),
    )


def count_name(role: RoleName) -> str:
    """Return the attribute of a head that counts what a role leads to, or what leads there by it."""
    return f"{_COUNT}{role}"


def counts(item: Item) -> dict[RoleName, int]:
    """Return what a head counts."""
    return {
        RoleName(*name.removeprefix(_COUNT).split(".", 1)): value
        for name, value in item.attributes.items()
        if name.startswith(_COUNT) and isinstance(value, int)
    }


def commit_ids(item: Item) -> tuple[str, ...]:
    """Return the last commits that wrote an item; none of an item that does not name them."""
    named: Any = item.attributes.get(COMMIT_IDS)
    return tuple(named or ())


def remembered(before: Iterable[str], commit_id: str) -> list[str]:
    """Return the commits that a head names after one more."""
    return [*before, commit_id][-REMEMBERED:]
