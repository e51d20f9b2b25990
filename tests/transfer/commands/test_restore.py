"""The runbook of docs/restore.md: a table is restored with another name, adopted, and gets its files."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stratabase.cli.main import main
from stratabase.core.app.app import App
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.pending_file import FileTarget, PendingFile
from stratabase.core.domain.files.stored_file import StoredFile, file_key, pending_key
from stratabase.core.domain.store_mark import StoreRefused
from stratabase.core.settings import Settings
from stratabase.core.store.engine.port import Batch, Put
from stratabase.core.store.ids import TimeOrderedIds
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from stratabase_aws.dynamodb.signed_client import SignedClient
from stratabase_aws.dynamodb.table import table_definition
from stratabase_aws.endpoint import create_client
from tests import ministack
from tests.contract.blobs.blob_calls import read

MODEL = 'extend schema @application(name: "Notes")\ntype Note { name: String photo: File }\n'
ADMINISTRATOR = Caller("m1", "ada", "Administrator", administrator=True)
FILE_ID, PENDING_ID = (TimeOrderedIds().new() for _ in range(2))
CONTENT = b"the bytes of a photo"
Configure = Callable[..., Settings]


@pytest.fixture
def configure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Configure:
    """Set environment variables, and return the settings of all that were set."""
    (tmp_path / "model.graphql").write_text(MODEL)
    environment: dict[str, str] = {}

    def configured(**variables: str) -> Settings:
        environment.update(variables)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        return Settings.from_environment(environment)

    configured(
        AWS_ACCESS_KEY_ID="test",
        AWS_SECRET_ACCESS_KEY="test",
        STRATABASE_HOME=str(tmp_path / "home"),
        STRATABASE_MODEL=str(tmp_path / "model.graphql"),
        STRATABASE_FILE_RECOVERY_DAYS="7",
    )
    return configured


def ask(instance: App, query: str, **variables: Any) -> Any:
    answer = json.loads(instance.executor.execute(query, variables, None, ADMINISTRATOR, "trace").body)
    assert "errors" not in answer, answer
    return answer["data"]


def create_with_photo(settings: Settings) -> str:
    """Start an instance, create an object with a file, and return its ID."""
    with closing(App(settings)) as instance:
        instance.mark_stores()
        now = instance.services.clock.now()
        file = StoredFile(FILE_ID, "photo.png", "image/png", len(CONTENT), now)
        instance.files.ledger.add(PendingFile(PENDING_ID, FileTarget("Note", "photo"), "m1", file))
        instance.blobs.put(pending_key(PENDING_ID), [CONTENT], len(CONTENT))
        query = "mutation($data: NoteCreate!) { Note___create(data: $data) { _id } }"
        data = {"name": "kept", "photo": file.reference(PENDING_ID)}
        return str(ask(instance, query, data=data)["Note___create"]["_id"])


def delete_with_bytes(settings: Settings, id_: str) -> None:
    """Delete an object, and remove the bytes as the sweep does after its delay."""
    with closing(App(settings)) as instance:
        ask(instance, "mutation($id: ID!) { Note___delete(_id: $id) { deleted } }", id=id_)
        instance.blobs.delete([file_key(FILE_ID)])


def check_restored(settings: Settings, id_: str) -> None:
    with closing(App(settings)) as instance:
        instance.mark_stores()
        note = ask(instance, "query($id: ID!) { Note___get(_id: $id) { name photo { name } } }", id=id_)
        assert note["Note___get"] == {"name": "kept", "photo": {"name": "photo.png"}}
        assert read(instance.blobs, file_key(FILE_ID)) == CONTENT


def copy_table(settings: Settings, target: str) -> None:
    """Copy a table with everything in it, as a restore from a backup does."""
    with closing(SignedClient(ministack.endpoint())) as client:
        client.call("CreateTable", table_definition(target))
        restored = DynamoDBEngine(client, target)
        for page in DynamoDBEngine(client, settings.table).scan():
            for item in page:
                restored.commit(Batch(f"copy {item.key}", (Put(item),)))


def test_a_table_is_restored_with_its_files(configure: Configure, capsys: pytest.CaptureFixture[str]) -> None:
    # 1. A service with an object and its file, a backup, and then a deletion by mistake.
    settings = configure(
        STRATABASE_STORE="dynamodb",
        STRATABASE_ENDPOINT=str(ministack.endpoint().url),
        STRATABASE_CREATE_TABLES="on",
        STRATABASE_INSTANCE="restored",
        STRATABASE_TABLE="runbook",
        STRATABASE_MEMBERS_TABLE="runbook-members",
        STRATABASE_BUCKET="runbook",
    )
    id_ = create_with_photo(settings)
    with closing(create_client("s3", ministack.endpoint(), s3={"addressing_style": "path"})) as client:
        client.put_bucket_versioning(Bucket="runbook", VersioningConfiguration={"Status": "Enabled"})
    # The file was stored before the bucket had versions, which is version "null" then.
    copy_table(settings, "runbook-restored")
    delete_with_bytes(settings, id_)

    # 2. The restored table is a copy, which the service refuses.
    restored = configure(STRATABASE_TABLE="runbook-restored", STRATABASE_CREATE_TABLES="off")
    assert main(["store", "show"]) == 1
    assert "run `stratabase store adopt` to use the copy" in capsys.readouterr().err

    # 3. Adopt it, and bring its files back.
    assert main(["store", "adopt", "--retire", "--yes"]) == 0
    capsys.readouterr()
    assert main(["files", "check"]) == 1
    printed = capsys.readouterr()
    assert f"{FILE_ID} (Note {id_}): missing\n" in printed.out
    assert "1 file not as stored. To bring back deleted bytes, add --recover." in printed.err
    assert main(["files", "check", "--recover"]) == 0
    assert f"{FILE_ID} (Note {id_}): recovered\n" in capsys.readouterr().out
    assert main(["files", "check"]) == 0

    # 4. The service has the object and its file again, and no process can use the former table.
    check_restored(restored, id_)
    with closing(App(settings)) as instance, pytest.raises(StoreRefused, match="was replaced by"):
        instance.mark_stores()


def test_a_folder_is_restored_with_its_files(
    configure: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = configure()
    id_ = create_with_photo(settings)
    backup = tmp_path / "backup.db"
    with closing(sqlite3.connect(settings.home / "objects.db")) as source:
        source.execute("VACUUM INTO ?", (str(backup),))
    delete_with_bytes(settings, id_)

    for name in ("objects.db-wal", "objects.db-shm"):
        (settings.home / name).unlink(missing_ok=True)
    shutil.copy(backup, settings.home / "objects.db")

    assert main(["store", "show"]) == 0
    assert main(["files", "check", "--recover"]) == 0
    assert f"{FILE_ID} (Note {id_}): recovered\n" in capsys.readouterr().out
    check_restored(settings, id_)


def test_unknown_bytes_are_listed_and_no_failure(
    configure: Configure, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = configure()
    create_with_photo(settings)
    with closing(App(settings)) as instance:
        instance.blobs.put("files/unknown", [b"1234"], 4)
    assert main(["files", "check"]) == 0
    assert "files/unknown: 4 bytes that nothing refers to\n" in capsys.readouterr().out
