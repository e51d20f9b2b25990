"""A range over several shards equals the same range of one partition."""

import random

import pytest

from stratabase.core.store.engine.parallel import sequential_map
from stratabase.core.store.engine.port import UNBOUNDED, Batch, Bounds, Counted, IndexKey, Item, Key, Put
from stratabase.core.store.engine.sharded_range import ShardedRange, count_shards
from stratabase.core.store.layout.keys import shard_of, shards_of
from tests.contract.engine.reference import ReferenceEngine
from tests.rows import each_row
from tests.soak import count, seed

INDEX = "index3"
SHARDS = 16
IDS = [f"06h04hhif33g{number:06d}" for number in range(0, 6000, 7)]


class CountedEngine(ReferenceEngine):
    """Counts the items that ranges return."""

    items_read = 0

    def range(self, *arguments, **options):  # type: ignore[no-untyped-def]
        (page,) = super().range(*arguments, **options)
        self.items_read += len(page)
        return iter([page])


def filled(ids: list[str], shards: int) -> CountedEngine:
    """Return an engine with an item for each id, in the shards of an index."""
    engine = CountedEngine()
    puts = [
        Put(Item(Key(id_, "V"), places={INDEX: IndexKey(shard_of("Thing#4", shards, id_), id_)}))
        for id_ in ids
    ]
    for first in range(0, len(puts), 100):
        engine.commit(Batch(str(first), tuple(puts[first : first + 100])))
    return engine


def range_of(engine: CountedEngine, shards: int, bounds: Bounds, *, backward: bool) -> ShardedRange:
    return ShardedRange(engine, sequential_map, INDEX, shards_of("Thing#4", shards), bounds, backward)


@pytest.mark.parametrize("shards", [1, 2, 16])
def test_a_range_has_the_same_items_in_the_same_order(shards: int) -> None:
    chance = random.Random(seed())
    for _ in range(count(30, 300)):
        ids = chance.sample(IDS, chance.choice([0, 1, 5, 60, 500]))
        engine = filled(ids, shards)
        low, high = sorted(chance.sample(IDS, 2))
        bounds = chance.choice(
            [
                UNBOUNDED,
                Bounds(low, high, chance.random() < 0.5, chance.random() < 0.5),
                Bounds(low),
                Bounds(None, high),
            ]
        )
        backward, limit = chance.random() < 0.5, chance.choice([None, 0, 1, 2, 51, 700])
        spent = list[Item]()
        range_ = range_of(engine, shards, bounds, backward=backward)
        object.__setattr__(range_, "spend", lambda items, spent=spent: spent.extend(items) or items)

        pages = list(range_.pages(limit))

        expected = sorted((id_ for id_ in ids if bounds.admits(id_)), reverse=backward)[:limit]
        assert [item.key.partition for page in pages for item in page] == expected
        assert len(spent) == engine.items_read, "what no page contains is charged too"


@each_row("distinct", [False, True])
@each_row("shards", [1, 2, 16])
def test_the_counts_of_all_shards_add_up(shards: int, distinct: bool) -> None:
    engine, spent = filled(IDS, shards), list[Counted]()
    ranges = [Bounds(IDS[10], IDS[19]), Bounds(IDS[30], IDS[40], high_included=False)]

    def number(ranges: list[Bounds]) -> int:
        return count_shards(
            engine,
            sequential_map,
            INDEX,
            shards_of("Thing#4", shards),
            ranges,
            spent.append,
            distinct=distinct,
        )

    assert number([UNBOUNDED]) == len(IDS)
    assert number(ranges) == 20
    assert sum(each.items for each in spent) == len(IDS) + 20


def test_a_page_reads_little_more_than_it_shows() -> None:
    """Shards are read side by side, and only those again that are behind."""
    engine, rounds, page = filled(IDS, SHARDS), 0, 51
    calls = list[int]()

    def counted(work, each):  # type: ignore[no-untyped-def]
        calls.append(len(each))
        return sequential_map(work, each)

    starts = IDS[: len(IDS) - page : page]
    for start in starts:
        range_ = ShardedRange(engine, counted, INDEX, shards_of("Thing#4", SHARDS), Bounds(start))
        assert sum(map(len, range_.pages(page))) == page
        rounds = len(calls)

    assert rounds / len(starts) <= 2
    assert sum(calls) / len(starts) <= 1.2 * SHARDS
    assert engine.items_read / len(starts) <= 2.4 * page


def test_the_shard_of_an_object_depends_on_its_id_alone_and_spreads_ids_evenly() -> None:
    shards = [shard_of("Thing#4", SHARDS, id_) for id_ in IDS]

    assert {*shards} == {*shards_of("Thing#4", SHARDS)}
    assert max(map(shards.count, {*shards})) < 1.6 * len(IDS) / SHARDS
    # Stored objects stay where they are.
    assert shard_of("Thing#4", SHARDS, "06h04hhif33g000000") == "Thing#4#4"
    assert shard_of("Thing#4", 1, "06h04hhif33g000000") == "Thing#4"
