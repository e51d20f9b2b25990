"""The number of shards of a listing or an index changes while objects are written and read."""

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.core.domain.query.filter import Comparison
from stratabase.core.domain.query.order import Order, OrderTerm, Position, position_of
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.engine.port import INDEX_NAMES, Batch, Engine
from stratabase.core.store.engine.wrappers import DelegatingEngine
from stratabase.core.store.indexes.entries import BuildState
from stratabase.core.store.indexes.listing import count_objects, listing_index
from stratabase.core.store.indexes.registry import NoFreeSlot, Registry, parse_registry
from stratabase.core.store.layout import keys, object_items
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.evolution.backfill.class_heads import read_heads
from stratabase.evolution.backfill.reindex import Reindex
from stratabase.evolution.backfill.resharding import OF_LISTING, Resharding
from tests.contract.engine.dynamodb import MotoTable
from tests.contract.engine.lagging import LONGEST_LAG, LaggingEngine
from tests.core.domain.query import naive
from tests.core.store.stores import Store, fresh_class
from tests.core.store.watched_engine import WatchedEngine
from tests.listing import listing_place
from tests.models import THING, model
from tests.soak import count, mostly, seed

COUNT = ("count",)
ALL = PageFields(has_next=True, has_prev=True, total_count=True)
BY_ID = Order.of([OrderTerm("_id")])
ORDERS = [
    BY_ID,
    Order.of([OrderTerm("_id", descending=True)]),
    Order.of([OrderTerm("count")]),
    Order.of([OrderTerm("count", descending=True), OrderTerm("_id", descending=True)]),
]
FILTERS = [None, None, Comparison("count", Operator.GTE, 3), Comparison("name", Operator.EQ, "a")]


class Killed(BaseException):
    """The end of a process."""


class _Meanwhile(DelegatingEngine):
    """The engine of a process that changes shards, beside which others write and read."""

    def __init__(self, engine: Engine, meanwhile: Callable[[], None]) -> None:
        super().__init__(engine)
        self._meanwhile = meanwhile
        self.commits_left: int | None = None
        """The number of commits after which the process is killed."""

    def commit(self, batch: Batch) -> None:
        self._meanwhile()
        if self.commits_left == 0:
            raise Killed
        self.commits_left = None if self.commits_left is None else self.commits_left - 1
        super().commit(batch)
        self._meanwhile()


class History:
    """Objects of a class that are written and read while its shards change."""

    def __init__(self, engine: Engine, chance: random.Random, objects: int) -> None:
        self.engine, self._chance = engine, chance
        self.class_ = fresh_class(indexes=[COUNT])
        self.store = Store(engine, self.class_)
        self._states: dict[str, dict[str, Any]] = {}
        self._written: dict[str, float] = {}
        self._cursors: list[tuple[Order, Position]] = []
        self._quiet = False
        self._next = 0
        for _ in range(objects):
            self._create()

    def write(self) -> None:
        """Create, update or delete an object, with the registry that this process knows."""
        while True:
            # An embedded engine refuses writes of a process that knows an older registry.
            with suppress(Conflict):
                return self._write()

    def _write(self) -> None:
        what = self._chance.choice(["create", "update", "update", "delete"])
        if what == "create" or not self._states:
            self._create()
            return
        id_ = self._chance.choice([*self._states])
        if what == "delete":
            self.store.commit(self.store.deletion(id_))
            del self._states[id_]
        else:
            changes = {"count": self._chance.choice([None, *range(6)]), "name": self._chance.choice("ab")}
            self.store.commit(self.store.update(id_, **changes))
            self._states[id_] |= changes
            self._note(id_)

    def _create(self) -> None:
        self._next += 1
        id_ = f"06h{self._next:04}{self._chance.randrange(100):02}"
        state = {"count": self._chance.choice([None, *range(6)]), "name": self._chance.choice("ab")}
        self.store.create(id_, **state)
        self._states[id_] = {"_id": id_, **state}
        self._note(id_)

    def check(self) -> None:
        """Read a page, perhaps from a cursor that an earlier page returned; assert that it is right."""
        if isinstance(self.engine, LaggingEngine) and self._chance.random() < 0.5:
            self._check_under_lag(self.engine)
        self.settle()
        order, filter_ = self._chance.choice(ORDERS), self._chance.choice(FILTERS)
        start = None
        if self._cursors and self._chance.random() < 0.7:
            order, start = self._chance.choice(self._cursors)
        backward, size = self._chance.random() < 0.5, self._chance.choice([1, 3, 10])
        window = Window(size, backward, start=start)
        store = self._chance.choice([self.store, Store(self.engine, self.class_)])

        page = store.page(Query("", order, filter_, window, ALL))

        shown = [entity.reference.id for entity in page.items]
        expected = naive.page(self._states.values(), filter_, order, window, THING)
        assert (shown, page.total_count) == (expected.ids, expected.total_count)
        assert (page.has_next, page.has_prev) == (expected.has_next, expected.has_prev)
        self._cursors += [(order, position_of(entity.state, order)) for entity in page.items[:2]]

    def _check_under_lag(self, engine: LaggingEngine) -> None:
        """Read all objects; assert that each is shown once that was not written for longer than the lag."""
        began = engine.now
        window = Window(1000, backward=self._chance.random() < 0.5)
        store = self._chance.choice([self.store, Store(engine, self.class_)])
        page = store.page(Query("", self._chance.choice(ORDERS), None, window, ALL))
        shown = [entity.reference.id for entity in page.items]
        assert len({*shown}) == len(shown)
        at_rest = {id_ for id_ in self._states if self._written[id_] + LONGEST_LAG <= began}
        assert at_rest <= {*shown}

    def _note(self, id_: str) -> None:
        """Note when an object was written, by the clock of the lag."""
        self._written[id_] = self.engine.now if isinstance(self.engine, LaggingEngine) else 0.0

    def meanwhile(self) -> None:
        """Sometimes write or read, as other processes do."""
        if self._quiet or self._chance.random() < 0.7:
            return
        self._quiet = True
        self._chance.choice([self.write, self.check])()
        self._quiet = False

    def settle(self) -> None:
        """Wait until the indexes show all writes."""
        if isinstance(self.engine, LaggingEngine):
            self.engine.settle()

    def sleep(self, seconds: float) -> None:
        """Wait until the other process knows the registry, and the indexes show all writes."""
        if seconds > 5.0:
            self.store.entities._store.invalidate_registry()
        if seconds:
            self.settle()

    def reshard(self, shards: dict[tuple[str, ...], int] | None, killed_after: int | None = None) -> bool:
        """Change numbers of shards, or finish a stopped change. Return False if the process was killed."""
        engine = _Meanwhile(self.engine, self.meanwhile)
        engine.commits_left = killed_after
        resharding, reindex = processes(engine, self.class_, self.sleep)
        name = self.class_.name
        try:
            if shards:
                resharding.begin(name, shards)
            assert reindex.run(name).interrupted == ()
            resharding.finish(name)
        except Killed:
            return False
        return True

    def assert_clean(self, shards: dict[tuple[str, ...], int]) -> None:
        """Assert that there are only the wanted slots, and that objects have positions only there."""
        self.settle()
        registry = stored(self.engine)
        slots = registry.slots(self.class_.name)
        assert {tuple(column.attribute for column in slot.columns): slot.shards for slot in slots} == shards
        assert {slot.state for slot in slots} == {BuildState.READY}
        paths = registry.paths(self.class_.name)
        found = [item for items in read_heads(self.engine, self.class_.name) for item in items]
        assert sorted(keys.id_of(item.key) for item in found) == sorted(self._states)
        for item in found:
            entity = self.store.get(keys.id_of(item.key))
            assert item.places == object_items.index_places(entity, paths)
        assert count_objects(self.engine, self.class_.name) == len(self._states)


def processes(
    engine: Engine, class_: Any, sleep: Callable[[float], None] = lambda _: None
) -> tuple[Resharding, Reindex]:
    """Return what changes the shards of a class. Time stands still, so that nothing is settled by itself."""
    thing = model(class_)
    return (
        Resharding(engine, thing, now=lambda: 0, sleep=sleep),
        Reindex(engine, thing, now=lambda: 0, sleep=sleep),
    )


def stored(engine: Engine) -> Registry:
    return parse_registry(engine.get([keys.REGISTRY])[0])


@pytest.fixture(params=mostly(["sqlite", "lagging", "dynamodb-moto"], "dynamodb-moto"))
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    opened: dict[str, Callable[[], Engine]] = {
        "sqlite": lambda: SqliteEngine(tmp_path / "items.db"),
        "lagging": lambda: LaggingEngine(seed()),
        "dynamodb-moto": MotoTable,
    }
    engine = opened[request.param]()
    yield engine
    engine.close()


@pytest.mark.soak
def test_pages_are_right_whenever_and_wherever_a_change_of_shards_is_killed(engine: Engine) -> None:
    chance = random.Random(seed())
    is_slow = isinstance(engine, MotoTable)
    for _ in range(1 if is_slow else count(3, 60)):
        history = History(engine, chance, objects=12 if is_slow else 40)
        present = {OF_LISTING: 1, COUNT: 1}
        for _ in range(2 if is_slow else 4):
            some = chance.sample([OF_LISTING, COUNT], chance.choice([1, 2]))
            wanted = {attributes: chance.choice([1, 2, 4, 16]) for attributes in some}
            is_done = history.reshard(wanted, chance.choice([None, *range(0, 60, 7)]))
            while not is_done:
                history.check()
                # Either the same command again, or a plain reindex, which knows only what was begun.
                again = chance.choice([wanted, None])
                is_done = history.reshard(again, chance.choice([None, chance.randrange(60)]))
            assert history.reshard(wanted)
            present |= wanted
            history.check()
            history.write()
            history.assert_clean(present)


def test_a_plain_reindex_finishes_what_was_begun(engine: Engine) -> None:
    history = History(engine, random.Random(seed()), objects=10)
    resharding, _ = processes(engine, history.class_)
    resharding.begin(history.class_.name, {OF_LISTING: 4})

    assert history.reshard(None)

    history.assert_clean({OF_LISTING: 4, COUNT: 1})


def test_a_change_can_be_given_up(engine: Engine) -> None:
    history = History(engine, random.Random(seed()), objects=10)
    resharding, _ = processes(engine, history.class_)
    resharding.begin(history.class_.name, {OF_LISTING: 16, COUNT: 8})

    assert history.reshard({OF_LISTING: 1, COUNT: 2})

    history.assert_clean({OF_LISTING: 1, COUNT: 2})


@pytest.fixture
def watched() -> WatchedEngine:
    return WatchedEngine()


def test_the_index_with_the_listing_is_known(watched: WatchedEngine) -> None:
    history = History(watched, random.Random(1), objects=3)
    assert listing_index(watched, history.class_.name) == keys.LISTING
    history.reshard({OF_LISTING: 4})
    assert listing_index(watched, history.class_.name) == "index3"  # index2 has an @index
    history.reshard({OF_LISTING: 1})
    assert listing_index(watched, history.class_.name) == keys.LISTING


def test_shards_that_are_as_wanted_change_nothing(watched: WatchedEngine) -> None:
    history = History(watched, random.Random(1), objects=3)
    history.reshard({OF_LISTING: 4})
    before = stored(watched)

    assert history.reshard({OF_LISTING: 4, COUNT: 1})

    assert stored(watched) == before


def test_a_class_without_a_free_index_is_refused_and_stays_as_it_is(watched: WatchedEngine) -> None:
    names = ["name", "code", "notes", "count", "price", "good", "day"]
    class_ = fresh_class(indexes=[(name,) for name in names])
    Store(watched, class_).create("x", name="a")
    resharding, _ = processes(watched, class_)
    before = stored(watched)
    assert {slot.index_name for slot in before.slots(class_.name)} == {*INDEX_NAMES}

    with pytest.raises(NoFreeSlot):
        resharding.begin(class_.name, {OF_LISTING: 4})

    assert stored(watched) == before


def test_an_index_in_shards_stays_when_its_class_gets_another_index(watched: WatchedEngine) -> None:
    history = History(watched, random.Random(1), objects=5)
    history.reshard({OF_LISTING: 2, COUNT: 4})
    history.class_ = replace(
        history.class_, indexes=(*history.class_.indexes, *fresh_class(indexes=[("name",)]).indexes)
    )
    history.store = Store(watched, history.class_)

    assert history.reshard(None)

    history.assert_clean({OF_LISTING: 2, COUNT: 4, ("name",): 1})


def test_long_work_sees_each_object_once_although_its_listing_is_replaced(watched: WatchedEngine) -> None:
    history = History(watched, random.Random(1), objects=250)
    batches = read_heads(watched, history.class_.name)
    seen = [keys.id_of(item.key) for item in next(batches)]

    assert history.reshard({OF_LISTING: 4})

    seen += [keys.id_of(item.key) for items in batches for item in items]
    assert seen == sorted(seen)
    assert {*history._states} <= {*seen}
    assert len({*seen}) == len(seen)


def test_versions_that_do_not_know_shards_refuse_the_registry_instead_of_losing_objects(
    watched: WatchedEngine,
) -> None:
    history = History(watched, random.Random(1), objects=3)
    before = stored_slots(watched, history.class_.name)
    assert [without_shards(slot) for slot in before] == ["index2"]

    changes: list[dict[tuple[str, ...], int]] = [{OF_LISTING: 4}, {OF_LISTING: 1}, {COUNT: 4}]
    for shards in changes:
        processes(watched, history.class_)[0].begin(history.class_.name, shards)
        with pytest.raises(KeyError):
            [without_shards(slot) for slot in stored_slots(watched, history.class_.name)]
        assert history.reshard(None)


def test_versions_that_do_not_know_shards_understand_an_index_that_was_joined_again(
    watched: WatchedEngine,
) -> None:
    history = History(watched, random.Random(1), objects=3)
    history.reshard({COUNT: 4})

    history.reshard({COUNT: 1})

    assert len([without_shards(slot) for slot in stored_slots(watched, history.class_.name)]) == 1


def stored_slots(engine: Engine, class_name: str) -> list[dict[str, Any]]:
    """Return the slots of a class as the item of the registry has them."""
    (item,) = engine.get([keys.REGISTRY])
    assert item is not None
    return list(orjson.loads(item.state or "")["classes"][class_name])


def without_shards(slot: dict[str, Any]) -> str:
    """Return the generic index of a slot, as versions that don't know shards read it."""
    return str(slot["index"])


def test_one_shard_costs_no_further_read_and_keeps_its_positions(watched: WatchedEngine) -> None:
    history = History(watched, random.Random(1), objects=1)
    (item,) = (item for item in watched.items.values() if item.state)
    entity = history.store.get(keys.id_of(item.key))

    assert item.places[keys.LISTING] == listing_place(entity.reference)
    assert item.places["index2"].partition.count("#") == 1
