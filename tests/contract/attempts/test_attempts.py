"""The contract of every store of attempts."""

from functools import partial

import pytest

from stratabase.core.domain.attempts import MAX_ATTEMPTS_KEPT
from stratabase.core.operations.ports import Attempts
from stratabase.members.attempts import FAILURE_WINDOW, MAIL_WINDOW
from tests.contract.engine.engine_calls import run_concurrently
from tests.fakes import FUTURE_NOON as NOON
from tests.soak import count

SINCE = NOON - FAILURE_WINDOW
"""What still counts at noon."""


def noted(attempts: Attempts, *instants: int, key: str = "key") -> list[str]:
    """Record attempts at these instants, and return their names."""
    return [attempts.note(key, instant, instant - FAILURE_WINDOW).attempt for instant in instants]


def test_a_new_store_has_no_attempts(attempts: Attempts) -> None:
    assert attempts.count("key", SINCE) == 0


def test_a_recorded_attempt_includes_itself(attempts: Attempts) -> None:
    assert attempts.note("key", NOON, SINCE).instants == (NOON,)
    assert attempts.count("key", SINCE) == 1


def test_each_attempt_returns_the_earlier_ones_in_order_of_time(attempts: Attempts) -> None:
    noted(attempts, NOON - 5, NOON - 9)
    assert attempts.note("key", NOON - 7, SINCE).instants == (NOON - 9, NOON - 7, NOON - 5)


def test_attempts_at_the_same_instant_all_count(attempts: Attempts) -> None:
    names = noted(attempts, NOON, NOON, NOON)
    assert len(set(names)) == 3
    assert attempts.count("key", SINCE) == 3


def test_keys_are_independent(attempts: Attempts) -> None:
    noted(attempts, NOON, NOON)
    assert attempts.note("other", NOON, SINCE).instants == (NOON,)
    assert attempts.count("key", SINCE) == 2


def test_the_window_includes_its_first_instant(attempts: Attempts) -> None:
    noted(attempts, SINCE - 1, SINCE, SINCE + 1)
    assert attempts.count("key", SINCE) == 2
    assert attempts.note("key", NOON, SINCE).instants == (SINCE, SINCE + 1, NOON)


def test_a_withdrawn_attempt_does_not_count(attempts: Attempts) -> None:
    first, second = noted(attempts, NOON, NOON)
    attempts.withdraw("key", first)
    assert attempts.count("key", SINCE) == 1
    attempts.withdraw("key", second)
    assert attempts.note("key", NOON, SINCE).instants == (NOON,)


@pytest.mark.parametrize(("key", "attempt"), [("other", None), ("key", "1577880000000.nobodys")])
def test_only_attempts_of_a_key_can_be_withdrawn_from_it(
    key: str, attempt: str | None, attempts: Attempts
) -> None:
    (name,) = noted(attempts, NOON)
    attempts.withdraw(key, attempt or name)
    assert (attempts.count("key", SINCE), attempts.count("other", SINCE)) == (1, 0)


def test_withdrawing_an_attempt_twice_removes_one(attempts: Attempts) -> None:
    first, _ = noted(attempts, NOON, NOON)
    attempts.withdraw("key", first)
    attempts.withdraw("key", first)
    assert attempts.count("key", SINCE) == 1


def test_after_an_hour_only_attempts_in_the_window_count(attempts: Attempts) -> None:
    """Attempts that leave the window are removed from the store, and no others."""
    step = FAILURE_WINDOW // 10
    found = [attempts.note("key", NOON + n * step, NOON + n * step - FAILURE_WINDOW + 1) for n in range(40)]
    assert [len(each.instants) for each in found] == [*range(1, 11), *[10] * 30]
    assert attempts.count("key", 0) < 40


def test_a_short_window_drops_nothing_that_a_longer_one_counts(attempts: Attempts) -> None:
    attempts.note("mail", NOON - MAIL_WINDOW, NOON - 2 * MAIL_WINDOW)
    attempts.note("key", NOON, SINCE)
    assert attempts.count("mail", NOON - MAIL_WINDOW) == 1


def test_the_number_of_kept_attempts_is_bounded(attempts: Attempts) -> None:
    """The oldest stay: what fails first would else be washed away by what is refused later."""
    noted(attempts, *range(NOON - MAX_ATTEMPTS_KEPT, NOON))
    flood = [attempts.note("key", NOON + n, SINCE) for n in range(3)]
    assert [(each.instants[0], each.instants[-1]) for each in flood] == [
        (NOON - MAX_ATTEMPTS_KEPT, NOON + n) for n in range(3)
    ]
    assert [len(each.instants) for each in flood] == [MAX_ATTEMPTS_KEPT + 1] * 3
    assert attempts.count("key", SINCE) == MAX_ATTEMPTS_KEPT


@pytest.mark.soak
def test_concurrent_attempts_are_all_counted_with_distinct_numbers(attempts: Attempts) -> None:
    """However they come, the tenth knows that it is the tenth: so no burst slips through."""
    for turn in range(count(3, 50)):
        note = partial(attempts.note, f"race{turn}", NOON, SINCE)
        found = run_concurrently(*[note] * 16)
        assert sorted(len(each.instants) for each in found) == list(range(1, 17))
        assert len({each.attempt for each in found}) == 16
        assert attempts.count(f"race{turn}", SINCE) == 16


@pytest.mark.soak
def test_concurrent_withdrawals_leave_exactly_the_other_attempts(attempts: Attempts) -> None:
    def come(number: int, key: str) -> None:
        attempt = attempts.note(key, NOON, SINCE).attempt
        if number % 2:
            attempts.withdraw(key, attempt)

    for turn in range(count(3, 50)):
        run_concurrently(*(partial(come, number, f"race{turn}") for number in range(16)))
        assert attempts.count(f"race{turn}", SINCE) == 8
