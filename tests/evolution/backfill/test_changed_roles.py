"""A role that is stored differently than before has all its associations, or is refused."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import pytest

from stratabase.core.domain.objects.change import Change
from stratabase.core.domain.objects.commit_refusals import (
    AlreadyAssociated,
    IntegrityViolation,
    RequiredRoleEmpty,
    RoleNotBuilt,
    RoleUnavailable,
)
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.store.engine.port import Batch, Engine, Item, Key
from stratabase.core.store.engine.wrappers import DelegatingEngine
from stratabase.core.store.indexes.role_changes import ALL_CLASSES
from stratabase.core.store.layout import codec, keys, links
from stratabase.evolution.backfill.reindex import Reindex, ReindexOutcome
from tests.contract.engine.engines import KINDS as ENGINES
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.graphs import Objects, change
from tests.core.store.stopping_engine import Stopped, StoppingEngine
from tests.evolution.backfill.changed_role_models import (
    STORAGES,
    Pairs,
    answers,
    effects_of,
    refresh,
    reindexed,
    stored_as,
)
from tests.rows import each_row

IDS = ("X", "Y", "b", "c")
PAIRS: Pairs = {("X", "b"), ("Y", "c")}
WITH_ROLES = [name for name in STORAGES if name != "none"]
CHANGES = [(before, after) for before in WITH_ROLES for after in WITH_ROLES if before != after]
MOVES = [
    ("key and list", "many to many"),
    ("many to many", "key and list"),
    ("one to one", "one to one, held by B"),
    ("key and list", "held by B"),
    ("parts", "held by B"),
    ("many to many, both required", "parts"),
    ("one to one, held by B", "part"),
]
"""Changes after which associations are kept elsewhere."""
SAFE = [
    ("key", "key and list"),
    ("key", "one to one"),
    ("key and list", "required key and list"),
    ("one to one", "key and list"),
    ("list one way", "many to many"),
    ("many to many", "many to many, both required"),
    ("many to many", "list one way"),
]
"""Changes after which only other items are kept beside the associations."""


def begun(
    before: str, after: str, engine: Engine | None = None, pairs: Pairs = PAIRS
) -> tuple[Objects, Objects]:
    """Return objects under the model with which they were created, and under the next."""
    old = Objects(engine or ReferenceEngine(), stored_as(before), "" if engine is None else None)
    old.commit(*effects_of(old, before, IDS, pairs))
    return old, old.under(stored_as(after))


@each_row(("before", "after"), CHANGES)
def test_every_change_keeps_all_associations(before: str, after: str) -> None:
    old, now = begun(before, after)
    assert all(found == PAIRS for found in answers(old, IDS))
    expected = set[tuple[str, str]]() if _is_split(before, after) else PAIRS
    for found in answers(now, IDS):
        assert found in (expected, None)
    for outcome in reindexed(now):
        assert outcome == ReindexOutcome()
    assert now.entities.unbuilt() == ()
    assert all(found == expected for found in answers(now, IDS))


def _is_split(before: str, after: str) -> bool:
    """Return whether the two sides have no role in common, so that nothing says that they are the same."""
    return all(None in pair for pair in zip(STORAGES[before], STORAGES[after], strict=True))


@pytest.fixture(scope="module", params=["sqlite", "dynamodb-ministack"])
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """SQLite or the emulator of DynamoDB; the tests share it, each on classes of its own."""
    kind = next(each for each in ENGINES if each.name == request.param)
    engine: Engine = kind.open(tmp_path_factory.mktemp("store"))
    yield engine
    engine.close()


@each_row(("before", "after"), [*MOVES, *SAFE])
def test_engines_agree(engine: Engine, before: str, after: str) -> None:
    _, now = begun(before, after, engine)
    assert all(found in (PAIRS, None) for found in answers(now, IDS))
    assert not any(outcome.duplicates or outcome.interrupted for outcome in reindexed(now))
    assert all(found == PAIRS for found in answers(now, IDS))


def test_a_role_that_was_moved_away_is_refused_from_both_sides_when_the_model_is_changed_back() -> None:
    """Also if the reindex was stopped before it came to the other class."""
    _, now = begun("parts", "list one way")
    Reindex(now.engine, now.model, sleep=lambda _: None).run("A")
    back = now.under(stored_as("parts"))
    assert answers(back, IDS) == [None, None]
    reindexed(back)
    reindexed(back)  # a class may wait for the other
    assert answers(back, IDS) == [PAIRS, PAIRS]


def test_both_sides_are_refused_after_a_stopped_move_to_a_role_without_an_opposite() -> None:
    _, one_way = begun("key and list", "list one way")
    counting = StoppingEngine(one_way.engine, 0)
    Reindex(counting, one_way.model, sleep=lambda _: None).run("A")
    for commits in range(1, counting.commits + 1):
        old, one_way = begun("key and list", "list one way")
        with suppress(Stopped):
            Reindex(StoppingEngine(one_way.engine, commits), one_way.model, sleep=lambda _: None).run("A")
        back = old.under(stored_as("key and list"))
        assert all(found in (PAIRS, None) for found in answers(back, IDS))


def test_a_link_of_a_key_that_was_moved_is_no_association_if_the_role_becomes_links() -> None:
    _, keyed = begun("held by B", "key")
    reindexed(keyed)
    keyed.commit(keyed.update("A", "X", to=None))
    listed = keyed.under(stored_as("list one way"))
    reindexed(listed)
    assert links.read_ids(listed.engine, listed.role("A", "to"), "X") == []
    assert links.read_ids(listed.engine, listed.role("A", "to"), "Y") == ["c"]


def test_what_a_model_that_was_never_built_would_move_stays() -> None:
    """Nothing was moved to links, so the links of the removed list stand for nothing."""
    old, keyed = begun("key and list", "key")
    keyed.commit(keyed.update("A", "X", to="c"))
    keyed.under(stored_as("many to many")).entities.unbuilt()
    back = old.under(stored_as("key and list"))
    back.entities.unbuilt()
    assert answers(back, IDS)[0] == {("X", "c"), ("Y", "c")}
    assert all(outcome == ReindexOutcome() for outcome in reindexed(back))
    assert answers(back, IDS) == [{("X", "c"), ("Y", "c")}] * 2


def test_what_had_no_room_is_not_lost_when_the_model_is_changed_back() -> None:
    pairs = {("X", "b"), ("Y", "b")}
    old, parts = begun("key", "parts", pairs=pairs)
    parts.entities.unbuilt()
    held = old.under(stored_as("held by B"))
    assert [len(outcome.duplicates) for outcome in reindexed(held)] == [1, 1]
    back = old.under(stored_as("key"))
    reindexed(back)
    reindexed(back)  # a class may wait for the other
    assert answers(back, IDS) == [pairs]


@each_row("between", ["parts", "held by B"])
def test_links_of_an_earlier_model_are_no_associations(between: str) -> None:
    """Links that stayed at the targets of keys when the list was removed."""
    old, keyed = begun("key and list", "key")
    keyed.commit(keyed.update("A", "X", to=None))
    reindexed(old.under(stored_as(between)))
    linked = old.under(stored_as("many to many"))
    reindexed(linked)
    reindexed(linked)  # a class may wait for the other
    assert answers(linked, IDS) == [{("Y", "c")}] * 2


@each_row("is_built", [True, False])
@each_row("between", [None, "key", "parts"])
def test_old_links_of_a_side_that_was_removed_are_not_moved(*, is_built: bool, between: str | None) -> None:
    old, one_way = begun("many to many", "list one way")
    if is_built:
        reindexed(one_way)
    one_way.commit(*one_way.unlinking("A", "to", "X", "b"))
    if between is not None:
        reindexed(old.under(stored_as(between)))
    keyed = old.under(stored_as("key and list"))
    reindexed(keyed)
    reindexed(keyed)  # a class may wait for the other
    assert answers(keyed, IDS) == [{("Y", "c")}] * 2


def test_only_the_first_of_several_builds_removes_links_of_an_earlier_model() -> None:
    old, keyed = begun("key and list", "key")
    keyed.commit(keyed.update("A", "X", to="c"))
    linked = old.under(stored_as("many to many"))

    def build_meanwhile(_: float) -> None:
        for name in linked.model.classes:
            Reindex(linked.engine, linked.model, sleep=lambda _: None).run(name)

    Reindex(linked.engine, linked.model, sleep=build_meanwhile).run("A")
    assert answers(linked, IDS) == [{("X", "c"), ("Y", "c")}] * 2


@each_row(("before", "after"), SAFE)
def test_until_it_is_built_a_role_is_answered_from_where_it_is_kept(before: str, after: str) -> None:
    _, now = begun(before, after)
    assert all(found == PAIRS for found in answers(now, IDS))


@each_row(("before", "after"), MOVES)
def test_until_it_is_moved_a_role_is_refused(before: str, after: str) -> None:
    """Reads and changes of the role are refused, and so is the deletion of its objects. Others succeed."""
    old, now = begun(before, after)
    with pytest.raises(RoleUnavailable, match="Run `stratabase reindex`"):
        raise_for_roles(now)
    for class_name, id_ in (("A", "X"), ("B", "b")):
        found = now.refused(now.deletion(class_name, id_))
        assert {type(violation) for violation in found} == {RoleNotBuilt}
        now.commit(now.update(class_name, id_, name="other"))
    with pytest.raises(IntegrityViolation):
        now.commit(*effects_of(now, after, ("Z", "d"), {("Z", "d")}))
    assert all(found == PAIRS for found in answers(old, IDS))
    reindexed(now)
    now.commit(*effects_of(now, after, ("Z", "d"), {("Z", "d")}))
    assert all(found == PAIRS | {("Z", "d")} for found in answers(now, (*IDS, "Z", "d")))
    refresh(old)
    assert answers(old, IDS) == [None] * len(answers(old, IDS))


def raise_for_roles(objects: Objects) -> None:
    """Raise what the roles of a model raise."""
    for class_name in "AB":
        for name in objects.told.classes[class_name].roles:
            objects.entities.check_role(objects.role(class_name, name))


@each_row(("before", "after"), MOVES)
@each_row("commits", range(6))
def test_a_stopped_move_goes_on_in_both_directions(before: str, after: str, commits: int) -> None:
    old, now = begun(before, after)
    now.engine = StoppingEngine(old.engine, commits + 1)
    try:
        reindexed(now)
    except Stopped:
        refresh(now)
        assert all(found in (PAIRS, None) for found in answers(now, IDS))
        back = old.under(stored_as(before))
        assert all(found in (PAIRS, None) for found in answers(back, IDS))
        if commits % 2:
            reindexed(back)
            assert all(found == PAIRS for found in answers(back, IDS))
            now = old.under(stored_as(after))
    now.engine = old.engine
    reindexed(now)
    assert all(found == PAIRS for found in answers(now, IDS))


@each_row(("before", "after"), MOVES)
def test_a_move_makes_no_version(before: str, after: str) -> None:
    engine = ReferenceEngine()
    old = Objects(engine, stored_as(before, "A", "B"), "")
    old.commit(*effects_of(old, before, IDS, PAIRS))
    heads = [keys.head(old.reference("A" if id_.isupper() else "B", id_)) for id_ in IDS]
    starts = [item and item.attributes.get(codec.VERSION_START_ATTRIBUTE) for item in engine.get(heads)]
    now = old.under(stored_as(after, "A", "B"))
    reindexed(now)
    assert [
        item and item.attributes.get(codec.VERSION_START_ATTRIBUTE) for item in engine.get(heads)
    ] == starts
    for id_ in IDS:
        assert len(list(now.entities.versions(now.reference("A" if id_.isupper() else "B", id_)))) == 1


class WritingEngine(DelegatingEngine):
    """Writes to an object before each of the first commits, as another process may."""

    def __init__(self, engine: Engine, write: Callable[[int], None]) -> None:
        super().__init__(engine)
        self._write = write
        self._number = 0

    def commit(self, batch: Batch) -> None:
        """Write, then commit a batch."""
        self._number += 1
        if self._number <= _WRITES:
            self._write(self._number)
        super().commit(batch)


_WRITES = 5


@each_row(("before", "after"), MOVES)
def test_a_concurrent_write_and_a_move_both_take_effect(before: str, after: str) -> None:
    old, now = begun(before, after)
    writer = old.under(stored_as(after))
    now.engine = WritingEngine(
        old.engine, lambda number: writer.commit(writer.update("A", "X", name=f"n{number}"))
    )
    reindexed(now)
    assert all(found == PAIRS for found in answers(now, IDS))
    assert now.get("A", "X").state["name"] == f"n{_WRITES}"


@each_row(
    ("before", "after", "pairs", "left"),
    [
        ("many to many", "key and list", {("X", "b"), ("X", "c")}, ("X", "c")),
        ("many to many", "held by B", {("X", "b"), ("Y", "b")}, ("b", "Y")),
        ("key and list", "one to one, held by B", {("X", "b"), ("Y", "b")}, ("b", "Y")),
        ("many to many", "part", {("X", "b"), ("X", "c")}, ("X", "c")),
        ("many to many", "parts", {("X", "b"), ("Y", "b"), ("Y", "c")}, ("Y", "b")),
        ("parts", "part", {("X", "b"), ("X", "c")}, ("X", "c")),
        ("key and list", "parts", {("X", "b")}, ("c",)),
    ],
)
def test_what_has_no_room_stays_and_is_reported(
    before: str, after: str, pairs: Pairs, left: tuple[str, ...]
) -> None:
    old, now = begun(before, after, pairs=pairs)
    found = [
        (*filter(None, [duplicate.values.get("_id")]), *duplicate.ids)
        for outcome in reindexed(now)
        for duplicate in outcome.duplicates
    ]
    assert left in found
    assert None in answers(now, IDS)
    back = old.under(stored_as(before))
    assert not any(outcome.duplicates for outcome in reindexed(back))
    assert all(found == pairs for found in answers(back, IDS))


def test_what_had_no_room_in_between_moves_with_the_rest_when_there_is_room() -> None:
    """Then the associations come from two places, and one of them is a key under the name of the parts."""
    pairs = {("X", "b"), ("X", "c")}
    _, between = begun("list one way", "key", pairs=pairs)
    for id_ in IDS:
        if id_.islower() and id_ not in {"b", "c"}:
            between.commit(between.deletion("B", id_))
    assert any(outcome.duplicates for outcome in reindexed(between))
    now = between.under(stored_as("parts"))
    assert not any(outcome.duplicates for outcome in reindexed(now))
    assert all(found == pairs for found in answers(now, IDS))


def test_keys_of_both_sides_move_into_parts_together() -> None:
    """A change to `key` has room for one of two associations, so the other one stays a key of B."""
    pairs = {("X", "b"), ("X", "c")}
    _, between = begun("held by B", "key", pairs=pairs)
    for id_ in IDS:
        if id_.islower() and id_ not in {"b", "c"}:
            between.commit(between.deletion("B", id_))
    assert any(outcome.duplicates for outcome in reindexed(between))
    now = between.under(stored_as("parts"))
    assert not any(outcome.duplicates for outcome in reindexed(now))
    assert all(found == pairs for found in answers(now, IDS))


def test_parts_do_not_swallow_a_key_that_could_not_move() -> None:
    """Two objects have b: one of them keeps a key to b, and what else it has waits until that can move."""
    pairs = {("X", "b"), ("Y", "b"), ("Y", "c")}
    old, between = begun("many to many", "key", pairs=pairs)
    for form in ("key", "held by B", "parts", "parts"):
        between = between.under(stored_as(form))
        assert any(outcome.duplicates for outcome in reindexed(between))
        assert None in answers(between, IDS)
    back = old.under(stored_as("many to many"))
    assert not any(outcome.duplicates for outcome in reindexed(back))
    assert all(found == pairs for found in answers(back, IDS))


def test_several_keys_to_one_object_of_a_new_one_to_one_are_refused_until_one_remains() -> None:
    _, now = begun("key", "one to one", pairs={("X", "b"), ("Y", "b")})
    with pytest.raises(RoleUnavailable, match="leads to more than one object"):
        now.linked("B", "of", "b")
    assert [each.ids for outcome in reindexed(now) for each in outcome.duplicates] == [("X", "Y")]
    now.commit(now.update("A", "Y", to=None))
    reindexed(now)
    assert now.linked("B", "of", "b") == "X"


def test_a_new_one_to_one_refuses_keys_until_its_guards_are_built() -> None:
    _, now = begun("key", "one to one", pairs={("X", "b")})
    assert now.refused(now.update("A", "Y", to="b")) == {
        RoleNotBuilt(now.reference("A", "Y"), now.role("A", "to"))
    }
    now.commit(now.creation("B", "new"), now.creation("A", "Z", to="new"))
    reindexed(now)
    assert now.refused(now.update("A", "Y", to="b")) == {AlreadyAssociated(now.role("A", "to"), "b")}
    assert now.refused(now.update("A", "Y", to="new")) == {AlreadyAssociated(now.role("A", "to"), "new")}


@each_row("kind", ["key and list", "one to one", "many to many", "required key and list"])
def test_a_role_that_comes_back_shows_no_leftovers(kind: str) -> None:
    old, none = begun(kind, "none")
    for class_name, id_ in (("A", "X"), ("B", "c")):
        none.commit(none.deletion(class_name, id_))
    back = old.under(stored_as(kind))
    assert all(found in (set(), None) for found in answers(back, IDS))
    reindexed(back)
    assert all(found == set() for found in answers(back, IDS))
    if kind != "many to many":
        return
    assert links.read_ids(back.engine, back.role("B", "of"), "b") == []
    back.commit(*back.linking("A", "to", "Y", "b"))
    assert back.linked("B", "of", "b") == "Y"


def test_links_of_a_side_that_was_removed_follow_the_side_that_stayed() -> None:
    old, one_way = begun("many to many", "list one way")
    one_way.commit(*one_way.unlinking("A", "to", "X", "b"), *one_way.linking("A", "to", "X", "c"))
    back = old.under(stored_as("many to many"))
    expected = {("X", "c"), ("Y", "c")}
    assert answers(back, IDS) == [expected, expected]
    assert back.entities.are_linked(back.role("B", "of"), [("b", "X"), ("c", "X")]) == [False, True]
    reindexed(back)
    assert answers(back, IDS) == [expected, expected]
    assert links.read_ids(back.engine, back.role("B", "of"), "b") == []


def test_another_target_class_shows_nothing_of_the_former_one() -> None:
    engine = ReferenceEngine()
    for kind in ("key and list", "one to one", "many to many"):
        old = Objects(engine, stored_as(kind))
        old.commit(*effects_of(old, kind, IDS, PAIRS))
        to, of = STORAGES[kind]
        assert to is not None
        assert of is not None
        classes = old.told.classes
        a = replace(classes["A"], roles={"to": replace(to, target="C")})
        c = replace(classes["B"], name="C", roles={"of": of})
        b = replace(classes["B"], roles={})
        now = old.under(replace(old.told, classes={"A": a, "B": b, "C": c}))
        now.create("C", "d")
        assert now.entities.linked(now.role("C", "of"), ["d"]) == [()]
        reindexed(now)
        assert now.entities.unbuilt() == ()
        effects = now.linking("A", "to", "X", "d") if to.many else [now.update("A", "X", to="d")]
        now.commit(*effects)
        assert now.linked("C", "of", "d") == "X"


# Side by side.


@each_row(("before", "after"), SAFE)
def test_safe_changes_lose_nothing_side_by_side(before: str, after: str) -> None:
    """Each process sees what the other has written, whether it is built or not."""
    old, now = begun(before, after)
    reindexed(now, ahead=True)
    expected, ids = set(PAIRS), [*IDS]
    for number, each in enumerate((old, now, old, now)):
        a, b = f"N{number}", f"n{number}"
        refresh(old, now)
        each.commit(*effects_of(each, before if each is old else after, (a, b), {(a, b)}))
        expected, ids = expected | {(a, b)}, [*ids, a, b]
        refresh(old, now)
        for seen in (old, now):
            assert all(found == expected for found in answers(seen, ids))
    reindexed(now)
    for seen in (old, now):
        refresh(seen)
        assert all(found == expected for found in answers(seen, ids))


def test_a_required_role_is_checked_by_what_another_process_wrote() -> None:
    old, now = begun("many to many", "many to many, both required")
    reindexed(now, ahead=True)
    role = now.role("A", "to")
    assert RequiredRoleEmpty(now.reference("A", "X"), role) in now.refused(
        *now.unlinking("A", "to", "X", "b")
    )
    refresh(old)
    old.commit(*old.linking("A", "to", "X", "c"), *old.unlinking("A", "to", "X", "b"))
    refresh(now)
    assert now.refused(*now.unlinking("A", "to", "X", "c"))
    reindexed(now)
    assert RequiredRoleEmpty(now.reference("A", "X"), role) in now.refused(
        *now.unlinking("A", "to", "X", "c")
    )


def test_nothing_is_moved_while_the_previous_model_may_be_served_for_long() -> None:
    """A move takes a role from the previous model. So it waits, except where the build comes right before."""
    old, now = begun("key and list", "many to many")
    assert [len(outcome.interrupted) for outcome in reindexed(now, ahead=True)] == [1, 1]
    refresh(old)
    assert answers(old, IDS) == [PAIRS, PAIRS]
    reindexed(now, ahead=True, local=True)
    assert answers(now, IDS) == [PAIRS, PAIRS]


# Versions.


def test_the_past_of_a_role_is_refused_for_instants_before_its_former_links() -> None:
    engine = ReferenceEngine()
    old = Objects(engine, stored_as("key", "A"), "")
    old.commit(*effects_of(old, "key", IDS, PAIRS))
    now = old.under(stored_as("key and list", "A"))
    of = now.role("B", "of")
    with pytest.raises(RoleUnavailable, match="can't be answered until it is built"):
        now.entities.linked(of, ["b"], at=[5])
    reindexed(now)
    with pytest.raises(RoleUnavailable, match="is known only for later versions"):
        now.entities.linked(of, ["b"], at=[5])
    later = now.entities._store.write_schema().past_from(of)
    assert later is not None
    now.entities.commit(Change("later", later + 10, (now.update("A", "X", to="c"),)))
    assert now.entities.linked(of, ["b", "c"], at=[later, later]) == [("X",), ("Y",)]


@each_row("after", ["key and list", "one to one"])
def test_former_links_stay_if_only_the_number_at_the_other_side_changes(after: str) -> None:
    before = "one to one" if after == "key and list" else "key and list"
    old = Objects(ReferenceEngine(), stored_as(before, "A"), "")
    old.commit(*effects_of(old, before, IDS, PAIRS))
    old.entities.commit(Change("free", 10, (old.update("A", "X", to=None),)))
    now = old.under(stored_as(after, "A"))
    reindexed(now)
    assert now.entities.linked(now.role("B", "of"), ["b"], at=[5]) == [("X",)]


# Stores of earlier versions of the service.


@each_row("kind", WITH_ROLES)
def test_a_store_of_an_earlier_version_needs_no_reindex(kind: str) -> None:
    old, _ = begun(kind, kind)
    before_lists(old)
    again = old.under(stored_as(kind))
    labels = again.entities.unbuilt()
    assert all("required role" in label for label in labels)
    assert all(found == PAIRS for found in answers(again, IDS))
    changed = old.under(stored_as("many to many" if kind == "one to one" else "one to one"))
    assert all(found in (PAIRS, set(), None) for found in answers(changed, IDS))


def before_lists(objects: Objects) -> None:
    """Remove the entries of roles from the registry, as an earlier version of the service left it."""
    cache = objects.entities._store.registry
    cache.registry()
    cache.update(lambda registry: replace(registry, roles={}))
    assert ALL_CLASSES not in cache.update(lambda registry: registry).roles


# Costs.


def test_a_scan_that_reads_too_much_is_refused() -> None:
    old, now = begun("key", "key and list")
    old.create("A", *(f"M{number}" for number in range(90)), to="b", name="long" * 50)
    budget = ReadBudget(5000, 10, lambda: 0)
    with pytest.raises(RoleUnavailable, match="can't be answered until it is built"):
        now.entities.linked(now.role("B", "of"), ["b"], budget=budget)
    reindexed(now)
    assert len(now.entities.linked(now.role("B", "of"), ["b"])[0]) == 91


class CountingEngine(DelegatingEngine):
    """Counts the keys that are read."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.keys: list[Key] = []

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        """Return items, and note their keys."""
        self.keys += keys
        return super().get(keys, places=places)


def test_a_built_role_costs_one_read_of_the_registry_in_five_seconds() -> None:
    engine = CountingEngine(ReferenceEngine())
    old, _ = begun("key and list", "key and list", engine)
    refresh(old)
    engine.keys.clear()
    for _ in range(10):
        old.entities.check_role(old.role("A", "to"))
        old.linked("B", "of", "b")
    assert engine.keys == [keys.REGISTRY]


def test_a_change_that_touches_no_role_is_not_recorded() -> None:
    old, now = begun("key", "key and list")
    reindexed(now, ahead=True)
    refresh(old)
    old.entities.commit(change(old.update("A", "X", name="other")))
    refresh(now)
    assert now.entities.unbuilt() == ()


def test_a_role_that_has_been_built_meanwhile_is_not_refused() -> None:
    """The cached registry of the process does not know yet."""
    old, now = begun("key", "one to one", pairs={("X", "b")})
    write = now.update("A", "Y", to="c")
    assert now.refused(write) == {RoleNotBuilt(now.reference("A", "Y"), now.role("A", "to"))}
    reindexed(old.under(stored_as("one to one")))
    assert now.entities._store.write_schema().unbuilt_roles

    now.entities.dry_run(change(write))
    now.commit(write)

    assert now.linked("B", "of", "c") == "Y"
