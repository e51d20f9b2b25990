"""Concurrent callers: no write is lost, and no reader sees a part of a batch."""

from collections.abc import Callable
from functools import partial
from threading import Event

import pytest

from stratabase.core.store.engine.port import (
    ITEMS,
    NO_EXPECTATION,
    NOT_EXISTS,
    Condition,
    ConditionOperator,
    Engine,
    Expectation,
    ExpectationFailed,
    IndexKey,
    Item,
    Key,
    Patch,
    Put,
)
from tests.contract.engine.engine_calls import HERE, commit, get_item, put, run_concurrently, settle
from tests.contract.engine.engines import KINDS, EngineImplementation
from tests.soak import count

pytestmark = pytest.mark.soak

TIMES = count(4, 500)


@pytest.fixture(params=[kind for kind in KINDS if kind.threads > 1], ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> EngineImplementation:
    """A kind of engine that supports concurrent callers."""
    kind: EngineImplementation = request.param
    return kind


@pytest.fixture
def times(kind: EngineImplementation) -> int:
    """Return the number of repetitions: fewer over a network."""
    return TIMES if kind.name == "sqlite" else count(4, 50)


def wins(engine: Engine, *actions: Patch | Put) -> bool:
    try:
        commit(engine, *actions)
    except ExpectationFailed:
        return False
    return True


def test_exactly_one_concurrent_put_of_a_free_key_succeeds(
    engine: Engine, kind: EngineImplementation, times: int
) -> None:
    for number in range(times):
        key = Key("free", str(number))
        racers = [
            partial(wins, engine, Put(Item(key, {"racer": n}), NOT_EXISTS)) for n in range(kind.threads)
        ]
        won = run_concurrently(*racers)
        assert sum(won) == 1
        assert get_item(engine, key).attributes == {"racer": won.index(True)}


def test_no_concurrent_put_of_two_keys_succeeds_halfway(
    engine: Engine, kind: EngineImplementation, times: int
) -> None:
    """Each caller puts two of three keys, in different orders.

    This would show a deadlock or a partial put.
    """
    for number in range(times):
        three = [Key("pair", f"{number}-{n}") for n in range(3)]
        pairs = [(three[n % 3], three[(n + 1) % 3]) for n in range(kind.threads)]
        racers = [
            partial(wins, engine, *(Put(Item(key, {"racer": n}), NOT_EXISTS) for key in pair))
            for n, pair in enumerate(pairs)
        ]
        (winner,) = [n for n, won in enumerate(run_concurrently(*racers)) if won]
        held = [item and item.attributes["racer"] for item in engine.get(three)]
        assert sorted(held, key=str) == [winner, winner, None]


def test_no_concurrent_add_is_lost(engine: Engine, kind: EngineImplementation, times: int) -> None:
    def add() -> None:
        for _ in range(times):
            commit(engine, Patch(HERE, NO_EXPECTATION, add={"count": 1}))

    run_concurrently(*[add] * kind.threads)
    assert get_item(engine).attributes == {"count": times * kind.threads}


def increment(engine: Engine) -> None:
    """Increment a number by a read and a conditional write, until it succeeds."""
    while True:
        number = get_item(engine).attributes["count"]
        assert isinstance(number, int)
        expect = Expectation(True, (Condition("count", ConditionOperator.EQUALS, number),))
        if wins(engine, Patch(HERE, expect, {"count": number + 1})):
            return


def test_no_concurrent_conditional_write_is_lost(
    engine: Engine, kind: EngineImplementation, times: int
) -> None:
    commit(engine, Put(Item(HERE, {"count": 0})))

    def go_on() -> None:
        for _ in range(times):
            increment(engine)

    run_concurrently(*[go_on] * kind.threads)
    assert get_item(engine).attributes == {"count": times * kind.threads}


def test_a_caller_sees_its_own_commit_immediately(
    engine: Engine, kind: EngineImplementation, times: int
) -> None:
    def write_and_read(thread: int) -> None:
        for number in range(times):
            item = Item(Key(f"own{thread}", "x"), {"number": number})
            commit(engine, Put(item))
            assert get_item(engine, item.key) == item

    run_concurrently(*(partial(write_and_read, thread) for thread in range(kind.threads)))


def test_every_caller_sees_an_acknowledged_commit(engine: Engine, times: int) -> None:
    """A thread that has read before must not see an old state."""
    turns = [(Event(), Event()) for _ in range(times)]

    def write() -> None:
        for number, (written, read) in enumerate(turns):
            commit(engine, Put(Item(HERE, {"number": number})))
            written.set()
            assert read.wait(60)

    def read() -> None:
        for number, (written, seen) in enumerate(turns):
            assert written.wait(60)
            assert get_item(engine).attributes == {"number": number}
            seen.set()

    run_concurrently(write, read)


def while_running(work: Callable[[], None], look: Callable[[], None]) -> None:
    """Call a function again and again until the work is done, and once more."""
    done = Event()

    def worked() -> None:
        try:
            work()
        finally:
            done.set()

    def looked() -> None:
        while not done.is_set():
            look()
        look()

    run_concurrently(worked, looked)


def test_a_get_of_several_keys_sees_a_batch_completely_or_not_at_all(
    engine: Engine, kind: EngineImplementation, times: int
) -> None:
    if not kind.whole_reads:
        pytest.skip(f"{kind.name} does not promise it")
    pair = [Key("left", "x"), Key("right", "x")]
    # More keys than one statement takes, the two far apart.
    asked = [pair[0], *(Key("none", str(n)) for n in range(600)), pair[1]]
    put(engine, [Item(key, {"n": -1}) for key in pair])

    def write() -> None:
        for number in range(4 * times):
            commit(engine, *(Put(Item(key, {"n": number})) for key in pair))

    def look() -> None:
        for items in (engine.get(pair), engine.get(asked)):
            left, right = items[0], items[-1]
            assert left
            assert right
            assert left.attributes == right.attributes

    while_running(write, look)


@pytest.mark.parametrize("index", [ITEMS, "index1"])
def test_a_range_during_inserts_returns_every_earlier_item_once(
    engine: Engine, kind: EngineImplementation, index: str, times: int
) -> None:
    def item(sort: str) -> Item:
        return Item(Key("p", sort), places={"index1": IndexKey("p", sort)})

    throughout = [f"{number:05}" for number in range(kind.many // 5)]
    put(engine, [item(sort) for sort in throughout])
    settle(engine)

    def insert() -> None:
        for number in range(2 * times):
            ends = (item(f"{at:05}+{number}") for at in (0, number + 1, 99_999))
            commit(engine, *map(Put, ends))

    def look() -> None:
        for backward in (False, True):
            seen = [each.key.sort for page in engine.range(index, "p", backward=backward) for each in page]
            assert seen == sorted(set(seen), reverse=backward)
            assert set(throughout) <= set(seen)

    while_running(insert, look)
