"""A reindex links and counts roles that become required while objects exist."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import event, given, note, settings
from hypothesis import strategies as st

from stratabase.core.domain.objects.change import Effect, Restoration
from stratabase.core.domain.objects.commit_refusals import (
    Conflict,
    IntegrityViolation,
    RequiredRoleEmpty,
    RoleNotBuilt,
    RoleViolation,
)
from stratabase.core.domain.objects.entity import Entity
from stratabase.core.model.model import Model
from stratabase.core.store.engine.port import Batch, Engine, Item, Patch, Put
from stratabase.core.store.engine.wrappers import DelegatingEngine
from stratabase.core.store.indexes.registry import parse_registry
from stratabase.core.store.layout import keys, links
from stratabase.core.store.layout.associations import ForeignKey, LinkAssociation
from stratabase.core.store.layout.object_items import guard_holder
from stratabase.evolution.backfill.reindex import Reindex
from tests.contract.engine.engines import SEQUENTIAL, engine_fixture
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.graphs import KINDS, Objects, associated, change, class_with, many, remembering
from tests.core.store.interrupted import Interrupted
from tests.core.store.watched_engine import WatchedEngine
from tests.models import model
from tests.rows import each_row
from tests.soak import count

engine = engine_fixture(SEQUENTIAL, scope="module")
"""An engine; the tests share it, each on classes of its own."""


def bereft(objects: Objects, class_name: str, id_: str, *role: str) -> set[RoleViolation]:
    """Return the violation of a required role that would become empty."""
    return {RequiredRoleEmpty(objects.reference(class_name, id_), objects.role(*role))}


def unbuilt(objects: Objects, class_name: str, id_: str, *role: str) -> set[RoleViolation]:
    """Return that nobody knows whether a role would be left empty."""
    return {RoleNotBuilt(objects.reference(class_name, id_), objects.role(*role))}


def built(objects: Objects) -> list[str]:
    """Build what a model needs, and return what is not READY afterwards."""
    reindex = Reindex(objects.engine, objects.model, sleep=lambda _: None)
    left = [name for class_name in objects.model.classes for name in reindex.run(class_name).interrupted]
    objects.entities._store.registry.invalidate()
    return left


def agrees(objects: Objects) -> None:
    """Assert that all keys and links are found from both ends and counted, and that there are some."""
    assert count_ends(objects) > 0


def count_ends(objects: Objects) -> int:
    """Return how many ends keys and links have, after checking that each is found and counted."""
    compared = 0
    associations = objects.entities._store.associations
    for class_ in objects.model.classes.values():
        for keyed in associations.foreign_keys(class_.name):
            compared += _agree_by_key(objects, keyed)
        for ends in associations.by_role.values():
            if ends.near.role.class_name == class_.name:
                compared += _agree_by_links(objects, ends)
    return compared


def _agree_by_key(objects: Objects, keyed: ForeignKey) -> int:
    compared = 0
    holders = _all(objects, keyed.role.class_name)
    for target in _all(objects, keyed.target):
        ids = {holder.reference.id for holder in holders if keyed.target_of(holder) == target.reference.id}
        if keyed.link_role is not None:
            assert {*links.read_ids(objects.engine, keyed.link_role, target.reference.id)} == ids
        elif keyed.exclusive:
            (guard,) = objects.engine.get([keys.one_to_one_guard(keyed.role, target.reference.id)])
            assert ({guard_holder(guard)} if guard else set()) == ids
        for role in keyed.counted_roles:  # a count that is not there is made when it is first needed
            assert target.counts.get(role, len(ids)) == len(ids)
        compared += len(ids)
    return compared


def _agree_by_links(objects: Objects, ends: LinkAssociation) -> int:
    compared = 0
    near, far = ends
    others = {other.reference.id for other in _all(objects, far.role.class_name)}
    for owner in _all(objects, near.role.class_name):
        ids = (
            {*links.read_ids(objects.engine, near.role, owner.reference.id)} if near.has_links else set[str]()
        )
        assert not near.required or owner.counts.get(near.role, len(ids)) == len(ids)
        assert not (near.required or far.required) or ids <= others
        if far.has_links:
            for id_ in others:
                back = links.read_ids(objects.engine, far.role, id_)
                assert (owner.reference.id in back) is (id_ in ids)
        compared += len(ids)
    return compared


def _all(objects: Objects, class_name: str) -> list[Entity]:
    """Return the objects of a class, read by key."""
    listed = objects.engine.range(keys.LISTING, keys.listing_partition(class_name))
    references = [keys.reference_of(item.key) for items in listed for item in items]
    return [entity for entity in objects.entities.read(references) if entity is not None]


BECOMES = pytest.mark.parametrize(
    ("before", "after"),
    [
        ("key", "required key"),
        ("key", "required key and list"),
        ("key", "one to one, key required"),
        ("key and list", "required key and list"),
        ("key and list", "both required"),
        ("one to one", "one to one, key required"),
        ("required key", "required key and list"),
    ],
)


@BECOMES
def test_targets_of_existing_keys_are_protected(engine: Engine, before: str, after: str) -> None:
    """Only after a reindex is it known whether one may be deleted; until then none is."""
    objects = Objects(engine, associated(before))
    objects.create("B", "b", "c", "d")
    objects.create("A", "x", to="b")
    objects.create("A", "y")
    role = objects.role("A", "to")

    now = objects.under(associated(after))
    assert now.refused(now.deletion("B", "c")) >= {RoleNotBuilt(now.reference("B", "c"), role)}
    guarded = before == "one to one" or "one to one" not in after
    if guarded:  # otherwise an older key might lead to the same target
        now.commit(now.creation("A", "z", to="d"))
    assert built(now) == []
    if not guarded:
        now.commit(now.creation("A", "z", to="d"))

    assert now.refused(now.deletion("B", "b")) >= {RequiredRoleEmpty(now.reference("B", "b"), role)}
    assert now.refused(now.deletion("B", "d")) >= {RequiredRoleEmpty(now.reference("B", "d"), role)}
    now.delete("B", "c")
    now.create("B", "e")
    if "both" not in after:
        now.commit(now.update("A", "x", to="e"))
        now.delete("B", "b")
    agrees(now)


@pytest.mark.parametrize("kind", ["required key", "required key and list", "one to one, key required"])
def test_a_formerly_required_role_has_no_stale_links_and_counts(engine: Engine, kind: str) -> None:
    optional = {
        "required key": "key",
        "required key and list": "key and list",
        "one to one, key required": "one to one",
    }[kind]
    first = Objects(engine, associated(kind))
    first.create("B", "b", "c", "d")
    first.create("A", "x", to="b")
    first.create("A", "y", to="c")
    between = first.under(associated(optional))
    between.commit(between.update("A", "x", to="d"))
    between.delete("A", "y")
    again = first.under(associated(kind))
    assert again.refused(again.deletion("B", "b"))
    assert built(again) == []
    agrees(again)
    again.delete("B", "b")
    again.delete("B", "c")
    assert again.refused(again.deletion("B", "d")) == {
        RequiredRoleEmpty(again.reference("B", "d"), again.role("A", "to"))
    }


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("list one way", "required list one way"),
        ("many to many", "many to many, one required"),
        ("many to many", "many to many, both required"),
        ("list one way", "many to many, one required"),
    ],
)
def test_members_of_a_list_that_becomes_required_are_protected(
    engine: Engine, before: str, after: str
) -> None:
    objects = Objects(engine, associated(before))
    objects.create("A", "a", "e")
    objects.create("B", "x", "y", "z", "gone")
    objects.commit(*objects.linking("A", "to", "a", "x", "gone"), *objects.linking("A", "to", "e", "y", "z"))
    if "one way" in before:
        objects.delete("B", "gone")
    else:
        objects.commit(*objects.unlinking("A", "to", "a", "gone"))

    now = objects.under(associated(after))
    role = now.role("A", "to")
    assert now.refused(now.deletion("B", "x")) >= {RoleNotBuilt(now.reference("B", "x"), role)}
    assert now.refused(*now.unlinking("A", "to", "e", "y")) >= {RoleNotBuilt(now.reference("A", "e"), role)}
    assert built(now) == []
    agrees(now)

    assert RequiredRoleEmpty(now.reference("A", "a"), role) in now.refused(now.deletion("B", "x"))
    if "both" not in after:
        now.delete("B", "y")
        assert now.refused(now.deletion("B", "z")) == {RequiredRoleEmpty(now.reference("A", "e"), role)}
    agrees(now)


def test_a_formerly_required_list_has_no_stale_links(engine: Engine) -> None:
    first = Objects(engine, associated("required list one way"))
    first.create("B", "x", "y")
    first.commit(first.creation("A", "a"), *first.linking("A", "to", "a", "x", "y"))
    between = first.under(associated("list one way"))
    between.commit(*between.unlinking("A", "to", "a", "x"))
    again = first.under(associated("required list one way"))
    assert built(again) == []
    agrees(again)
    again.delete("B", "x")
    assert again.refused(again.deletion("B", "y")) == {
        RequiredRoleEmpty(again.reference("A", "a"), again.role("A", "to"))
    }


@pytest.mark.parametrize("after", ["key and required list", "one to one, other required"])
def test_an_opposite_that_becomes_required_protects_its_last_link(engine: Engine, after: str) -> None:
    objects = Objects(engine, associated("key"))
    objects.create("B", "b", "c")
    objects.create("A", "x", to="b")
    now = objects.under(associated(after))
    role = now.role("B", "of")
    assert now.refused(now.deletion("A", "x")) == {RoleNotBuilt(now.reference("A", "x"), role)}
    assert built(now) == []
    agrees(now)
    assert now.linked("B", "of", "b") == "x"
    assert now.refused(now.deletion("A", "x")) == {RequiredRoleEmpty(now.reference("B", "b"), role)}
    assert now.refused(now.update("A", "x", to=None)) == {RequiredRoleEmpty(now.reference("B", "b"), role)}
    now.delete("B", "b")
    assert count_ends(now) == 0


def test_two_keys_to_one_object_of_a_one_to_one_are_duplicates(engine: Engine) -> None:
    objects = Objects(engine, associated("key"))
    objects.create("B", "b")
    objects.create("A", "x", "y", to="b")
    now = objects.under(associated("one to one, key required"))
    class_name = now.reference("A", "").class_name
    outcome = Reindex(engine, now.model, sleep=lambda _: None).run(class_name)
    (duplicate,) = outcome.duplicates
    assert (duplicate.values, duplicate.ids) == ({"to": "b"}, ("x", "y"))
    now.commit(now.update("A", "x", to=None))
    assert built(now) == []
    assert now.refused(now.deletion("B", "b")) == bereft(now, "B", "b", "A", "to")


def test_a_key_to_a_deleted_target_is_ignored(engine: Engine) -> None:
    objects = Objects(engine, associated("key"))
    objects.create("B", "b")
    objects.create("A", "x", to="b")
    objects.delete("B", "b")
    now = objects.under(associated("required key"))
    assert built(now) == []
    now.create("B", "c")
    now.commit(now.update("A", "x", to="c"))
    assert now.refused(now.deletion("B", "c"))
    agrees(now)


def test_a_process_with_an_earlier_model_invalidates_a_reindex(engine: Engine) -> None:
    old = Objects(engine, associated("key"))
    old.create("B", "b", "c")
    old.create("A", "x", to="b")
    now = old.under(associated("required key"))
    assert built(now) == []
    old.entities._store.registry.invalidate()
    old.commit(old.update("A", "x", name="still there"))
    now.entities._store.registry.invalidate()
    assert now.entities.unbuilt() == ()
    old.commit(old.update("A", "x", to="c"))
    now.entities._store.registry.invalidate()
    (lacking,) = now.entities.unbuilt()
    assert lacking.endswith("required role to")
    assert now.refused(now.deletion("B", "c")) == unbuilt(now, "B", "c", "A", "to")
    assert built(now) == []
    now.delete("B", "b")
    assert now.refused(now.deletion("B", "c")) == bereft(now, "B", "c", "A", "to")


@each_row("after", ["required key", "required key and list", "key and required list"])
def test_write_costs_after_a_reindex_equal_those_without_one(
    after: str,
) -> None:
    costs = []
    for before in (after, "key"):
        engine = WatchedEngine()
        objects = Objects(engine, associated(before))
        objects.create("B", "b", "c", "d")
        objects.create("A", "x", "y", to="b")
        now = objects.under(associated(after))
        assert built(now) == []
        now.entities.unbuilt()
        calls = len(engine.commits), len(engine.keys_got), engine.items_read
        now.delete("B", "c")
        now.commit(now.update("A", "x", to="d"))
        now.create("A", "z", to="d")
        now.delete("A", "z")
        after_ = len(engine.commits), len(engine.keys_got), engine.items_read
        costs.append([new - old for new, old in zip(after_, calls, strict=True)])
    assert costs[0] == costs[1]


def test_roles_of_a_new_store_are_ready_immediately(engine: Engine) -> None:
    for kind in KINDS:
        assert Objects(engine, associated(kind)).entities.unbuilt() == ()


def test_a_store_without_recorded_required_roles_is_built_once() -> None:
    """Stores of the previous release have no such record."""
    engine = WatchedEngine()
    objects = Objects(engine, associated("required key"))
    objects.create("B", "b")
    objects.create("A", "x", to="b")
    class_name = objects.reference("A", "").class_name
    objects.entities._store.registry.update(lambda registry: registry.with_roles(class_name, ()))
    again = objects.under(associated("required key"))
    assert again.refused(again.deletion("B", "b")) == {
        RoleNotBuilt(again.reference("B", "b"), again.role("A", "to"))
    }
    assert built(again) == []
    assert again.refused(again.deletion("B", "b")) == {
        RequiredRoleEmpty(again.reference("B", "b"), again.role("A", "to"))
    }


def at(objects: Objects, instant: int, *effects: Effect) -> None:
    """Commit effects at an instant."""
    objects.entities.commit(replace(change(*effects), instant=instant))


@pytest.mark.parametrize(
    "after", ["required key", "required key and list", "one to one, key required", "both required"]
)
def test_targets_of_restored_objects_are_protected(engine: Engine, after: str) -> None:
    """A key that leads to it is linked although it leads to nothing while the role is built."""
    objects = Objects(engine, remembering(associated("key"), "B"))
    objects.create("B", "b", "c")
    objects.create("A", "x", to="b")
    objects.create("A", "y", to="b" if after == "required key" else "c")
    at(objects, 1, objects.deletion("B", "b"))

    now = objects.under(remembering(associated(after), "B"))
    assert built(now) == []
    assert built(now) == []
    (gone,) = now.entities.tombstones([now.reference("B", "b")])
    assert gone is not None
    at(now, 2, Restoration(gone, Entity(gone.reference, {"_id": "b"})))
    agrees(now)
    with pytest.raises(IntegrityViolation) as refusal:
        at(now, 3, now.deletion("B", "b"))
    assert bereft(now, "B", "b", "A", "to") <= {*refusal.value.violations}


def test_one_of_several_objects_with_a_deleted_target_has_the_guard(engine: Engine) -> None:
    objects = Objects(engine, remembering(associated("key"), "B"))
    objects.create("B", "b")
    objects.create("A", "x", "y", to="b")
    at(objects, 1, objects.deletion("B", "b"))
    assert built(objects.under(remembering(associated("one to one, key required"), "B"))) == []
    (guard,) = objects.engine.get([keys.one_to_one_guard(objects.role("A", "to"), "b")])
    assert guard_holder(guard) in {"x", "y"}


@pytest.mark.parametrize("required", [False, True])
def test_a_process_whose_model_renames_the_opposite_is_detected(engine: Engine, required: bool) -> None:
    """Whichever side it is written from."""

    def named(opposite: str, *, required: bool) -> Model:
        to, of = many("to", "B", opposite, required=required), many(opposite, "A", "to")
        return model(class_with("A", to), class_with("B", of))

    objects = Objects(engine, named("of", required=required))
    objects.create("B", "b", "c")
    objects.commit(objects.creation("A", "x"), *objects.linking("A", "to", "x", "b"))
    now = objects.under(named("owners", required=True))
    assert built(now) == []

    objects.entities._store.registry.invalidate()
    objects.commit(*objects.linking("B", "of", "c", "x"))
    now.entities._store.registry.invalidate()
    a, b = (now.reference(name, "").class_name for name in "AB")
    assert now.entities.unbuilt() == (f"{a} required role to", f"{b} role owners")
    assert built(now) == []
    agrees(now)
    assert now.linked("B", "owners", "c") == "x"


def test_a_role_is_rebuilt_after_an_older_version_has_served() -> None:
    """Such a version drops constraints that its model does not name, and what else it does not know."""
    engine = WatchedEngine()
    objects = Objects(engine, associated("required key"))
    assert built(objects) == []
    (item,) = engine.get([keys.REGISTRY])
    assert item is not None
    kept = json.loads(item.state or "")
    assert {*kept["uniques"]} == {*objects.model.classes}
    assert all(one["columns"] == [] for known in kept["uniques"].values() for one in known)
    assert parse_registry(item).uniques == {}

    kept = {"lastNumber": kept["lastNumber"], "classes": kept["classes"], "uniques": {}}
    engine.commit(Batch("older", (Put(replace(item, state=json.dumps(kept))),)))
    objects.create("B", "b")
    again = objects.under(associated("required key"))
    again.create("A", "x", to="b")
    assert unbuilt(again, "B", "b", "A", "to") == again.refused(again.deletion("B", "b"))
    assert built(again) == []
    assert bereft(again, "B", "b", "A", "to") == again.refused(again.deletion("B", "b"))


class OvertakenEngine(DelegatingEngine):
    """An engine that runs another write once, before links are counted or a count is deleted."""

    def __init__(self, act: Callable[[Objects], None], call: str) -> None:
        super().__init__(ReferenceEngine())
        self._act = act
        self._call = call
        self.other: Objects | None = None
        self.partition = ""
        self._reads = 0

    def range(self, index: str, partition: str, *rest: Any, **more: Any) -> Iterator[Sequence[Item]]:
        self._reads += partition == self.partition
        if self._reads == 2:  # at first they are looked at one by one
            self._overtake("range")
        return super().range(index, partition, *rest, **more)

    def commit(self, batch: Batch) -> None:
        if any(isinstance(action, Patch) and action.remove for action in batch.actions):
            self._overtake("commit")
        super().commit(batch)

    def _overtake(self, call: str) -> None:
        other = self.other
        if other is not None and call == self._call:
            self.other = None
            self._act(other)


@each_row(
    ("act", "call"),
    [
        # There is one link less than before, which is just as many as were counted.
        (lambda other: other.commit(other.update("A", "x", to="c")), "range"),
        (lambda other: other.create("A", "z", to="b"), "commit"),
    ],
)
def test_a_wrong_count_is_corrected_despite_concurrent_changes(
    act: Callable[[Objects], None], call: str
) -> None:
    engine = OvertakenEngine(act, call)
    before = Objects(engine, associated("key and list"))
    now = before.under(associated("required key and list"))
    now.entities.unbuilt()
    now.create("B", "b", "c")
    now.create("A", "x", to="b")
    before.create("A", "y", to="b")  # which is linked, but not counted
    assert now.get("B", "b").counts == {now.role("A", "to"): 1}

    engine.partition, engine.other = keys.head(now.reference("B", "b")).partition, now
    assert built(now) == []
    assert engine.other is None
    agrees(now)


PAIRS = (
    ("key", "required key"),
    ("key", "required key and list"),
    ("key and list", "required key and list"),
    ("key and list", "both required"),
    ("one to one", "one to one, key required"),
    ("one to one", "one to one, other required"),
    ("list one way", "required list one way"),
    ("many to many", "many to many, one required"),
    ("many to many", "many to many, both required"),
)
Deed = tuple[bool, str, str, str]
"""Whether it is done under the new model, what is done, and to whom."""
deeds = st.tuples(
    st.booleans(),
    st.sampled_from(["make", "make", "lead", "lead", "clear", "delete A", "delete B"]),
    st.sampled_from("xyz"),
    st.sampled_from("bcdefg"),
)


def do(objects: Objects, operation: Deed, created: set[str]) -> None:
    """Do something as a process that has just read the registry, if the store lets it.

    `made`: the ids that were given to a B.
    """
    _, what, a, b = operation
    objects.entities._store.registry.invalidate()
    to = objects.told.classes["A"].roles["to"]
    with suppress(IntegrityViolation, Conflict, AssertionError):
        match what:
            case "make":
                objects.create("A", a)
            case "delete A" | "delete B":
                objects.delete(what[-1], a if what[-1] == "A" else b)
            case "lead":
                if objects.find("B", b) is None:
                    assert b not in created, "an id is never given twice"
                    objects.create("B", b)
                    created.add(b)
                led = objects.linking("A", "to", a, b) if to.many else [objects.update("A", a, to=b)]
                objects.commit(*led)
            case _:
                left = objects.unlinking("A", "to", a, b) if to.many else [objects.update("A", a, to=None)]
                objects.commit(*left)


@pytest.mark.soak
def test_a_ready_role_is_linked_and_counted_despite_concurrent_writes() -> None:
    """Processes of both models have written, and write between any two steps of a build."""

    @settings(max_examples=count(150, 3000))
    @given(
        st.sampled_from(PAIRS),
        st.lists(deeds, max_size=25),
        st.lists(st.none() | st.lists(deeds, min_size=1, max_size=2), max_size=30),
    )
    def check(pair: tuple[str, str], history: list[Deed], meanwhile: list[list[Deed] | None]) -> None:
        note(f"{pair} {history} {meanwhile}")
        _, was_kept = ends_after_build(pair, history, meanwhile)
        event("was kept from being READY" if was_kept else "became READY")

    check()


@pytest.mark.parametrize("pair", PAIRS, ids=" to ".join)
def test_ends_of_links_from_before_and_during_a_build_are_counted(pair: tuple[str, str]) -> None:
    """So the random test above compares something."""
    before, meanwhile = ([(False, "make", a, b), (False, "lead", a, b)] for a, b in ("xb", "yc"))
    of_before, _ = ends_after_build(pair, before, [])
    of_both, _ = ends_after_build(pair, before, [None, meanwhile])
    assert of_both == 2 * of_before > 0


def ends_after_build(
    pair: tuple[str, str], history: Sequence[Deed], meanwhile: Sequence[Sequence[Deed] | None]
) -> tuple[int, bool]:
    """Return how many ends of keys and links were found after a build that others write between.

    Also return whether these writes kept the new model from being READY.
    """
    engine = Interrupted()
    old = Objects(engine, associated(pair[0]))
    models = {False: old, True: old.under(associated(pair[1]))}
    created = set[str]()
    for operation in history:
        do(models[operation[0]], operation, created)
    models[True].entities.unbuilt()

    def act(some: Sequence[Deed]) -> Callable[[], None]:
        def do_all() -> None:
            for each in some:
                do(models[each[0]], each, created)

        return do_all

    engine.acts = iter([None if some is None else act(some) for some in meanwhile])
    built(models[True])
    engine.acts = iter(())
    was_kept = bool(models[True].entities.unbuilt())
    if was_kept:
        assert built(models[True]) == []
    assert models[True].entities.unbuilt() == ()
    return count_ends(models[True]), was_kept
