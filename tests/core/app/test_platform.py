"""The stores are opened as the settings say."""

import re
from contextlib import closing
from pathlib import Path

import pytest

import stratabase
import stratabase_aws
from stratabase.core.app.platform import open_engine, platform_of
from stratabase.core.settings import Settings
from stratabase.core.unusable_store import UnusableStore
from tests import ministack
from tests.contract.blobs.blob_calls import put, read
from tests.service import free_port

PACKAGES = [Path(each.__file__ or "").parent for each in (stratabase, stratabase_aws)]


def test_files_are_in_the_home_folder_by_default(tmp_path: Path) -> None:
    with closing(platform_of(Settings(home=tmp_path)).blobs()) as blobs:
        put(blobs, "pending/a", b"content")
    assert (tmp_path / "files" / "pending" / "a").read_bytes() == b"content"


def test_files_are_in_the_bucket_that_is_created_in_an_emulator(monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = ministack.endpoint()
    assert endpoint.credentials is not None
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", endpoint.credentials.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", endpoint.credentials.secret_key)
    settings = Settings(store="dynamodb", endpoint=endpoint.url, create_tables=True, bucket="opened-files")
    for _ in range(2):
        with closing(platform_of(settings).blobs()) as blobs:
            put(blobs, "pending/a", b"content")
            assert read(blobs, "pending/a") == b"content"


def test_a_bucket_on_aws_is_not_created() -> None:
    with closing(platform_of(Settings(store="dynamodb", bucket="files")).blobs()):
        pass  # which would need a network


def test_an_endpoint_that_does_not_respond_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    endpoint = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(UnusableStore, match=f"STRATABASE_ENDPOINT: DynamoDB doesn't respond at {endpoint}"):
        open_engine(platform_of(Settings(store="dynamodb", endpoint=endpoint, create_tables=True)))


LOCAL, AWS = "LocalPlatform", "AwsPlatform"


@pytest.mark.parametrize(
    ("settings", "name", "is_embedded"),
    [
        (Settings(), LOCAL, True),
        (Settings(smtp="smtp://localhost", mail="smtp"), LOCAL, True),
        (Settings(bucket="files"), AWS, True),
        (Settings(signing_keys="keys"), AWS, True),
        (Settings(mail="ses"), AWS, True),
        (Settings(mail="smtp", smtp_secret="smtp"), AWS, True),
        (Settings(store="dynamodb"), AWS, False),
    ],
)
def test_the_settings_select_the_platform(settings: Settings, name: str, *, is_embedded: bool) -> None:
    platform = platform_of(settings)
    assert type(platform).__name__ == name
    assert platform.is_embedded is is_embedded


def test_each_store_of_an_instance_is_named_by_the_setting_that_says_where_it_is(tmp_path: Path) -> None:
    on_tables = Settings(store="dynamodb", table="objects", members_table="people", bucket="files")
    required = platform_of(on_tables).required
    assert [each.place for each in required] == ["objects", "people", "files"]
    assert platform_of(on_tables).places == {
        "STRATABASE_TABLE": "objects",
        "STRATABASE_MEMBERS_TABLE": "people",
        "STRATABASE_BUCKET": "files",
    }
    local = Settings(home=tmp_path, bucket="files")
    assert [each.place for each in platform_of(local).required] == ["", "", "files"]
    assert platform_of(local).places == {"STRATABASE_HOME": str(tmp_path), "STRATABASE_BUCKET": "files"}


def test_only_settings_and_platforms_compare_the_name_of_a_store() -> None:
    comparing = {
        file.relative_to(package.parent).as_posix()
        for package in PACKAGES
        for file in package.rglob("*.py")
        if re.search(r"\bstore [!=]= |[!=]= \"(sqlite|dynamodb)\"", file.read_text())
    }
    assert comparing == {"stratabase/core/settings.py", "stratabase_aws/app/platform.py"}
