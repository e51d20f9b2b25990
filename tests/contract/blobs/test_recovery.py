"""A blob store that keeps deleted bytes brings them back: a folder with a bin, and a bucket with versions."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest
from moto import mock_aws

from stratabase.core.files.folder import FolderBlobs
from stratabase.core.operations.files.check import RecoverableBlobs
from stratabase_aws.endpoint import AwsEndpoint, Credentials, create_client
from stratabase_aws.s3.s3 import MAX_SINGLE_COPY, S3Blobs
from tests import ministack
from tests.contract.blobs.blob_calls import pattern, put, read
from tests.soak import FULL, mostly

KEY = "files/a1"
Opener = Callable[[Path], AbstractContextManager[RecoverableBlobs]]


@contextmanager
def folder(home: Path) -> Iterator[RecoverableBlobs]:
    with closing(FolderBlobs(home / "files", recovery_days=7)) as blobs:
        yield blobs


def versioned(endpoint: AwsEndpoint) -> S3Blobs:
    blobs = S3Blobs(endpoint, "recovered")
    blobs.ensure_bucket()
    with closing(create_client("s3", endpoint, s3={"addressing_style": "path"})) as client:
        client.put_bucket_versioning(Bucket="recovered", VersioningConfiguration={"Status": "Enabled"})
    return blobs


@contextmanager
def over_ministack(_: Path) -> Iterator[RecoverableBlobs]:
    with closing(versioned(ministack.endpoint())) as blobs:
        yield blobs
        blobs.delete([blob.key for blob in blobs.list("")])


@contextmanager
def over_moto(_: Path) -> Iterator[RecoverableBlobs]:
    with mock_aws(), closing(versioned(AwsEndpoint("us-east-1", None, Credentials("a", "b")))) as blobs:
        yield blobs


@pytest.fixture(params=mostly([folder, over_ministack, over_moto]))
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RecoverableBlobs]:
    opener: Opener = request.param
    with opener(tmp_path) as blobs:
        yield blobs


def test_the_bytes_that_were_deleted_last_are_recovered(blobs: RecoverableBlobs) -> None:
    for content in (b"first", b"second"):
        put(blobs, KEY, content)
        blobs.delete([KEY])
    assert blobs.size(KEY) is None
    assert blobs.recover(KEY)
    assert read(blobs, KEY) == b"second"
    assert blobs.recover(KEY)  # once more, after a crash
    assert read(blobs, KEY) == b"second"


def test_a_longer_key_and_an_unknown_key_are_not_recovered(blobs: RecoverableBlobs) -> None:
    put(blobs, f"{KEY}2", b"other")
    blobs.delete([f"{KEY}2"])
    assert not blobs.recover("files/never")
    assert not blobs.recover(KEY.removesuffix("1"))
    assert [blob.key for blob in blobs.list("files/a")] == []


def test_erased_bytes_are_not_recovered(blobs: RecoverableBlobs) -> None:
    for content in (b"first", b"second"):
        put(blobs, KEY, content)
        blobs.delete([KEY])
    put(blobs, KEY, b"third")
    put(blobs, f"{KEY}2", b"other")

    blobs.erase([KEY, "files/never"])
    blobs.erase([KEY])

    assert blobs.size(KEY) is None
    assert not blobs.recover(KEY)
    assert read(blobs, f"{KEY}2") == b"other"


@pytest.mark.skipif(not FULL, reason="it copies 64 MB")
def test_large_bytes_are_recovered_in_parts(blobs: RecoverableBlobs) -> None:
    content = pattern(MAX_SINGLE_COPY + 1)
    put(blobs, KEY, content)
    blobs.delete([KEY])
    assert blobs.recover(KEY)
    assert read(blobs, KEY) == content


def test_a_folder_keeps_deleted_bytes_for_the_days_of_the_setting(tmp_path: Path) -> None:
    with folder(tmp_path) as blobs:
        put(blobs, KEY, b"kept")
        put(blobs, "files/b", b"old")
        put(blobs, "pending/c", b"upload")
        blobs.delete([KEY, "files/b", "pending/c"])
        assert [*blobs.list("")] == []
    old = tmp_path / "files" / ".bin" / "files" / "b"
    os.utime(old, (0, old.stat().st_mtime - 8 * 24 * 3600))
    with folder(tmp_path) as blobs:
        assert blobs.recover(KEY)
        assert not blobs.recover("files/b")
        assert not blobs.recover("pending/c")


def test_a_folder_keeps_nothing_by_default(tmp_path: Path) -> None:
    with closing(FolderBlobs(tmp_path / "files")) as blobs:
        put(blobs, KEY, b"content")
        blobs.delete([KEY])
        assert not blobs.recover(KEY)
    assert not (tmp_path / "files" / ".bin").exists()
