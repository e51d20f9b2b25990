"""One suite for every store of attempts: each test runs on every kind there is."""

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
