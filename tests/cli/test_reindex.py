"""`stratabase reindex` builds the indexes and unique constraints that a changed model asks for."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from cli.main import main
from cli.unbuilt import MOST_IDS, MOST_VALUES
from stratabase.settings import Settings
from stratabase.store import keys
from stratabase.store.reindex import Outcome, Reindex
from stratabase.wiring import Instance
from tests.worlds import ADMINISTRATOR

MODEL = """
extend schema @application(name: "Shop")
type Pet MORE { name: String  age: Int }
type Order @class(kind: FORM) { note: String }
"""
INDEX = '@index(attributes: ["name"])'
UNIQUE = '@unique(attributes: ["name"])'
OBJECTS = 120


class Shop:
    """A folder with a shop's model and its pets."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def has(self, directives: str) -> None:
        """Change the model."""
        (self._folder / "model.graphql").write_text(MODEL.replace("MORE", directives))

    def fill(self, names: Iterable[object]) -> list[str]:
        """Create pets with these names, and return their ids."""
        fields = (f'Pet___create(data: {{name: "{name}", age: 7}}) {{ _id }}' for name in names)
        return [answer["Pet___create"]["_id"] for answer in self.ask(*fields)]

    def ask(self, *fields: str) -> list[Any]:
        """Return what a client gets that asks for one mutation after the other."""
        instance = Instance(Settings(home=self._folder / "home", model=self._folder / "model.graphql"))
        answers = [
            instance.executor.execute(f"mutation {{ {field} }}", None, None, ADMINISTRATOR, "")
            for field in fields
        ]
        instance.engine.close()
        return [json.loads(answer.body)["data"] for answer in answers]

    def registry(self) -> str:
        """Return the registry of slots and constraints."""
        instance = Instance(Settings(home=self._folder / "home", model=self._folder / "model.graphql"))
        (item,) = instance.engine.get([keys.REGISTRY])
        instance.engine.close()
        assert item is not None
        return item.state or ""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A shop; nobody waits for other processes, of which there are none."""
    monkeypatch.setenv("STRATABASE_MODEL", str(tmp_path / "model.graphql"))
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("stratabase.store.reindex.SETTLED", 0)
    shop = Shop(tmp_path)
    shop.has("")
    return shop


def test_it_makes_everything_ready(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    shop.fill(range(OBJECTS))
    shop.has(INDEX + UNIQUE)
    assert main(["reindex"]) == 0

    said = f"Pet: every index and unique constraint is ready ({OBJECTS} objects were looked at)"
    assert capsys.readouterr().out.strip() == said
    assert shop.registry().count('"READY"') == 2
    assert '"BUILDING"' not in shop.registry()


def test_done_again_it_looks_at_nothing(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    shop.fill(range(OBJECTS))
    shop.has(INDEX)
    main(["reindex", "Pet"])
    capsys.readouterr()

    assert main(["reindex", "Pet"]) == 0
    assert "(0 objects" in capsys.readouterr().out


def test_a_class_that_is_not_there_is_named(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reindex", "Cat"]) == 1
    assert "There is no class Cat; there are Pet." in capsys.readouterr().err


def test_values_that_several_have_are_told_until_they_are_mended(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    rex, other, _ = shop.fill(["Rex", "Rex", "Tom"])
    shop.has(INDEX + UNIQUE + '@unique(attributes: ["age", "name"])')

    assert main(["reindex"]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "Pet: not everything is ready (3 objects were looked at)",
        "Pet @unique(name) is not ready: 1 value is held by several objects",
        f"  name 'Rex': {rex}, {other}",
        "Pet @unique(age, name) is not ready: 1 value is held by several objects",
        f"  age 7, name 'Rex': {rex}, {other}",
    ]
    assert err.startswith("Change or delete all but one of the objects that have the same, then run ")
    assert shop.registry().count('"READY"') == 1

    shop.ask(f'Pet___update(data: {{_id: "{rex}", name: "Max"}}) {{ _id }}')
    assert main(["reindex"]) == 0
    assert "every index and unique constraint is ready" in capsys.readouterr().out
    assert '"BUILDING"' not in shop.registry()


def test_many_are_counted_unless_all_are_asked_for(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    ids = shop.fill([*["a"] * (MOST_IDS + 2), *(number // 2 for number in range(2 * MOST_VALUES + 8))])
    shop.has(UNIQUE)

    assert main(["reindex"]) == 1
    _, title, *lines = capsys.readouterr().out.splitlines()
    assert title.endswith(f"{MOST_VALUES + 5} values are held by several objects")
    assert lines[0] == f"  name 'a': {', '.join(ids[:MOST_IDS])} and 2 more"
    assert len(lines) == MOST_VALUES + 1
    assert lines[-1] == "  and 5 more (`stratabase reindex --all` names all)"

    assert main(["reindex", "--all"]) == 1
    _, _, *lines = capsys.readouterr().out.splitlines()
    assert len(lines) == MOST_VALUES + 5
    assert lines[0] == f"  name 'a': {', '.join(ids[: MOST_IDS + 2])}"


def test_what_others_took_back_is_to_be_done_again(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Reindex, "of", lambda *_: Outcome(interrupted=("@unique(name)",)))

    assert main(["reindex"]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines()[-1] == "Pet @unique(name) is not ready"
    assert (
        err
        == "Something still served an earlier model: run `stratabase reindex` again when that has ended.\n"
    )
