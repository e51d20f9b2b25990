"""A role that is stored differently than before has all its associations, or is refused."""

import pytest

from tests.contract.engine.reference import ReferenceEngine
from tests.soak import FULL
from tests.store.backfill.changed_role_models import (
    STORAGES,
    Pairs,
    answers,
    effects_of,
    reindexed,
    stored_as,
)
from tests.store.graphs import Objects

IDS = ("X", "Y", "b", "c")
PAIRS: Pairs = {("X", "b"), ("Y", "c")}
CHANGES = [
    (before, after)
    for before in STORAGES
    for after in STORAGES
    if before != after and "none" not in (before, after)
]


@pytest.mark.parametrize(("before", "after"), CHANGES)
def test_every_change_of_storage_keeps_all_associations(before: str, after: str) -> None:
    engine = ReferenceEngine()
    old = Objects(engine, stored_as(before), "")
    old.commit(*effects_of(old, before, IDS, PAIRS))
    assert all(found == PAIRS for found in answers(old, IDS))

    now = old.under(stored_as(after))
    for found in answers(now, IDS):
        assert found in (PAIRS, None) or _is_split(before, after)
    assert not any(outcome.duplicates for outcome in reindexed(now))
    assert not any(outcome.interrupted for outcome in reindexed(now))
    assert now.entities.unbuilt() == ()
    expected = set[tuple[str, str]]() if _is_split(before, after) else PAIRS
    assert all(found == expected for found in answers(now, IDS))


def _is_split(before: str, after: str) -> bool:
    """Return whether the two sides have no role in common, so that nothing says that they are the same."""
    return all(None in pair for pair in zip(STORAGES[before], STORAGES[after], strict=True))
