"""The engines for tests of the object store: all that support large tables and concurrent callers."""

from collections.abc import Iterator
from typing import Literal

import pytest

from stratabase.store.engine.port import Engine
from tests.contract.engine.engines import CONCURRENT
from tests.soak import FULL, mostly


def _scope(fixture_name: str, config: pytest.Config) -> Literal["function", "module"]:
    """Return for how long an engine is used: with the classes of many repetitions, it becomes slow."""
    del fixture_name, config
    return "function" if FULL else "module"


@pytest.fixture(scope=_scope, params=mostly(CONCURRENT, "metered"), ids=lambda kind: kind.name)
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine, which tests may share: each test uses classes of its own."""
    engine: Engine = request.param.open(tmp_path_factory.mktemp("store"))
    yield engine
    engine.close()
