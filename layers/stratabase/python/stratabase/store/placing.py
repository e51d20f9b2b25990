"""Places in indexes for objects that were written while these had no slot."""

import secrets
from collections.abc import Mapping, Sequence

from stratabase.model.class_ import Class
from stratabase.store import codec, heads
from stratabase.store.access_path import AccessPath
from stratabase.store.built import Built, Slot
from stratabase.store.claiming import Duplicates
from stratabase.store.engine import Batch, Engine, ExpectationFailed, Item, OutcomeUnknown, Patch
from stratabase.store.presence import living
from stratabase.store.registry import path_of


class IndexBuilder:
    """Gives objects of a class the places that they lack, or that are wrong, in indexes that are built."""

    def __init__(self, engine: Engine, class_: Class, slots: Sequence[Slot], together: int = 1) -> None:
        """`together`: how many objects are written in one commit."""
        self._engine = engine
        self._paths = [path_of(class_.name, slot) for slot in slots]
        self._together = together

    def build(self, items: Sequence[Item]) -> None:
        """Give objects, of which these are the heads as they were read, their places."""
        for first in range(0, len(items), self._together):
            place(self._engine, items[first : first + self._together], self._paths)

    def finish(self) -> Mapping[Built, Duplicates]:
        """Return nothing: every object can be given a place."""
        return {}


def place(engine: Engine, items: Sequence[Item], paths: Sequence[AccessPath]) -> None:
    """Give objects, of which these are the heads, the places that they lack or that are wrong."""
    if _placed(engine, items, paths):
        return
    for item in items:
        head = living(item)
        while head is not None and not _placed(engine, [head], paths):
            head = living(*engine.get([item.key]))


def _placed(engine: Engine, items: Sequence[Item], paths: Sequence[AccessPath]) -> bool:
    """Give objects their places; return False, with none given, when one has been written meanwhile."""
    patches = [patch for item in items if (patch := _patch(item, paths)) is not None]
    try:
        if patches:
            engine.commit(Batch(f"reindex{secrets.token_hex(12)}", tuple(patches)))
    except (ExpectationFailed, OutcomeUnknown):
        return False
    return True


def _patch(item: Item, paths: Sequence[AccessPath]) -> Patch | None:
    """Return what gives an object its places; None where they are right."""
    entity = codec.entity_of(item)
    wrong = {
        name: place for name, place in heads.places(entity, paths).items() if item.places.get(name) != place
    }
    return Patch(item.key, heads.as_read(entity), places=wrong) if wrong else None
