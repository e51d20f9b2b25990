"""Objects of an older version, which have only names of members, get member IDs once."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

import pytest

from stratabase.core.domain.objects.change import Change, Effect
from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.core.domain.objects.entity import Entity
from stratabase.core.model.member_names import MEMBER_IDS, NOBODY, member_id
from stratabase.core.store.engine.port import Batch, Engine, Item, Key
from stratabase.core.store.engine.wrappers import DelegatingEngine
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.members.backfill import MemberBackfill, MemberBackfillOutcome, describe_outcome
from stratabase.members.member import Member
from tests.core.store.stores import Store, fresh_class
from tests.models import model
from tests.soak import count as soak_count

MANY = soak_count(120, 2_000)
DAY = 86_400_000
MONDAY = 1_600_000_000_000
_millisecond: Iterator[int] = count()


def id_of(day: int) -> str:
    """Return an id that was generated on a day. Day 0 is a Monday."""
    return TimeOrderedIds(lambda: MONDAY + day * DAY + next(_millisecond)).new()


def member(username: str, day: int) -> Member:
    """Return a member who was created on a day."""
    return Member(id_of(day), username, f"{username}@example.com", "Member")


OLD_ADA, YOUNG_BOB = member("Ada", 0), member("bob", 5)


def store_of(engine: Engine, *, versioned: bool = False) -> Store:
    """Return a store of a new class on a shared engine."""
    return Store(engine, replace(fresh_class(), versioned=versioned))


def backfill(engine: Engine, store: Store) -> MemberBackfillOutcome:
    """Add ids to the names of members in a class."""
    return MemberBackfill(engine, model(store.class_)).run(store.class_.name, [OLD_ADA, YOUNG_BOB])


def written(store: Store, day: int, *effects: Effect) -> None:
    """Commit effects on a day."""
    store.entities.commit(Change(f"m{next(_millisecond)}", MONDAY + day * DAY + DAY // 2, effects))


def made_by(store: Store, name: str, day: int) -> str:
    """Create an object as an older version would have, and return its id."""
    id_ = id_of(day)
    written(store, day, store.creation(id_, name="x", _createdby=name, _lastmodifiedby=name))
    return id_


def ids_in(entity: Entity) -> list[str | None]:
    """Return the ids of the members who created and last changed an object."""
    return [member_id(entity.state, name) for name in ("_createdby", "_lastmodifiedby")]


def test_a_name_gets_the_id_of_the_present_member_if_that_is_old_enough(engine: Engine) -> None:
    store = store_of(engine)
    by_ada = made_by(store, "ada", 2)
    by_an_earlier_bob = made_by(store, "bob", 2)
    by_bob = made_by(store, "bob", 6)
    by_who_left = made_by(store, "eve", 2)

    assert backfill(engine, store) == MemberBackfillOutcome(objects=4, known=4, younger=2, unknown=2)

    assert ids_in(store.get(by_ada)) == [OLD_ADA.id] * 2
    assert ids_in(store.get(by_an_earlier_bob)) == [NOBODY] * 2
    assert ids_in(store.get(by_bob)) == [YOUNG_BOB.id] * 2
    assert ids_in(store.get(by_who_left)) == [NOBODY] * 2
    state = store.get(by_ada).state
    assert (state["_createdby"], state["name"]) == ("ada", "x")  # as it was written


def test_each_name_of_an_object_is_judged_by_its_own_time(engine: Engine) -> None:
    store = store_of(engine)
    id_ = id_of(2)
    store.create(id_, _createdby="bob", _lastmodifiedby="bob", _lastmodifiedon="2030-01-01T00:00:00.000Z")

    assert backfill(engine, store) == MemberBackfillOutcome(objects=1, known=1, younger=1)
    assert ids_in(store.get(id_)) == [NOBODY, YOUNG_BOB.id]


def test_names_with_ids_are_left_alone_and_finished_classes_are_marked(engine: Engine) -> None:
    store = store_of(engine)
    made_by(store, "ada", 2)
    known = id_of(2)
    store.create(known, _createdby="ada", _lastmodifiedby="ada", **{MEMBER_IDS: {"ada": "another"}})
    pending = MemberBackfill(engine, model(store.class_)).pending
    assert pending() == (store.class_.name,)

    assert backfill(engine, store).known == 2
    assert ids_in(store.get(known)) == ["another"] * 2
    assert pending() == ()
    assert backfill(engine, store) == MemberBackfillOutcome(objects=2)


def test_closed_versions_get_ids(engine: Engine) -> None:
    store = store_of(engine, versioned=True)
    id_ = made_by(store, "ada", 2)
    for number in range(3):
        written(store, 3 + number, store.update(id_, name=str(number)))

    assert backfill(engine, store) == MemberBackfillOutcome(objects=1, known=2)

    versions = list(store.entities.versions(store.get(id_).reference))
    assert [each.state["name"] for each in versions] == ["x", "0", "1", "2"]
    assert [ids_in(each) for each in versions] == [[OLD_ADA.id] * 2] * 4
    assert [each.end for each in versions[:-1]] == [each.start for each in versions[1:]]


def test_a_concurrent_write_is_kept(engine: Engine) -> None:
    """The write has read the object without ids.

    It must be repeated, or the object must get ids afterwards.
    """
    store = store_of(engine)
    id_ = made_by(store, "ada", 2)

    class Late(DelegatingEngine):
        """Lets another write after the objects were read."""

        def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
            found = super().get(keys, places=places)
            if any(key.partition.endswith(id_) for key in keys) and not late:
                late.append(store.update(id_, name="late"))
                written(store, 3, *late)
            return found

    late: list[Effect] = []
    assert MemberBackfill(Late(engine), model(store.class_)).run(store.class_.name, [OLD_ADA]).known == 2
    found = store.get(id_)
    assert (found.state["name"], ids_in(found)) == ("late", [OLD_ADA.id] * 2)


def test_a_write_based_on_a_read_before_the_backfill_is_refused(engine: Engine) -> None:
    store = store_of(engine)
    id_ = made_by(store, "ada", 2)
    update = store.update(id_, name="late")
    backfill(engine, store)
    with pytest.raises(Conflict):
        written(store, 3, update)
    assert ids_in(store.get(id_)) == [OLD_ADA.id] * 2


def test_a_stopped_backfill_resumes(engine: Engine) -> None:
    store = store_of(engine)
    ids = [made_by(store, "ada", 2) for _ in range(MANY)]

    class Stopped(Exception):
        """An interruption by Ctrl-C."""

    class Mortal(DelegatingEngine):
        """Dies at its second commit."""

        def commit(self, batch: Batch) -> None:
            commits.append(batch)
            if len(commits) == 2:
                raise Stopped
            super().commit(batch)

    commits: list[Batch] = []
    with pytest.raises(Stopped):
        MemberBackfill(Mortal(engine), model(store.class_)).run(store.class_.name, [OLD_ADA])
    assert MemberBackfill(engine, model(store.class_)).pending() == (store.class_.name,)
    outcome = backfill(engine, store)
    assert (outcome.objects, outcome.known) == (MANY, 2 * (MANY - 50))
    assert all(ids_in(store.get(id_)) == [OLD_ADA.id] * 2 for id_ in ids)


def test_an_outcome_has_these_lines() -> None:
    assert list(describe_outcome("Thing", MemberBackfillOutcome(objects=3))) == []
    assert list(describe_outcome("Thing", MemberBackfillOutcome(5, 1200, 2, 1))) == [
        "Thing: replaced 1,200 usernames with member IDs.",
        "Thing: kept 2 usernames because the member is newer than the object.",
        "Thing: kept 1 username because no member has that name.",
    ]
