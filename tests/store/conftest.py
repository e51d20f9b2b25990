"""The engines for tests of the object store: all that support large tables and concurrent callers."""

from collections.abc import Iterator

import pytest

from stratabase.store.engine.port import Engine
from tests.contract.engine.engines import CONCURRENT
from tests.soak import mostly


@pytest.fixture(scope="module", params=mostly(CONCURRENT, "metered"), ids=lambda kind: kind.name)
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine; the tests of a module share it, each on classes of its own."""
    engine: Engine = request.param.open(tmp_path_factory.mktemp("store"))
    yield engine
    engine.close()
