"""Member operations for each test."""

import pytest

from tests.members.operations.member_operations import MemberOperations


@pytest.fixture
def operations() -> MemberOperations:
    """An office with an administrator, Bea, and a clerk, Anna."""
    return MemberOperations()
