"""The engines for tests of the object store: all that support large tables and concurrent callers."""

from typing import Literal

import pytest

from tests.contract.engine.engines import CONCURRENT, engine_fixture
from tests.soak import FULL, mostly


def _scope(fixture_name: str, config: pytest.Config) -> Literal["function", "module"]:
    """Return for how long an engine is used: with the classes of many repetitions, it becomes slow."""
    del fixture_name, config
    return "function" if FULL else "module"


engine = engine_fixture(mostly(CONCURRENT, "metered"), scope=_scope)
"""An engine, which tests may share: each test uses classes of its own."""
