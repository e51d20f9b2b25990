"""What the store may refuse of many new objects is known from one read, and agrees with a dry run."""

from collections.abc import Sequence
from random import Random
from typing import Any

from stratabase.core.domain.objects.change import Change
from stratabase.core.domain.objects.commit_refusals import (
    IntegrityViolation,
    TooLarge,
    UniqueNotBuilt,
    UniqueViolation,
)
from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model
from stratabase.core.store.engine.port import Engine, Item, Key
from tests.contract.engine.engines import SEQUENTIAL, engine_fixture, scope_of_shared_engine
from tests.core.store.graphs import Objects, change
from tests.core.store.watched_engine import WatchedEngine
from tests.rows import each_row
from tests.soak import seed

engine = engine_fixture(SEQUENTIAL, scope_of_shared_engine)

MODEL: Model = read_model(
    """
extend schema @application(name: "Shop")
type Pet @unique(attributes: ["tag"]) @unique(attributes: ["name", "owner"]) {
  name: String  tag: String  notes: Text
  owner: Owner @association(opposite: "pets")
  cage: Cage @association(opposite: "pet", holds: true)
  keeper: Keeper @association(opposite: "pets")
}
type Owner { pets: [Pet!] @association(opposite: "owner") }
type Cage { pet: Pet @association(opposite: "cage") }
type Keeper { pets: [Pet!]! @association(opposite: "keeper") }
""",
    "shop.graphql",
)
EARLIER: Model = read_model(
    """
extend schema @application(name: "Shop")
type Pet { name: String  tag: String  notes: Text }
""",
    "shop.graphql",
)


class CountingEngine(WatchedEngine):
    """Counts the keys of each read."""

    def __init__(self) -> None:
        super().__init__()
        self.reads: list[int] = []

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        self.reads.append(len(keys))
        return super().get(keys, places=places)


def stored(engine: Engine) -> Objects:
    """Return objects with one pet that has an owner and a cage, and a deleted owner."""
    objects = Objects(engine, MODEL)
    objects.create("Owner", "o1", "o2")
    objects.create("Cage", "c1", "c2")
    objects.commit(
        objects.creation("Pet", "p0", tag="t0", name="n0", owner="o1", cage="c1", keeper="k1"),
        objects.creation("Keeper", "k1"),
    )
    objects.delete("Owner", "o2")
    return objects


def is_refused(objects: Objects, wanted: Change) -> bool:
    """Return whether a dry run refuses a change."""
    try:
        objects.entities.dry_run(wanted)
    except (IntegrityViolation, TooLarge, UniqueNotBuilt, UniqueViolation):
        return True
    return False


def test_what_may_not_be_refused_passes_a_dry_run(engine: Engine) -> None:
    objects, random = stored(engine), Random(seed())
    certain = 0
    changes = [
        change(
            objects.creation(
                "Pet",
                f"new{number}",
                tag=random.choice([None, "t0", "t1"]),
                name=random.choice([None, "n0", "n1"]),
                owner=random.choice([None, None, "o1", "o1", "o2", "missing"]),
                cage=random.choice([*[None] * 6, "c1", "c2"]),
                keeper=random.choice([*[None] * 6, "k1"]),
                notes=random.choice([*["short"] * 4, "x" * 400_000]),
            )
        )
        for number in range(100)
    ]
    for wanted, may in zip(changes, objects.entities.may_refuse(changes), strict=True):
        certain += not may
        assert may or not is_refused(objects, wanted)
    assert certain


@each_row(
    ("state", "may"),
    [
        ({}, False),
        ({"tag": "t1", "name": "n0"}, False),
        ({"owner": "o1", "name": "n1"}, False),
        ({"tag": "t0"}, True),
        ({"owner": "o1", "name": "n0"}, True),
        ({"owner": "o2"}, True),
        ({"owner": "missing"}, True),
        ({"notes": "x" * 400_000}, True),
    ],
)
def test_new_objects_are_refused_for_values_keys_and_size(
    engine: Engine, state: dict[str, Any], may: bool
) -> None:
    objects = stored(engine)
    wanted = change(objects.creation("Pet", "new", **state))
    assert objects.entities.may_refuse([wanted]) == [may]
    assert is_refused(objects, wanted) == may


def test_changes_of_other_kinds_are_not_decided(engine: Engine) -> None:
    objects = stored(engine)
    two = change(objects.creation("Pet", "x"), objects.creation("Pet", "y"))
    assert objects.entities.may_refuse([two, change(objects.update("Pet", "p0", name="new"))]) == [True, True]


def test_nothing_is_certain_of_values_that_are_not_built(engine: Engine) -> None:
    earlier = Objects(engine, EARLIER)
    earlier.create("Pet", "p0", tag="t0")
    objects = earlier.under(MODEL)
    wanted = change(objects.creation("Pet", "new", tag="t0"))
    assert objects.entities.may_refuse([wanted]) == [True]


def test_one_read_decides_about_many_objects() -> None:
    engine = CountingEngine()
    objects = stored(engine)
    changes = [change(objects.creation("Pet", f"new{n}", tag=f"t{n}", owner="o1")) for n in range(20)]
    objects.entities.may_refuse(changes[:1])
    engine.reads.clear()
    assert objects.entities.may_refuse(changes) == [True, *[False] * 19]
    assert engine.reads == [21]  # each tag, and the owner once
