"""Places in indexes for objects that were written while these had no slot."""

import secrets
from collections.abc import Sequence

from stratabase.store import codec, heads
from stratabase.store.access_path import AccessPath
from stratabase.store.engine import Batch, Engine, ExpectationFailed, Item, OutcomeUnknown, Patch
from stratabase.store.presence import living


def place(engine: Engine, items: Sequence[Item], paths: Sequence[AccessPath]) -> None:
    """Give objects, of which these are the heads, the places that they lack or that are wrong."""
    for item in items:
        head = living(item)
        while head is not None and not _placed(engine, head, paths):
            head = living(*engine.get([item.key]))


def _placed(engine: Engine, item: Item, paths: Sequence[AccessPath]) -> bool:
    """Give an object its places; return False when it has been written meanwhile."""
    entity = codec.entity_of(item)
    wrong = {
        name: place for name, place in heads.places(entity, paths).items() if item.places.get(name) != place
    }
    patch = Patch(item.key, heads.as_read(entity), places=wrong)
    try:
        if wrong:
            engine.commit(Batch(f"reindex{secrets.token_hex(12)}", (patch,)))
    except (ExpectationFailed, OutcomeUnknown):
        return False
    return True
