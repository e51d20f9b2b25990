"""The engines for tests of the object store: all that support large tables and concurrent callers."""

from tests.contract.engine.engines import CONCURRENT, engine_fixture, scope_of_shared_engine
from tests.soak import mostly

engine = engine_fixture(mostly(CONCURRENT, "metered"), scope_of_shared_engine)
"""An engine, which tests may share: each test uses classes of its own."""
