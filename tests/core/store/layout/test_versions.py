"""The items of versions: heads, closed versions, tombstones and ended links."""

from dataclasses import replace
from typing import Any

import orjson
import pytest

from stratabase.core.domain.objects.change import Change
from stratabase.core.domain.objects.commit_refusals import (
    Conflict,
    IntegrityViolation,
    LockRefused,
    RequiredRoleEmpty,
    TooLarge,
)
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.objects.instant import Instant, format_instant
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.domain.query.filter import Comparison
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Query
from stratabase.core.domain.write.limits import MAX_OBJECT_BYTES
from stratabase.core.model.model import Index, Model, Unique
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.engine.port import Batch, ExpectationFailed, IndexKey, Item, Key, OutcomeUnknown
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.store.layout import keys
from stratabase.core.store.repository import Repository
from stratabase.evolution.backfill.reindex import Reindex
from tests.contract.versions.models import COMPANY, named, remembering
from tests.contract.versions.versioned_objects import HOUR, NOON, VersionedObjects
from tests.core.store.clocks import Time
from tests.core.store.graphs import associated, key, many
from tests.core.store.graphs import remembering as kept
from tests.core.store.stores import UnguardedRegistryCache, use_registry
from tests.core.store.watched_engine import WatchedEngine
from tests.fakes import unlimited_budget
from tests.listing import listing_place
from tests.models import model
from tests.rows import each_row

ADA = Reference("Employee", "ada")
FORGETFUL = model(*(replace(each, versioned=False) for each in COMPANY.classes.values()))
"""The same company before it kept versions, or when it does no more."""


@pytest.fixture
def engine() -> WatchedEngine:
    """An engine whose items are visible."""
    return WatchedEngine()


@pytest.fixture
def company(engine: WatchedEngine) -> VersionedObjects:
    """A company with versioned classes."""
    return VersionedObjects(Repository(engine, COMPANY))


def under(model_: Model, objects: VersionedObjects, engine: WatchedEngine) -> VersionedObjects:
    """Return the same objects under another model, as a new process sees them."""
    other = VersionedObjects(Repository(engine, model_))
    other.clock = objects.clock
    return other


def head(engine: WatchedEngine, reference: Reference = ADA) -> Item:
    return engine.items[keys.head(reference)]


def sorts(engine: WatchedEngine, partition: str) -> list[str]:
    """Return the sort keys in a partition."""
    return sorted(key.sort for key in engine.items if key.partition == partition)


def test_every_head_has_the_start_of_its_version(company: VersionedObjects, engine: WatchedEngine) -> None:
    created = company.create("Lamp", "l")
    assert head(engine, Reference("Lamp", "l")).attributes["versionStart"] == created
    changed = company.update("Lamp", "l", name="x")
    assert head(engine, Reference("Lamp", "l")).attributes["versionStart"] == changed
    assert sorts(engine, "Lamp#l") == ["V#~"]
    assert "previousStart" not in head(engine, Reference("Lamp", "l")).attributes


def test_links_and_locks_do_not_change_the_version_start(
    company: VersionedObjects, engine: WatchedEngine
) -> None:
    created = company.create("Team", "red")
    company.create("Employee", "ada", team="red")
    company.entities.lock("c", [Reference("Team", "red")], Lock("m", "ada", NOON + HOUR), NOON)
    assert head(engine, Reference("Team", "red")).attributes["versionStart"] == created
    assert company.times("Team", "red") == [(created, None)]


def test_a_closed_version_is_an_item_without_index_places(
    company: VersionedObjects, engine: WatchedEngine
) -> None:
    created = company.commit(company.creation("Employee", "ada", name="Ada"), commit_id="b")
    changed = company.commit(company.updating("Employee", "ada", name="Eva"), commit_id="c")
    again = company.update("Employee", "ada", name="Ida")
    first, second = (engine.items[keys.version(ADA, start)] for start in (created, changed))
    assert first.key.sort == f"V#{created:015d}"
    author = [str(created), company.member, "token", "b"]
    assert first.attributes == {"start": created, "end": changed, "commitIds": ["c"], "author": author}
    assert (orjson.loads(first.state or ""), first.places) == ({"name": "Ada"}, {})
    assert (second.attributes["end"], second.attributes["previousStart"]) == (again, created)
    assert head(engine).attributes["previousStart"] == changed
    assert sorts(engine, "Employee#ada") == [first.key.sort, second.key.sort, "V#~"]


def test_a_tombstone_has_two_positions_no_state_no_lock_and_no_counts(engine: WatchedEngine) -> None:
    objects = VersionedObjects(Repository(engine, kept(associated("key and required list"), "A", "B")))
    objects.create("B", "b", name="x")
    objects.create("A", "a", to="b")
    objects.commit(objects.deletion("A", "a"), objects.deletion("B", "b"))
    reference = Reference("B", "b")
    (gone,) = objects.entities.tombstones([reference])
    assert gone is not None
    found = head(engine, reference)
    partition = found.places["index1"].partition
    assert partition.startswith("T#B#")
    assert found == Item(
        keys.head(reference),
        {
            "deleted": True,
            "lastEnd": gone.last_end,
            "previousStart": gone.previous_start,
            "commitIds": [*gone.commit_ids],
            "author": [str(gone.last_end), objects.member, "token", gone.commit_ids[-1]],
        },
        places={
            "index1": IndexKey(partition, "b"),
            "index2": IndexKey(partition, f"{gone.last_end:015}#b"),
        },
    )


def test_the_holder_of_a_lock_may_delete_the_object_and_the_lock_ends(
    company: VersionedObjects, engine: WatchedEngine
) -> None:
    company.create("Employee", "ada")
    company.entities.lock("c", [ADA], Lock("m", "ada", NOON + HOUR), NOON)
    change = replace(company.change(company.deletion("Employee", "ada")), member_id="m")
    company.entities.commit(change)
    assert "lockOwner" not in head(engine).attributes
    with pytest.raises(LockRefused) as refusal:
        company.entities.lock("d", [ADA], Lock("m", "ada", NOON + HOUR), NOON)
    assert refusal.value.missing == (ADA,)
    company.restore("Employee", "ada")
    company.update("Employee", "ada", name="x")
    assert company.get("Employee", "ada").lock is None


def test_links_have_a_start_and_an_end(company: VersionedObjects, engine: WatchedEngine) -> None:
    company.commit(company.creation("Team", "red"), company.creation("Desk", "d"))
    created = company.create("Employee", "ada", team="red", desk="d")
    assert engine.items[Key("Team#red", "L#members#ada")].attributes == {"start": created}
    assert engine.items[Key("O#Employee.desk#d", "O")].attributes == {"holder": "ada", "start": created}
    left = company.update("Employee", "ada", team=None, desk=None)
    assert sorts(engine, "Team#red") == ["L#members$ada", "V#~"]
    assert engine.items[Key("Team#red", "L#members$ada")].attributes == {"end": left}
    assert engine.items[Key("Desk#d", "L#owner$ada")].attributes == {"end": left}
    assert Key("O#Employee.desk#d", "O") not in engine.items
    company.update("Employee", "ada", team="red", desk="d")
    again = company.delete("Employee", "ada")
    assert engine.items[Key("Team#red", "L#members$ada")].attributes == {"end": again}
    assert engine.items[Key("Desk#d", "L#owner$ada")].attributes == {"end": again}


def test_links_without_times_are_checked_against_versions(
    company: VersionedObjects, engine: WatchedEngine
) -> None:
    """Such links may have existed at any time. The versions of their objects decide."""
    company.commit(company.creation("Team", "red"), company.creation("Desk", "d"))
    created = company.create("Employee", "ada", team="red", desk="d")
    for old in (Key("Team#red", "L#members#ada"), Key("O#Employee.desk#d", "O")):
        attributes = {name: value for name, value in engine.items[old].attributes.items() if name != "start"}
        engine.items[old] = replace(engine.items[old], attributes=attributes)
    for role in (RoleName("Team", "members"), RoleName("Desk", "owner")):
        id_ = {"Team": "red", "Desk": "d"}[role.class_name]
        assert company.entities.linked(role, [id_], at=[created - 1]) == [("ada",)]
        assert company.led_to(created - 1, role.class_name, role.role_name, id_) == ""
        assert company.led_to(created, role.class_name, role.role_name, id_) == "ada"


OLD: dict[str, tuple[str, dict[str, Any], Instant]] = {
    "last changed": (
        "ada",
        {"_createdon": format_instant(NOON - 9), "_lastmodifiedon": format_instant(NOON - 5)},
        NOON - 5,
    ),
    "made": ("ada", {"_createdon": format_instant(NOON - 9)}, NOON - 9),
    "its id": (TimeOrderedIds(lambda: NOON - 7).new(), {}, NOON - 7),
    "nothing": ("ada", {}, 0),
}


@pytest.mark.parametrize(("id_", "state", "since"), OLD.values(), ids=OLD)
def test_a_head_without_a_start_starts_at_its_recorded_change(
    company: VersionedObjects, engine: WatchedEngine, id_: str, state: dict[str, Any], since: Instant
) -> None:
    reference = Reference("Employee", id_)
    company.create("Employee", id_, name="old", **state)
    old = head(engine, reference)
    engine.items[old.key] = replace(old, attributes={"commitIds": old.attributes["commitIds"]})

    assert company.get("Employee", id_).start == since
    assert company.get("Employee", id_).state["_versionStart"] == format_instant(since)
    assert company.names("Employee", id_, since - 1, since, NOON) == "- old old"
    changed = company.update("Employee", id_, name="new")
    assert company.times("Employee", id_) == [(since, changed), (changed, None)]
    assert company.names("Employee", id_, since - 1, since, changed) == "- old new"


def test_versioning_can_be_switched_on_for_existing_objects(
    company: VersionedObjects, engine: WatchedEngine
) -> None:
    before = under(FORGETFUL, company, engine)
    created = before.create("Employee", "ada", name="0")
    since = before.update("Employee", "ada", name="1")
    assert before.names("Employee", "ada", created - 1, created) == "1 1"

    company.clock = before.clock
    assert company.names("Employee", "ada", created, since - 1, since) == "- - 1"
    changed = company.update("Employee", "ada", name="2")
    assert company.times("Employee", "ada") == [(since, changed), (changed, None)]
    deleted = company.delete("Employee", "ada")
    assert company.names("Employee", "ada", since, changed, deleted) == "1 2 -"


def test_versioning_can_be_switched_off_and_on_again(
    company: VersionedObjects, engine: WatchedEngine
) -> None:
    """States from the time without versioning are not kept. Earlier versions are."""
    created = company.create("Employee", "ada", name="0")
    changed = company.update("Employee", "ada", name="1")
    forgetful = under(FORGETFUL, company, engine)
    forgotten = forgetful.update("Employee", "ada", name="2")
    since = forgetful.update("Employee", "ada", name="3")
    assert forgetful.names("Employee", "ada", created, changed, since) == "3 3 3"
    assert "_versionStart" not in forgetful.get("Employee", "ada").state

    company.clock = forgetful.clock
    again = company.update("Employee", "ada", name="4")
    assert company.times("Employee", "ada") == [(created, changed), (since, again), (again, None)]
    result = company.names(
        "Employee", "ada", created, changed - 1, changed, forgotten, since - 1, since, again
    )
    assert result == "0 0 - - - 3 4"
    for at in (created - 1, created, changed, forgotten, since, again):
        backward = company.versions("Employee", "ada", until=at, backward=True)
        assert [*company.versions("Employee", "ada", until=at)] == backward[::-1]
        backward = company.versions("Employee", "ada", since=at, backward=True)
        assert [*company.versions("Employee", "ada", since=at)] == backward[::-1]


def test_deleted_objects_stay_deleted_when_versioning_is_switched_off(
    company: VersionedObjects, engine: WatchedEngine
) -> None:
    """A tombstone is never read, referenced or counted as an object."""
    company.create("Team", "red")
    company.create("Employee", "ada", team="red", code="a")
    company.commit(company.deletion("Team", "red"), company.deletion("Employee", "ada"))
    forgetful = under(FORGETFUL, company, engine)
    assert forgetful.find("Employee", "ada") is None
    assert forgetful.names("Employee", "ada", NOON, forgetful.clock) == "- -"
    with pytest.raises(IntegrityViolation):
        forgetful.create("Employee", "bob", team="red")
    with pytest.raises(Conflict):
        forgetful.create("Employee", "ada")
    forgetful.create("Employee", "bob", code="a")
    query = Query("Employee", Order.of(()), Comparison("_id", Operator.IN, ("ada", "bob")))
    assert [each.reference.id for each in forgetful.entities.page(query, unlimited_budget()).items] == ["bob"]


def test_an_object_deleted_without_versioning_cannot_be_restored(
    company: VersionedObjects, engine: WatchedEngine
) -> None:
    created = company.create("Employee", "ada", name="0")
    company.update("Employee", "ada", name="1")
    under(FORGETFUL, company, engine).delete("Employee", "ada")
    assert company.entities.tombstones([ADA]) == [None]
    assert company.names("Employee", "ada", created, company.clock) == "- -"
    assert len(company.versions("Employee", "ada")) == len(company.versions("Employee", "ada", backward=True))


def test_a_change_not_later_than_the_present_version_is_an_error(company: VersionedObjects) -> None:
    """Only a caller that ignores the start of the present version can make this error."""
    created = company.create("Employee", "ada")
    update = company.updating("Employee", "ada", name="x")
    with pytest.raises(ValueError, match="cannot end"):
        company.entities.commit(Change("c", created, (update,)))
    assert company.times("Employee", "ada") == [(created, None)]


def test_the_times_of_a_version_are_not_stored_in_its_state(
    company: VersionedObjects, engine: WatchedEngine
) -> None:
    company.create("Employee", "ada", name="x")
    (version,) = company.versions("Employee", "ada")
    company.commit(
        replace(company.updating("Employee", "ada"), after=Entity(ADA, {**version.state, "_versionEnd": "x"}))
    )
    assert orjson.loads(head(engine).state or "") == {"name": "x"}


def test_a_change_ends_as_many_versions_as_fit_into_a_batch(company: VersionedObjects) -> None:
    company.commit(*(company.creation("Employee", f"e{number}") for number in range(51)))
    effects = [company.updating("Employee", f"e{number}", name="x") for number in range(51)]
    with pytest.raises(TooLarge, match="102"):
        company.commit(*effects)
    company.commit(*effects[:50])
    assert company.get("Employee", "e49").state["name"] == "x"


def test_the_largest_object_can_be_changed_and_deleted(company: VersionedObjects) -> None:
    company.create("Employee", "ada", note="n" * (MAX_OBJECT_BYTES - 11))
    company.update("Employee", "ada", note="m" * (MAX_OBJECT_BYTES - 11))
    company.delete("Employee", "ada")
    assert len(company.versions("Employee", "ada")) == 2


class UncertainEngine(WatchedEngine):
    """An engine that never knows whether a refused batch was committed before."""

    def commit(self, batch: Batch) -> None:
        try:
            super().commit(batch)
        except ExpectationFailed as refusal:
            raise OutcomeUnknown(refusal.failures) from refusal


@each_row("engine_of", [WatchedEngine, UncertainEngine])
def test_a_write_with_a_lost_response_is_recognized_by_its_items(engine_of: type[WatchedEngine]) -> None:
    """A deletion is recognized by its tombstone.

    A concurrent write of another caller is not mistaken for it.
    """
    company = VersionedObjects(Repository(engine_of(), COMPANY))
    company.create("Employee", "ada", name="0")
    update = company.change(company.updating("Employee", "ada", name="1"))
    company.entities.commit(update)
    company.entities.commit(update)
    mine, theirs = (company.change(company.deletion("Employee", "ada")) for _ in range(2))
    company.entities.commit(mine)
    company.entities.commit(mine)
    with pytest.raises(Conflict):
        company.entities.commit(theirs)
    company.entities.commit(update)
    back = company.change(company.restoration("Employee", "ada", name="2"))
    rival = company.change(company.restoration("Employee", "ada", name="3"))
    company.entities.commit(back)
    company.entities.commit(back)
    with pytest.raises(Conflict):
        company.entities.commit(rival)
    company.entities.commit(mine)
    assert [version.state["name"] for version in company.versions("Employee", "ada")] == ["0", "1", "2"]


INDEXED = replace(
    remembering(named("Thing")), indexes=(Index(("name",)),), uniques=(Unique(("code",)), Unique(("note",)))
)


def test_a_reindex_skips_tombstones(engine: WatchedEngine) -> None:
    plain = replace(INDEXED, indexes=(), uniques=())
    objects = VersionedObjects(Repository(engine, model(plain)))
    for id_ in "abc":
        objects.create("Thing", id_, name=id_, code=id_)
    objects.update("Thing", "a", code="b")
    objects.delete("Thing", "b")
    places = dict(head(engine, Reference("Thing", "a")).places)
    tombstone = head(engine, Reference("Thing", "b"))
    engine.items[tombstone.key] = replace(
        tombstone, places={"index1": listing_place(Reference("Thing", "b"))}
    )
    time = Time()
    outcome = Reindex(engine, model(INDEXED), now=time.milliseconds, sleep=time.sleep).run("Thing")
    assert not outcome.duplicates
    assert not outcome.interrupted
    assert {*head(engine, Reference("Thing", "a")).places} - {*places} == {"index2"}
    assert {*head(engine, Reference("Thing", "b")).places} == {"index1"}
    result = Repository(engine, model(INDEXED))
    found = result.find_by_unique("Thing", Unique(("code",)), {"code": "b"}, unlimited_budget())
    assert found is not None
    assert found.reference.id == "a"
    assert found.state["_versionStart"] == format_instant(found.start or 0)


def test_a_stale_guard_of_a_deleted_object_is_free(engine: WatchedEngine) -> None:
    objects = VersionedObjects(Repository(engine, model(replace(INDEXED, indexes=()))))
    objects.create("Thing", "a", code="x")
    lax = under(model(replace(INDEXED, indexes=(), uniques=())), objects, engine)
    assert isinstance(lax.entities, Repository)
    unguarded = UnguardedRegistryCache(engine, model(replace(INDEXED, indexes=(), uniques=())))
    use_registry(lax.entities, unguarded)
    lax.delete("Thing", "a")
    assert [key for key in engine.items if key.sort == "U"]
    strict = under(model(replace(INDEXED, indexes=())), lax, engine)
    assert (
        strict.entities.find_by_unique("Thing", Unique(("code",)), {"code": "x"}, unlimited_budget()) is None
    )
    strict.create("Thing", "b", code="x")
    assert strict.find("Thing", "b") is not None


REQUIRED = model(
    remembering(named("Team", many("members", "Employee", "team", required=True))),
    remembering(named("Employee", key("team", "Team", "members", required=True))),
)


def test_restored_links_of_required_roles_are_counted(engine: WatchedEngine) -> None:
    """Keys lead to it that led there all the time, others end meanwhile, others come with it."""
    objects = VersionedObjects(Repository(engine, kept(associated("key and required list"), "A", "B")))
    objects.create("B", "b")
    objects.commit(*(objects.creation("A", id_, to="b") for id_ in "xyz"))
    objects.delete("B", "b")
    objects.update("A", "x", to=None)
    objects.commit(objects.restoration("B", "b"), objects.creation("A", "w", to="b"))
    assert objects.get("B", "b").counts == {}
    objects.commit(objects.updating("A", "y", to=None), objects.updating("A", "w", to=None))
    assert objects.get("B", "b").counts == {RoleName("B", "of"): 1}
    with pytest.raises(IntegrityViolation) as refusal:
        objects.update("A", "z", to=None)
    assert refusal.value.violations == (RequiredRoleEmpty(Reference("B", "b"), RoleName("B", "of")),)


def test_a_restored_required_key_protects_its_target(engine: WatchedEngine) -> None:
    objects = VersionedObjects(Repository(engine, REQUIRED))
    objects.commit(objects.creation("Team", "red"), objects.creation("Employee", "ada", team="red"))
    objects.commit(objects.deletion("Team", "red"), objects.deletion("Employee", "ada"))
    with pytest.raises(IntegrityViolation):
        objects.restore("Employee", "ada", team="red")
    objects.commit(objects.restoration("Team", "red"), objects.restoration("Employee", "ada", team="red"))
    with pytest.raises(IntegrityViolation):
        objects.delete("Team", "red")
    with pytest.raises(IntegrityViolation):
        objects.delete("Employee", "ada")
    assert objects.led_to(objects.clock, "Team", "members", "red") == "ada"
