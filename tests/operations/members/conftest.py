"""An office for every test."""

import pytest

from tests.operations.members.office import Office


@pytest.fixture
def office() -> Office:
    """An office with an administrator, Bea, and a clerk, Anna."""
    return Office()
