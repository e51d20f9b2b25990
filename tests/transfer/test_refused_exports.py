"""An import refuses exports that are damaged or do not fit, and says where and why, before it writes."""

import hashlib
import json
import re
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import pytest

from stratabase.core.domain.objects.change import Change
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.store.engine.port import Batch, Put
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.ledgers import purge_ledger
from stratabase.core.store.repository import Repository
from stratabase.transfer.checking import ExportCheck, ExportReader
from stratabase.transfer.export import FolderInUse, prepared_folder
from stratabase.transfer.format import InvalidExport, read_manifest
from stratabase.transfer.importing import Import, StoreNotEmpty
from tests.contract.versions.versioned_objects import VersionedObjects
from tests.transfer.random_histories import COMPANY
from tests.transfer.stores import Store, import_from

BAD_FILE = '{"fileId":"../x","name":"n","mimeType":"m","size":1,"uploadedOn":"2020-01-31T10:00:00.000Z"}'
EMPLOYEES, VERSIONS = "objects/Employee.jsonl", "versions/Employee.jsonl"


@pytest.fixture
def export(open_store: Callable[[str], Store], tmp_path: Path) -> Path:
    """An export of two employees and a team, and of the work that a deletion has left."""
    store = open_store("source")
    objects = VersionedObjects(Repository(store.engine, COMPANY))
    objects.create("Team", "t", name="T")
    objects.create("Employee", "a", name="Ann", code="1", team="t")
    objects.create("Employee", "b", name="Bob", code="2", badge=7)
    objects.update("Employee", "b", name="Ben")
    ledger = purge_ledger(keys.purge(Reference("Team", "gone")), [Reference("Desk", "d")], Change("c", 0, ()))
    store.engine.commit(Batch("c", (Put(ledger),)))
    return store.export(tmp_path / "export", COMPANY)


def edit(export: Path, name: str, old: str, new: str) -> None:
    """Edit a file as somebody does who also corrects the manifest."""
    path, manifest = export / name, export / "manifest.json"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    content = json.loads(manifest.read_text())
    entry = content["files"][name]
    entry["bytes"], entry["sha256"] = path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest()
    manifest.write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("file", "edited", "message"),
    [
        (
            EMPLOYEES,
            ('"name":"Ann"', '"nme":"Ann"'),
            "line 1: Employee has no attribute or role 'nme'. The model",
        ),
        (
            EMPLOYEES,
            ('"badge":7', '"badge":"x"'),
            'line 2: Employee.badge is Serial in the model, and .* "x"',
        ),
        (
            EMPLOYEES,
            ('"badge":7', f'"photo":{BAD_FILE}'),
            "line 2: Employee.photo must have fileId, name",
        ),
        (EMPLOYEES, ('"team":"t"', '"team":["t"]'), "line 1: Employee.team must be an _id of Team"),
        (
            EMPLOYEES,
            ('"code":"2"', '"code":"1"'),
            "line 2: The Employee objects a and b .* @unique\\(code\\)",
        ),
        (EMPLOYEES, ('"_id":"b"', '"_id":"a"'), "line 2: There are two objects with the _id a"),
        (EMPLOYEES, ('"_id":"b"', '"_id":"A"'), "line 2: The lines must be in the order of their _id"),
        (EMPLOYEES, ('"_id":"b"', '"_id":""'), 'line 2: "_id" must be a text'),
        (EMPLOYEES, ('"values"', '"vals"'), "line 1: The field 'vals' is unknown"),
        (EMPLOYEES, ('{"_id":"b"', '["b"'), "line 2: the line is not a JSON object"),
        (EMPLOYEES, ("2020-01-01T", "yesterday"), 'line 1: "_versionStart" must be an instant such as'),
        (VERSIONS, ('"_versionEnd":"2020', '"_versionEnd":"2010'), "line 1: _versionEnd must be after"),
        ("manifest.json", ('"version": 1', '"version": 2'), "has version 2 of the export format"),
        ("manifest.json", ("stratabase-export", "zip"), "can't be read as the manifest of the export"),
        ("manifest.json", ("objects/Team", "objects/Tram"), "the model has no class Tram"),
        ("manifest.json", ("objects/Team.jsonl", "../secret"), "no class|not in the export"),
        ("manifest.json", ('"lines"', '"line"'), "can't be read as the manifest of the export"),
        ("manifest.json", ('"files": {', '"files": [], "other": {'), "can't be read as the manifest"),
        (
            "pending-work.jsonl",
            ('{"partition":"P#', '{"partition":"'),
            "line 1: The line must be as an export writes it",
        ),
        ("pending-work.jsonl", ('"attributes"', '"atributes"'), "line 1: The line must be as an export"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(
    export: Path, open_store: Callable[[str], Store], file: str, edited: tuple[str, str], message: str
) -> None:
    target = open_store("target")
    if file == "manifest.json":
        path = export / file
        assert edited[0] in path.read_text()
        path.write_text(path.read_text().replace(*edited))
    else:
        edit(export, file, *edited)

    with pytest.raises(InvalidExport, match=message) as refusal:
        import_from(export, COMPANY, target.engine, target.blobs)

    assert file in str(refusal.value) or file == "manifest.json"
    assert not [*chain.from_iterable(target.engine.scan())]


def test_a_changed_byte_is_noticed(export: Path, open_store: Callable[[str], Store]) -> None:
    target = open_store("target")
    path = export / EMPLOYEES
    path.write_text(path.read_text().replace("Ann", "Amn"))

    with pytest.raises(InvalidExport, match=re.escape(f"{path} was changed")):
        import_from(export, COMPANY, target.engine, target.blobs)


def test_a_store_with_objects_is_refused(export: Path, open_store: Callable[[str], Store]) -> None:
    target = open_store("target")
    VersionedObjects(Repository(target.engine, COMPANY)).create("Desk", "d", name="D")

    with pytest.raises(StoreNotEmpty, match="has objects already, such as Desk d"):
        import_from(export, COMPANY, target.engine, target.blobs)


def test_links_that_lead_nowhere_are_reported_and_kept(
    export: Path, open_store: Callable[[str], Store]
) -> None:
    target = open_store("target")
    edit(export, EMPLOYEES, '"team":"t"', '"team":"gone"')

    assert import_from(export, COMPANY, target.engine, target.blobs) == 1
    assert VersionedObjects(Repository(target.engine, COMPANY)).get("Employee", "a").state["team"] == "gone"


def test_an_export_does_not_overwrite_other_files(tmp_path: Path) -> None:
    (tmp_path / "letter").touch()

    with pytest.raises(FolderInUse, match="is not empty"):
        prepared_folder(tmp_path).__enter__()
    with pytest.raises(FolderInUse, match="letter is a file"):
        prepared_folder(tmp_path / "letter").__enter__()


def test_an_interrupted_export_begins_again(tmp_path: Path) -> None:
    folder = tmp_path / "export"
    with prepared_folder(folder):
        (folder / "objects").mkdir()
        (folder / "objects" / "half").touch()
        with pytest.raises(FolderInUse, match="Another command writes to"):
            prepared_folder(folder).__enter__()

    with prepared_folder(folder):
        assert [path.name for path in folder.iterdir()] == ["unfinished-export"]


def test_files_without_bytes_are_counted(open_store: Callable[[str], Store], tmp_path: Path) -> None:
    store, target = open_store("source"), open_store("target")
    photo = {**json.loads(BAD_FILE), "fileId": "0" * 26}
    objects = VersionedObjects(Repository(store.engine, COMPANY))
    objects.create("Employee", "a", photo=photo)
    objects.update("Employee", "a", name="A")
    export = store.export(tmp_path / "export", COMPANY)

    reader = ExportReader(export, read_manifest(export), COMPANY)
    with ExportCheck(reader, Import(export, reader, target.engine, None).schema) as check:
        check.run()
        assert check.missing_files == 2
