"""On Lambda no attempt waits: a right password passes, and a wrong one beyond a threshold is refused."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.members.attempts import FAILURE_WINDOW, source_key, username_key
from stratabase.members.refusals import TooManyFailures
from stratabase.members.sign_in.sign_in_limits import (
    MAX_ATTEMPT_DURATION,
    MAX_COUNTED_FAILURES,
    MAX_FAILURES,
    FailureLimit,
)
from stratabase.values.messages import verbatim
from tests.core.operations.sign_in_service import ELSEWHERE, HOME, SignInService
from tests.fakes import FrozenClock
from tests.in_memory_attempts import InMemoryAttempts


@pytest.fixture
def service() -> SignInService:
    return SignInService(may_wait=False)


def guess(service: SignInService, number: int, username: str = "Anna") -> int | None:
    """Send a wrong password from an address of its own; return the time to wait if it is refused for that."""
    with pytest.raises((Unauthenticated, TooManyFailures)) as raised:
        service.sign_in(username, "wrong", f"2001:db8:0:{number:x}::1")
    return raised.value.retry_after if isinstance(raised.value, TooManyFailures) else None


@pytest.mark.parametrize("username", ["Anna", "Carl"])
def test_wrong_passwords_are_refused_from_the_eleventh_on(username: str, service: SignInService) -> None:
    """Unknown names are limited alike."""
    waits = [guess(service, number, username) for number in range(17)]
    assert waits == [*[None] * 10, 1, 1, 1, 2, 4, 4, 4]
    assert service.pauses == []
    assert len(service.passwords.verified) == 17


def test_a_right_password_passes_at_once(service: SignInService) -> None:
    for number in range(60):
        guess(service, number)
    assert service.admits("Anna", "right", "203.0.113.5")
    assert service.attempts.failures(username_key("Anna")) == MAX_COUNTED_FAILURES
    assert service.pauses == []


def test_the_refusal_of_a_name_ends_with_the_window(service: SignInService) -> None:
    for number in range(12):
        guess(service, number)
    service.clock.instant += FAILURE_WINDOW + 1
    assert guess(service, 13) is None


def test_the_limit_for_an_address_still_refuses_without_verifying(service: SignInService) -> None:
    service.fail(MAX_FAILURES)
    service.clock.instant += MAX_ATTEMPT_DURATION
    service.restart()
    for password in ("wrong", "right"):
        with pytest.raises(TooManyFailures):
            service.sign_in("Anna", password, HOME)
    assert len(service.passwords.verified) == MAX_FAILURES
    assert service.admits("Anna", "right", ELSEWHERE)


WRONG = Unauthenticated(verbatim("wrong"))


class Crowd:
    """A limit without waiting, with attempts that run in other processes."""

    def __init__(self) -> None:
        self.attempts = InMemoryAttempts()
        self.clock = FrozenClock()
        self.limit = FailureLimit(self.attempts, self.clock, None)

    @contextmanager
    def running(self, number: int) -> Iterator[None]:
        """Keep this number of attempts running."""
        if number == 0:
            yield
        else:
            with self.limit.attempt("key"), self.running(number - 1):
                yield


def test_many_right_passwords_at_once_all_pass() -> None:
    crowd = Crowd()
    with crowd.running(5 * MAX_FAILURES):
        assert crowd.attempts.failures("key") == 5 * MAX_FAILURES
    assert crowd.attempts.failures("key") == 0


def test_a_wrong_password_among_too_many_running_attempts_is_refused_and_counts() -> None:
    crowd = Crowd()
    with crowd.running(MAX_FAILURES):
        with pytest.raises(TooManyFailures) as raised, crowd.limit.attempt("key"):
            raise WRONG
        assert raised.value.retry_after == 1
    assert crowd.attempts.failures("key") == 1


def test_a_burst_of_wrong_passwords_ends_when_ten_have_certainly_failed() -> None:
    crowd = Crowd()
    for _ in range(MAX_FAILURES):
        with pytest.raises(Unauthenticated), crowd.limit.attempt("key"):
            raise WRONG
    other = FailureLimit(crowd.attempts, crowd.clock, None)
    with pytest.raises(TooManyFailures) as doubtful, other.attempt("key"):
        raise WRONG
    crowd.clock.instant += MAX_ATTEMPT_DURATION + 1
    with pytest.raises(TooManyFailures) as certain, other.attempt("key"):
        raise AssertionError("it is verified")
    assert (doubtful.value.retry_after, certain.value.retry_after > 800) == (1, True)


def test_a_doubtful_failure_counts_for_the_name_too(service: SignInService) -> None:
    key = source_key("Anna", HOME)
    now = service.clock.instant
    service.attempts.noted[key] = {f"running{number}": now for number in range(MAX_FAILURES)}
    with pytest.raises(TooManyFailures):
        service.sign_in("Anna", "wrong", HOME)
    assert service.attempts.failures(username_key("Anna")) == 1
