"""Runs each test of this suite on every engine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stratabase.store.engine.port import Engine
from tests.contract.engine.engines import KINDS
from tests.soak import mostly


@pytest.fixture(params=mostly(KINDS, "dynamodb-moto"), ids=lambda kind: kind.name)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """An empty engine."""
    engine: Engine = request.param.open(tmp_path)
    yield engine
    engine.close()
