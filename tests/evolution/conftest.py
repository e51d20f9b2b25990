"""The engines for tests of backfills: those of the object store."""

from tests.core.store.conftest import engine  # noqa: F401 - a fixture
