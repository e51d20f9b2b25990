"""Fixtures for the tests of operations."""

from collections.abc import Iterator

import pytest

from stratabase.core.store.indexes import registry_cache


@pytest.fixture
def lasting_registry() -> Iterator[None]:
    """Keep the cached registry fresh, so that slow machines do not read it again while costs are counted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry_cache, "MAX_AGE", 1e9)
        yield
