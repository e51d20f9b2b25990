"""Runs each test of this suite on every store of attempts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.attempts.stores import KINDS, ClosableAttempts


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def attempts(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ClosableAttempts]:
    """An empty store."""
    store: ClosableAttempts = request.param.open(tmp_path)
    yield store
    store.close()
