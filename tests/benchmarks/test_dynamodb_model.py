"""The simulation of DynamoDB: its limits, its conflicts, and the retries of the environments."""

import random
from collections.abc import Callable

import pytest

from benchmarks.dynamodb_model import (
    HELD_SECONDS,
    MAX_OUTDATED,
    READ_UNITS,
    WRITE_UNITS,
    Environment,
    Figures,
    Request,
    Result,
    Simulation,
    Table,
    Use,
)
from benchmarks.scale_rows import (
    Operations,
    conditional,
    incremented,
    recorded_attempts,
    requests_of,
    simulate,
)
from stratabase.core.store.engine.port import ITEMS
from stratabase.core.store.layout import keys
from stratabase_aws.dynamodb.retry import CAPACITY, RETRY_COST


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """The clock of the table."""
    return Clock()


@pytest.fixture
def table(clock: Clock) -> Table:
    """A table in which each partition key has a physical partition of its own."""
    return Table(clock, random.Random(1), split=True)


def write(key: str | None, units: float = 1.0, *, index: str = ITEMS, transaction: bool = False) -> Request:
    return Request([Use(index, key, key, units)], 0.005, transaction=transaction)


def granted(table: Table, request: Callable[[], Request]) -> int:
    """Return how many requests the table grants at this instant, at most 10,000."""
    number = 0
    while number < 10_000 and table.send(request()) is Result.DONE:
        number += 1
    return number


def test_a_partition_key_has_its_units_a_second(table: Table, clock: Clock) -> None:
    assert granted(table, lambda: write("a")) == WRITE_UNITS
    assert granted(table, lambda: write("b", 5.0)) == WRITE_UNITS / 5
    clock.now = 0.5
    assert granted(table, lambda: write("a")) == WRITE_UNITS / 2
    clock.now = 60.0
    assert granted(table, lambda: write("a")) == WRITE_UNITS


def test_reads_have_units_of_their_own(table: Table) -> None:
    read = Request([Use(ITEMS, "a", "a", 1.0)], 0.004, writes=False)
    assert granted(table, lambda: write("a")) == WRITE_UNITS
    assert granted(table, lambda: read) == READ_UNITS


def test_an_index_that_throttles_rejects_the_write(table: Table) -> None:
    """And nothing is consumed in the table."""
    both = Request([Use(ITEMS, "a", "a", 1.0), Use("index1", "listing", None, 2.0)], 0.005)
    assert granted(table, lambda: both) == WRITE_UNITS / 2
    assert granted(table, lambda: write("a")) == WRITE_UNITS / 2


def test_a_new_table_serves_all_keys_from_four_partitions(clock: Clock) -> None:
    """It grants what is there at the start, and what comes in a second."""
    new, number = Table(clock, random.Random(1), split=False), 0
    for _ in range(100):
        number += sum(new.send(write(None)) is Result.DONE for _ in range(200))
        clock.now += 0.01
    assert number == pytest.approx(8 * WRITE_UNITS, rel=0.05)


def test_writes_of_an_item_that_a_transaction_holds_are_conflicts(table: Table, clock: Clock) -> None:
    assert table.send(write("a", transaction=True)) is Result.DONE
    assert table.send(write("a", transaction=True)) is Result.CONFLICT
    assert table.send(write("a")) is Result.CONFLICT
    assert table.send(write("b", transaction=True)) is Result.DONE
    clock.now = HELD_SECONDS
    assert table.send(write("a")) is Result.DONE
    assert table.send(write("a")) is Result.DONE


def outcome(results: list[Result]) -> tuple[Figures, int]:
    """Run an environment whose attempts have these results, the last one for ever, for ten seconds."""
    simulation, figures, calls = Simulation(), Figures(0.0), 0

    def attempt() -> tuple[Result, float]:
        nonlocal calls
        calls += 1
        return results.pop(0) if len(results) > 1 else results[0], 0.001

    environment = Environment(simulation, random.Random(1), figures, 0.01)
    simulation.start(environment.serve(lambda: [attempt]))
    simulation.run(10.0)
    return figures, calls


def test_a_throttled_request_is_repeated_until_it_is_done() -> None:
    figures, _ = outcome([Result.THROTTLED, Result.CONFLICT, Result.DONE])
    assert (figures.failed, figures.results[Result.THROTTLED], figures.results[Result.CONFLICT]) == (0, 1, 1)
    assert figures.percentile(0.5) == pytest.approx(0.011)
    assert figures.percentile(1.0) > 0.012


def test_the_budget_ends_the_retries_of_an_environment() -> None:
    figures, calls = outcome([Result.THROTTLED])
    assert figures.done == 0
    assert calls - figures.failed <= CAPACITY / RETRY_COST


def test_a_failed_condition_is_repeated_at_once_and_not_for_ever() -> None:
    figures, calls = outcome([Result.OUTDATED])
    assert calls == pytest.approx(figures.failed * MAX_OUTDATED, abs=MAX_OUTDATED)


def test_a_simulation_can_be_repeated() -> None:
    first, second = (simulate(20, conditional({}), split=True) for _ in range(2))
    assert first == second


# What is recorded of real operations.


def test_a_create_is_one_write_with_an_entry_in_a_shared_listing() -> None:
    (request,) = requests_of(Operations().create)
    assert (request.writes, request.transaction) == (True, False)
    assert request.uses == [
        Use(ITEMS, None, None, 1.0),
        Use(keys.LISTING, keys.listing_partition("Plain"), None, 1.0),
    ]


def test_a_create_with_a_target_writes_the_head_of_the_target_in_a_transaction() -> None:
    request = requests_of(Operations().worker)[-1]
    assert request.transaction
    assert [use.units for use in request.uses if use.item is not None] == [2.0]


def test_more_shards_allow_more_creates_and_increments_more_numbers() -> None:
    requests = requests_of(Operations().create)
    one, many = (simulate(50, recorded_attempts(requests, shards), split=True) for shards in (1, 16))
    assert one[0].rate(one[1]) <= WRITE_UNITS < many[0].rate(many[1])
    before, now = (simulate(20, made({}), split=True) for made in (conditional, incremented))
    assert before[0].rate(before[1]) < 250 < now[0].rate(now[1])
