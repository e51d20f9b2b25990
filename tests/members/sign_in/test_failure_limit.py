"""After ten wrong passwords for a name from one address, attempts are refused for a while."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import repeat
from threading import Barrier

import pytest

from stratabase.core.domain.issues.refusals import Unauthenticated, Unavailable
from stratabase.members.attempts import FAILURE_WINDOW, source_key
from stratabase.members.refusals import TooManyFailures
from stratabase.members.sign_in.sign_in import MAX_REFUSALS
from stratabase.members.sign_in.sign_in_limits import MAX_ATTEMPT_DURATION, MAX_FAILURES, FailureLimit
from stratabase.values.messages import verbatim
from tests.contract.engine.engine_calls import run_concurrently
from tests.core.operations.sign_in_service import ELSEWHERE, HOME, SPACING, SignInService
from tests.fakes import FrozenClock
from tests.in_memory_attempts import InMemoryAttempts
from tests.rows import each_row


@pytest.fixture
def service() -> SignInService:
    return SignInService()


def refusal(
    service: SignInService, username: str = "Anna", password: str = "right", address: str = HOME
) -> int:
    """Return the seconds after which a refused caller may try again."""
    with pytest.raises(TooManyFailures) as raised:
        service.sign_in(username, password, address)
    return raised.value.retry_after


def test_ten_failures_are_allowed_and_the_eleventh_attempt_is_refused(service: SignInService) -> None:
    service.fail(MAX_FAILURES)
    assert 0 <= (FAILURE_WINDOW - MAX_FAILURES * SPACING) // 1000 - refusal(service, password="wrong") <= 1
    assert len(service.passwords.verified) == MAX_FAILURES


def test_the_right_password_is_refused_beyond_the_limit(service: SignInService) -> None:
    """Otherwise guessing could continue, and the response would show which guess was right."""
    service.fail(MAX_FAILURES)
    refusal(service)
    assert len(service.passwords.verified) == MAX_FAILURES


def test_the_tenth_attempt_may_be_the_right_one(service: SignInService) -> None:
    service.fail(MAX_FAILURES - 1)
    assert service.admits("Anna", "right")


def test_a_success_does_not_reset_the_failures(service: SignInService) -> None:
    """Otherwise a member could guess another's password between their own sign-ins."""
    service.fail(MAX_FAILURES - 1)
    assert service.admits("Anna", "right")
    service.fail(1)
    service.restart()
    refusal(service)


def test_a_success_never_counts(service: SignInService) -> None:
    for _ in range(3 * MAX_FAILURES):
        assert service.admits("Anna", "right")
        service.restart()


def test_other_names_and_other_addresses_are_unaffected(service: SignInService) -> None:
    service.fail(MAX_FAILURES)
    assert service.admits("Bert", "other")
    assert service.admits("Anna", "right", ELSEWHERE)


def test_the_name_counts_in_every_spelling(service: SignInService) -> None:
    for spelled in ("anné", "ANNE\u0301", "Anne\u0301", "aNNÉ", "annÉ"):
        service.fail(MAX_FAILURES // 5, spelled)
    refusal(service, "Anné")


def test_unknown_names_are_limited_in_the_same_way(service: SignInService) -> None:
    service.fail(MAX_FAILURES, "Carl")
    unknown = refusal(service, "Carl")
    other = SignInService()
    other.fail(MAX_FAILURES)
    assert refusal(other) == unknown


@pytest.mark.parametrize("username", ["", "x" * 100_000, "\ud800"], ids=["empty", "endless", "half"])
def test_invalid_names_are_limited_in_the_same_way(username: str, service: SignInService) -> None:
    service.fail(MAX_FAILURES, username)
    refusal(service, username)


@each_row(
    ("first", "second", "same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", True),
        ("2001:db8:1:2::1", "2001:DB8:1:2::1", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("fe80::1%eth0", "fe80::2", True),
        ("192.0.2.7", "::ffff:192.0.2.7", True),
        ("192.0.2.7", "::ffff:c000:207", True),
        ("192.0.2.7", "::ffff:192.0.2.8", False),
        ("192.0.2.7", "192.0.2.8", False),
        ("192.0.2.7", "2001:db8::c000:207", False),
        ("", "", True),
        ("no address", "no address either", False),
    ],
)
def test_addresses_are_distinguished_by_network(first: str, second: str, same: bool) -> None:
    assert (source_key("anna", first) == source_key("anna", second)) is same


def test_name_and_address_are_separated_unambiguously_in_a_key() -> None:
    assert source_key("anna1", "92.0.2.7") != source_key("anna", "192.0.2.7")


@each_row("username", ["", "anna", "x" * 100_000, "a" + "\u0301\u0323" * 500_000, "\ud800"])
def test_a_key_has_a_fixed_length_and_reveals_no_name(username: str) -> None:
    key = source_key(username, "y" * 100_000)
    assert len(key) == 40
    assert username == "" or username not in key


def test_the_refusal_ends_when_the_oldest_failure_has_left_the_window(service: SignInService) -> None:
    service.fail(MAX_FAILURES)
    service.clock.instant += refusal(service) * 1000 - 1
    assert refusal(service) == 1
    service.clock.instant += 1
    assert service.admits("Anna", "right")


def test_after_a_refusal_failures_are_allowed_as_earlier_ones_leave_the_window(
    service: SignInService,
) -> None:
    """The failures leave the window as they came."""
    service.fail(MAX_FAILURES, spacing=60_000)
    service.clock.instant += refusal(service) * 1000
    for _ in range(3):
        assert not service.admits("Anna", "wrong")
        wait = refusal(service)
        assert 50 <= wait <= 60
        service.clock.instant += wait * 1000


def test_refused_attempts_do_not_prolong_the_refusal(service: SignInService) -> None:
    service.fail(MAX_FAILURES)
    end = service.clock.instant + refusal(service, password="wrong") * 1000
    for _ in range(100):
        service.restart()
        assert abs(service.clock.instant + refusal(service, password="wrong") * 1000 - end) < 1000
    assert service.attempts.failures(source_key("Anna", HOME)) == MAX_FAILURES


def test_a_process_caches_a_refusal(service: SignInService) -> None:
    service.fail(MAX_FAILURES)
    refusal(service)
    service.attempts.calls.clear()
    refusal(service)
    assert (service.attempts.calls, service.members.reads) == ([], MAX_FAILURES)


def test_a_process_does_not_wait_for_attempts_that_it_saw_fail(service: SignInService) -> None:
    service.fail(MAX_FAILURES, spacing=0)
    refusal(service)
    assert service.pauses == [0.25]  # for the name


def test_another_process_is_bound_by_the_same_failures(service: SignInService) -> None:
    service.fail(MAX_FAILURES)
    service.restart()
    refusal(service)


def test_remembered_credentials_stay_valid_during_a_refusal(service: SignInService) -> None:
    assert service.admits("Anna", "right")
    service.fail(MAX_FAILURES)
    assert refusal(service, password="wrong") > 0
    assert service.admits("Anna", "right")


@pytest.mark.parametrize("spelled", ["Anna", "ANNA"])
def test_a_blocked_address_learns_nothing_while_the_member_signs_in_elsewhere(
    spelled: str, service: SignInService
) -> None:
    """Wrong passwords and the right one get the same refusal."""
    service.fail(MAX_FAILURES)
    for _ in range(20):
        assert service.admits("Anna", "right", ELSEWHERE)
        assert refusal(service, spelled, "right") == refusal(service, spelled, "wrong")
        service.clock.instant += SPACING
    assert len(service.passwords.verified) == MAX_FAILURES + 1


def test_whoever_shares_a_blocked_address_with_the_member_has_ten_guesses(service: SignInService) -> None:
    """The member, too, is then refused from there."""
    assert service.admits("Anna", "right")
    service.fail(MAX_FAILURES)
    for _ in range(MAX_REFUSALS):
        assert service.admits("Anna", "right")
        refusal(service, password="wrong")
    refusal(service)
    assert service.admits("Anna", "right", ELSEWHERE)


def test_a_clock_set_back_prolongs_no_refusal_beyond_the_window(service: SignInService) -> None:
    service.clock.instant += 365 * 86_400_000
    service.fail(MAX_FAILURES)
    refusal(service)
    service.clock.instant -= 365 * 86_400_000
    assert service.admits("Anna", "right")


# Those under way at the same time, of whom nobody knows yet whether they are right.


@pytest.fixture
def attempts() -> InMemoryAttempts:
    return InMemoryAttempts()


class LimitFixture:
    """A limit whose pauses call functions."""

    def __init__(self, attempts: InMemoryAttempts, clock: FrozenClock | None = None) -> None:
        self.clock = clock or FrozenClock()
        self.pauses: list[float] = []
        self.meanwhile: Iterator[Callable[[], None]] = iter(())
        """What happens during each pause."""
        self.limit = FailureLimit(attempts, self.clock, self.pause)

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.clock.instant += round(seconds * 1000)
        next(self.meanwhile, lambda: None)()

    @contextmanager
    def under_way(self, number: int) -> Iterator[None]:
        """Keep this number of attempts running."""
        if number == 0:
            yield
        else:
            with self.limit.attempt("key"), self.under_way(number - 1):
                yield


def test_an_attempt_waits_for_ten_pending_ones_and_is_then_allowed(attempts: InMemoryAttempts) -> None:
    """Eleven requests at once with the right password, each in another process, are all right."""
    fixture = LimitFixture(attempts)
    crowd = ExitStack()
    crowd.enter_context(fixture.under_way(MAX_FAILURES))
    fixture.meanwhile = iter([lambda: None, crowd.close])
    with fixture.limit.attempt("key"):
        assert len(fixture.pauses) == 2
        assert attempts.failures("key") == 1
    assert attempts.failures("key") == 0


def test_attempts_pending_for_too_long_count_as_failures(attempts: InMemoryAttempts) -> None:
    fixture = LimitFixture(attempts)
    with fixture.under_way(MAX_FAILURES):
        with pytest.raises(TooManyFailures), fixture.limit.attempt("key"):
            raise AssertionError("it is let in")
        assert sum(fixture.pauses) * 1000 > MAX_ATTEMPT_DURATION
        assert attempts.failures("key") == MAX_FAILURES


def test_an_attempt_blocked_by_pending_ones_may_retry_after_a_second(attempts: InMemoryAttempts) -> None:
    fixture = LimitFixture(attempts)

    def new_crowd() -> None:
        attempts.noted["key"] = {f"new{number}": fixture.clock.instant for number in range(MAX_FAILURES)}

    new_crowd()
    fixture.meanwhile = repeat(new_crowd)
    with pytest.raises(TooManyFailures) as raised, fixture.limit.attempt("key"):
        raise AssertionError("it is let in")
    assert raised.value.retry_after == 1
    fixture.limit.check("key")  # nobody is known to have failed


def test_ten_of_a_burst_of_guesses_are_verified(attempts: InMemoryAttempts) -> None:
    """All failures are recorded before the first guess is verified."""
    fixture = LimitFixture(attempts)
    verified: list[int] = []
    all_noted = Barrier(MAX_FAILURES, timeout=60)

    def guess(number: int) -> type[Exception] | None:
        try:
            with fixture.limit.attempt("key"):
                all_noted.wait()
                verified.append(number)
                raise Unauthenticated(verbatim("wrong"))  # noqa: TRY301 - as a wrong password does
        except (Unauthenticated, TooManyFailures) as refusal:
            return type(refusal)

    outcomes = run_concurrently(*(lambda number=number: guess(number) for number in range(40)))
    assert len(verified) == MAX_FAILURES
    assert outcomes.count(TooManyFailures) == 30


def test_an_attempt_that_ends_with_an_error_does_not_count(attempts: InMemoryAttempts) -> None:
    fixture = LimitFixture(attempts)
    with pytest.raises(Unavailable), fixture.limit.attempt("key"):
        raise Unavailable(verbatim("the members cannot be read"))
    assert attempts.failures("key") == 0
