"""Runs each test of this suite on every store with a mark."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from moto import mock_aws

from stratabase.core.files.folder import FolderBlobs
from stratabase.core.operations.files.blob_mark import BlobMark
from stratabase.core.operations.store_marks import MarkStore
from stratabase.core.store.marked_engine import EngineMark
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.members.stores.sqlite_members import SqliteMemberMark
from stratabase_aws.endpoint import AwsEndpoint, Credentials
from stratabase_aws.members.pynamodb_mark import PynamoMemberMark
from stratabase_aws.members.pynamodb_table import PynamoTable
from stratabase_aws.s3.s3 import S3Blobs
from tests import ministack
from tests.contract.engine.dynamodb import MotoTable, over_ministack
from tests.soak import mostly

_numbers = count(1)


@dataclass(frozen=True)
class MarkImplementation:
    """A store with a mark, and a context manager that opens an empty one."""

    name: str
    open: Callable[[Path], AbstractContextManager[MarkStore]]


@contextmanager
def _sqlite_objects(folder: Path) -> Iterator[MarkStore]:
    with closing(SqliteEngine(folder / "objects.db")) as engine:
        yield EngineMark(engine)


@contextmanager
def _dynamodb_objects(_: Path) -> Iterator[MarkStore]:
    with closing(over_ministack()) as engine:
        yield EngineMark(engine)


@contextmanager
def _moto_objects(_: Path) -> Iterator[MarkStore]:
    with closing(MotoTable()) as engine:
        yield EngineMark(engine)


@contextmanager
def _sqlite_members(folder: Path) -> Iterator[MarkStore]:
    yield SqliteMemberMark(folder / "members.db")


@contextmanager
def _dynamodb_members(_: Path) -> Iterator[MarkStore]:
    table = PynamoTable(ministack.endpoint(), f"marks-{next(_numbers)}")
    table.ensure()
    yield PynamoMemberMark(table)
    table.drop()


@contextmanager
def _folder(folder: Path) -> Iterator[MarkStore]:
    with closing(FolderBlobs(folder / "files")) as blobs:
        yield BlobMark(blobs)


@contextmanager
def _bucket(_: Path) -> Iterator[MarkStore]:
    blobs = S3Blobs(ministack.endpoint(), f"marks-{next(_numbers)}")
    blobs.ensure_bucket()
    yield BlobMark(blobs)


@contextmanager
def _moto_bucket(_: Path) -> Iterator[MarkStore]:
    with mock_aws():
        blobs = S3Blobs(AwsEndpoint("us-east-1", credentials=Credentials("test", "test")), "marks")
        blobs.ensure_bucket()
        yield BlobMark(blobs)


KINDS = (
    MarkImplementation("objects-sqlite", _sqlite_objects),
    MarkImplementation("objects-ministack", _dynamodb_objects),
    MarkImplementation("objects-moto", _moto_objects),
    MarkImplementation("members-sqlite", _sqlite_members),
    MarkImplementation("members-ministack", _dynamodb_members),
    MarkImplementation("files-folder", _folder),
    MarkImplementation("files-ministack", _bucket),
    MarkImplementation("files-moto", _moto_bucket),
)


@pytest.fixture(params=mostly(KINDS, "objects-moto", "files-moto"), ids=lambda kind: kind.name)
def marks(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MarkStore]:
    """An empty store."""
    kind: MarkImplementation = request.param
    with kind.open(tmp_path) as store:
        yield store
