"""A change of a member that conflicts with others is tried again, after pauses that keep them apart."""

from itertools import pairwise

import pytest

from stratabase.core import waiting
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.members.operations import rules
from stratabase.members.operations.rules import MAX_PAUSE, MAX_ROUNDS, retry_conflicts
from stratabase.values.messages import verbatim


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses, the longest that chance can choose."""
    found: list[float] = []
    monkeypatch.setattr(waiting, "pause", found.append)
    monkeypatch.setattr(rules, "uniform", lambda _least, most: most)
    return found


def conflict() -> str:
    raise Conflict(verbatim("Somebody else was faster."))


def test_a_change_without_a_conflict_waits_for_nothing(pauses: list[float]) -> None:
    assert retry_conflicts(lambda: "done") == "done"
    assert pauses == []


def test_pauses_become_longer_up_to_a_limit(pauses: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "FIRST_PAUSE", 1)
    monkeypatch.setattr(rules, "MAX_PAUSE", 6)
    with pytest.raises(Unavailable):
        retry_conflicts(conflict)
    assert pauses[:5] == [1, 2, 4, 6, 6]
    assert len(pauses) == MAX_ROUNDS


def test_a_change_gives_up_long_before_the_deadline_of_a_request(
    pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "MAX_PAUSE", MAX_PAUSE)
    with pytest.raises(Unavailable):
        retry_conflicts(conflict)
    assert sum(pauses) / 2 < 12  # the mean of what chance chooses, in seconds
    assert all(first <= second for first, second in pairwise(pauses))
