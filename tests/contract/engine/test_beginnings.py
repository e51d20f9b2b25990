"""Counts by the beginnings of sort keys are those of the keys that a range has, or there is no result."""

from collections import Counter
from random import Random

import pytest

from stratabase.core.store.engine.port import UNBOUNDED, Beginnings, Bounds, Engine, IndexKey, Item, Key
from tests.contract.engine.engine_calls import put, settle
from tests.contract.engine.range_cases import within
from tests.soak import count, seed

WORDS = ("", "a", "ab", "b~", "é", "😀", "\U0010ffff")


def before_mark(text: str) -> str:
    """Return the part of a sort key up to its first `!`, below which no other character lies."""
    return text[: text.index("!") + 1]


def filled(engine: Engine, chance: Random, keys: int, words: int) -> list[str]:
    """Return the sort keys of new items, which begin with so many different words."""
    begin = [f"{chance.choice(WORDS)}{number}!" for number in range(words)]
    sorts = [f"{chance.choice(begin)}{number}" for number in range(keys)]
    put(engine, [Item(Key(f"k{sort}", "x"), {}, "{}", {"index1": IndexKey("all", sort)}) for sort in sorts])
    settle(engine)
    return sorts


@pytest.mark.soak
@pytest.mark.parametrize("words", [1, 7, 150])
def test_items_are_counted_by_the_beginnings_of_their_keys(engine: Engine, words: int) -> None:
    chance = Random(seed() + words)
    sorts = filled(engine, chance, 300, words)
    for _ in range(count(4, 100)):
        ends = sorted(chance.sample([*sorts, *map(before_mark, sorts)], 4))
        ranges = (
            (UNBOUNDED,)
            if chance.random() < 0.3
            else tuple(
                Bounds(low, high, chance.random() < 0.5, high_included=False)
                for low, high in zip(ends[::2], ends[1::2], strict=True)
            )
        )
        expected = Counter(before_mark(sort) for bounds in ranges for sort in sorts if within(sort, bounds))
        found = engine.count_beginnings("index1", "all", ranges, Beginnings(before_mark, 200))
        assert found is None or +Counter(found) == expected, ranges
        assert found is None or not engine.is_embedded or found == expected


def test_there_is_no_result_for_too_many_beginnings(engine: Engine) -> None:
    filled(engine, Random(seed()), 100, 60)
    assert engine.count_beginnings("index1", "all", (UNBOUNDED,), Beginnings(before_mark, 20)) is None
    assert not engine.count_beginnings("index1", "nothing", (UNBOUNDED,), Beginnings(before_mark, 20))
