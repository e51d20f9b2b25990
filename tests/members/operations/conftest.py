"""Member operations for each test, without pauses."""

import pytest

from stratabase.members.operations import rules
from tests.members.operations.member_operations import MemberOperations


@pytest.fixture
def operations() -> MemberOperations:
    """An office with an administrator, Bea, and a clerk, Anna."""
    return MemberOperations()


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let changes that conflict again and again be tried at once."""
    monkeypatch.setattr(rules, "MAX_PAUSE", 0)
