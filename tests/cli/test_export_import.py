"""`stratabase export` and `stratabase import`, as processes that are killed at random."""

from contextlib import closing
from io import StringIO
from pathlib import Path
from unittest.mock import Mock

import pytest

from stratabase.cli.main import main
from stratabase.core.app.app import App
from stratabase.core.domain.objects.change import Change, Creation
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.files.folder import FolderBlobs
from stratabase.core.settings import Settings
from stratabase.transfer.members import MemberImport
from tests.cli.terminal import Project, run

MODEL = """
extend schema @application(name: "Shop") @profile(name: "Administrator", administrator: true)
type Pet @class(versioned: true) @unique(attributes: ["name"]) @index(attributes: ["name"]) {
  name: String!
  owner: Person @association(opposite: "pets")
}
type Person { name: String!, pets: [Pet!] @association(opposite: "owner") }
"""


@pytest.fixture
def shop(tmp_path: Path) -> Project:
    project = Project(tmp_path / "shop")
    project.model.write_text(MODEL)
    return project


def fill(project: Project, objects: int) -> None:
    """Store persons, each with a pet."""
    settings = {"STRATABASE_HOME": str(project.home), "STRATABASE_MODEL": str(project.model)}
    with closing(App(Settings.from_environment(settings))) as instance:
        instance.mark_stores()
        for number in range(objects):
            person = Entity(Reference("Person", f"o{number}"), {"name": f"Owner {number}"})
            pet = Entity(
                Reference("Pet", f"p{number}"), {"name": f"Pet {number}", "owner": person.reference.id}
            )
            instance.entities.commit(Change(f"c{number}", 1_000, (Creation(person), Creation(pet))))


def test_a_missing_folder_is_named(
    shop: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path / "new"))
    monkeypatch.setenv("STRATABASE_MODEL", str(shop.model))

    assert main(["import", str(tmp_path / "nothing")]) == 1
    assert main(["export", str(tmp_path / "export")]) == 1

    errors = capsys.readouterr().err
    assert "nothing doesn't exist. Name a folder or a CSV file." in errors
    assert "new doesn't exist" in errors
    assert not (tmp_path / "new").exists()
    assert not (tmp_path / "export").exists()


def test_an_import_that_was_stopped_before_its_members_is_not_served_and_continues(
    shop: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(shop, 1)
    home = tmp_path / "other"
    monkeypatch.setenv("STRATABASE_MODEL", str(shop.model))
    monkeypatch.setenv("STRATABASE_HOME", str(shop.home))
    monkeypatch.setattr("sys.stdin", StringIO("correct horse battery staple\n"))
    create = ["members", "create", "ann", "ann@example.com", "Administrator", "--ask-password"]
    assert main(create) == 0
    assert main(["export", str(tmp_path / "export"), "--members"]) == 0
    monkeypatch.setenv("STRATABASE_HOME", str(home))
    with monkeypatch.context() as stopping:
        stopping.setattr(MemberImport, "run", Mock(side_effect=OSError(28, "No space left on device")))
        assert main(["import", str(tmp_path / "export")]) == 1

    code, printed = run(shop, "serve", "--no-reload", STRATABASE_HOME=str(home))
    assert code == 1
    assert "An import into this store was interrupted" in printed
    (tmp_path / "people.csv").write_text("name\nEve\n")
    assert main(["import", str(tmp_path / "people.csv"), "--class", "Person"]) == 1
    assert "An import into this store was interrupted" in capsys.readouterr().err
    assert main(["import", str(tmp_path / "export")]) == 0
    assert main(["members", "list"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("ann  ann@example.com  Administrator")


@pytest.mark.parametrize("option", ["--dry-run", "--skip-invalid", "--delimiter=;"])
def test_options_of_csv_files_are_refused_for_folders(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    assert main(["import", str(tmp_path), option]) == 2
    assert f"{option.partition('=')[0]} is only for CSV files." in capsys.readouterr().err
    assert main(["export", str(tmp_path), "--with-ids"]) == 2
    assert "--with-ids is only for CSV files." in capsys.readouterr().err


def test_nothing_is_imported_into_a_store_that_is_in_use(
    shop: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(shop, 1)
    home = tmp_path / "other"
    home.mkdir()
    monkeypatch.setenv("STRATABASE_MODEL", str(shop.model))
    monkeypatch.setenv("STRATABASE_HOME", str(shop.home))
    assert main(["export", str(tmp_path / "export")]) == 0

    with closing(FolderBlobs(home / "files")):
        assert main(["copy", str(tmp_path / "moving"), f"STRATABASE_HOME={home}"]) == 1
        assert not (tmp_path / "moving").exists()
        monkeypatch.setenv("STRATABASE_HOME", str(home))
        assert main(["import", str(tmp_path / "export")]) == 1

    refusal = f"A process serves {home}, or uses its files. Stop it, and try again."
    assert capsys.readouterr().err.count(refusal) == 2
    assert [path.name for path in home.iterdir()] == ["files"]
    assert main(["import", str(tmp_path / "export")]) == 0
