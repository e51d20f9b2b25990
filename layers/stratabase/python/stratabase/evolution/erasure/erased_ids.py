"""The list of erased objects: ids and instants, which a store keeps for good.

An entry is written before anything is erased, so that an erasure which is interrupted can go on. Until it is
done, the entry also has what would be lost with the object: its last state, and the ids of its commits. Then
only the ids and the instant remain.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import orjson

from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.store.engine.port import (
    ITEMS,
    Bounds,
    Condition,
    ConditionOperator,
    Engine,
    Expectation,
    Item,
    Patch,
    Put,
    Value,
)
from stratabase.core.store.layout import codec, keys

_CLASS, _ID, _ROOT_CLASS, _ROOT_ID = "class", "id", "rootClass", "rootId"
_ERASED_ON, _STATUS, _COMMITS = "erasedOn", "status", "commits"
BEGUN, GONE, DONE = "BEGUN", "GONE", "DONE"
"""The status of an erasure: nothing is erased yet; nobody can bring the object back; all is erased."""
IS_BEGUN = Expectation(exists=True, conditions=(Condition(_STATUS, ConditionOperator.EQUALS, BEGUN),))
"""The expectation about the entry of an object that it was not erased yet."""


class ErasedId(NamedTuple):
    """An entry of the list: of an erased object, or of one that was erased with it as its part."""

    reference: Reference
    root: Reference
    """The object that somebody asked to erase."""
    erased_on: Instant
    status: str
    """That of the root. Empty for a part."""
    state: str | None
    """What the object was last, until the erasure is done. Then, the receipt of a root."""
    commit_ids: tuple[str, ...]

    @property
    def is_root(self) -> bool:
        """Whether somebody asked to erase this object itself."""
        return self.reference == self.root


def entry_item(root: Reference, part: Reference | None, erased_on: Instant, head: Item | None) -> Item:
    """Return the entry of an object whose erasure begins.

    `part`: None for the root. `head`: the last item of the object.
    """
    reference = part or root
    attributes: dict[str, Value] = {
        _CLASS: reference.class_name,
        _ID: reference.id,
        _ROOT_CLASS: root.class_name,
        _ROOT_ID: root.id,
        _ERASED_ON: erased_on,
        **({_STATUS: BEGUN} if part is None else {}),
        **({_COMMITS: list(codec.commit_ids(head))} if head and codec.commit_ids(head) else {}),
    }
    return Item(keys.erased(root, part), attributes, None if head is None else head.state)


def listed_item(root: Reference, reference: Reference, erased_on: Instant) -> Item:
    """Return the entry of an object that another store has erased."""
    item = entry_item(root, None if reference == root else reference, erased_on, None)
    status = {_STATUS: GONE} if reference == root else {}
    return Item(item.key, {**item.attributes, **status})


def set_gone(root: Reference) -> Patch:
    """Return the action after which the object can't come back, and its erasure goes on until it is done."""
    return Patch(keys.erased(root), IS_BEGUN, set={_STATUS: GONE})


def finished(entry: ErasedId, receipt: Mapping[str, Any] | None) -> Put:
    """Return the action that leaves only ids and the instant of an entry. `receipt`: for a root."""
    item = listed_item(entry.root, entry.reference, entry.erased_on)
    if not entry.is_root:
        return Put(item)
    return Put(Item(item.key, {**item.attributes, _STATUS: DONE}, orjson.dumps(receipt).decode()))


def read_entry(item: Item) -> ErasedId:
    """Return an entry of the list."""
    found: Mapping[str, Any] = item.attributes
    return ErasedId(
        Reference(found[_CLASS], found[_ID]),
        Reference(found[_ROOT_CLASS], found[_ROOT_ID]),
        found[_ERASED_ON],
        found.get(_STATUS, ""),
        item.state,
        tuple(found.get(_COMMITS, ())),
    )


def status_of(engine: Engine, root: Reference) -> str:
    """Return the status of the erasure of an object, an empty text if there is none."""
    (item,) = engine.get([keys.erased(root)])
    return "" if item is None else read_entry(item).status


def entries_of(engine: Engine, root: Reference) -> list[ErasedId]:
    """Return the entry of an erased object, and those of its parts. Empty if it was not erased."""
    low = keys.erased(root).sort
    pages = engine.range(ITEMS, keys.ERASED, Bounds(low, f"{low}$", high_included=False))
    found = [entry for item in chain.from_iterable(pages) if (entry := read_entry(item)).root == root]
    return found if any(entry.is_root for entry in found) else []


def erased_entries(items: Iterable[Item]) -> Iterator[ErasedId]:
    """Yield the entries among the items of a store whose objects are erased, the root before its parts."""
    entries = map(read_entry, sorted(items, key=lambda item: item.key))
    gone: set[Reference] = set()
    waiting: list[ErasedId] = []
    for entry in entries:
        if entry.is_root and entry.status in {GONE, DONE}:
            gone.add(entry.root)
        waiting.append(entry)
    yield from (entry for entry in waiting if entry.root in gone)


def read_erased(engine: Engine) -> list[ErasedId]:
    """Return the entries of all objects that are erased, or being erased, in a store. Raises Unavailable."""
    return [*erased_entries(chain.from_iterable(engine.range(ITEMS, keys.ERASED)))]


def roots_of(entries: Sequence[ErasedId]) -> list[Reference]:
    """Return the objects that somebody asked to erase."""
    return list(dict.fromkeys(entry.root for entry in entries))
