"""The stores are opened as the settings say."""

import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

import stratabase
import stratabase_aws
from stratabase.core.app.platform import open_engine, platform_of
from stratabase.core.domain.store_mark import StoreKind
from stratabase.core.features import MAILERS, SERVICES, STORES
from stratabase.core.settings import Settings
from stratabase.core.store.engine.port import Engine
from stratabase.core.unusable_store import UnusableStore
from stratabase.members.app.local_platform import LocalPlatform
from stratabase.members.ports import member_platform
from tests import ministack
from tests.contract.blobs.blob_calls import put, read
from tests.contract.engine.reference import ReferenceEngine
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


@pytest.mark.parametrize(
    ("settings", "name", "local"),
    [
        (Settings(), "LocalPlatform", [*StoreKind]),
        (Settings(bucket="files"), "LocalPlatform", [StoreKind.OBJECTS, StoreKind.MEMBERS]),
        (Settings(store="dynamodb"), "DynamoDBPlatform", [StoreKind.FILES]),
        (Settings(store="dynamodb", bucket="files"), "DynamoDBPlatform", []),
    ],
)
def test_the_store_selects_the_platform(settings: Settings, name: str, local: list[StoreKind]) -> None:
    platform = platform_of(settings)
    assert type(platform).__name__ == name
    assert [kind for kind in StoreKind if platform.is_local(kind)] == local


class ThirdPlatform(LocalPlatform):
    """A platform whose objects are in a store of its own, and the members in the data folder."""

    def is_local(self, kind: StoreKind) -> bool:
        return kind is not StoreKind.OBJECTS and super().is_local(kind)

    def engine(self) -> Engine:
        return ReferenceEngine()


ELSEWHERE = Settings(
    bucket="files", signing_keys="keys", mail="smtp", smtp_secret="smtp", mail_function="mail", function="f"
)


@pytest.mark.parametrize("store", ["sqlite", "dynamodb", "third"])
def test_services_of_aws_work_beside_every_store(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cast("dict[str, str]", STORES), "third", f"{__name__}:ThirdPlatform")
    platform = member_platform(platform_of(replace(ELSEWHERE, store=store)))
    opened = (platform.blobs(), platform.keyring(), platform.mailer(), platform.mail_queue(lambda: 0))
    assert [type(each).__name__ for each in opened] == [
        "S3Blobs",
        "SecretsManagerKeyring",
        "SecretSmtpMailer",
        "LambdaMailQueue",
    ]
    assert isinstance(platform.engine(), ReferenceEngine) is (store == "third")
    assert platform.places["STRATABASE_BUCKET"] == "files"


def test_the_settings_take_the_names_of_the_stores_and_mailers() -> None:
    for name in STORES:
        assert Settings.from_environment({"STRATABASE_STORE": name}).store == name
    for name in MAILERS:
        assert Settings.from_environment({"STRATABASE_MAIL": name}).mail == name


@pytest.mark.parametrize(
    ("table", "name", "settings", "variable"),
    [
        (STORES, "sqlite", Settings(), "STRATABASE_STORE"),
        (MAILERS, "outbox", Settings(), "STRATABASE_MAIL"),
        (SERVICES, "bucket", Settings(bucket="files"), "STRATABASE_BUCKET"),
    ],
)
def test_a_package_that_is_not_installed_is_named(
    table: dict[str, str], name: str, settings: Settings, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(table, name, "stratabase_other.app:opened")
    with pytest.raises(UnusableStore, match=f"^{variable} needs the package stratabase-other. Install it"):
        platform_of(settings)
    if name == "bucket":
        platform_of(Settings())


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


def test_nothing_compares_the_name_of_a_store() -> None:
    comparing = {
        file.relative_to(package.parent).as_posix()
        for package in PACKAGES
        for file in package.rglob("*.py")
        if re.search(r"\bstore [!=]= |[!=]= \"(sqlite|dynamodb)\"", file.read_text())
    }
    assert comparing == set()
