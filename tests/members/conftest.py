"""The engines for tests of the backfill of names: those of the object store."""

from tests.core.store.conftest import engine  # noqa: F401 - a fixture
