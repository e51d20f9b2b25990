"""Many wrong passwords for one name from anywhere: each next attempt waits, and nobody is refused."""

import pytest

from stratabase.domain.issues.refusals import TooManyFailures
from stratabase.domain.members.attempts import FAILURE_WINDOW, username_key
from stratabase.operations.auth.sign_in_limits import MAX_COUNTED_FAILURES
from tests.operations.desk import Desk


@pytest.fixture
def desk() -> Desk:
    return Desk()


def fail(desk: Desk, times: int, username: str = "Anna") -> None:
    """Fail from as many addresses."""
    for number in range(times):
        desk.fail(1, username, f"2001:db8:0:{len(desk.passwords.verified) + number:x}::1")


@pytest.mark.parametrize("username", ["Anna", "Carl"])
def test_the_delay_doubles_from_the_eleventh_failure_up_to_four_seconds(username: str, desk: Desk) -> None:
    fail(desk, 10, username)
    assert desk.pauses == []
    fail(desk, 7, username)
    assert desk.pauses == [0.25, 0.5, 1, 2, 4, 4, 4]


def test_the_right_password_is_delayed_but_never_refused(desk: Desk) -> None:
    fail(desk, 60)
    desk.pauses.clear()
    assert desk.admits("Anna", "right", "203.0.113.5")
    assert desk.pauses == [4]


def test_remembered_credentials_are_not_delayed(desk: Desk) -> None:
    assert desk.admits("Anna", "right")
    fail(desk, 12)
    desk.pauses.clear()
    assert desk.admits("Anna", "right", "203.0.113.5")
    assert desk.pauses == []


def test_the_delay_precedes_the_verification(desk: Desk) -> None:
    """So that the answer is not there any earlier for those who hang up."""
    fail(desk, 10)
    verified = len(desk.passwords.verified)
    seen: list[int] = []
    desk.sign_in._delay._pause = lambda _: seen.append(len(desk.passwords.verified))
    fail(desk, 1)
    assert seen == [verified]


def test_a_refused_attempt_is_not_delayed(desk: Desk) -> None:
    desk.fail(10)
    for _ in range(2):
        with pytest.raises(TooManyFailures):
            desk.sign_in("Anna", "right", "192.0.2.7")
    assert desk.pauses == [0.25]


def test_other_names_are_not_delayed(desk: Desk) -> None:
    fail(desk, 12)
    desk.pauses.clear()
    assert desk.admits("Bert", "other")
    assert desk.pauses == []


def test_the_delay_ends_with_the_window(desk: Desk) -> None:
    fail(desk, 12)
    desk.pauses.clear()
    desk.clock.instant += FAILURE_WINDOW
    assert desk.admits("Anna", "right")
    assert desk.pauses == []


def test_the_number_of_recorded_failures_is_bounded(desk: Desk) -> None:
    """What is noted is as much as delays for the longest; as it leaves the window, more is noted."""
    fail(desk, 100)
    assert desk.attempts.failures(username_key("Anna")) == MAX_COUNTED_FAILURES
    for _ in range(4):
        desk.clock.instant += FAILURE_WINDOW // 4
        fail(desk, MAX_COUNTED_FAILURES)
        assert desk.pauses[-1] == 4
    assert desk.attempts.failures(username_key("Anna")) == MAX_COUNTED_FAILURES
