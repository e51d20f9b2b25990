"""Heads as an index returns them: without the attributes that only reads by key have."""

from dataclasses import replace

from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.store.engine.capacity import PROJECTED_ATTRIBUTES
from stratabase.core.store.engine.port import Item, Value
from stratabase.core.store.layout import codec, keys
from tests.models import THING
from tests.rows import each_row

VERSIONED = replace(THING, versioned=True)
CREATED = 1_795_334_400_000


def head(**attributes: Value) -> Item:
    """Return a head that two commits have written, with further attributes."""
    state = '{"name":"Ada","_createdOn":"2026-11-22T08:00:00.000Z"}'
    return Item(keys.head(Reference("Thing", "a")), {codec.COMMIT_IDS: ["c1", "c2"], **attributes}, state)


def projected(item: Item) -> Item:
    """Return an item as an index of DynamoDB returns it."""
    kept = {name: value for name, value in item.attributes.items() if name in PROJECTED_ATTRIBUTES}
    return replace(item, attributes=kept)


@each_row(
    "item",
    [head(versionStart=CREATED + 1), head(versionStart=CREATED + 1, lockOwner="1"), head()],
)
def test_an_index_shows_the_state_and_the_start_of_an_object(item: Item) -> None:
    by_key, by_index = (codec.entity_of(each, VERSIONED) for each in (item, projected(item)))

    assert by_index.state == by_key.state
    assert by_index.state["_versionStart"]
    assert by_index.start == by_key.start is not None
    assert (by_key.commit_ids, by_index.commit_ids) == (("c1", "c2"), ())


def test_a_head_that_only_has_counts_has_no_start() -> None:
    counts_only = Item(keys.head(Reference("Thing", "a")), {"n.Other.thing": 2})

    found = codec.entity_of(counts_only, VERSIONED)

    assert found == Entity(Reference("Thing", "a"), {"_id": "a"})
    assert (found.start, [*found.counts.values()]) == (None, [2])
