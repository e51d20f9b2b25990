"""What was erased stays erased: no export has it, and no import, restore or list brings it back."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from stratabase.cli.main import main
from stratabase.core.app.app import App
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.settings import Settings
from stratabase.core.store.engine.parallel import ThreadedMap
from stratabase.core.store.layout import keys
from stratabase.core.store.sqlite.snapshot import open_snapshot
from stratabase.evolution.app.erasures import erasures
from stratabase.evolution.erasure.erased_ids import read_erased
from stratabase.transfer.checking import ExportReader
from stratabase.transfer.export import Export, prepared_folder
from stratabase.transfer.format import InvalidExport, read_manifest
from tests.contract.engine.dynamodb import over_ministack
from tests.core.operations.files.interrupted_stores import STORES, OpenStores
from tests.core.store.stopping_engine import Stopped, StoppingEngine
from tests.evolution.erasure_company import BOSS, MARK, Company
from tests.evolution.erasure_company import MODEL as COMPANY
from tests.in_memory_blobs import InMemoryBlobs
from tests.soak import count, seed
from tests.transfer.stores import files_of, import_from

MODEL = """extend schema @application(name: "Shop") @profile(name: "Boss", administrator: true)
type Customer @class(versioned: true) { name: String orders: [Order!] @association(opposite: "customer") }
type Order { number: Int customer: Customer! @association(opposite: "orders") }
"""
ADMINISTRATOR = Caller("m1", "ada", "Boss", administrator=True)


@contextmanager
def filled(folder: Path) -> Iterator[Company]:
    with STORES["disk"](folder) as stores:
        yield Company(stores.engine, stores.blobs)


def export(company: Company, folder: Path) -> Path:
    (file,) = folder.parent.rglob("store.db")
    with prepared_folder(folder):
        written = Export(folder, COMPANY, "# the model")
        with open_snapshot(file, 1) as snapshot:
            written.write_objects(snapshot, erased=read_erased(company.engine))
        written.write_files(company.blobs)
        written.finish()
    return folder


def erased_list(folder: Path) -> ExportReader:
    return ExportReader(folder, read_manifest(folder), COMPANY)


@pytest.mark.parametrize("kind", ["disk", "ministack"])
def test_an_import_of_an_older_export_does_not_bring_it_back(kind: str, tmp_path: Path) -> None:
    (tmp_path / "stores").mkdir()
    with filled(tmp_path / "stores") as company:
        reference = company.fill()
        old = export(company, tmp_path / "old")
        assert MARK.encode() in b"".join(files_of(old).values())
        part = company.erasures()
        for _step in part.steps(part.begin(reference, BOSS)):
            pass
        new = export(company, tmp_path / "new")
    content = files_of(new)
    assert MARK.encode() not in b"".join(content.values())
    assert {name for name, each in content.items() if reference.id.encode() in each} == {
        "erased.jsonl",
        "versions/Person.jsonl",  # a former version of another person
    }
    listed = erased_list(new).erased()
    assert len(listed) == 6

    with STORES["disk"](tmp_path) if kind == "disk" else _remote() as stores:
        target = Company(stores.engine, stores.blobs)
        for _step in target.erasures().apply(listed):  # the store knows before the import, or
            pass
        parallel_map = None if kind == "disk" else ThreadedMap(4)
        import_from(old, COMPANY, target.engine, target.blobs, parallel_map)
        assert target.traces(MARK)
        for _step in target.erasures().apply(erased_list(old).erased()):
            pass
        assert target.traces(MARK) == []
        assert [entry.reference for entry in read_erased(target.engine)] == [e.reference for e in listed]
        found = target.ask(f'{{ Person___get(_id: "{company.pupil}") {{ last_name mentor {{ _id }} }} }}')
        assert found == {"Person___get": {"last_name": "Pupil", "mentor": None}}
        # Nothing of it is left in counts: the project has one member, who can't leave it.
        assert not target.try_to_send(f'Person___delete(_id: "{company.pupil}") {{ deleted }}')


@contextmanager
def _remote() -> Iterator[Any]:
    with closing(over_ministack()) as engine:
        yield OpenStores(engine, InMemoryBlobs())


@pytest.mark.soak
def test_an_export_during_an_erasure_has_nothing_of_it(tmp_path: Path) -> None:
    random, at, exported, went_on = Random(seed()), 0, 0, True
    while went_on:
        at += random.randint(1, count(6, 1))
        (folder := tmp_path / str(at)).mkdir()
        with filled(folder) as company:
            reference, went_on = company.fill(), False
            part = company.erasures(StoppingEngine(company.engine, at, after=random.random() < 0.5))
            try:
                for _step in part.steps(part.begin(reference, BOSS)):
                    pass
            except Stopped:
                went_on = True
            if not read_erased(company.engine):  # the object is there, because the erasure has not begun
                continue
            made = export(company, folder / "export")
            assert MARK.lower().encode() not in b"".join(files_of(made).values()).lower(), at
            exported += went_on
        with STORES["disk"](made) as stores:
            target, listed = Company(stores.engine, stores.blobs), erased_list(made).erased()
            for _step in target.erasures().apply(random.choice([listed, []])):
                pass
            import_from(made, COMPANY, target.engine, target.blobs)
            for _step in target.erasures().apply(listed):
                pass
            left = [each for each in target.traces(reference.id) if f"partition={keys.ERASED!r}" not in each]
            assert [f"Person#{company.former}" in each for each in left] == [True], (at, left)
    assert exported


def test_a_damaged_list_is_refused(tmp_path: Path) -> None:
    (tmp_path / "stores").mkdir()
    with filled(tmp_path / "stores") as company:
        folder = export(company, tmp_path / "export")
    (folder / "erased.jsonl").write_text('{"class": "Person", "_id": ""}\n')
    with pytest.raises(InvalidExport, match=r'erased\.jsonl, line 1: a line must have the texts "class"'):
        erased_list(folder).erased()


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Set up an instance, and return a function that sends it requests."""
    (tmp_path / "model.graphql").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("STRATABASE_MODEL", str(tmp_path / "model.graphql"))

    def ask(query: str) -> Any:
        settings = Settings.from_environment(
            {"STRATABASE_HOME": str(tmp_path / "home"), "STRATABASE_MODEL": str(tmp_path / "model.graphql")}
        )
        with closing(App(settings)) as app:
            app.mark_stores()
            answer = json.loads(app.executor.execute(query, {}, None, ADMINISTRATOR, "trace").body)
        assert "errors" not in answer, answer
        (value,) = answer["data"].values()
        return value

    return ask


def test_a_restore_of_an_older_backup_does_not_bring_it_back(
    shop: Callable[[str], Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    id_ = shop(f'mutation {{ Customer___create(data: {{name: "{MARK}"}}) {{ _id }} }}')["_id"]
    order = shop(f'mutation {{ Order___create(data: {{customer: "{id_}"}}) {{ _id }} }}')["_id"]
    assert main(["backup", "old"]) == 0
    assert main(["erase", "Customer", id_, "--yes"]) == 1
    assert f'Order "{order}" requires it' in capsys.readouterr().err
    shop(f'mutation {{ Order___delete(_id: "{order}") {{ deleted }} }}')
    assert main(["erase", "Customer", id_, "--yes"]) == 0
    assert f"Customer {id_} is erased.\n  1 object, parts included\n" in capsys.readouterr().out
    assert main(["erase", "Customer", id_, "--yes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["removed"] == {"objects": 1, "versions": 1}
    assert main(["backup", "new"]) == 0
    assert main(["erase", "--list"]) == 0
    (tmp_path / "list.jsonl").write_text(capsys.readouterr().out.splitlines()[-1])
    assert (
        json.loads((tmp_path / "list.jsonl").read_text()).items() >= {"class": "Customer", "_id": id_}.items()
    )
    assert MARK.encode() not in b"".join(files_of(tmp_path / "new").values())

    home = tmp_path / "home"
    home.rename(former := tmp_path / "former")
    for knows in (former, tmp_path / "list.jsonl"):
        assert main(["restore", "old", "--erased", str(knows)]) == 0
        assert "1 object of the backup had been erased" in capsys.readouterr().out
        assert MARK.encode() not in b"".join(files_of(home).values())
        assert shop("{ Customer___getPage { totalCount } }") == {"totalCount": 0}
        # The order that needed it is there, without it.
        assert shop("{ Order___getPage { items { customer { _id } } } }") == {"items": [{"customer": None}]}
        home.rename(tmp_path / f"of-{knows.name}")

    assert main(["restore", "old"]) == 0
    assert "erase them again with `stratabase erase --apply PATH`" in capsys.readouterr().out
    assert shop("{ Customer___getPage { totalCount } }") == {"totalCount": 1}
    assert main(["erase", "--apply", "list.jsonl"]) == 0
    assert MARK.encode() not in b"".join(files_of(home).values())


def test_the_command_exports_nothing_of_an_erasure_under_way(
    shop: Callable[[str], Any], tmp_path: Path
) -> None:
    id_ = shop(f'mutation {{ Customer___create(data: {{name: "{MARK}"}}) {{ _id }} }}')["_id"]
    home, model = str(tmp_path / "home"), str(tmp_path / "model.graphql")
    settings = Settings.from_environment({"STRATABASE_HOME": home, "STRATABASE_MODEL": model})
    with closing(App(settings)) as app:
        app.part(erasures).begin(Reference("Customer", id_), ADMINISTRATOR)
    assert MARK.encode() in b"".join(files_of(tmp_path / "home").values())
    assert main(["export", "out"]) == 0
    content = files_of(tmp_path / "out")
    assert MARK.encode() not in b"".join(content.values())
    assert {name for name, each in content.items() if id_.encode() in each} == {"erased.jsonl"}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "Name a class and an ID"),
        (["Customer"], 2, "Name a class and an ID"),
        (["Customer", "x", "--list"], 2, "Name a class and an ID"),
        (["Nothing", "x", "--yes"], 1, "The model has no class Nothing"),
        (["Customer", "x", "--yes"], 1, 'The store has nothing of Customer "x"'),
        (["Customer", "x"], 2, "add --yes"),
        (["--apply", "nothing"], 1, "nothing can't be read"),
        (["--apply", "model.graphql"], 1, "model.graphql, line 1: the line is not JSON"),
    ],
)
def test_wrong_arguments(
    arguments: list[str],
    code: int,
    message: str,
    shop: Callable[[str], Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    shop("{ Customer___getPage { totalCount } }")
    assert main(["erase", *arguments]) == code
    assert message in capsys.readouterr().err
