"""Which key signs when, and how long its tokens are valid."""

from stratabase.members.keys.key_rotation import (
    GRACE,
    KeyState,
    SigningKey,
    find_signing_key,
    key_phases,
    live_keys,
)
from tests.in_memory_keyring import key
from tests.rows import each_row

VALIDITY = 1_800_000
OLD, NEW, NEXT = key("old", 1_000), key("new", 5_000_000), key("next", 9_000_000)
KEYS = (NEXT, OLD, NEW)


def states(now: int) -> list[KeyState]:
    return [turn.state for turn in key_phases(KEYS, now, VALIDITY)]


def test_keys_are_ordered_by_when_they_sign() -> None:
    assert [turn.key for turn in key_phases(KEYS, 0, VALIDITY)] == [OLD, NEW, NEXT]


@each_row(
    ("now", "expected"),
    [
        (0, [KeyState.SIGNING, KeyState.COMING, KeyState.COMING]),
        (1_000, [KeyState.SIGNING, KeyState.COMING, KeyState.COMING]),
        (4_999_999, [KeyState.SIGNING, KeyState.COMING, KeyState.COMING]),
        (5_000_000, [KeyState.RETIRED, KeyState.SIGNING, KeyState.COMING]),
        (5_000_000 + VALIDITY + GRACE - 1, [KeyState.RETIRED, KeyState.SIGNING, KeyState.COMING]),
        (5_000_000 + VALIDITY + GRACE, [KeyState.OVER, KeyState.SIGNING, KeyState.COMING]),
        (9_000_000 + VALIDITY + GRACE, [KeyState.OVER, KeyState.OVER, KeyState.SIGNING]),
    ],
)
def test_the_state_of_a_key_depends_on_the_time(now: int, expected: list[KeyState]) -> None:
    assert states(now) == expected


def test_a_key_ends_when_the_last_token_that_it_can_have_signed_does() -> None:
    assert [turn.end for turn in key_phases(KEYS, 0, VALIDITY)] == [
        NEW.since + VALIDITY + GRACE,
        NEXT.since + VALIDITY + GRACE,
        None,
    ]


def test_all_processes_choose_the_same_of_keys_with_equal_starts() -> None:
    twins = [key("a", 5), key("b", 5)]
    assert find_signing_key(twins, 5) == find_signing_key(twins[::-1], 5) == twins[1]


@each_row(("keys", "expected"), [((), None), ((OLD,), OLD), (KEYS, NEW)])
def test_the_newest_active_key_signs(keys: tuple[SigningKey, ...], expected: SigningKey | None) -> None:
    assert find_signing_key(keys, 6_000_000) == expected


def test_an_expired_key_is_not_live() -> None:
    assert list(live_keys(KEYS, 5_000_000 + VALIDITY + GRACE, VALIDITY)) == [NEW, NEXT]
