"""An engine checks the mark of its store with the first read, and whenever the registry is read."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from stratabase.core.domain.store_mark import (
    LayoutRange,
    StoreKind,
    StoreMark,
    StoreRefused,
    StoreRequirements,
)
from stratabase.core.store.engine.port import ITEMS, Batch, Engine, Item, Key, Put
from stratabase.core.store.engine.wrappers import DelegatingEngine
from stratabase.core.store.layout import keys
from stratabase.core.store.marked_engine import EngineMark, MarkedEngine
from tests.contract.engine.reference import ReferenceEngine

REQUIRED = StoreRequirements(StoreKind.OBJECTS, "orders", "STRATABASE_TABLE", "one", LayoutRange(1, 1))
MARK = StoreMark(StoreKind.OBJECTS, "one", "orders")
KEY = Key("Order#1", keys.HEAD)
CREATE = Batch("c1", (Put(Item(KEY, {"number": 1})),))


class Recorder(DelegatingEngine):
    """An engine that records the keys of each read."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.reads: list[list[Key]] = []

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        self.reads.append([*keys])
        return super().get(keys, places=places)


@pytest.fixture
def store() -> Recorder:
    store = Recorder(ReferenceEngine())
    EngineMark(store).write_mark(MARK, None)
    store.commit(CREATE)
    store.reads.clear()
    return store


def remark(store: Engine, mark: StoreMark) -> None:
    marks = EngineMark(store)
    assert marks.write_mark(mark, marks.read_mark())


def test_the_first_read_has_the_mark_and_later_reads_do_not(store: Recorder) -> None:
    engine = MarkedEngine(store, REQUIRED)
    assert [item and item.key for item in engine.get([KEY, Key("a", "b")])] == [KEY, None]
    engine.get([KEY])
    assert store.reads == [[KEY, Key("a", "b"), keys.REGISTRY], [KEY]]


def test_one_more_read_comes_before_another_first_call(store: Recorder) -> None:
    engine = MarkedEngine(store, REQUIRED)
    assert [len(page) for page in engine.range(ITEMS, KEY.partition)] == [1]
    assert sum(len(page) for page in engine.scan()) == 2
    engine.commit(Batch("c2", (Put(Item(Key("x", "y"))),)))
    assert store.reads == [[keys.REGISTRY]]


@pytest.mark.parametrize(
    "change",
    [{"instance": "two"}, {"place": "old"}, {"replaced_by": "new"}, {"layout": 2, "least_reader": 2}],
)
def test_every_call_is_refused_with_a_wrong_mark(store: Recorder, change: dict[str, object]) -> None:
    remark(store, replace(MARK, **change))  # type: ignore[arg-type]
    engine = MarkedEngine(store, REQUIRED)
    calls = (
        lambda: engine.get([KEY]),
        lambda: engine.get([keys.REGISTRY]),
        lambda: engine.range(ITEMS, "x"),
        lambda: engine.count(ITEMS, "x"),
        engine.scan,
        lambda: engine.commit(CREATE),
        lambda: engine.increment(KEY, "number", 1),
    )
    for call in calls:
        with pytest.raises(StoreRefused):
            call()


def test_a_running_process_notices_a_change_with_the_next_read_of_the_registry(store: Recorder) -> None:
    engine = MarkedEngine(store, REQUIRED)
    engine.get([KEY])
    remark(store, replace(MARK, replaced_by="restored"))
    engine.get([KEY])
    with pytest.raises(StoreRefused, match="was replaced by 'restored'"):
        engine.get([keys.REGISTRY])
    with pytest.raises(StoreRefused):
        engine.get([KEY])
    remark(store, MARK)
    assert engine.get([KEY])[0] is not None


def test_a_later_layout_can_be_read_but_not_written(store: Recorder) -> None:
    remark(store, replace(MARK, layout=2, least_writer=2))
    engine = MarkedEngine(store, REQUIRED)
    assert engine.get([KEY])[0] is not None
    with pytest.raises(StoreRefused, match=r"To write to it, .* must know layout 2"):
        engine.commit(CREATE)
    with pytest.raises(StoreRefused, match=r"To write to it, .* must know layout 2"):
        engine.increment(KEY, "number", 1)
    MarkedEngine(store, REQUIRED._replace(layouts=LayoutRange(1, 2))).commit(CREATE)


def test_a_store_of_an_earlier_version_has_no_mark_and_is_accepted() -> None:
    engine = MarkedEngine(ReferenceEngine(), REQUIRED)
    engine.commit(CREATE)
    assert engine.get([KEY])[0] is not None
