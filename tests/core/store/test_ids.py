"""IDs: unique, ordered by time, and URL-safe."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

from stratabase.core.model.types.identifier import id_timestamp
from stratabase.core.store.ids import TimeOrderedIds
from tests.rows import each_row

NOON = 1_577_880_000_000


def clock(*times: int) -> Callable[[], int]:
    """Return a clock that tells these times, one after the other."""
    coming = iter(times)
    return lambda: next(coming)


def ascending(ids: list[str]) -> bool:
    return all(one < other for one, other in pairwise(ids))


def test_an_id_has_26_url_safe_characters() -> None:
    assert re.fullmatch("[0-9a-v]{26}", TimeOrderedIds().new())


def test_ids_are_ordered_by_time_from_1970_to_10889() -> None:
    times = [0, 1, 999, 1000, NOON, NOON + 1, 2**47, 2**48 - 1]
    assert ascending([TimeOrderedIds(clock(time)).new() for time in times])


def test_ids_of_one_millisecond_ascend() -> None:
    ids = TimeOrderedIds(lambda: NOON)
    assert ascending([ids.new() for _ in range(10_000)])


def test_ids_ascend_when_the_clock_steps_back() -> None:
    ids = TimeOrderedIds(clock(NOON, NOON - 3_600_000, NOON - 1, NOON, NOON + 1))
    created = [ids.new() for _ in range(5)]
    assert ascending(created)
    assert created[-1][:9] == TimeOrderedIds(lambda: NOON + 1).new()[:9]


def test_ids_of_two_generators_differ_in_the_same_millisecond() -> None:
    makers = [TimeOrderedIds(lambda: NOON) for _ in range(1000)]
    assert len({maker.new() for maker in makers}) == len(makers)


def test_the_next_id_is_not_predictable() -> None:
    steps = set()
    for _ in range(100):
        ids = TimeOrderedIds(lambda: NOON)
        one, other = (int(ids.new(), 32) for _ in range(2))
        steps.add(other - one)
    assert len(steps) == 100


def test_ids_of_concurrent_threads_are_distinct() -> None:
    ids = TimeOrderedIds()
    with ThreadPoolExecutor(8) as pool:
        created = list(pool.map(lambda _: [ids.new() for _ in range(1000)], range(8)))
    assert all(map(ascending, created))
    assert len({each for part in created for each in part}) == 8000


@each_row("time", [0, 1, NOON, 253_402_300_799_999])
def test_an_id_contains_its_timestamp(time: int) -> None:
    assert id_timestamp(TimeOrderedIds(lambda: time).new()) == time


@each_row("id_", ["", "1", "x" * 26, "v" * 26, "0" * 25, "0" * 27, "A" * 26])
def test_an_id_of_another_format_has_no_timestamp(id_: str) -> None:
    """This includes an id with a timestamp after the last valid year."""
    assert id_timestamp(id_) is None
