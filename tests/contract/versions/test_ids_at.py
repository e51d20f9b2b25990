"""Every store finds the objects that may have existed at an instant, in the order of their ids."""

from itertools import chain
from random import Random

import pytest

from stratabase.core.domain.objects.commit_refusals import DeletedNotListed
from stratabase.core.domain.objects.entity import Moment, Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.page import ALL_IDS, IdRange
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.store.read import past_ids
from stratabase.core.store.repository import Repository
from tests.contract.engine.engine_calls import settle
from tests.contract.engine.reference import ReferenceEngine
from tests.contract.versions.models import COMPANY
from tests.contract.versions.versioned_objects import HOUR, VersionedObjects
from tests.fakes import FUTURE_NOON, NOON, unlimited_budget
from tests.soak import count, seed

STEPS = count(25, 1000)
DAY = 24 * 60 * 60 * 1000


def found(objects: VersionedObjects, at: Instant, id_range: IdRange = ALL_IDS) -> list[str]:
    """Return the ids of employees that may have existed at an instant."""
    if isinstance(objects.entities, Repository):
        settle(objects.entities._engine)
    return [*chain.from_iterable(objects.entities.ids_at("Employee", at, id_range, unlimited_budget()))]


def existing(objects: VersionedObjects, ids: list[str], at: Instant) -> list[str]:
    """Return those ids whose objects existed at an instant."""
    moments = [Moment(Reference("Employee", each), at) for each in ids]
    return [each for each, entity in zip(ids, objects.entities.as_of(moments), strict=True) if entity]


@pytest.mark.parametrize("few", [0, 100])
def test_every_object_that_existed_is_found_once_and_in_order(
    objects: VersionedObjects, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(past_ids, "_FEW", few)
    chance, present, gone = Random(seed()), list[str](), list[str]()
    recorded = [(objects.clock, list[str]())]
    for number in range(STEPS):
        if gone and chance.random() < 0.3:
            present.append(gone.pop(chance.randrange(len(gone))))
            objects.restore("Employee", present[-1], name="again")
        elif present and chance.random() < 0.4:
            gone.append(present.pop(chance.randrange(len(present))))
            objects.delete("Employee", gone[-1])
        else:
            present.append(f"x{chance.randrange(1000):03}{number}")
            objects.create("Employee", present[-1], name="n")
        recorded.append((objects.clock, sorted(present)))
    for at, expected in chance.sample(recorded, 4):
        ids = found(objects, at)
        assert ids == sorted({*ids})
        assert existing(objects, ids, at) == expected
        for size in (1, 5):
            start = chance.choice([*expected, "x5", ""])
            after = found(objects, at, IdRange(start, size))
            assert existing(objects, after, at) == [each for each in expected if each > start]
            before = found(objects, at, IdRange(start or None, size, backward=True))
            wanted = [each for each in reversed(expected) if not start or each < start]
            assert existing(objects, before, at) == wanted


def test_ids_narrow_only_where_they_tell_the_time() -> None:
    clock = [NOON]
    ids = TimeOrderedIds(lambda: clock[0])
    objects = VersionedObjects(Repository(ReferenceEngine(), COMPANY, now=lambda: clock[0]))

    def made(at: Instant) -> str:
        clock[0] = objects.clock = at
        id_ = ids.new()
        objects.create("Employee", id_, name="n")
        return id_

    old, other = made(NOON), "z"
    objects.create("Employee", other, name="imported")
    soon, young, deleted = made(NOON + DAY // 2), made(NOON + 2 * DAY), made(NOON + 2 * DAY + 1)
    objects.clock = NOON + 4 * DAY - HOUR
    objects.delete("Employee", deleted)
    ahead = made(FUTURE_NOON)
    clock[0] = NOON + 4 * DAY
    assert found(objects, NOON + 1) == [old, soon, ahead, other]
    assert found(objects, NOON + 1, IdRange(None, 1, backward=True)) == [other, ahead, soon, old]
    assert found(objects, NOON + 1, IdRange(young)) == [ahead, other]
    assert found(objects, NOON + 1, IdRange(young, backward=True)) == [soon, old]
    assert found(objects, clock[0] - DAY) == [old, soon, young, deleted, ahead, other]
    assert found(objects, clock[0]) == [old, soon, young, ahead, other]
    assert found(objects, -(10**15)) == [ahead, other]
    assert found(objects, 10**16) == [old, soon, young, ahead, other]


def test_an_unfinished_listing_is_refused() -> None:
    repository = Repository(ReferenceEngine(), COMPANY)
    objects, registry = VersionedObjects(repository), repository._store.registry
    objects.create("Employee", "x", name="n")
    registry.update(lambda known: known.with_deleted_shards("Employee", 4, NOON))
    registry.invalidate()
    with pytest.raises(DeletedNotListed):
        found(objects, NOON)
