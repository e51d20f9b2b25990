"""The first read of a filtered page is as large as earlier queries of the same shape have needed."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from stratabase.core.domain.query.filter import Comparison
from stratabase.core.domain.query.order import Order, OrderTerm
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.engine.port import Item
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.stores import Store, fresh_class

OBJECTS = 600


class RecordingEngine(ReferenceEngine):
    """Records how many items each range of an index has returned."""

    def __init__(self) -> None:
        super().__init__()
        self.reads: list[int] = []

    def range(self, *arguments: Any, **options: Any) -> Iterator[Sequence[Item]]:
        for items in super().range(*arguments, **options):
            self.reads.append(len(items))
            yield items


@pytest.fixture
def engine() -> RecordingEngine:
    return RecordingEngine()


@pytest.fixture
def store(engine: RecordingEngine) -> Store:
    """A store of objects of which every tenth has one more of ten counts. Their names have no order."""
    store = Store(engine, fresh_class(indexes=[("name",)]))
    store.fill(
        {"_id": f"{number:03}", "name": f"{number * 7919 % 1009:04}", "count": number % 10}
        for number in range(OBJECTS)
    )
    return store


def reads(store: Store, engine: RecordingEngine, least: int, size: int = 50) -> list[int]:
    """Return how many items each read for a page has, in the order of names, of objects from a count on."""
    engine.reads.clear()
    query = Query(
        store.class_.name,
        Order.of([OrderTerm("name")]),
        Comparison("count", Operator.GTE, least),
        Window(size),
    )
    found = store.page(query).items
    assert len(found) == min(size, OBJECTS * (10 - least) // 10)
    assert all(int(str(entity.state["count"])) >= least for entity in found)
    return engine.reads


def test_the_next_page_of_a_shape_takes_one_read(store: Store, engine: RecordingEngine) -> None:
    first = reads(store, engine, 4)
    assert first[0] == 64
    assert len(first) == 2

    (only,) = reads(store, engine, 4)
    assert 64 < only <= 100


def test_a_filter_that_matched_few_objects_does_not_make_another_read_many(
    store: Store, engine: RecordingEngine
) -> None:
    assert sum(reads(store, engine, 10)) == OBJECTS

    assert reads(store, engine, 0) == [100], "at most twice the page"
    assert reads(store, engine, 0) == [64]


def test_a_filter_that_matched_everything_does_not_hide_objects(
    store: Store, engine: RecordingEngine
) -> None:
    assert reads(store, engine, 0) == [64]

    assert len(reads(store, engine, 9)) > 1


def test_a_small_page_reads_as_little_as_before(store: Store, engine: RecordingEngine) -> None:
    assert [reads(store, engine, 4, 10)[0] for _ in range(2)] == [64, 64]
