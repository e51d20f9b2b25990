"""`@default`: what new objects get, what objects from before show, and how null is told from nothing."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.store.engine.port import Engine
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.evolution.backfill.reindex import ReindexOutcome
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.evolving_api import EvolvingApi

THING = """type Thing @class(versioned: true) @index(attributes: ["level"])
  @warning(name: "high", condition: "level > 8", message: "High.", blocking: true) {
  name: String! level: Int%s note: String
  double: Int @derived(expression: "level * 2") }"""
BARE, WITH_DEFAULT, OTHER_DEFAULT = (
    THING % "",
    THING % ' @default(value: "3")',
    THING % ' @default(value: "5")',
)
REQUIRED = THING % '! @default(value: "3")'
PAGE = """query($o: ThingPageOptions) {
    Thing___getPage(options: $o) { totalCount items { name level double } } }"""


@pytest.fixture(params=["sqlite", "memory"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    found: Engine = ReferenceEngine() if request.param == "memory" else SqliteEngine(tmp_path / "store.db")
    yield found
    found.close()


def levels(api: EvolvingApi, **options: Any) -> dict[str, int | None]:
    """Return the levels of the objects of a page, by name; check that derived values follow them."""
    items = api.ask(PAGE, o=options)["items"]
    assert all(item["double"] == (None if item["level"] is None else item["level"] * 2) for item in items)
    return {item["name"]: item["level"] for item in items}


def test_objects_from_before_show_the_default_everywhere(engine: Engine) -> None:
    api = EvolvingApi(engine, BARE)
    old = api.create("Thing", name="old")
    api.create("Thing", name="set", level=4)
    for model, default in ((WITH_DEFAULT, 3), (OTHER_DEFAULT, 5)):
        api.serve(model)
        assert api.entities.unbuilt() == ("Thing @index(level)",)
        for outcome in (None, [ReindexOutcome()]):
            if outcome is not None:
                assert api.reindex() == outcome
                api.serve(model)
                assert api.entities.unbuilt() == ()
            assert levels(api) == {"old": default, "set": 4}
            assert levels(api, filter={"level___eq": default}) == {"old": default}
            assert levels(api, filter={"level___null": True}) == {}
            assert levels(api, filter_exp=f"level == {default}") == {"old": default}
            ascending = sorted({"old": default, "set": 4}.items(), key=lambda pair: pair[1])
            assert [*levels(api, orderBy=["level___ASC"]).items()] == ascending
    # A write of another attribute does not make the default permanent, and neither does the former model.
    assert api.update("Thing", _id=old, note="x") == []
    api.serve(BARE)
    assert levels(api) == {"old": None, "set": 4}


def test_null_from_now_is_no_null_from_before(engine: Engine) -> None:
    api = EvolvingApi(engine, BARE)
    ids = {name: api.create("Thing", name=name, level=None) for name in ("before", "cleared")}
    api.serve(WITH_DEFAULT)
    api.create("Thing", name="null", level=None)
    api.create("Thing", name="left out")
    assert api.update("Thing", _id=ids["cleared"], level=None) == []
    expected = {"before": 3, "cleared": None, "null": None, "left out": 3}
    assert levels(api) == expected
    # The model without the default shows all nulls alike, and keeps them apart.
    api.serve(BARE)
    assert levels(api) == {"before": None, "cleared": None, "null": None, "left out": 3}
    for id_ in ids.values():
        assert api.update("Thing", _id=id_, note="x") == []
    api.serve(OTHER_DEFAULT)
    api.reindex()
    api.serve(OTHER_DEFAULT)
    assert levels(api) == {**expected, "before": 5}
    assert levels(api, filter={"level___null": True}) == {"cleared": None, "null": None}


def test_a_default_that_a_client_sets_is_stored(engine: Engine) -> None:
    api = EvolvingApi(engine, BARE)
    id_ = api.create("Thing", name="a")
    api.serve(WITH_DEFAULT)
    assert api.update("Thing", _id=id_, level=3) == []
    api.serve(OTHER_DEFAULT)
    assert levels(api) == {"a": 3}


def test_a_required_attribute_with_a_default_can_be_left_out_but_not_be_null(engine: Engine) -> None:
    api = EvolvingApi(engine, REQUIRED)
    query = "query($d: ThingDraftCreate!) { Thing___previewCreate(data: $d) { level double } }"
    assert api.ask(query, d={"name": "a"}) == {"level": 3, "double": 6}
    id_ = api.create("Thing", name="a")
    assert levels(api) == {"a": 3}
    assert api.update("Thing", _id=id_, level=None) == ["Thing.level is required."]
    fields = api.ask('{ __type(name: "ThingCreate") { inputFields { name type { kind } } } }')["inputFields"]
    assert {each["name"]: each["type"]["kind"] for each in fields}["level"] == "SCALAR"


def test_a_closed_version_shows_the_default_and_a_restoration_keeps_what_it_stores(engine: Engine) -> None:
    api = EvolvingApi(engine, BARE)
    id_ = api.create("Thing", name="a")
    start = api.clock.instant
    api.clock.instant += 1000
    assert api.update("Thing", _id=id_, level=4) == []
    api.serve(WITH_DEFAULT)
    versions = "query($i: ID!) { Thing___getVersionPage(_id: $i) { items { level } } }"
    assert api.ask(versions, i=id_)["items"] == [{"level": 3}, {"level": 4}]
    query = """query($i: ID!, $f: Datetime!, $t: Datetime!) {
        Thing___getVersionDiff(_id: $i, from: $f, to: $t) { changes { name old new } } }"""
    at = (written(start), written(start + 1000))
    changes = api.ask(query, i=id_, f=at[0], t=at[1])["changes"]
    assert {"name": "level", "old": "3", "new": "4"} in changes
    assert not any(each["name"].startswith(".") for each in changes)
    api.clock.instant += 1000
    restore = "mutation($i: ID!, $t: Datetime!) { Thing___restoreVersion(_id: $i, atVersion: $t) { level } }"
    assert api.ask(restore, i=id_, t=at[0]) == {"level": 3}
    api.serve(OTHER_DEFAULT)
    assert levels(api) == {"a": 5}


def test_a_condition_compares_the_default(engine: Engine) -> None:
    api = EvolvingApi(engine, BARE)
    id_ = api.create("Thing", name="a")
    api.serve(THING % ' @default(value: "9")')
    assert api.update("Thing", _id=id_, level=9) == ["High."]


def test_a_singleton_that_was_never_written_shows_its_defaults(engine: Engine) -> None:
    model = 'type Settings @class(kind: SINGLETON) { level: Int @default(value: "3") note: String }'
    api = EvolvingApi(engine, model)
    query = "{ Settings___get { level note } }"
    assert api.ask(query) == {"level": 3, "note": None}


def written(instant: int) -> str:
    """Return an instant as `atVersion` takes it."""
    moment = datetime.fromtimestamp(instant / 1000, UTC)
    return f"{moment:%d-%m-%Y %H:%M:%S}.{instant % 1000:03}"
