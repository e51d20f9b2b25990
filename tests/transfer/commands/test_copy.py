"""`stratabase copy`: from SQLite to DynamoDB and S3 and back, without a difference."""

import os
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from stratabase.cli.main import main
from stratabase.core.app.app import App
from stratabase.core.domain.files.stored_file import StoredFile, file_key
from stratabase.core.domain.objects.change import Change, Creation
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.settings import Settings
from stratabase.members.app.member_services import MemberServices
from tests import ministack
from tests.fakes import NOON
from tests.transfer.stores import files_of

MODEL = """
extend schema @application(name: "Shop") @profile(name: "Administrator", administrator: true)
type Pet @class(versioned: true) @unique(attributes: ["name"]) {
  name: String!
  photo: File
  owner: Person @association(opposite: "pets")
}
type Person { name: String!, pets: [Pet!] @association(opposite: "owner") }
"""
FILE_ID = "0" * 26
_numbers = count(1)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of an instance with objects, a file and a member."""
    home, model = tmp_path / "home", tmp_path / "model.graphql"
    model.write_text(MODEL)
    for name, value in {
        "STRATABASE_HOME": str(home),
        "STRATABASE_MODEL": str(model),
        "STRATABASE_ADMIN_PASSWORD": "correct horse battery staple",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
    }.items():
        monkeypatch.setenv(name, value)
    photo = StoredFile(FILE_ID, "a.png", "image/png", 7, NOON).stored()
    with closing(App(Settings.from_environment(os.environ))) as instance:
        instance.mark_stores()
        instance.part(MemberServices).create_first_administrator()
        instance.blobs.put(file_key(FILE_ID), [b"picture"], 7)
        person = Entity(Reference("Person", "o"), {"name": "Ann"})
        pet = Entity(Reference("Pet", "p"), {"name": "Rex", "owner": "o", "photo": photo})
        instance.entities.commit(Change("c", NOON, (Creation(person), Creation(pet))))
    return home


@pytest.fixture
def on_aws() -> list[str]:
    """The settings of stores on the emulator."""
    name = f"copy-{next(_numbers)}"
    return [
        "STRATABASE_STORE=dynamodb",
        f"STRATABASE_ENDPOINT={ministack.endpoint().url}",
        f"STRATABASE_TABLE={name}",
        f"STRATABASE_MEMBERS_TABLE={name}-members",
        f"STRATABASE_BUCKET={name}",
        "STRATABASE_CREATE_TABLES=on",
    ]


def export(folder: Path) -> dict[str, bytes]:
    assert main(["export", str(folder), "--members", "--with-password-hashes"]) == 0
    return files_of(folder)


def test_a_copy_to_aws_and_back_loses_nothing(
    home: Path,
    on_aws: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    first = export(tmp_path / "first")

    assert main(["copy", str(tmp_path / "moving"), *on_aws]) == 0
    for setting in on_aws:
        monkeypatch.setenv(*setting.split("=", 1))
    assert export(tmp_path / "second") == first
    back = ["STRATABASE_STORE=sqlite", f"STRATABASE_HOME={tmp_path / 'back'}", "STRATABASE_BUCKET="]
    assert main(["copy", str(tmp_path / "moving"), *back]) == 0
    for setting in back:
        monkeypatch.setenv(*setting.split("=", 1))

    assert export(tmp_path / "third") == first
    assert not (tmp_path / "moving").exists()
    assert home.exists()
    printed = capsys.readouterr()
    assert "Imported 2 objects" in printed.out
    assert printed.err == ""


def test_a_copy_refuses_its_own_stores_and_folders_of_others(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos/cat.png").touch()

    assert main(["copy", str(tmp_path / "moving"), f"STRATABASE_HOME={home}"]) == 2
    assert main(["copy", str(tmp_path / "photos"), f"STRATABASE_HOME={tmp_path / 'other'}"]) == 1

    errors = capsys.readouterr().err
    assert "Set another STRATABASE_HOME" in errors
    assert "photos is not empty" in errors
    assert [path.name for path in (tmp_path / "photos").iterdir()] == ["cat.png"]


def test_a_copy_finds_out_before_the_export_that_it_cannot_use_the_other_stores(
    home: Path,
    on_aws: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    without_tables = [each for each in on_aws if "CREATE_TABLES" not in each]
    assert main(["copy", str(tmp_path / "moving"), *without_tables]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "The other stores can't be used:" in printed.err
    assert "credentials" in printed.err
    assert home.exists()
    assert not (tmp_path / "moving").exists()


def test_a_setting_without_the_prefix_can_be_named(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["copy", str(tmp_path / "moving"), f"STRATABASE_HOME={tmp_path / 'other'}", "PORT=9"]) == 0
    with pytest.raises(SystemExit):
        main(["copy", str(tmp_path / "moving"), "STRATABASE_HOEM=x"])
    assert "is not a setting" in capsys.readouterr().err
    assert home.exists()


def test_a_refused_copy_says_that_its_export_is_kept(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moving, other = tmp_path / "moving", f"STRATABASE_HOME={tmp_path / 'other'}"
    assert main(["copy", str(moving), other]) == 0
    with closing(App(Settings.from_environment(os.environ))) as instance:
        instance.entities.commit(
            Change("d", NOON, (Creation(Entity(Reference("Person", "x"), {"name": "Bo"})),))
        )

    assert main(["copy", str(moving), other]) == 1
    refusal = capsys.readouterr().err
    assert "The store has objects already" in refusal
    assert f"{moving} has the export with the hashes of passwords" in refusal
    assert home.exists()


def test_an_interrupted_copy_continues(home: Path, tmp_path: Path) -> None:
    moving = tmp_path / "moving"
    assert main(["export", str(moving / "export"), "--members"]) == 0
    (moving / "unfinished-copy").touch()

    assert main(["copy", str(moving), f"STRATABASE_HOME={tmp_path / 'other'}"]) == 0
    assert not moving.exists()
    assert (tmp_path / "other/objects.db").exists()
    assert home.exists()
