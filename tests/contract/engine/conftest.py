"""Runs each test of this suite on every engine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stratabase.core.store.engine.port import Engine
from tests.contract.engine.engines import KINDS, EngineImplementation
from tests.soak import mostly


@pytest.fixture(params=mostly(KINDS, "dynamodb-moto"), ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> EngineImplementation:
    """A kind of engine."""
    kind: EngineImplementation = request.param
    return kind


@pytest.fixture
def engine(kind: EngineImplementation, tmp_path: Path) -> Iterator[Engine]:
    """An empty engine."""
    engine = kind.open(tmp_path)
    yield engine
    engine.close()
