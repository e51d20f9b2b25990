"""The stores are opened as the settings say."""

from contextlib import closing
from pathlib import Path

import pytest

from stratabase.bootstrap.storage import open_blobs, open_engine
from stratabase.settings import Settings
from stratabase.unusable_store import UnusableStore
from tests import ministack
from tests.contract.blobs.blob_calls import put, read
from tests.service import free_port


def test_files_are_in_the_home_folder_by_default(tmp_path: Path) -> None:
    with closing(open_blobs(Settings(home=tmp_path))) as blobs:
        put(blobs, "pending/a", b"content")
    assert (tmp_path / "files" / "pending" / "a").read_bytes() == b"content"


def test_files_are_in_the_bucket_that_is_created_in_an_emulator(monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = ministack.endpoint()
    assert endpoint.credentials is not None
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", endpoint.credentials.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", endpoint.credentials.secret_key)
    settings = Settings(store="dynamodb", endpoint=endpoint.url, create_tables=True, bucket="opened-files")
    for _ in range(2):
        with closing(open_blobs(settings)) as blobs:
            put(blobs, "pending/a", b"content")
            assert read(blobs, "pending/a") == b"content"


def test_a_bucket_on_aws_is_not_created() -> None:
    with closing(open_blobs(Settings(store="dynamodb", bucket="files"))):
        pass  # which would need a network


def test_an_endpoint_that_does_not_respond_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    endpoint = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(UnusableStore, match=f"STRATABASE_ENDPOINT: DynamoDB doesn't respond at {endpoint}"):
        open_engine(Settings(store="dynamodb", endpoint=endpoint, create_tables=True))
