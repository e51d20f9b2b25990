"""Converts between entities and head items.

The state of an object is stored as JSON text. It does not contain `_id` (which is in the key), the start and
end of the version (which are attributes of the item), and most nulls. It keeps the values of attributes that
were removed from the model, so that nothing is lost if the model is changed back. It also keeps values that
the attribute's present type does not read (core/model/attribute.py).

A head without `versionStart` was written by an early version of the service. Its version starts when the
state says that it was last modified or created, or else when its id was generated.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import orjson

from stratabase.core.domain.objects.commit_refusals import ObjectTooLarge
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName, State
from stratabase.core.domain.objects.instant import Instant, format_instant, parse_instant
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.domain.objects.version import VERSION_END, VERSION_START, Author
from stratabase.core.domain.write.limits import MAX_OBJECT_BYTES
from stratabase.core.model.api_names import ID
from stratabase.core.model.attribute import KEPT, read_unknown, stored_state
from stratabase.core.model.model import Class, PlatformAttribute
from stratabase.core.model.types.identifier import id_timestamp
from stratabase.core.store.engine.port import Item, Value
from stratabase.core.store.layout import keys

LOCK_OWNER, LOCKED_UNTIL, LOCKED_BY = "lockOwner", "lockedUntil", "lockedBy"
"""The attributes of a head with the id of the lock's owner, the end of the lock, and the owner's name."""
LOCK_ATTRIBUTES = frozenset({LOCK_OWNER, LOCKED_UNTIL, LOCKED_BY})
PART_LOCK = "partLock"
"""The attribute of a head with the id of the last commit that locked a part of the object, at any depth."""


def lock_of(item: Item) -> Lock | None:
    """Return the lock of a head, also if it has expired; None if there is none."""
    until = item.attributes.get(LOCKED_UNTIL)
    if not isinstance(until, int):
        return None
    return Lock(str(item.attributes.get(LOCK_OWNER)), str(item.attributes.get(LOCKED_BY)), until)


def part_lock_of(item: Item) -> str | None:
    """Return the id of the last commit that locked a part of the object, None if there is none."""
    named = item.attributes.get(PART_LOCK)
    return None if named is None else str(named)


def lock_attributes(lock: Lock) -> dict[str, Value]:
    """Return the attributes of a head for a lock."""
    return {LOCK_OWNER: lock.owner, LOCKED_UNTIL: lock.until, LOCKED_BY: lock.name}


COMMIT_IDS = "commitIds"
"""The attribute of a head with the ids of the last commits that wrote it, the newest last.

It serves optimistic concurrency control: a write expects the ids that it has read. After a lost response, it
also shows whether a commit was done.
"""
MAX_COMMIT_IDS = 8
"""The maximum number of commit ids that a head keeps."""


LINKED = "linked"
"""The attribute of a head with the id of the last commit that created a link in its partition."""
CLAIMED = "claimed"
"""The attribute of a head or tombstone with the id of the last commit that claimed the object."""
VERSION_START_ATTRIBUTE = "versionStart"
"""The attribute of a head with the start of its version, in milliseconds."""
PREVIOUS_START_ATTRIBUTE = "previousStart"
"""The attribute of a head, tombstone or closed version with the start of the version before it."""
AUTHOR = "author"
"""The attribute of a head, closed version, tombstone or ledger with the author of what it begins or ends.

It has the instant, the member's id, the kind of credentials, and the id of the commit. Earlier versions of
the service leave the attribute as it is when they update an object. So it counts only if its instant is that
of the item.
"""
_COUNT_PREFIX = "n."


_NOT_IN_STATE = frozenset({ID, VERSION_START, VERSION_END})
_NULL = ":null"
"""A part of the text of each state with a null."""


def state_text(reference: Reference, state: State) -> str:
    """Return the state of an object as JSON text. Raises TooLarge."""
    values = stored_state(state)
    for name in _NOT_IN_STATE:
        values.pop(name, None)
    text = orjson.dumps(values)
    if len(text) > MAX_OBJECT_BYTES:
        raise ObjectTooLarge(reference, len(text), MAX_OBJECT_BYTES)
    return text.decode()


def state_of(item: Item, class_: Class, *, version_start: bool = True) -> State:
    """Return what a class shows of the state of a head. `version_start`: with its `_versionStart`, if any."""
    return _state(item, keys.id_in(item.partition), class_, version_start=version_start)


def version_state(item: Item, id_: str, class_: Class) -> State:
    """Return what a class shows of the state of a closed version, without the version's times."""
    return _state(item, id_, class_, version_start=False)


def raw_state(item: Item) -> State:
    """Return the stored state of a head or closed version, with only `_id` added."""
    return _state(item, keys.id_of(item.key), None, version_start=False)


def _state(item: Item, id_: str, class_: Class | None, *, version_start: bool) -> State:
    text = item.state or "{}"
    state: dict[str, Any] = orjson.loads(text)
    if class_ is None:
        state = read_unknown(state) if _NULL in text else state
    elif _NULL in text or not class_.state_reader.show_all((state,)):
        state = class_.state_reader.read(state)
    state[ID] = id_
    if version_start and class_ is not None and class_.versioned and is_written(item):
        state[VERSION_START] = format_instant(head_start(item, state))
    return state


class StateDecoder:
    """Decodes the states of heads of one class, as far as a query uses them.

    It checks only the values that are used: most of what is read is often filtered out, or not shown.
    """

    def __init__(
        self,
        class_: Class,
        *,
        version_start: bool,
        start: bool = False,
        tested: frozenset[str] | None = None,
        shown: frozenset[str] | None = None,
    ) -> None:
        """Prepare for a query. None stands for all attributes.

        `tested`: the attributes that its filter and order use. `shown`: those that its entities are for.
        `version_start`: states of versioned objects have their `_versionStart`, if any. `start`: objects have
        their start, whether their class is versioned or not.
        """
        with_start = version_start and class_.versioned
        self.needs_whole_items = with_start or start
        """Whether `entity` uses more of an item than its state and the id of the object."""
        self.decode = (
            partial(_states, class_=class_, version_start=with_start)
            if tested is None
            else _decoder(class_, tested, with_start=with_start)
        )
        """Returns what the class shows of the states of heads, at least of the tested attributes."""
        self.complete = (
            _decoded if tested is None else _completed(class_, shown, tested, with_start=with_start)
        )
        """Returns what the class shows of heads with decoded states, in the same order."""
        self.entity = _entity_maker(class_, with_start=with_start or start)
        """Returns the object of a head with a complete state."""


def _states(items: Sequence[Item], class_: Class, *, version_start: bool) -> list[State]:
    return [state_of(item, class_, version_start=version_start) for item in items]


# Each row that is read passes here. Functions for many rows take half the time of those for one.
def _decoder(
    class_: Class, tested: frozenset[str], *, with_start: bool
) -> Callable[[Sequence[Item]], list[State]]:
    loads, reader, id_starts = orjson.loads, class_.state_reader, keys.id_starts(class_.name)
    show_tested = reader.show(tested)

    def decode(items: Sequence[Item]) -> list[State]:
        # One text takes less time to parse than many.
        states: list[Any] = loads(f"[{','.join([item.state or '{}' for item in items])}]")
        if not show_tested(states):
            states = [state if show_tested((state,)) else reader.read(state) for state in states]
        for item, state in zip(items, states, strict=True):
            state[ID] = item.partition[id_starts:]
        return states

    def decode_with_start(items: Sequence[Item]) -> list[State]:
        return [
            {**state, VERSION_START: format_instant(head_start(item, state))} if is_written(item) else state
            for item, state in zip(items, decode(items), strict=True)
        ]

    return decode_with_start if with_start else decode


def _decoded(_: Sequence[Item], states: Sequence[State]) -> Sequence[State]:
    return states


def _completed(
    class_: Class, shown: frozenset[str] | None, tested: frozenset[str], *, with_start: bool
) -> Callable[[Sequence[Item], Sequence[State]], Sequence[State]]:
    """Return a function that returns decoded states, or what the class shows of them if that is different."""
    reader = class_.state_reader
    # Decoding has looked at what is tested.
    show = reader.show_all if shown is None else reader.show(shown - tested)

    def is_complete(item: Item, state: State) -> bool:
        # A state with KEPT was read completely.
        return KEPT in state or (show((state,)) and (shown is not None or _NULL not in (item.state or "")))

    def complete(items: Sequence[Item], states: Sequence[State]) -> Sequence[State]:
        if shown is not None and show(states):
            return states
        return [
            state if is_complete(item, state) else state_of(item, class_, version_start=with_start)
            for item, state in zip(items, states, strict=True)
        ]

    return complete


def _entity_maker(class_: Class, *, with_start: bool) -> Callable[[Item, Mapping[str, Any]], Entity]:
    name = class_.name

    def entity(item: Item, state: Mapping[str, Any]) -> Entity:
        start = head_start(item, state) if with_start and is_written(item) else None
        return Entity(Reference(name, state[ID]), state, start=start)

    return entity


def entity_of(
    item: Item,
    class_: Class | None = None,
    *,
    reference: Reference | None = None,
    version_start: bool = True,
) -> Entity:
    """Return the object of a head. `reference`: that of the object, if the caller has it.

    Without `class_`, the state has what is stored instead of what the class shows.
    """
    reference = reference or keys.reference_of(item.key)
    values = _state(item, reference.id, class_, version_start=version_start)
    attributes: Mapping[str, Any] = item.attributes
    named = tuple(attributes.get(COMMIT_IDS) or ())
    start = attributes.get(VERSION_START_ATTRIBUTE)
    known = 1 + bool(named) + (AUTHOR in attributes)
    if len(attributes) == known and isinstance(start, int) and item.state:  # most objects
        return Entity(reference, values, named, start=start, seen=attributes)
    start = None if item.state is None else head_start(item, values)
    linked, claimed = attributes.get(LINKED), attributes.get(CLAIMED)
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
        claimed=None if claimed is None else str(claimed),
        seen=attributes,
    )


def count_attribute(role: RoleName) -> str:
    """Return the name of the attribute of a head with the count of a role."""
    return f"{_COUNT_PREFIX}{role}"


def counts(item: Item) -> dict[RoleName, int]:
    """Return the counts of a head, by role."""
    return {
        RoleName(*name.removeprefix(_COUNT_PREFIX).split(".", 1)): value
        for name, value in item.attributes.items()
        if name.startswith(_COUNT_PREFIX) and isinstance(value, int)
    }


def is_written(item: Item) -> bool:
    """Return whether a commit has written the state of a head. A singleton's head may only have counts.

    Unlike the commit ids, items in indexes have the state too.
    """
    return item.state is not None


def commit_ids(item: Item) -> tuple[str, ...]:
    """Return the ids of the last commits that wrote an item, the newest last.

    Empty if it has none, or if it was read from an index.
    """
    named: Any = item.attributes.get(COMMIT_IDS)
    return tuple(named or ())


def append_commit_id(before: Iterable[str], commit_id: str) -> list[str]:
    """Return the commit ids of a head after a further commit."""
    return [*before, commit_id][-MAX_COMMIT_IDS:]


_RECORDED = (PlatformAttribute.LAST_MODIFIED_ON.value, PlatformAttribute.CREATED_ON.value)


def head_start(item: Item, state: State) -> Instant:
    """Return the version start of a head. `state`: its decoded state."""
    start = item.attributes.get(VERSION_START_ATTRIBUTE)
    return start if isinstance(start, int) else recorded_start(state)


def entity_start(entity: Entity) -> Instant:
    """Return the version start of an object that was written."""
    return recorded_start(entity.state) if entity.start is None else entity.start


def recorded_start(state: State) -> Instant:
    """Return the latest possible version start, according to the platform attributes or the id of a state."""
    found = (parse_instant(value) for name in _RECORDED if isinstance(value := state.get(name), str))
    instant = next(found, None)
    return (id_timestamp(str(state.get(ID))) or 0) if instant is None else instant


def previous_start(item: Item) -> Instant | None:
    """Return the start of the version before a head, tombstone or closed version, None if there is none."""
    previous = item.attributes.get(PREVIOUS_START_ATTRIBUTE)
    return previous if isinstance(previous, int) else None


def previous_start_attributes(previous: Instant | None) -> dict[str, Value]:
    """Return the attribute with the start of the previous version; empty if there is none."""
    return {} if previous is None else {PREVIOUS_START_ATTRIBUTE: previous}


def author_attributes(author: Author | None, instant: Instant) -> dict[str, Value]:
    """Return the attribute with the author of what begins or ends at an instant; empty if there is none."""
    return {} if author is None else {AUTHOR: [str(instant), *author]}


def recorded_author(attributes: Mapping[str, Any] | None, instant: Instant | None) -> Author | None:
    """Return the author of what began or ended at an instant, None if unknown. `attributes`: of the item."""
    recorded = None if attributes is None else attributes.get(AUTHOR)
    if not recorded or recorded[0] != str(instant):
        return None
    return Author(*recorded[1:])
