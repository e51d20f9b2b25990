"""`stratabase reindex` fills the indexes that a changed model asks for."""

import json
from pathlib import Path

import pytest

from cli.main import main
from stratabase.settings import Settings
from stratabase.store import keys
from stratabase.store.engine import Item
from stratabase.wiring import Instance
from tests.worlds import ADMINISTRATOR

MODEL = """
extend schema @application(name: "Shop")
type Pet INDEX { name: String }
type Order @class(kind: FORM) { note: String }
"""
OBJECTS = 120


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A shop with pets that have no index yet; nobody waits for other processes, of which there are none."""
    monkeypatch.setenv("STRATABASE_MODEL", str(tmp_path / "model.graphql"))
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("stratabase.store.reindex.SETTLED", 0)
    file = tmp_path / "model.graphql"
    file.write_text(MODEL.replace("INDEX", ""))
    _fill(tmp_path)
    file.write_text(MODEL.replace("INDEX", '@index(attributes: ["name"])'))
    return file


def _instance(folder: Path) -> Instance:
    return Instance(Settings(home=folder / "home", model=folder / "model.graphql"))


def _fill(folder: Path) -> None:
    instance = _instance(folder)
    for number in range(OBJECTS):
        query = f'mutation {{ Pet___create(data: {{name: "{number}"}}) {{ _id }} }}'
        instance.executor.execute(query, None, None, ADMINISTRATOR, "")
    instance.engine.close()


def _registry(folder: Path) -> Item:
    instance = _instance(folder)
    (item,) = instance.engine.get([keys.REGISTRY])
    instance.engine.close()
    assert item is not None
    return item


def test_it_makes_every_index_ready(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reindex"]) == 0

    assert capsys.readouterr().out.strip() == f"Pet: every index is ready ({OBJECTS} objects were looked at)"
    assert '"READY"' in json.dumps(json.loads(_registry(tmp_path).state or ""))
    assert '"BUILDING"' not in (_registry(tmp_path).state or "")


def test_done_again_it_looks_at_nothing(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["reindex", "Pet"])
    capsys.readouterr()

    assert main(["reindex", "Pet"]) == 0
    assert "(0 objects" in capsys.readouterr().out


def test_a_class_that_is_not_there_is_named(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reindex", "Cat"]) == 1
    assert "There is no class Cat; there are Pet." in capsys.readouterr().err
