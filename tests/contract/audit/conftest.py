"""Runs each test of this suite on every store of the audit trail."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.audit.stores import CONCURRENT, KINDS, AuditStore
from tests.soak import mostly


@pytest.fixture(params=mostly(KINDS, "dynamodb-moto"), ids=lambda kind: kind.name)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AuditStore]:
    """An empty store."""
    with request.param.open(tmp_path) as store:
        yield store


@pytest.fixture(params=CONCURRENT, ids=lambda kind: kind.name)
def concurrent(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AuditStore]:
    """An empty store that supports concurrent callers."""
    with request.param.open(tmp_path) as store:
        yield store
