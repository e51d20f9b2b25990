"""Numbers of matches are counted once while nothing is written, and never wrong."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

import pytest

from stratabase.core import waiting
from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.domain.query.filter import And, Comparison, Filter, Not
from stratabase.core.domain.query.order import Order, OrderTerm
from stratabase.core.domain.query.page import Page, PageFields, Query, Window
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.engine.port import Counted, Item
from stratabase.core.store.engine.wrappers import DelegatingEngine
from stratabase.core.store.read import kept_counts
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.core.domain.query import naive
from tests.core.store.stores import Store, fresh_class
from tests.soak import count as soak_count

OBJECTS = 30
COUNTED = PageFields(total_count=True, has_next=True)
EVEN = Comparison("count", Operator.IN, (0, 2, 4, 6, 8))
LOW = Comparison("price", Operator.LT, "3")
"""No index has it, so that a count must test each object."""
BY_COUNT = Order.of([OrderTerm("count")])


class RecordingEngine(DelegatingEngine):
    """An engine that counts its calls of `count`, and the items that it reads."""

    def __init__(self, path: Path) -> None:
        super().__init__(SqliteEngine(path))
        self.counts = self.items = 0

    def count(self, *arguments: Any, **options: Any) -> Iterator[Counted]:
        self.counts += 1
        return super().count(*arguments, **options)

    def range(self, *arguments: Any, **options: Any) -> Iterator[Sequence[Item]]:
        for page in super().range(*arguments, **options):
            self.items += len(page)
            yield page


class Stores:
    """The same class in two engines on one file, like those of two processes."""

    def __init__(self, path: Path) -> None:
        class_ = fresh_class(indexes=[("count",)])
        self.engine, self.other_engine = RecordingEngine(path), RecordingEngine(path)
        self.store, self.other = Store(self.engine, class_), Store(self.other_engine, class_)
        self.store.fill(
            {"_id": f"{n:02}", "count": n % 10, "price": str(n % 7), "name": f"n{n}"} for n in range(OBJECTS)
        )

    def total(self, filter_: Filter | None = None, order: Order = BY_COUNT, offset: int = 0) -> int:
        """Return the total count of a page of the first store."""
        page = self.store.page(Query("", order, filter_, Window(5, offset=offset), COUNTED))
        assert len(page.items) == min(5, max(0, (page.total_count or 0) - offset))
        assert page.total_count is not None
        return page.total_count


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[Stores]:
    stores = Stores(tmp_path / "store.db")
    yield stores
    stores.engine.close()
    stores.other_engine.close()


@pytest.mark.parametrize("filter_", [None, EVEN])
def test_the_next_page_of_a_list_does_not_count_again(stores: Stores, filter_: Filter | None) -> None:
    expected = OBJECTS // (1 if filter_ is None else 2)
    assert [stores.total(filter_, offset=5 * page) for page in range(4)] == [expected] * 4
    assert stores.engine.counts == 1


def test_the_next_page_of_a_list_does_not_test_each_object_again(stores: Stores) -> None:
    expected = sum(n % 7 < 3 for n in range(OBJECTS))
    assert stores.total(LOW, Order.of([])) == expected
    assert stores.engine.items == OBJECTS
    stores.engine.items = 0
    page = Query("", Order.of([]), LOW, fields=PageFields(items=False, total_count=True))
    assert stores.store.page(page).total_count == expected
    assert stores.engine.items == 0


def test_each_commit_is_counted(stores: Stores) -> None:
    before = stores.total(EVEN)
    stores.store.create("new", count=2)
    assert [stores.total(EVEN), stores.total(EVEN)] == [before + 1] * 2
    stores.other.commit(stores.other.deletion("02"))
    assert [stores.total(EVEN), stores.total(EVEN)] == [before] * 2
    stores.other.commit(stores.other.update("04", count=5))
    assert [stores.total(EVEN), stores.total(EVEN)] == [before - 1] * 2
    assert stores.engine.counts == 4


def test_a_number_from_before_a_commit_is_not_kept(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    engine_count = SqliteEngine._counts
    numbers = count()

    def count_and_commit(engine: SqliteEngine, ranges: Sequence[object]) -> Iterator[Counted]:
        (counted,) = engine_count(engine, ranges)  # type: ignore[arg-type]
        if (number := next(numbers)) < 2:
            stores.other.create(f"new{number}", count=2)
        yield counted

    monkeypatch.setattr(SqliteEngine, "_counts", count_and_commit)
    before = stores.total(EVEN)
    assert [stores.total(EVEN) for _ in range(3)] == [before + 1, before + 2, before + 2]


def test_another_thread_does_not_take_an_outdated_number(stores: Stores) -> None:
    """Each thread has its own connection, with its own numbers of versions."""
    found: list[int] = []
    for number in range(4):
        for _ in range(2):
            thread = Thread(target=lambda: found.append(stores.total(EVEN)))
            thread.start()
            thread.join()
            found.append(stores.total(EVEN))
        assert found == [OBJECTS // 2 + number] * 4
        found.clear()
        stores.other.create(f"new{number}", count=2)


class OneVersion:
    """An engine to which nobody writes."""

    def data_version(self) -> object:
        return 1


class NotingWaits(waiting.Blocking):
    """A way of waiting that notes when a request waits for another one."""

    def __init__(self, noted: Event) -> None:
        self._noted = noted

    def until(self, future: Any) -> Any:
        self._noted.set()
        return super().until(future)


@pytest.mark.parametrize(("fails", "counts"), [(False, 1), (True, 2)])
def test_one_of_several_requests_counts(monkeypatch: pytest.MonkeyPatch, fails: bool, counts: int) -> None:
    """If it fails, the other counts itself."""
    begun, second = Event(), Event()
    monkeypatch.setattr(waiting, "_installed", NotingWaits(second))
    kept, counted, found = kept_counts.KeptCounts(), list[Query](), list[Page]()

    def read(query: Query) -> Page:
        if not query.fields.total_count:
            return Page()
        counted.append(query)
        if len(counted) == 1:
            begun.set()
            assert second.wait(60)
            if fails:
                raise ReadBudgetExceeded("Thing")
        second.set()
        return Page(total_count=3)

    def ask() -> None:
        with suppress(ReadBudgetExceeded):
            found.append(kept.page(OneVersion(), Query("Thing", BY_COUNT, EVEN, fields=COUNTED), read))  # type: ignore[arg-type]

    first = Thread(target=ask)
    first.start()
    assert begun.wait(60)
    ask()
    first.join()
    assert len(counted) == counts
    assert [page.total_count for page in found] == [3] * (1 if fails else 2)


def test_only_the_latest_numbers_are_kept(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_counts, "_MAX_KEPT", 2)
    counted = []
    for least in (1, 2, 1, 3, 1, 2):
        before = stores.engine.counts
        stores.total(Comparison("count", Operator.GTE, least))
        counted.append(stores.engine.counts - before)
    assert counted == [1, 1, 0, 1, 0, 1]


@pytest.mark.parametrize(
    ("filter_", "is_kept"),
    [
        (And((EVEN, Not(LOW))), True),
        (And((EVEN,) * 9), False),
        (Comparison("count", Operator.IN, tuple(range(9))), False),
        (Comparison("code", Operator.EQ, "x" * 200), True),
        (Comparison("code", Operator.EQ, "x" * 201), False),
        (Comparison("code", Operator.IN, ("x", "x" * 201)), False),
    ],
)
def test_numbers_of_long_filters_are_not_kept(stores: Stores, filter_: Filter, is_kept: bool) -> None:
    kept = stores.store.entities._store.kept_counts._counts
    stores.total(filter_)
    assert len(kept) == is_kept


@pytest.mark.parametrize("seed", range(soak_count(3, 200)))
def test_totals_beside_writes_are_exact(stores: Stores, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Two engines write and count in turn; a naive model counts what was written."""
    monkeypatch.setattr(kept_counts, "_MAX_KEPT", 3)
    chance, both = Random(seed), (stores.store, stores.other)
    states: dict[str, dict[str, Any]] = {
        f"{n:02}": {"_id": f"{n:02}", "count": n % 10, "price": str(n % 7)} for n in range(OBJECTS)
    }
    for step in range(80):
        writer, id_ = chance.choice(both), chance.choice(sorted(states))
        match chance.randrange(12):
            case 0:
                writer.commit(writer.deletion(id_))
                del states[id_]
            case 1:
                states[id_] = {**states[id_], "count": chance.randrange(10)}
                writer.commit(writer.update(id_, count=states[id_]["count"]))
            case 2:
                states[f"s{step}"] = {"_id": f"s{step}", "count": chance.randrange(10), "price": "1"}
                writer.fill([states[f"s{step}"]])
        filter_ = chance.choice([None, EVEN, LOW, And((EVEN, LOW)), Not(LOW)])
        order, window = chance.choice([BY_COUNT, Order.of([])]), Window(4, offset=chance.randrange(3))
        page = chance.choice(both).page(Query("", order, filter_, window, COUNTED))
        ids, total, has_next, _ = naive.page([*states.values()], filter_, order, window, stores.store.class_)
        assert ([entity.reference.id for entity in page.items], page.total_count, page.has_next) == (
            ids,
            total,
            has_next,
        )
