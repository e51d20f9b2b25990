"""A backup of a service that clients write to has every write from before it, and is sound when restored."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any

import pytest

from stratabase.cli.main import main
from stratabase.core.app.app import App
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.files.folder import FolderBlobs
from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model_file
from stratabase.core.settings import Settings
from stratabase.core.store.renamed_repository import open_repository
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.service import PASSWORD, RunningService, basic, running
from tests.soak import count
from tests.transfer.stores import Store, check_same_items, import_from

MODEL = """
extend schema @application(name: "Shop") @profile(name: "Administrator", administrator: true)
type Pet @class(versioned: true) @unique(attributes: ["name"]) @index(attributes: ["age", "name"]) {
  name: String!
  age: Int
  chip: Serial
  photo: File
  owner: Person @association(opposite: "pets")
  friends: [Person!] @association(opposite: "friends")
  toys: [Toy!] @composition(whole: "pet")
}
type Toy { name: String! }
type Person {
  name: String!
  pets: [Pet!] @association(opposite: "owner")
  friends: [Pet!] @association(opposite: "friends")
}
"""
CLIENTS = 16
BOUNDARY = "limit"
CREATE = """mutation($data: PetCreate!) { Pet___create(data: $data) { _id } }"""
UPDATE = """mutation($data: PetUpdate!) { Pet___update(data: $data) { _id } }"""


class Writer:
    """A client that writes until it is told to end, and notes what was acknowledged, and when."""

    def __init__(self, service: RunningService, number: int) -> None:
        self._service = service
        self._number = number
        self._connection = service.connection()
        self.acknowledged: list[tuple[float, str, int]] = []
        """The time of each acknowledgement, the id of the pet, and its age after the write."""
        self.ending = Event()
        self.thread = Thread(target=self._run)

    def _run(self) -> None:
        with closing(self._connection):
            self._write()

    def _write(self) -> None:
        photo = self._upload()
        person = self._ask('mutation { Person___create(data: {name: "P"}) { _id } }')["_id"]
        age = 0
        while not self.ending.is_set():
            data = {"name": f"pet {self._number} {age}", "age": age, "owner": person, "friends": [person]}
            more = {"photo": photo} if photo else {}
            id_ = self._ask(CREATE, {**data, **more, "toys": [{"name": "ball"}]})["_id"]
            photo = None
            self.acknowledged.append((monotonic(), id_, age))
            age += 1
            self._ask(UPDATE, {"_id": id_, "age": age, "owner": None})
            self.acknowledged.append((monotonic(), id_, age))
            age += 1

    def _ask(self, query: str, data: dict[str, Any] | None = None) -> Any:
        answer = self._service.graphql(query, data and {"data": data}, connection=self._connection)
        assert "errors" not in answer, answer
        ((result),) = answer["data"].values()
        return result

    def _upload(self) -> Any:
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'
        reply = self._service.request(
            "POST",
            "/auth/file/pet/photo",
            headers={
                "Authorization": basic("admin", PASSWORD),
                "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
            },
            body=f"{head}picture {self._number}\r\n--{BOUNDARY}--\r\n".encode(),
            connection=self._connection,
        )
        assert reply.status == 201, reply
        return reply.json()


@pytest.fixture(scope="module")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("model") / "model.graphql"
    file.write_text(MODEL)
    return file


@pytest.fixture
def service(tmp_path: Path, model_file: Path) -> Iterator[RunningService]:
    with running(tmp_path / "home", model=model_file, application="Shop", on_lambda=False) as service:
        yield service


def back_up(service: RunningService, folder: Path) -> float:
    """Back up in another process, and return the time at which it began."""
    began = monotonic()
    subprocess.run(
        [sys.executable, "-m", "stratabase.cli", "backup", str(folder)],
        env=service.settings,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return began


@pytest.mark.soak
def test_a_backup_has_all_writes_from_before_and_is_sound(
    service: RunningService,
    model_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    open_store: Callable[[str], Store],
) -> None:
    token = json.dumps({"username": "admin", "password": PASSWORD})
    headers = {"Content-Type": "application/json"}
    assert service.request("POST", "/public/token/getJwtToken", headers=headers, body=token).status == 200
    writers = [Writer(service, number) for number in range(CLIENTS)]
    for writer in writers:
        writer.thread.start()
    for number in range(count(1, 20)):
        while not all(writer.acknowledged for writer in writers):
            assert all(writer.thread.is_alive() for writer in writers)
        began = back_up(service, tmp_path / f"backup {number}")
    for writer in writers:
        writer.ending.set()
        writer.thread.join()
    restored = tmp_path / "restored"
    monkeypatch.setenv("STRATABASE_HOME", str(restored))
    monkeypatch.setenv("STRATABASE_MODEL", str(model_file))

    assert main(["restore", str(tmp_path / f"backup {number}")]) == 0

    model = read_model_file(model_file)
    last = {id_: age for each in writers for at, id_, age in each.acknowledged if at < began}
    with closing(SqliteEngine(restored / "objects.db")) as engine:
        found = open_repository(engine, model).read([Reference("Pet", id_) for id_ in last])
        assert all(pet is not None for pet in found)
        ages = [(pet.state["age"], age) for pet, age in zip(found, last.values(), strict=True) if pet]
        assert [pair for pair in ages if int(str(pair[0])) < pair[1]] == []
        assert len(last) >= CLIENTS
        _check_soundness(engine, restored, model, open_store, tmp_path)
    assert (restored / "signing-keys.json").read_bytes() == (service.home / "signing-keys.json").read_bytes()
    assert main(["members", "list"]) == 0


def _check_soundness(
    engine: SqliteEngine, restored: Path, model: Model, open_store: Callable[[str], Store], folder: Path
) -> None:
    """Check that links, guards, counts, index entries and versions are as they follow from the objects."""
    copy, original = open_store("copy"), Store.__new__(Store)
    original.home, original.engine, original.blobs = restored, engine, FolderBlobs(restored / "files")
    export = original.export(folder / "export", model)
    import_from(export, model, copy.engine, copy.blobs)
    check_same_items(copy.engine, engine)
    original.blobs.close()
    files = [json.loads(line) for line in (export / "files.jsonl").read_text().splitlines()]
    assert len(files) == CLIENTS


@pytest.fixture
def home(tmp_path: Path, model_file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of an instance that has a backup in `backup`."""
    home = tmp_path / "home"
    monkeypatch.setenv("STRATABASE_MODEL", str(model_file))
    monkeypatch.setenv("STRATABASE_HOME", str(home))
    with closing(App(Settings.from_environment(os.environ))) as instance:
        instance.mark_stores()
    assert main(["backup", str(tmp_path / "backup")]) == 0
    return home


def test_a_folder_that_is_in_use_or_has_data_is_not_restored(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(FolderBlobs(home / "files")):
        assert main(["restore", str(tmp_path / "backup")]) == 1
        assert f"A process serves {home}, or uses its files. Stop it" in capsys.readouterr().err

    assert main(["restore", str(tmp_path / "backup")]) == 1
    assert f"{home} has data, which a restore does not replace" in capsys.readouterr().err


@pytest.mark.usefixtures("home")
def test_a_complete_backup_is_kept_although_it_has_the_marker(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    backup = tmp_path / "backup"
    (backup / "unfinished-export").touch()
    (backup / "notes.txt").write_text("mine")
    before = {path: path.read_bytes() for path in backup.rglob("*") if path.is_file()}

    assert main(["backup", str(backup)]) == 1
    assert "is not empty. It has a complete export or backup. Name a folder" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in backup.rglob("*") if path.is_file()} == before


@pytest.mark.usefixtures("home")
def test_an_interrupted_backup_begins_again(tmp_path: Path) -> None:
    (tmp_path / "backup/manifest.json").rename(tmp_path / "backup/manifest.json.new")
    (tmp_path / "backup/unfinished-export").touch()

    assert main(["backup", str(tmp_path / "backup")]) == 0
    assert (tmp_path / "backup/manifest.json").exists()


@pytest.mark.usefixtures("home")
def test_a_complete_backup_is_not_replaced_by_another_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "backup").iterdir()}

    assert main(["backup", str(tmp_path / "backup")]) == 1

    assert "is not empty. It has a complete export or backup." in capsys.readouterr().err
    assert {path.name: path.stat().st_mtime_ns for path in (tmp_path / "backup").iterdir()} == before


@pytest.mark.usefixtures("home")
def test_a_damaged_backup_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = tmp_path / "backup/members.db"
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"?")
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path / "restored"))

    assert main(["restore", str(tmp_path / "backup")]) == 1
    assert "members.db was changed" in capsys.readouterr().err
    assert main(["restore", str(tmp_path / "nothing")]) == 1
    assert "contains no backup" in capsys.readouterr().err
    assert not (tmp_path / "restored").exists()


def test_an_interrupted_restore_begins_again(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    restored = tmp_path / "restored"
    (restored / ".restoring").mkdir(parents=True)
    (restored / "members.db").touch()
    monkeypatch.setenv("STRATABASE_HOME", str(restored))

    assert main(["restore", str(tmp_path / "backup")]) == 0
    for name in ("objects.db", "members.db"):
        with closing(sqlite3.connect(restored / name)) as one, closing(sqlite3.connect(home / name)) as other:
            assert [*one.iterdump()] == [*other.iterdump()]
    assert not (restored / ".restoring").exists()
    assert {path.stat().st_mode & 0o077 for path in restored.rglob("*")} == {0}


def test_a_restored_folder_is_not_replaced_although_the_restore_was_killed_at_its_very_end(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / ".restoring").mkdir()

    assert main(["restore", str(tmp_path / "backup")]) == 1
    assert f"{home} has data, which a restore does not replace" in capsys.readouterr().err
    assert (home / "objects.db").exists()


def test_only_data_in_the_data_folder_is_backed_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STRATABASE_BUCKET", "photos")

    assert main(["backup", str(tmp_path / "backup")]) == 1
    assert "`stratabase export`" in capsys.readouterr().err
