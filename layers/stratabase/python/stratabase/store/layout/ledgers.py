"""Ledgers: the items that note what a write has left for later, and the restorations that are under way.

A deletion, or an update that takes parts out of their whole, leaves the ledger of a purge: it names the parts
that are still to be deleted. A restoration that takes several commits has a ledger with its state and its
lease, and beside that one list for each commit, of the parts that came back with it.

All ledgers have a place in the listing, under no class's name, where a sweep finds them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import orjson

from stratabase.domain.objects.change import Change, Restoration, Tombstone
from stratabase.domain.objects.entity import Reference
from stratabase.domain.objects.instant import Instant
from stratabase.store.engine.port import (
    ITEMS,
    Condition,
    ConditionOperator,
    Engine,
    Expectation,
    IndexKey,
    Item,
    Key,
    Patch,
    Value,
)
from stratabase.store.layout import codec, keys

_ENDED = "ended"
"""The attribute of a purge's ledger with the instant when its object was deleted."""
_LEASE, _STATE = "lease", "state"
"""The attributes of a restoration's ledger; the lease is the instant until which it is taken to run."""
RUNNING, STOPPED, DONE = "running", "stopped", "done"
"""The states of a restoration."""


def purge_ledger(key: Key, parts: Iterable[Reference], change: Change) -> Item:
    """Return the ledger of a purge, which names the parts by class."""
    by_class: dict[str, list[str]] = {}
    for class_name, id_ in parts:
        by_class.setdefault(class_name, []).append(id_)
    return Item(
        key,
        {codec.COMMIT_IDS: [change.commit_id], _ENDED: change.instant},
        orjson.dumps(by_class).decode(),
        {keys.LISTING: _place(key)},
    )


def ledger_parts(ledger: Item) -> list[Reference]:
    """Return the parts that the ledger of a purge names."""
    by_class: Mapping[str, list[str]] = orjson.loads(ledger.state or "{}")
    return [Reference(class_name, id_) for class_name, ids in by_class.items() for id_ in ids]


def ended_at(ledger: Item) -> Instant:
    """Return when the object of a purge was deleted; 0 if the ledger does not say."""
    instant = ledger.attributes.get(_ENDED)
    return instant if isinstance(instant, int) else 0


def expect_same_ledger(ledger: Item) -> Expectation:
    """Return the expectation that a ledger is the one that was read, if there is one."""
    return Expectation(
        None, (Condition(codec.COMMIT_IDS, ConditionOperator.EQUALS, list(codec.commit_ids(ledger))),)
    )


def restoration_ledger(key: Key, id_: str, lease: Instant) -> Item:
    """Return the ledger of a restoration that runs. `id_`: that of its first commit."""
    attributes: dict[str, Value] = {codec.COMMIT_IDS: [id_], _STATE: RUNNING, _LEASE: lease}
    return Item(key, attributes, places={keys.LISTING: _place(key)})


def restoration_state(ledger: Item) -> str:
    """Return the state of a restoration."""
    return str(ledger.attributes.get(_STATE))


def is_in_state(ledger: Item, id_: str, state: str) -> bool:
    """Return whether a ledger is that of the restoration with that id, and says that it is in a state."""
    return list(codec.commit_ids(ledger)) == [id_] and restoration_state(ledger) == state


def expect_state(id_: str, state: str) -> Expectation:
    """Return the expectation that the restoration with that id is in a state."""
    named = Condition(codec.COMMIT_IDS, ConditionOperator.EQUALS, [id_])
    return Expectation(exists=True, conditions=(named, Condition(_STATE, ConditionOperator.EQUALS, state)))


def set_state(ledger: Key, expect: Expectation, state: str) -> Patch:
    """Return what gives a restoration a state, and ends its lease."""
    return Patch(ledger, expect, set={_STATE: state}, remove=frozenset({_LEASE}))


def is_running(ledger: Item, now: Instant) -> bool:
    """Return whether a ledger is that of a restoration whose lease has not ended."""
    lease = ledger.attributes.get(_LEASE)
    return isinstance(lease, int) and lease > now


def part_list(root: Reference, change: Change) -> Item:
    """Return the list of the parts that a commit brings back, with what their tombstones said."""
    by_class: dict[str, dict[str, tuple[Instant, Instant]]] = {}
    for effect in change.effects:
        assert isinstance(effect, Restoration)
        reference, last_end, previous_start, _ = effect.tombstone
        by_class.setdefault(reference.class_name, {})[reference.id] = (last_end, previous_start)
    attributes = {codec.COMMIT_IDS: [change.commit_id]}
    return Item(keys.staged_part(root, change.commit_id), attributes, orjson.dumps(by_class).decode())


def listed_tombstones(list_: Item) -> Iterator[Tombstone]:
    """Yield what the tombstones of the parts on a list said."""
    for class_name, parts in orjson.loads(list_.state or "{}").items():
        for id_, (last_end, previous_start) in parts.items():
            yield Tombstone(Reference(class_name, id_), last_end, previous_start)


def read_part_lists(engine: Engine, ledger: Item) -> Iterable[Sequence[Item]]:
    """Read the lists of a restoration, page by page."""
    (first_id,) = codec.commit_ids(ledger)
    return engine.range(ITEMS, ledger.key.partition, keys.staged_bounds(first_id.removesuffix("0")))


def _place(key: Key) -> IndexKey:
    reference = keys.ledger_of(key)
    return IndexKey(keys.PURGES, f"{reference.class_name}#{reference.id}")
