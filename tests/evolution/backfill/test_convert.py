"""A conversion stores values in the form of today, whenever it is stopped, and while others write."""

import json
from dataclasses import replace

import pytest

from stratabase.core.domain.objects.change import Change, Creation, Modification
from stratabase.core.domain.objects.entity import Entity, Reference, SerialName
from stratabase.core.model.model import Class, Index, Unique
from stratabase.core.model.types.base import Stored
from stratabase.core.store.engine.port import Engine, Item
from stratabase.core.store.layout import keys
from stratabase.core.store.repository import Repository
from stratabase.evolution.backfill.convert import Conversion, ConvertOutcome, Unconverted
from stratabase.evolution.backfill.reindex import Reindex
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.stopping_engine import BusyEngine, Stopped, StoppingEngine
from tests.evolution.backfill.test_drop import items
from tests.models import attribute, class_, model
from tests.rows import each_row


def employees(type_name: str, *, default: Stored = None) -> Class:
    """Return the class of employees whose number has a type."""
    number = replace(attribute("number", type_name), default=default)
    return replace(
        class_("Employee", attribute("name", "String"), number, attribute("_lastmodifiedon", "Datetime")),
        versioned=True,
        uniques=(Unique(("number",)),),
        indexes=(Index(("number",)),),
    )


def filled() -> ReferenceEngine:
    """Return an engine whose employees have numbers as text."""
    engine = ReferenceEngine()
    entities = Repository(engine, model(employees("String")))
    for at, (id_, number) in enumerate({"a": "5", "b": "x", "c": None, "d": "7", "e": "07"}.items(), 1):
        reference = Reference("Employee", id_)
        new = Entity(reference, {"_id": id_, "number": number, "_lastmodifiedon": "2020-01-01T00:00:00.000Z"})
        entities.commit(Change(f"c{id_}", at, (Creation(new),)))
    (before,) = entities.read([Reference("Employee", "d")])
    assert before is not None
    after = Entity(before.reference, {**before.state, "number": "8"}, before.commit_ids)
    entities.commit(Change("cd2", 10, (Modification(before, after),)))
    return engine


def convert(engine: Engine, class_: Class, *, local: bool = True) -> tuple[ConvertOutcome, list[Unconverted]]:
    """Convert all employees; return the outcome and the values that stay."""
    Repository(engine, model(class_)).unbuilt()
    kept: list[Unconverted] = []
    return Conversion(engine, model(class_), local=local).run("Employee", (), kept.append), kept


def heads(engine: Engine) -> dict[str, Item]:
    """Return the heads of employees by id."""
    found = (item for item in items(engine) if item.key.sort == keys.HEAD)
    return {keys.id_of(item.key): item for item in found}


def numbers(engine: Engine) -> dict[str, object]:
    """Return the stored numbers of employees by id."""
    return {id_: json.loads(head.state or "{}").get("number") for id_, head in heads(engine).items()}


def test_values_of_a_changed_type_are_converted_and_others_are_listed() -> None:
    engine = filled()
    before = {item.key: item for item in items(engine)}
    outcome, kept = convert(engine, employees("Int"))
    assert numbers(engine) == {"a": 5, "b": "x", "c": None, "d": 8, "e": "07"}
    assert outcome == ConvertOutcome(2, 2)
    assert kept == [
        Unconverted("Employee", "b", "number", '"x"', "Int has no such value"),
        Unconverted("Employee", "e", "number", '"07"', "Int has no such value"),
    ]
    # No version, no other time, and closed versions as they were.
    for item in items(engine):
        former = before.get(item.key)
        if item.key.sort.startswith("V#0"):
            assert item == former
        if item.key.sort == keys.HEAD and former is not None:
            assert item.attributes["versionStart"] == former.attributes["versionStart"]
            assert json.loads(item.state or "{}")["_lastmodifiedon"] == "2020-01-01T00:00:00.000Z"
    assert {key for key in before if key.sort[:2] == "V#"} == {
        item.key for item in items(engine) if item.key.sort[:2] == "V#"
    }


def test_guards_and_index_positions_follow_in_the_same_commit() -> None:
    engine = filled()
    class_ = employees("Int")
    convert(engine, class_)
    entities = Repository(engine, model(class_))
    held = {str(item.attributes["holder"]) for item in items(engine) if item.key.sort == "U"}
    assert held == {"a", "b", "d", "e"}
    slots = entities._store.registry.write_schema().paths("Employee")
    for id_ in ("a", "d"):
        head = heads(engine)[id_]
        (entity,) = entities.read([Reference("Employee", id_)])
        assert entity is not None
        assert {path.index_name: path.place(entity) for path in slots}.items() <= head.places.items()


def test_defaults_become_permanent_where_values_are_absent() -> None:
    engine = filled()
    class_ = replace(employees("String", default="0"), uniques=())
    reason = "an earlier model has it in a @unique: run `stratabase reindex` first"
    assert convert(engine, class_)[1] == [Unconverted("Employee", "c", "number", "null", reason)]
    Reindex(engine, model(class_), local=True).run("Employee")
    outcome, kept = convert(engine, class_)
    assert (outcome, kept) == (ConvertOutcome(1, 0), [])
    assert numbers(engine) == {"a": "5", "b": "x", "c": "0", "d": "8", "e": "07"}
    assert convert(engine, class_)[0] == ConvertOutcome(0, 0)


@each_row("local", [True, False])
@each_row("after", [False, True])
def test_a_conversion_that_is_killed_at_any_commit_goes_on(*, after: bool, local: bool) -> None:
    class_ = employees("Int")
    whole = filled()
    Repository(whole, model(class_)).unbuilt()
    counting = StoppingEngine(whole, 0, after=after)
    convert(counting, class_, local=local)
    for at in range(1, counting.commits + 1):
        engine = filled()
        Repository(engine, model(class_)).unbuilt()
        with pytest.raises(Stopped):
            convert(StoppingEngine(engine, at, after=after), class_, local=local)
        convert(engine, class_, local=local)
        assert numbers(engine) == numbers(whole)
        assert {item.key for item in items(engine)} == {item.key for item in items(whole)}


def test_a_conversion_to_another_model_does_not_go_on_where_one_was_killed() -> None:
    engine, class_ = filled(), replace(employees("String"), uniques=())
    Reindex(engine, model(class_), local=True).run("Employee")
    with pytest.raises(Stopped):
        convert(StoppingEngine(engine, 1, after=True), class_)
    other = replace(employees("Int", default=0), uniques=())
    assert not Conversion(engine, model(other), local=True).is_under_way("Employee", ())
    convert(engine, other)
    assert numbers(engine) == {"a": 5, "b": "x", "c": 0, "d": 8, "e": "07"}


@each_row("local", [True, False])
def test_writes_during_a_conversion_are_kept(*, local: bool) -> None:
    class_ = replace(employees("Int"), uniques=())
    for at in range(1, 6):
        engine = filled()
        others = Repository(engine, model(class_))
        others.unbuilt()

        def write(others: Repository = others) -> None:
            (before,) = others.read([Reference("Employee", "a")])
            assert before is not None
            after = Entity(before.reference, {**before.state, "number": 50}, before.commit_ids)
            others.commit(Change("meanwhile", 50, (Modification(before, after),)))

        busy = BusyEngine(engine, at, write)
        Conversion(busy, model(class_), local=local).run("Employee", (), lambda _: None)
        if busy.commits >= at:
            assert numbers(engine)["a"] == 50
        assert numbers(engine)["d"] == 8


@pytest.mark.parametrize("taken", [0, 3, 20])
@pytest.mark.parametrize("stops_after", [None, 2, 3, 4])
def test_new_numbers_of_a_serial_begin_after_the_stored_ones(
    stops_after: int | None, taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if a process has numbers in its cache, and if the first run was stopped."""
    monkeypatch.setattr("stratabase.evolution.backfill.convert._READ_BATCH", 2)
    engine, number = filled(), SerialName("Employee", "number")
    entities = Repository(engine, model(employees("Serial")))
    before = [*entities.next_serials({number: taken})[number]] if taken else []
    if stops_after is not None:
        with pytest.raises(Stopped):
            convert(StoppingEngine(engine, stops_after, after=True), employees("Serial"))
    convert(engine, employees("Serial"))
    after = [*entities.next_serials({number: 2})[number]]
    assert after == ([21, 22] if taken == 20 else [9, 10])
    assert not {*before} & {*after}
