"""Round trips that follow one another are counted, and of those side by side only the longest row."""

from collections.abc import Iterator, Sequence

import pytest

from stratabase.store.engine.parallel import (
    ParallelMap,
    ThreadedMap,
    add_round_trips,
    count_round_trips,
    sequential_map,
)


@pytest.fixture(params=["one by one", "threads"])
def together(request: pytest.FixtureRequest) -> Iterator[ParallelMap]:
    """Either way."""
    threads = ThreadedMap(4)
    yield sequential_map if request.param == "one by one" else threads
    threads.close()


def rows(numbers: Sequence[int]) -> list[int]:
    """Make so many round trips each time, one after the other; return how many came before each."""
    return [add_round_trips(number) for number in numbers]


def test_each_round_trip_follows_those_before() -> None:
    with count_round_trips():
        assert rows([1, 3, 1]) == [0, 1, 4]
    with count_round_trips():
        assert add_round_trips(1) == 0


def test_what_is_done_side_by_side_begins_at_the_same_time(together: ParallelMap) -> None:
    with count_round_trips():
        add_round_trips(1)
        assert together(rows, [[1], [2, 1], [1, 1]]) == [[1], [1, 3], [1, 2]]
        assert add_round_trips(1) == 4
        assert together(rows, []) == []
        assert together(rows, [[1]]) == [[5]]
        assert add_round_trips(1) == 6


def test_so_it_is_at_any_depth(together: ParallelMap) -> None:
    def work(number: int) -> list[list[int]]:
        add_round_trips(number)
        return sequential_map(rows, [[1, 1], [5]])

    with count_round_trips():
        assert together(work, [1, 2]) == [[[1, 2], [1]], [[2, 3], [2]]]
        assert add_round_trips(1) == 2 + 5


def test_what_goes_wrong_took_its_round_trips(together: ParallelMap) -> None:
    def work(number: int) -> None:
        add_round_trips(number)
        raise ZeroDivisionError

    with count_round_trips():
        with pytest.raises(ZeroDivisionError):
            together(work, [3])
        assert add_round_trips(1) == 3


def test_nothing_is_counted_unless_somebody_wants_it(together: ParallelMap) -> None:
    assert together(rows, [[1, 1], [1]]) == [[0, 0], [0]]
    assert add_round_trips(1) == 0
