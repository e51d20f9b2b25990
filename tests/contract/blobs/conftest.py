"""Runs each test of this suite on every blob store."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stratabase.core.operations.file_ports import BlobStore
from tests.contract.blobs.stores import CONCURRENT, KINDS, BlobsImplementation
from tests.soak import mostly


@pytest.fixture(params=mostly(KINDS, "s3-moto"), ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> BlobsImplementation:
    """A kind of blob store."""
    kind: BlobsImplementation = request.param
    return kind


@pytest.fixture
def blobs(kind: BlobsImplementation, tmp_path: Path) -> Iterator[BlobStore]:
    """An empty store."""
    with kind.open(tmp_path) as blobs:
        yield blobs


@pytest.fixture(params=CONCURRENT, ids=lambda kind: kind.name)
def concurrent(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[BlobStore]:
    """An empty store that supports concurrent callers."""
    kind: BlobsImplementation = request.param
    with kind.open(tmp_path) as blobs:
        yield blobs
