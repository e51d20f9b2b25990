"""Ledgers: durable work items. A large write stores a ledger in its commit, and cleanup does the work later.

There are two kinds:

- The ledger of a purge lists the parts that are still to be deleted. A deletion leaves it, or an update that
  takes parts out of their whole.
- The ledger of a staged restoration has the state of the restoration and its lease. Beside it, there is one
  list for each commit, with the parts that this commit has restored.

All ledgers are in one partition of the listing index, where a sweep finds them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import orjson

from stratabase.core.domain.objects.change import Change, Restoration, Tombstone
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.version import Author
from stratabase.core.store.engine.port import (
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
from stratabase.core.store.layout import codec, keys

_ENDED = "ended"
"""The attribute of a purge's ledger with the instant of the deletion or update that left it."""
_AUTHORS = "authors"
"""The attribute of a list of restored parts that says who had deleted them, as JSON."""
_LEASE, _STATE = "lease", "state"
"""The attributes of a restoration's ledger. Until the end of its lease, the restoration may be running."""
RUNNING, STOPPED, DONE = "running", "stopped", "done"
"""The states of a restoration."""


def purge_ledger(key: Key, parts: Iterable[Reference], change: Change) -> Item:
    """Return the ledger of a purge. `parts`: the parts to delete. `change`: the change that leaves them."""
    by_class: dict[str, list[str]] = {}
    for class_name, id_ in parts:
        by_class.setdefault(class_name, []).append(id_)
    return Item(
        key,
        {
            codec.COMMIT_IDS: [change.commit_id],
            _ENDED: change.instant,
            **codec.author_attributes(change.author, change.instant),
        },
        orjson.dumps(by_class).decode(),
        {keys.LISTING: _place(key)},
    )


def kept_ledger(key: Key, attributes: Mapping[str, Value], state: str | None) -> Item:
    """Return a ledger, or a list of parts, with content that was read from another store."""
    places = {} if keys.is_part_list(key) else {keys.LISTING: _place(key)}
    return Item(key, attributes, state, places)


def ledger_parts(ledger: Item) -> list[Reference]:
    """Return the parts that the ledger of a purge lists."""
    by_class: Mapping[str, list[str]] = orjson.loads(ledger.state or "{}")
    return [Reference(class_name, id_) for class_name, ids in by_class.items() for id_ in ids]


def ended_at(ledger: Item) -> Instant:
    """Return the instant of the deletion or update that left a ledger, 0 if the ledger does not say."""
    instant = ledger.attributes.get(_ENDED)
    return instant if isinstance(instant, int) else 0


def ended_by(ledger: Item) -> Author | None:
    """Return who made the deletion or update that left a ledger, None if the ledger does not say."""
    return codec.recorded_author(ledger.attributes, ended_at(ledger))


def expect_same_ledger(ledger: Item) -> Expectation:
    """Return the expectation that a ledger was left by the same commit as when it was read."""
    return Expectation(
        None, (Condition(codec.COMMIT_IDS, ConditionOperator.EQUALS, list(codec.commit_ids(ledger))),)
    )


def restoration_ledger(key: Key, id_: str, lease: Instant) -> Item:
    """Return the ledger of a running restoration. `id_`: the id of its first commit."""
    attributes: dict[str, Value] = {codec.COMMIT_IDS: [id_], _STATE: RUNNING, _LEASE: lease}
    return Item(key, attributes, places={keys.LISTING: _place(key)})


def restoration_state(ledger: Item) -> str:
    """Return the state of the restoration of a ledger."""
    return str(ledger.attributes.get(_STATE))


def is_in_state(ledger: Item, id_: str, state: str) -> bool:
    """Return whether a ledger belongs to the restoration with this id, and has this state."""
    return list(codec.commit_ids(ledger)) == [id_] and restoration_state(ledger) == state


def expect_state(id_: str, state: str) -> Expectation:
    """Return the expectation that a ledger belongs to the restoration with this id, and has this state."""
    named = Condition(codec.COMMIT_IDS, ConditionOperator.EQUALS, [id_])
    return Expectation(exists=True, conditions=(named, Condition(_STATE, ConditionOperator.EQUALS, state)))


def set_state(ledger: Key, expect: Expectation, state: str) -> Patch:
    """Return the action that sets the state of a restoration, and removes its lease."""
    return Patch(ledger, expect, set={_STATE: state}, remove=frozenset({_LEASE}))


def is_running(ledger: Item, now: Instant) -> bool:
    """Return whether a ledger belongs to a restoration whose lease has not expired."""
    lease = ledger.attributes.get(_LEASE)
    return isinstance(lease, int) and lease > now


def part_list(root: Reference, change: Change) -> Item:
    """Return the list of the parts that a commit restores, with the content of their tombstones."""
    by_class: dict[str, dict[str, tuple[Instant, Instant]]] = {}
    authors: dict[str, dict[str, list[str]]] = {}
    for effect in change.effects:
        assert isinstance(effect, Restoration)
        gone = effect.tombstone
        class_name, id_ = gone.reference
        by_class.setdefault(class_name, {})[id_] = (gone.last_end, gone.previous_start)
        if gone.author is not None:
            authors.setdefault(class_name, {})[id_] = [*gone.author]
    # Earlier versions of the service read the state, so the authors are beside it.
    attributes: dict[str, Value] = {
        codec.COMMIT_IDS: [change.commit_id],
        **({_AUTHORS: orjson.dumps(authors).decode()} if authors else {}),
    }
    return Item(keys.staged_part(root, change.commit_id), attributes, orjson.dumps(by_class).decode())


def listed_tombstones(list_: Item) -> Iterator[Tombstone]:
    """Yield the tombstones of the parts on a list, as they were before the restoration."""
    authors = orjson.loads(str(list_.attributes.get(_AUTHORS, "{}")))
    for class_name, parts in orjson.loads(list_.state or "{}").items():
        for id_, (last_end, previous_start) in parts.items():
            author = authors.get(class_name, {}).get(id_)
            reference = Reference(class_name, id_)
            yield Tombstone(reference, last_end, previous_start, author=author and Author(*author))


def read_part_lists(engine: Engine, ledger: Item) -> Iterable[Sequence[Item]]:
    """Read the lists of parts of a restoration, page by page."""
    (first_id,) = codec.commit_ids(ledger)
    return engine.range(ITEMS, ledger.key.partition, keys.staged_bounds(first_id.removesuffix("0")))


def _place(key: Key) -> IndexKey:
    reference = keys.ledger_of(key)
    return IndexKey(keys.PURGES, f"{reference.class_name}#{reference.id}")
