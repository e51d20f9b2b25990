"""`stratabase store upgrade` raises a layout while services run: here to one that only this test knows."""

from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path

import orjson
import pytest

from stratabase.cli import store as store_command
from stratabase.cli.main import main
from stratabase.core.app.app import App
from stratabase.core.app.platform import platform_of
from stratabase.core.app.store_marks import open_marked_stores
from stratabase.core.domain import store_mark
from stratabase.core.domain.store_mark import KNOWN_LAYOUTS, LayoutRange, StoreKind, StoreMark, StoreRefused
from stratabase.core.settings import Settings
from stratabase.core.store.engine.port import (
    Action,
    Batch,
    Condition,
    ConditionOperator,
    Engine,
    Expectation,
    Item,
    Key,
    Patch,
    Put,
)
from stratabase.core.store.layout import keys
from stratabase.core.store.marked_engine import MarkedEngine
from stratabase.evolution import layout_upgrade
from stratabase.evolution.backfill.rewrite import convert_items
from stratabase.evolution.layout_upgrade import LayoutStep
from tests import ministack

OLD, NEW = LayoutRange(1, 1), LayoutRange(1, 2)
COUNT = 30
_numbers = count(1)


class Crash(Exception):
    """The process stops."""


@pytest.fixture(params=["sqlite", "dynamodb"])
def settings(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The settings of an instance with objects of layout 1."""
    number = next(_numbers)
    environment = {"STRATABASE_HOME": str(tmp_path), "STRATABASE_STORE": request.param}
    if request.param == "dynamodb":
        environment |= {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "STRATABASE_ENDPOINT": str(ministack.endpoint().url),
            "STRATABASE_CREATE_TABLES": "on",
            "STRATABASE_TABLE": f"upgraded-{number}",
            "STRATABASE_MEMBERS_TABLE": f"upgraded-members-{number}",
        }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    settings = Settings.from_environment(environment)
    with closing(App(settings)) as instance:
        instance.mark_stores()
        for each in range(COUNT):
            write(instance.engine, each, layout=1)
    return settings


def key(number: int) -> Key:
    return Key(f"Note#{number}", keys.HEAD)


def write(engine: Engine, number: int, *, layout: int) -> None:
    """Store a note. In the made-up layout 2, the text is a list of words."""
    text = orjson.dumps("two words" if layout == 1 else ["two", "words"]).decode()
    engine.commit(Batch(f"n{number}{layout}", (Put(Item(key(number), {"rev": layout}, text)),)))


def texts(engine: Engine) -> list[object]:
    items = engine.get([key(number) for number in range(COUNT)])
    return [orjson.loads((item and item.state) or "null") for item in items]


def split(item: Item) -> tuple[Action, ...]:
    """Return the action that converts a note."""
    if not item.key.partition.startswith("Note#") or item.attributes["rev"] == 2:
        return ()
    as_read = Expectation(conditions=(Condition("rev", ConditionOperator.EQUALS, 1),))
    words = orjson.dumps(orjson.loads(item.state or "").split()).decode()
    return (Patch(item.key, as_read, set={"rev": 2}, state=words),)


@pytest.fixture
def during(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[Engine], None]]:
    """Make this version know a layout 2. The functions in the list run after each converted item."""
    hooks: list[Callable[[Engine], None]] = []

    def convert(engine: Engine, report: Callable[[int], None]) -> None:
        def plan(item: Item) -> tuple[Action, ...]:
            for hook in hooks:
                hook(engine)
            return split(item)

        convert_items(engine, 2, plan, report)

    layouts = {**KNOWN_LAYOUTS, StoreKind.OBJECTS: NEW}
    monkeypatch.setattr(store_mark, "KNOWN_LAYOUTS", layouts)
    monkeypatch.setattr(layout_upgrade, "LAYOUT_STEPS", (LayoutStep(StoreKind.OBJECTS, 2, 1, convert),))
    monkeypatch.setattr(store_command, "SETTLED", 0.0)
    return hooks


def process(settings: Settings, layouts: LayoutRange) -> MarkedEngine:
    """Return the engine of a process whose version knows some layouts."""
    required = platform_of(settings).required.objects._replace(layouts=layouts)
    return MarkedEngine(platform_of(settings).engine(), required)


def mark(settings: Settings) -> StoreMark | None:
    with open_marked_stores(settings, [StoreKind.OBJECTS]) as (marked,):
        return marked.store.read_mark()


def test_today_there_is_nothing_to_upgrade(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["store", "upgrade"]) == 0
    assert capsys.readouterr().out == "All stores have the newest layout that this version knows.\n"
    assert not layout_upgrade.LAYOUT_STEPS
    assert set(KNOWN_LAYOUTS.values()) == {OLD}


def test_a_start_upgrades_nothing(settings: Settings, during: object) -> None:
    before = mark(settings)
    with closing(App(settings)) as instance:
        instance.mark_stores()
        write(instance.engine, 1, layout=1)
    assert mark(settings) == before


def test_an_upgrade_asks_first(
    settings: Settings, during: object, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["store", "upgrade"]) == 2
    assert "gets layout 2.\n  Processes that don't know layout 2 can't write" in capsys.readouterr().out
    assert (found := mark(settings)) is not None
    assert (found.layout, found.least_writer) == (1, 1)


def test_two_versions_serve_while_a_store_is_upgraded(
    settings: Settings, during: list[Callable[[Engine], None]]
) -> None:
    with closing(process(settings, OLD)) as old, closing(process(settings, NEW)) as new:
        write(old, 0, layout=1)
        write(new, 1, layout=1)
        seen: list[int] = []

        def serve(engine: Engine) -> None:
            during.clear()
            found = store_mark.parse_mark(str(engine.get([keys.REGISTRY])[0].attributes["mark"]))  # type: ignore[union-attr]
            seen.append(found.written_layout)
            # Both have read the registry again, as they do within seconds.
            assert old.get([keys.REGISTRY, key(1)])[1] is not None
            assert new.get([keys.REGISTRY])[0] is not None
            with pytest.raises(StoreRefused, match=r"To write to it, .* must know layout 2"):
                write(old, 2, layout=1)
            write(new, 2, layout=found.written_layout)

        during.append(serve)
        assert main(["store", "upgrade", "--yes"]) == 0
        assert seen == [2]
        assert texts(new) == [["two", "words"]] * COUNT
        assert old.get([key(1)])[0] is not None  # the step lets the older version read
    assert (found := mark(settings)) is not None
    assert (found.layout, found.least_reader, found.least_writer) == (2, 1, 2)
    assert main(["store", "upgrade", "--yes"]) == 0


@pytest.mark.parametrize("converted", [0, 7, COUNT - 1])
def test_an_upgrade_that_was_stopped_continues(
    settings: Settings, during: list[Callable[[Engine], None]], converted: int
) -> None:
    left = [converted]

    def crash(_engine: Engine) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Crash

    during.append(crash)
    with pytest.raises(Crash):
        main(["store", "upgrade", "--yes"])
    assert (found := mark(settings)) is not None
    assert (found.layout, found.least_writer) == (1, 2)
    with closing(process(settings, OLD)) as old, pytest.raises(StoreRefused):
        write(old, 1, layout=1)

    during.clear()
    assert main(["store", "upgrade", "--yes"]) == 0
    with closing(process(settings, NEW)) as new:
        assert texts(new) == [["two", "words"]] * COUNT
    assert (found := mark(settings)) is not None
    assert found.layout == 2


def test_a_store_of_a_later_version_is_not_upgraded(
    settings: Settings, during: list[Callable[[Engine], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["store", "upgrade", "--yes"]) == 0
    monkeypatch.setattr(store_mark, "KNOWN_LAYOUTS", KNOWN_LAYOUTS)
    assert main(["store", "upgrade", "--yes"]) == 1
