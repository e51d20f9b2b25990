"""Claims: a commit stamps objects that it need not write, if nobody has claimed them since they were read."""

from dataclasses import replace

import pytest

from stratabase.core.domain.objects.change import (
    Change,
    Creation,
    Deletion,
    LinkCreation,
    Modification,
    Restoration,
)
from stratabase.core.domain.objects.commit_refusals import Conflict, IntegrityViolation, TargetNotFound
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.model.reading import read_model
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.repository import Repository
from tests.contract.engine.engines import STORING, engine_fixture
from tests.fakes import NOON
from tests.soak import mostly

MODEL = read_model(
    """extend schema @application(name: "Bank")
    type Account @class(versioned: true) @index(attributes: ["name"]) { name: String }
    type Note { text: String }""",
    "bank.graphql",
)
LINKED = read_model(
    """extend schema @application(name: "Bank")
    type Account @class(versioned: true) {
      bookings: [Booking!] @association(opposite: "account")
      labels: [Label!] @association(opposite: "accounts")
    }
    type Booking { account: Account @association(opposite: "bookings") }
    type Label { accounts: [Account!] @association(opposite: "labels") }""",
    "bank.graphql",
)
"""Objects lead to an account by a key and by links."""
ACCOUNT = Reference("Account", "a1")
engine = engine_fixture(mostly(STORING, "dynamodb-ministack"))


@pytest.fixture
def store(engine: Engine) -> Repository:
    store = Repository(engine, MODEL)
    store.commit(Change("c1", NOON, (created(ACCOUNT, name="mine"),)))
    return store


def created(reference: Reference, **state: str) -> Creation:
    return Creation(Entity(reference, {"_id": reference.id, **state}))


def noted(commit_id: str, *claims: Entity) -> Change:
    """Return a change that creates a note, and claims objects."""
    return Change(commit_id, NOON + 10, (created(Reference("Note", commit_id), text="x"),), claims=claims)


def read(store: Repository) -> Entity:
    (entity,) = store.read([ACCOUNT])
    assert entity is not None
    return entity


def test_a_claim_is_no_revision(store: Repository) -> None:
    store.lock("l1", [ACCOUNT], Lock("m1", "ada", NOON + 60_000), NOON)
    before = read(store)

    store.commit(noted("c2", before))

    after = read(store)
    assert after.claimed == "c2"
    assert after == before
    assert (after.start, after.previous, after.lock) == (before.start, before.previous, before.lock)
    assert [each.start for each in store.versions(ACCOUNT)] == [NOON]


def test_of_two_claims_the_second_is_refused(store: Repository) -> None:
    before = read(store)
    store.commit(noted("c2", before))

    with pytest.raises(Conflict):
        store.commit(noted("c3", before))
    with pytest.raises(Conflict):
        store.dry_run(noted("c3", before))

    assert store.read([Reference("Note", "c3")]) == [None]
    store.commit(noted("c3", read(store)))
    assert read(store).claimed == "c3"


def test_a_write_that_claims_nothing_neither_minds_nor_removes_claims(store: Repository) -> None:
    before = read(store)
    store.commit(noted("c2", before))

    written = replace(before, state={**before.state, "name": "other"})
    store.commit(Change("c3", NOON + 20, (Modification(before, written),)))

    assert (read(store).state["name"], read(store).claimed) == ("other", "c2")
    store.commit(noted("c4", replace(read(store), commit_ids=())))


def test_a_deletion_that_claims_its_object_is_refused_after_another_claim(store: Repository) -> None:
    before = read(store)
    store.commit(noted("c2", before))

    with pytest.raises(Conflict):
        store.commit(Change("c3", NOON + 20, (Deletion(before),), claims=(before,)))
    store.commit(Change("c3", NOON + 20, (Deletion(before),)))


def test_a_deleted_object_cannot_be_claimed_as_it_was(store: Repository) -> None:
    before = read(store)
    store.commit(Change("c2", NOON + 20, (Deletion(before),)))

    with pytest.raises(Conflict):
        store.commit(noted("c3", before))


def test_who_claims_a_deleted_object_and_who_restores_it_exclude_one_another(store: Repository) -> None:
    before = read(store)
    store.commit(Change("c2", NOON + 20, (Deletion(before),)))
    (gone,) = store.tombstones([ACCOUNT])
    assert gone is not None
    restored = Change("c4", NOON + 30, (Restoration(gone, before),), claims=(before,))

    store.commit(replace(noted("c3"), claims=(gone,)))
    with pytest.raises(Conflict):
        store.commit(restored)
    (claimed,) = store.tombstones([ACCOUNT])
    assert claimed is not None
    store.commit(replace(restored, effects=(Restoration(claimed, before),)))

    assert read(store).claimed == "c4"
    with pytest.raises(Conflict):
        store.commit(replace(noted("c5"), claims=(claimed,)))


def test_a_claimed_object_that_is_deleted_is_no_target(engine: Engine) -> None:
    """The claim and the check that the target exists concern one head."""
    store = Repository(engine, LINKED)
    store.commit(Change("c1", NOON, (created(ACCOUNT),)))
    (entity,) = store.read([ACCOUNT])
    assert entity is not None
    store.commit(Change("c2", NOON + 20, (Deletion(entity),)))
    (gone,) = store.tombstones([ACCOUNT])
    assert gone is not None
    booking = created(Reference("Booking", "b1"), account=ACCOUNT.id)
    label = created(Reference("Label", "l1"))
    linked = LinkCreation(RoleName("Label", "accounts"), "l1", ACCOUNT.id)

    for number, effects in enumerate([(booking,), (label, linked), (booking, label, linked)]):
        change = Change(f"d{number}", NOON + 30, effects, claims=(gone,))
        for attempt in (store.dry_run, store.commit):
            with pytest.raises(IntegrityViolation) as refusal:
                attempt(change)
            assert [*refusal.value.violations] == [TargetNotFound(ACCOUNT)]


def test_a_claim_of_a_deleted_object_goes_with_what_stops_leading_there(engine: Engine) -> None:
    """Links to a deleted object, and the counts in its head, are gone already."""
    store = Repository(engine, LINKED)
    booking = created(Reference("Booking", "b1"), account=ACCOUNT.id)
    store.commit(Change("c1", NOON, (created(ACCOUNT), booking)))
    entity, before = store.read([ACCOUNT, booking.after.reference])
    assert entity is not None
    assert before is not None
    store.commit(Change("c2", NOON + 20, (Deletion(entity),)))
    (gone,) = store.tombstones([ACCOUNT])
    assert gone is not None
    after = replace(before, state={**before.state, "account": None})

    store.commit(Change("c3", NOON + 30, (Modification(before, after),), claims=(gone,)))

    (claimed,) = store.tombstones([ACCOUNT])
    assert claimed is not None
    assert claimed.claimed == "c3"
