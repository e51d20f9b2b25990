"""Deleted objects are listed in every store, in the order of their deletion."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from threading import Event, Thread

import pytest

from stratabase.core.domain.objects.change import DeletionPlace
from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.query.page import IdRange
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.layout import keys
from stratabase.core.store.repository import Repository
from tests.contract.engine.engine_calls import settle
from tests.contract.engine.engines import CONCURRENT, KINDS
from tests.contract.versions.models import COMPANY
from tests.contract.versions.versioned_objects import VersionedObjects
from tests.fakes import unlimited_budget
from tests.soak import count, mostly, seed

STEPS = count(40, 400)
ROUNDS = count(20, 500)


class Store:
    """An engine, and objects in it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.objects = VersionedObjects(Repository(engine, COMPANY))

    def listed(
        self, start: DeletionPlace | None = None, *, oldest_first: bool = False, inclusive: bool = False
    ) -> list[DeletionPlace]:
        """Return the places of the deleted employees, in their order."""
        settle(self.engine)
        batches = self.objects.entities.deleted(
            "Employee", start, budget(), oldest_first=oldest_first, inclusive=inclusive, size=2
        )
        return [DeletionPlace(gone.last_end, gone.reference.id) for batch in batches for gone, _ in batch]

    def ids_of_the_beginning(self, *, backward: bool) -> list[str]:
        """Return the ids of all employees, which may have existed at the beginning."""
        settle(self.engine)
        batches = self.objects.entities.ids_at("Employee", 0, IdRange(None, 2, backward=backward), budget())
        return [id_ for batch in batches for id_ in batch]

    def positions(self) -> int:
        """Return the number of positions by id and by time."""
        listing = Repository(self.engine, COMPANY)._store.write_schema().deleted_listing("Employee")
        assert listing is not None
        return sum(
            len(page)
            for index in (keys.LISTING, keys.DELETED_BY_TIME)
            for partition in listing.partitions
            for page in self.engine.range(index, partition)
        )


def budget() -> ReadBudget:
    return unlimited_budget()


@pytest.fixture(params=mostly(KINDS, "dynamodb-moto", "metered"), ids=lambda kind: kind.name)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    engine = request.param.open(tmp_path)
    yield Store(engine)
    engine.close()


@pytest.fixture(params=mostly(CONCURRENT, "metered"), ids=lambda kind: kind.name)
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """A store that several threads may use."""
    engine = request.param.open(tmp_path)
    yield Store(engine)
    engine.close()


def test_a_tombstone_has_two_positions_until_it_is_restored(store: Store) -> None:
    objects = store.objects
    objects.create("Employee", "ada", name="Ada")
    assert store.positions() == 0
    ended = objects.delete("Employee", "ada")
    assert store.listed() == [DeletionPlace(ended, "ada")]
    assert store.positions() == 2
    objects.restore("Employee", "ada", name="Ada")
    assert store.listed() == []
    assert store.positions() == 0


def test_any_range_of_a_random_history_is_that_of_a_naive_model(store: Store) -> None:
    objects, random, gone = store.objects, Random(seed()), dict[str, DeletionPlace]()
    ids = [f"e{number}" for number in range(8)]
    for id_ in ids:
        objects.create("Employee", id_, name="a")
    for _ in range(STEPS):
        id_ = random.choice(ids)
        if id_ in gone:
            objects.restore("Employee", id_, name=random.choice("abc"))
            del gone[id_]
        elif random.random() < 0.7:
            gone[id_] = DeletionPlace(objects.delete("Employee", id_), id_)
        else:
            objects.update("Employee", id_, name=random.choice("abc"))
    ordered = sorted(gone.values(), reverse=True)
    assert store.listed() == ordered
    assert store.listed(oldest_first=True) == ordered[::-1]
    for start in ordered:
        assert store.listed(start) == [each for each in ordered if each < start]
        assert store.listed(start, inclusive=True) == [each for each in ordered if each <= start]
        later = [each for each in ordered[::-1] if each > start]
        assert store.listed(start, oldest_first=True) == later


def test_races_of_deletion_and_restoration_leave_no_wrong_position(shared: Store) -> None:
    shared.objects.create("Employee", "ada", name="Ada")

    def work(name: str) -> None:
        mine = VersionedObjects(Repository(shared.engine, COMPANY))
        for number in range(ROUNDS):
            mine.clock = shared.objects.clock + 1000 * number
            try:
                if mine.find("Employee", "ada") is not None:
                    mine.delete("Employee", "ada")
                elif mine.entities.tombstones([Reference("Employee", "ada")])[0] is not None:
                    mine.restore("Employee", "ada", name=name)
            except (Conflict, AssertionError):
                pass  # the other one was first

    threads = [Thread(target=work, args=(name,)) for name in ("x", "y", "z")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    exists = shared.objects.find("Employee", "ada") is not None
    settle(shared.engine)
    assert shared.positions() == (0 if exists else 2)
    assert [place.id_ for place in shared.listed()] == ([] if exists else ["ada"])


def test_a_listing_that_is_read_meanwhile_is_in_order_and_complete(shared: Store) -> None:
    settled = [f"s{number}" for number in range(5)]
    for id_ in (*settled, "r0", "r1"):
        shared.objects.create("Employee", id_, name="a")
        shared.objects.delete("Employee", id_)
    is_read = Event()

    def work(id_: str) -> None:
        mine = VersionedObjects(Repository(shared.engine, COMPANY))
        mine.clock = shared.objects.clock
        while not is_read.is_set():
            mine.restore("Employee", id_, name="b")
            mine.delete("Employee", id_)

    threads = [Thread(target=work, args=(id_,)) for id_ in ("r0", "r1")]
    for thread in threads:
        thread.start()
    try:
        for number in range(ROUNDS):
            oldest_first = bool(number % 2)
            found = shared.listed(oldest_first=oldest_first)
            assert found == sorted(set(found), reverse=not oldest_first)
            assert {place.id_ for place in found} >= {*settled}
            ids = shared.ids_of_the_beginning(backward=oldest_first)
            assert ids == sorted(set(ids), reverse=oldest_first)
            assert {*ids} >= {*settled}
    finally:
        is_read.set()
        for thread in threads:
            thread.join()
