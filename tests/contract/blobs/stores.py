"""The registry of blob stores with their properties. A new store is one more line."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from moto import mock_aws

from stratabase.core.domain.files.blob import MIN_PART_SIZE
from stratabase.core.files.folder import FolderBlobs
from stratabase.core.operations.file_ports import BlobStore
from stratabase_aws.endpoint import AwsEndpoint, Credentials
from stratabase_aws.s3.s3 import S3Blobs
from tests import ministack
from tests.soak import count

_numbers = itertools.count(1)


@dataclass(frozen=True)
class BlobsImplementation:
    """A blob store, and a context manager that opens an empty one."""

    name: str
    open: Callable[[Path], AbstractContextManager[BlobStore]]
    threads: int = 8
    """How many callers may race."""
    min_part: int = MIN_PART_SIZE
    """The size that a part has at least, if it is not the last one."""
    many: int = count(50, 1001)
    """More keys than S3 lists or deletes in one request, in `make soak` at least."""
    remembers_ended_uploads: bool = True
    """Whether it refuses the parts and the completion of an upload that has ended, as BlobNotFound."""


@contextmanager
def _in_folder(folder: Path) -> Iterator[BlobStore]:
    with closing(FolderBlobs(folder / "files")) as blobs:
        yield blobs


@contextmanager
def _over_moto(_: Path) -> Iterator[BlobStore]:
    with mock_aws():
        blobs = _moto_blobs()
        blobs.ensure_bucket()
        yield blobs


@contextmanager
def _over_ministack(_: Path) -> Iterator[BlobStore]:
    blobs = ministack_blobs()
    yield blobs
    blobs.delete([blob.key for blob in blobs.list("")])


@cache
def _moto_blobs() -> S3Blobs:
    """Return a shared store, because creating its client is slow."""
    return S3Blobs(AwsEndpoint("us-east-1", credentials=Credentials("test", "test")), "blobs-contract")


@cache
def ministack_blobs() -> S3Blobs:
    """Return a shared store over the multithreaded emulator. Each user leaves it empty."""
    blobs = S3Blobs(ministack.endpoint(), f"blobs-contract-{next(_numbers)}")
    blobs.ensure_bucket()
    return blobs


KINDS = (
    BlobsImplementation("folder", _in_folder, min_part=1, many=1001),
    BlobsImplementation("s3-ministack", _over_ministack),
    # It is not made for several threads, and fails with a KeyError if an upload has ended.
    BlobsImplementation("s3-moto", _over_moto, threads=1, remembers_ended_uploads=False),
)

CONCURRENT = tuple(kind for kind in KINDS if kind.threads > 1)
"""Those that bear several callers."""
