"""The member cache keeps a member for three seconds."""

from dataclasses import replace

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.members.sign_in.callers import MAX_MEMBERS, MEMBER_FRESHNESS, MemberCache
from stratabase.values.messages import verbatim
from tests.core.operations.sign_in_service import ANNA
from tests.fakes import FrozenClock
from tests.in_memory_members import InMemoryMembers


@pytest.fixture
def members() -> InMemoryMembers:
    return InMemoryMembers(ANNA)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def known(members: InMemoryMembers, clock: FrozenClock) -> MemberCache:
    return MemberCache(members, clock)


def test_a_member_is_read_once_in_three_seconds(
    known: MemberCache, members: InMemoryMembers, clock: FrozenClock
) -> None:
    for _ in range(3):
        assert known("1") == ANNA
        clock.instant += MEMBER_FRESHNESS // 3
    assert members.reads == 1
    assert known("1") == ANNA
    assert members.reads == 2


def test_a_change_is_visible_after_three_seconds(
    known: MemberCache, members: InMemoryMembers, clock: FrozenClock
) -> None:
    known("1")
    changed = replace(ANNA, disabled=True)
    members.members["anna"] = changed
    clock.instant += MEMBER_FRESHNESS - 1
    assert known("1") == ANNA
    clock.instant += 1
    assert known("1") == changed


def test_the_age_counts_from_the_start_of_the_read(known: MemberCache, clock: FrozenClock) -> None:
    """A change that comes while the answer is on its way is not believed for longer than others."""
    known.remember(ANNA, clock.instant - MEMBER_FRESHNESS)
    assert known("1") == replace(ANNA)


def test_a_deleted_member_is_read_again_each_time(
    known: MemberCache, members: InMemoryMembers, clock: FrozenClock
) -> None:
    known("1")
    del members.members["anna"]
    clock.instant += MEMBER_FRESHNESS
    assert [known("1"), known("1")] == [None, None]
    assert members.reads == 3


def test_a_member_that_was_just_read_is_not_read_again(
    known: MemberCache, members: InMemoryMembers, clock: FrozenClock
) -> None:
    known.remember(ANNA, clock.instant)
    assert known("1") == ANNA
    assert members.reads == 0


def test_a_clock_set_back_makes_no_entry_fresh(
    known: MemberCache, members: InMemoryMembers, clock: FrozenClock
) -> None:
    known("1")
    clock.instant -= 86_400_000
    known("1")
    assert members.reads == 2


def test_an_unavailable_store_does_not_prolong_cached_members(
    known: MemberCache, members: InMemoryMembers, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(_: str) -> None:
        raise Unavailable(verbatim("not now"))

    known("1")
    monkeypatch.setattr(members, "by_id", unreachable)
    assert known("1") == ANNA
    clock.instant += MEMBER_FRESHNESS
    with pytest.raises(Unavailable):
        known("1")


def test_the_cache_is_bounded(known: MemberCache, members: InMemoryMembers, clock: FrozenClock) -> None:
    known("1")
    for number in range(MAX_MEMBERS):
        known.remember(replace(ANNA, id=f"other{number}"), clock.instant)
    known("1")
    assert members.reads == 2
