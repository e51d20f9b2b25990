"""Two processes with the former and the changed model write at once: no guard and no index place is lost.

The changes are those of attributes and names that `model diff` calls safe, and added indexes and constraints
after a reindex. Changed roles have tests of their own, in evolution/backfill/test_changed_roles.py.
"""

import random
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from threading import Thread
from typing import Any, NamedTuple

import pytest

from stratabase.core.domain.objects.change import Change, Creation, Deletion, Effect, Modification
from stratabase.core.domain.objects.commit_refusals import Conflict, UniqueViolation
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.query.filter import Comparison
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.model.attribute import overwrite
from stratabase.core.model.model import Unique
from stratabase.core.model.reading import read_model
from stratabase.core.model.stored_names import StoredNames
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.engine.port import Engine, Key
from stratabase.core.store.indexes.registry import parse_registry
from stratabase.core.store.layout import codec, keys
from stratabase.core.store.layout.object_items import UniqueConstraint, guard_holder, live_head
from stratabase.core.store.renamed_repository import RenamedRepository, open_repository
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.evolution.backfill.reindex import Reindex
from tests.contract.engine.engines import STORING, engine_fixture
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.engine_items import all_items
from tests.fakes import unlimited_budget
from tests.soak import count, mostly, seed

OLD = """
extend schema @application(name: "Shop")
enum Colour { RED GREEN }
type Thing @unique(attributes: ["code"]) @unique(attributes: ["colour", "label"])
  @index(attributes: ["colour"]) @index(attributes: ["label", "code"]) {
  code: String label: String colour: Colour number: Int
}
"""
INDEXED = 'type Thing @index(attributes: ["number"])'
IDS = [f"id{number}" for number in range(8)]
TURNS = count(25, 1000)


class SafeChange(NamedTuple):
    """A change of OLD: the replaced texts, the names in the new model, and its additional colours."""

    replaced: Mapping[str, str]
    names: Mapping[str, str] = {}
    colours: tuple[str, ...] = ()


CHANGES = {
    "class renamed": SafeChange({"type Thing": 'type Item @renamed(from: "Thing")'}, {"Thing": "Item"}),
    "attribute renamed": SafeChange(
        {'"code"': '"number_plate"', "code:": 'number_plate: String @renamed(from: "code") note:'},
        {"code": "number_plate"},
    ),
    "two names swapped": SafeChange(
        {
            '"label", "code"': '"code", "label"',
            '["code"]': '["label"]',
            '"colour", "label"': '"colour", "code"',
            "code: String label: String": (
                'code: String @renamed(from: "label") label: String @renamed(from: "code")'
            ),
        },
        {"code": "label", "label": "code"},
    ),
    "enum value renamed": SafeChange({"GREEN }": 'LIME @renamed(from: "GREEN") }'}, {"GREEN": "LIME"}),
    "enum value added": SafeChange({"GREEN }": "GREEN BLUE }"}, colours=("BLUE",)),
    "attribute added": SafeChange({"number:": "note: String number:"}),
    "default added": SafeChange({"number: Int": 'number: Int @default(value: "5")'}),
    "default of an index added": SafeChange(
        {"number: Int": 'number: Int @default(value: "5")', "type Thing": INDEXED}
    ),
    "now required": SafeChange({"number: Int": "number: Int!"}),
    "String now Text": SafeChange({"label: String": "label: Text"}),
    "Int now String": SafeChange({"number: Int": "number: String"}),
    "index added": SafeChange({"type Thing": 'type Thing @index(attributes: ["number", "code"])'}),
    "unique added": SafeChange({"type Thing": 'type Thing @unique(attributes: ["label"])'}),
    "unique removed": SafeChange({'@unique(attributes: ["code"])': ""}),
}


class Process:
    """A process that serves a model. It takes stored names and values, and translates them to its model."""

    def __init__(self, engine: Engine, text: str, change: SafeChange) -> None:
        self.model = read_model(text, "model.graphql")
        self.entities = open_repository(engine, self.model)
        self._names = change.names
        self.class_name = self.name("Thing")
        self.colours = [self.name(each) for each in ("RED", "GREEN", *change.colours)]

    def name(self, stored: str) -> str:
        """Return the name in the model for a stored one."""
        return self._names.get(stored, stored)

    def refresh(self) -> None:
        """Read the registry again, as every process does after some seconds."""
        own = self.entities
        registry = (own._repository if isinstance(own, RenamedRepository) else own)._store.registry
        registry.invalidate()
        registry.registry()

    def write(self, chance: random.Random) -> bool:
        """Create, change or delete an object; return whether no object with the same values prevented it."""
        reference = Reference(self.class_name, chance.choice(IDS))
        values = {
            self.name("code"): chance.choice([None, "a", "b", "c", "d", "e"]),
            self.name("label"): chance.choice([None, "x", "y", "z"]),
            "colour": chance.choice([None, *self.colours]),
        }
        some = {name: values[name] for name in chance.sample(sorted(values), chance.randrange(1, 4))}
        effect = self._effect(reference, some, is_deletion=chance.random() < 0.15)
        if effect is not None:
            try:
                self.entities.commit(Change(token_hex(12), 0, (effect,)))
            except (Conflict, UniqueViolation):
                return False
        return True

    def _effect(self, reference: Reference, values: Mapping[str, Any], *, is_deletion: bool) -> Effect | None:
        before = self.entities.read([reference])[0]
        attributes = self.model.classes[self.class_name].attributes
        if before is None:
            after = Entity(reference, overwrite({"_id": reference.id}, values, attributes))
            return None if is_deletion else Creation(after)
        state = overwrite(before.state, values, attributes)
        return Deletion(before) if is_deletion else Modification(before, replace(before, state=state))

    def found(self, colour: str | None) -> list[str]:
        """Return the ids of the objects with a colour, as a page that may use an index finds them."""
        filter_ = Comparison("colour", Operator.NULL if colour is None else Operator.EQ, colour or True)
        query = Query(self.class_name, Order(), filter_, window=Window(100))
        return [each.reference.id for each in self.entities.page(query, unlimited_budget()).items]

    def shown(self, colour: str | None) -> list[str]:
        """Return the same from the objects themselves."""
        objects = self.entities.read([Reference(self.class_name, id_) for id_ in IDS])
        return [each.reference.id for each in objects if each and each.state.get("colour") == colour]


def side_by_side(engine: Engine, name: str) -> tuple[Process, Process]:
    """Return a process with the former model that has written objects, and one with the changed model."""
    change, new = CHANGES[name], OLD
    for before, after in change.replaced.items():
        assert before in new
        new = new.replace(before, after)
    former = OLD.replace("type Thing", INDEXED) if "an index" in name else OLD
    old = Process(engine, former, SafeChange({}))
    chance = random.Random(seed())
    for _ in range(20):
        old.write(chance)
    now = Process(engine, new, change)
    now.refresh()
    Reindex(engine, now.model, sleep=lambda _: None, ahead=True).run(now.class_name)
    # The first process may add entries of its own model. All processes know them after some seconds.
    for each in (old, now, old):
        each.refresh()
    return old, now


def assert_consistent(engine: Engine, *, is_unique: bool) -> None:
    """Assert by a scan that guards and index places are those that the states need."""
    items = all_items(engine)
    registry = parse_registry(items[keys.REGISTRY])
    needed: dict[Key, set[str]] = defaultdict(set)
    lost = set[Key]()
    for item in filter(None, map(live_head, items.values())):
        if item.key.sort == keys.HEAD:
            entity = codec.entity_of(item)
            for path in registry.paths("Thing"):
                # A process with fewer values of an enum adds an index that is not built.
                known = {path.place(entity)} if path.ready else {path.place(entity), None}
                assert item.places.get(path.index_name) in known
            for entry in registry.uniques["Thing"]:
                unique = Unique(tuple(column.attribute for column in entry.columns))
                key = UniqueConstraint("Thing", unique, entry.columns).guard_key(entity.state)
                if key is not None:
                    needed[key].add(entity.reference.id)
                    lost |= {key} if entry.violated else set()
    held = {key: str(guard_holder(item)) for key, item in items.items() if key.partition.startswith("U#")}
    # An object gets no guard if a process without the constraint gives it the values of another one. The
    # registry says so, and the next reindex builds the constraint again.
    assert held.keys() | lost == needed.keys()
    assert all(id_ in needed[key] for key, id_ in held.items())
    assert not is_unique or all(len(ids) == 1 for ids in needed.values())


def is_unique(name: str) -> bool:
    """Return whether both models refuse the same values."""
    return not name.startswith("unique")


engine = engine_fixture(mostly(STORING, "dynamodb-ministack"))


@pytest.mark.parametrize("name", CHANGES)
def test_writes_in_turns_keep_guards_and_index_places(engine: Engine, name: str) -> None:
    processes, chance = side_by_side(engine, name), random.Random(seed())
    written = [each.write(chance) for _ in range(TURNS) for each in processes]
    assert any(written)
    assert_consistent(engine, is_unique=is_unique(name))
    for each in processes:
        each.refresh()
        for colour in (None, *each.colours):
            assert each.found(colour) == each.shown(colour)


@pytest.mark.parametrize("name", CHANGES)
def test_concurrent_writes_keep_guards_and_index_places(tmp_path: Path, name: str) -> None:
    engine = SqliteEngine(tmp_path / "objects.db")
    writers = [
        Thread(target=_write_on, args=(each, number))
        for number, each in enumerate(side_by_side(engine, name) * 2)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert_consistent(engine, is_unique=is_unique(name))
    engine.close()


def _write_on(process: Process, number: int) -> None:
    chance = random.Random(seed() + number)
    for _ in range(TURNS):
        with suppress(Conflict):
            process.write(chance)


def test_a_process_with_fewer_values_of_an_enum_has_a_constraint_of_its_own_that_is_built() -> None:
    """The guards are the same. Otherwise, removed values would have to be unique as well."""
    engine = ReferenceEngine()
    old, _ = side_by_side(engine, "enum value added")
    assert len(parse_registry(all_items(engine)[keys.REGISTRY]).uniques["Thing"]) == 3
    stored = StoredNames(old.model).stored_model.classes["Thing"]
    registry = parse_registry(all_items(engine)[keys.REGISTRY])
    assert all(registry.is_guarded(stored, unique) for unique in stored.uniques)
