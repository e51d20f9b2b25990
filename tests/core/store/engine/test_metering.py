"""Metered engines report each call with its cost by DynamoDB's price list."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import ceil
from pathlib import Path
from threading import Barrier
from types import MappingProxyType

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.query.read_budget import Consumption, round_trips
from stratabase.core.store.engine.parallel import sequential_map
from stratabase.core.store.engine.port import (
    EXISTS,
    ITEMS,
    NOT_EXISTS,
    Action,
    Batch,
    Bounds,
    Check,
    Counted,
    DeleteItem,
    ExpectationFailed,
    IndexKey,
    Item,
    Key,
    Patch,
    Put,
)
from stratabase.core.store.engine.wrappers import MAX_MEASURED_ITEMS, MeteredEngine, record_consumption
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.values.messages import verbatim
from tests.contract.engine.reference import ReferenceEngine

KEY = Key("Thing#1", "V#~")
LISTING = {"index1": IndexKey("Thing", "1")}
MOVED = {"index1": IndexKey("Thing", "2")}


def item(size: int = 100, key: Key = KEY, places: Mapping[str, IndexKey] = MappingProxyType({})) -> Item:
    """Return an item whose state has a number of bytes."""
    return Item(key, {}, "x" * size, places)


class LimitedReads(ReferenceEngine):
    """An engine that allows a limited number of reads."""

    reads = 99

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        self.reads -= 1
        if self.reads < 0:
            raise Unavailable(verbatim("busy"))
        return super().get(keys, places=places)


@pytest.fixture
def inner() -> LimitedReads:
    return LimitedReads()


@pytest.fixture
def engine(inner: LimitedReads) -> MeteredEngine:
    return MeteredEngine(inner)


def measured(work: Callable[[], object]) -> list[Consumption]:
    result: list[Consumption] = []
    with record_consumption(result.append):
        work()
    return result


def committed(engine: MeteredEngine, *actions: Action) -> Consumption:
    (one,) = measured(lambda: engine.commit(Batch("b", actions)))
    return one


def test_calls_are_reported_only_during_a_measurement(engine: MeteredEngine, inner: LimitedReads) -> None:
    result = measured(lambda: None)
    engine.commit(Batch("b", (Put(item()),)))
    engine.get([KEY])
    assert (result, inner.reads) == ([], 98)


def test_a_measured_request_has_no_version_of_the_data(tmp_path: Path) -> None:
    """So it counts all, and shows what that costs."""
    engine = MeteredEngine(SqliteEngine(tmp_path / "store.db"))
    seen = []
    measured(lambda: seen.append(engine.data_version()))
    assert seen == [None]
    assert engine.data_version() is not None
    engine.close()


@pytest.mark.parametrize(("size", "units"), [(0, 1), (4000, 1), (4096, 2), (8100, 2), (9000, 3)])
def test_a_get_costs_one_unit_per_4_kb_of_each_item(size: int, units: int, engine: MeteredEngine) -> None:
    engine.commit(Batch("b", (Put(item(size)),)))

    (one,) = measured(lambda: engine.get([KEY, Key("no", "thing")]))

    assert (one.kind, one.index, one.round_trips, one.items) == ("get", None, 1, 2)
    assert (one.read_units, one.write_units) == (units + 1, 0)
    assert size < one.bytes < size + 40
    assert one.milliseconds >= 0


def test_a_get_of_many_takes_several_round_trips(engine: MeteredEngine) -> None:
    (one,) = measured(lambda: engine.get([Key("Thing", str(number)) for number in range(201)]))
    assert (one.round_trips, one.items, one.read_units) == (3, 201, 201)


@pytest.mark.parametrize(("index", "partition", "units"), [("index1", "Thing", 1), (ITEMS, KEY.partition, 2)])
def test_a_page_of_an_index_costs_half(
    index: str, partition: str, units: float, engine: MeteredEngine
) -> None:
    engine.commit(Batch("b", (Put(item(5000, places=LISTING)),)))

    (one,) = measured(lambda: list(engine.range(index, partition)))

    assert (one.kind, one.index, one.round_trips, one.items) == ("range", index, 1, 1)
    assert one.read_units == units


def test_an_eventually_consistent_page_costs_half(engine: MeteredEngine) -> None:
    engine.commit(Batch("b", (Put(item(5000)),)))
    (one,) = measured(lambda: list(engine.range(ITEMS, KEY.partition, exact=False)))
    assert (one.round_trips, one.read_units) == (1, 1)


def test_a_range_is_reported_page_by_page_as_it_is_read(engine: MeteredEngine, inner: LimitedReads) -> None:
    pages = [[item()], [item()], [item()]]

    def range_(*_: object, **__: object) -> Iterator[Sequence[Item]]:
        return iter(pages)

    inner.range = range_  # type: ignore[method-assign]

    assert len(measured(lambda: next(iter(engine.range(ITEMS, "p"))))) == 1
    assert len(measured(lambda: list(engine.range(ITEMS, "p")))) == 3
    pages.clear()
    (nothing,) = measured(lambda: list(engine.range(ITEMS, "p")))
    assert (nothing.items, nothing.round_trips, nothing.read_units) == (0, 1, 0)


@pytest.mark.parametrize(("index", "units"), [("index1", 3), (ITEMS, 0.5)])
def test_a_count_is_reported_once_and_costs_as_much_as_reading(
    index: str, units: float, engine: MeteredEngine
) -> None:
    for number in range(5):
        place = {"index1": IndexKey("all", str(number))}
        engine.commit(Batch(str(number), (Put(item(4500, Key(f"Thing#{number}", "V#~"), place)),)))

    (one,) = measured(lambda: list(engine.count(index, "all", [Bounds(high="2"), Bounds("3")])))

    counted = 5 if index == "index1" else 0
    assert (one.kind, one.index, one.items, one.round_trips) == ("count", index, counted, 1)
    assert one.read_units == (units if counted else 1)
    assert one.bytes // 4500 == counted


def test_the_cost_of_a_long_count_is_estimated_from_some_items(
    engine: MeteredEngine, inner: LimitedReads
) -> None:
    sizes = [1200 for _ in range(MAX_MEASURED_ITEMS)]
    inner.count = lambda *_, **__: iter([Counted(5000, 0), Counted(1000, 0)])  # type: ignore[method-assign]
    inner.range = lambda *_, **__: iter([[item(size) for size in sizes]])  # type: ignore[method-assign]

    (one,) = measured(lambda: list(engine.count("index1", "Thing")))

    assert one.items == 6000
    assert 6000 * 1200 < one.bytes < 6000 * 1250
    assert (one.round_trips, one.read_units) == (7, ceil(one.bytes / 4096) / 2)


def test_a_count_that_is_abandoned_is_reported(engine: MeteredEngine, inner: LimitedReads) -> None:
    inner.count = lambda *_, **__: iter([Counted(1, 0), Counted(1, 0)])  # type: ignore[method-assign]

    def count_first() -> None:
        pages = engine.count("index1", "Thing")
        next(pages)
        pages.close()  # type: ignore[attr-defined]

    (one,) = measured(count_first)
    assert one.items == 1


@pytest.mark.parametrize(
    ("actions", "units"),
    [
        ((Put(item(900)),), 1),
        ((Put(item(1500)),), 2),
        ((Put(item(900, places=LISTING)),), 2),
        ((Put(item(10)), Put(item(10, Key("Thing#2", "V#~")))), 4),
        ((Put(item(10)), Check(Key("Thing#2", "V#~"), NOT_EXISTS)), 4),
    ],
    ids=["small", "large", "in an index", "a transaction", "a check"],
)
def test_a_new_item_has_this_cost(actions: tuple[Action, ...], units: int, engine: MeteredEngine) -> None:
    one = committed(engine, *actions)
    assert (one.kind, one.items, one.read_units, one.write_units) == ("commit", len(actions), 0, units)


@pytest.mark.parametrize(
    ("action", "units"),
    [
        (Patch(KEY, set={"locked": True}), 1),
        (Patch(KEY, state="y"), 2),
        (Patch(KEY, places=MOVED), 3),
        (Patch(KEY, places={"index1": None}), 2),
        # Conditional, so a transaction: docs/decisions/2026-11-21-whose-delete-it-was.md
        (DeleteItem(KEY, EXISTS), 3),
    ],
    ids=["unseen by the index", "seen", "moved", "left", "deleted"],
)
def test_a_change_has_this_cost(action: Action, units: int, engine: MeteredEngine) -> None:
    engine.commit(Batch("a", (Put(item(places=LISTING)),)))
    assert committed(engine, action).write_units == units


def test_a_refused_commit_costs_as_much_and_stays_refused(engine: MeteredEngine) -> None:
    engine.commit(Batch("a", (Put(item(1500, places=LISTING)),)))
    result: list[Consumption] = []

    with pytest.raises(ExpectationFailed), record_consumption(result.append):
        engine.commit(Batch("b", (Put(item(), NOT_EXISTS),)))

    assert [(one.kind, one.write_units) for one in result] == [("commit", 2)]


def test_a_commit_without_measurable_cost_succeeds(engine: MeteredEngine, inner: LimitedReads) -> None:
    inner.reads = 0

    result = measured(lambda: engine.commit(Batch("b", (Put(item()),))))

    inner.reads = 1
    assert (engine.get([KEY]), len(result)) == ([item()], 1)


def test_concurrent_requests_get_reports_of_their_own_calls(engine: MeteredEngine) -> None:
    together = Barrier(4)

    def ask(number: int) -> list[Consumption]:
        def work() -> None:
            together.wait()
            engine.get([KEY] * number)
            together.wait()

        return measured(work)

    with ThreadPoolExecutor(4) as pool:
        result = list(pool.map(ask, range(1, 5)))

    assert [[one.items for one in each] for each in result] == [[1], [2], [3], [4]]


def test_sequential_and_parallel_calls_are_distinguished(engine: MeteredEngine) -> None:
    def work() -> None:
        engine.get([KEY])
        sequential_map(lambda number: engine.get([KEY] * number), [1, 101, 1])
        list(engine.range(ITEMS, "p"))
        engine.commit(Batch("b", (Put(item()),)))

    result = measured(work)

    assert [(one.kind, one.after, one.round_trips) for one in result] == [
        ("get", 0, 1),
        ("get", 1, 1),
        ("get", 1, 2),
        ("get", 1, 1),
        ("range", 3, 1),
        ("commit", 4, 1),
    ]
    assert round_trips(result) == 5
    assert round_trips([]) == 0
