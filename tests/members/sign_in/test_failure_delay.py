"""After many wrong passwords for a name from any address, attempts are delayed but not refused."""

import pytest

from stratabase.members.attempts import FAILURE_WINDOW, username_key
from stratabase.members.refusals import TooManyFailures
from stratabase.members.sign_in.sign_in_limits import MAX_COUNTED_FAILURES
from tests.core.operations.sign_in_service import SignInService


@pytest.fixture
def service() -> SignInService:
    return SignInService()


def fail(service: SignInService, times: int, username: str = "Anna") -> None:
    """Record failures from this number of addresses."""
    for number in range(times):
        service.fail(1, username, f"2001:db8:0:{len(service.passwords.verified) + number:x}::1")


@pytest.mark.parametrize("username", ["Anna", "Carl"])
def test_the_delay_doubles_from_the_eleventh_failure_up_to_four_seconds(
    username: str, service: SignInService
) -> None:
    fail(service, 10, username)
    assert service.pauses == []
    fail(service, 7, username)
    assert service.pauses == [0.25, 0.5, 1, 2, 4, 4, 4]


def test_the_right_password_is_delayed_but_never_refused(service: SignInService) -> None:
    fail(service, 60)
    service.pauses.clear()
    assert service.admits("Anna", "right", "203.0.113.5")
    assert service.pauses == [4]


def test_remembered_credentials_are_not_delayed(service: SignInService) -> None:
    assert service.admits("Anna", "right")
    fail(service, 12)
    service.pauses.clear()
    assert service.admits("Anna", "right")
    assert service.pauses == []


def test_the_delay_precedes_the_verification(service: SignInService) -> None:
    """A client that disconnects does not get its answer earlier."""
    fail(service, 10)
    verified = len(service.passwords.verified)
    seen: list[int] = []
    service.sign_in._delay._pause = lambda _: seen.append(len(service.passwords.verified))
    fail(service, 1)
    assert seen == [verified]


def test_a_refused_attempt_is_not_delayed(service: SignInService) -> None:
    service.fail(10)
    for _ in range(2):
        with pytest.raises(TooManyFailures):
            service.sign_in("Anna", "right", "192.0.2.7")
    assert service.pauses == [0.25]


def test_other_names_are_not_delayed(service: SignInService) -> None:
    fail(service, 12)
    service.pauses.clear()
    assert service.admits("Bert", "other")
    assert service.pauses == []


def test_the_delay_ends_with_the_window(service: SignInService) -> None:
    fail(service, 12)
    service.pauses.clear()
    service.clock.instant += FAILURE_WINDOW
    assert service.admits("Anna", "right")
    assert service.pauses == []


def test_the_number_of_recorded_failures_is_bounded(service: SignInService) -> None:
    """Failures are recorded up to the longest delay. When some leave the window, others are recorded."""
    fail(service, 100)
    assert service.attempts.failures(username_key("Anna")) == MAX_COUNTED_FAILURES
    for _ in range(4):
        service.clock.instant += FAILURE_WINDOW // 4
        fail(service, MAX_COUNTED_FAILURES)
        assert service.pauses[-1] == 4
    assert service.attempts.failures(username_key("Anna")) == MAX_COUNTED_FAILURES
