"""Round trips that follow one another are counted, and of those side by side only the longest row."""

from collections.abc import Iterator, Sequence

import pytest

from stratabase.store.side_by_side import SideBySide, Threads, one_by_one
from stratabase.store.trips import counting, made


@pytest.fixture(params=["one by one", "threads"])
def together(request: pytest.FixtureRequest) -> Iterator[SideBySide]:
    """Either way."""
    threads = Threads(4)
    yield one_by_one if request.param == "one by one" else threads
    threads.close()


def rows(numbers: Sequence[int]) -> list[int]:
    """Make so many round trips each time, one after the other; return how many came before each."""
    return [made(number) for number in numbers]


def test_each_round_trip_follows_those_before() -> None:
    with counting():
        assert rows([1, 3, 1]) == [0, 1, 4]
    with counting():
        assert made(1) == 0


def test_what_is_done_side_by_side_begins_at_the_same_time(together: SideBySide) -> None:
    with counting():
        made(1)
        assert together(rows, [[1], [2, 1], [1, 1]]) == [[1], [1, 3], [1, 2]]
        assert made(1) == 4
        assert together(rows, []) == []
        assert together(rows, [[1]]) == [[5]]
        assert made(1) == 6


def test_so_it_is_at_any_depth(together: SideBySide) -> None:
    def work(number: int) -> list[list[int]]:
        made(number)
        return one_by_one(rows, [[1, 1], [5]])

    with counting():
        assert together(work, [1, 2]) == [[[1, 2], [1]], [[2, 3], [2]]]
        assert made(1) == 2 + 5


def test_what_goes_wrong_took_its_round_trips(together: SideBySide) -> None:
    def work(number: int) -> None:
        made(number)
        raise ZeroDivisionError

    with counting():
        with pytest.raises(ZeroDivisionError):
            together(work, [3])
        assert made(1) == 3


def test_nothing_is_counted_unless_somebody_wants_it(together: SideBySide) -> None:
    assert together(rows, [[1, 1], [1]]) == [[0, 0], [0]]
    assert made(1) == 0
