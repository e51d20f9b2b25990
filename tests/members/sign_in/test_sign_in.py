"""Sign-in: who is accepted, and how long credentials are remembered."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from stratabase.core.domain.caller import Caller, SentPassword
from stratabase.core.domain.issues.refusals import Forbidden, Unauthenticated, Unavailable
from stratabase.members.audit_entry import HOUR, AuditKind
from stratabase.members.member import Member, MemberKind
from stratabase.members.sign_in.callers import MEMBER_FRESHNESS
from stratabase.members.sign_in.sign_in import CREDENTIALS_FRESHNESS, MAX_VERIFIED_CREDENTIALS
from stratabase.values.messages import verbatim
from tests.core.operations.sign_in_service import ANNA, BERT, ELSEWHERE, GERMAN, HOME, SignInService
from tests.fakes import NOON
from tests.in_memory_members import InMemoryMembers
from tests.rows import each_row


@pytest.fixture
def service() -> SignInService:
    return SignInService()


def test_a_caller_has_the_data_of_the_member_and_the_profile(service: SignInService) -> None:
    known = Caller(
        "1", "Anna", "Boss", administrator=True, formats=GERMAN, generation=4, proof=SentPassword()
    )
    anna = replace(known, email="anna@example.com", notes="drinks tea")
    assert service.sign_in("Anna", "right", HOME) == anna
    assert service.sign_in("Bert", "other", HOME).administrator is False


def test_the_username_is_case_insensitive(service: SignInService) -> None:
    assert service.sign_in("aNNA", "right", HOME).username == "Anna"


WRONG = {
    "password": ("Anna", "wrong"),
    "no password": ("Anna", ""),
    "case of the password": ("Anna", "Right"),
    "another's password": ("Anna", "other"),
    "unknown name": ("Carl", "right"),
    "nothing": ("", ""),
    "half a character in the name": ("Anna\ud800", "right"),
    "half a character in the password": ("Anna", "right\udfff"),
    "endless name": ("Anna" * 100_000, "right"),
    "endless password": ("Anna", "right" * 100_000),
    "endless name, costly to bring into one spelling": ("a" + "\u0301\u0323" * 500_000, "right"),
    "endless password, costly likewise": ("Anna", "a" + "\u0301\u0323" * 500_000),
}


@pytest.mark.parametrize(("username", "password"), WRONG.values(), ids=WRONG)
def test_all_wrong_credentials_get_the_same_message_and_count(
    username: str, password: str, service: SignInService
) -> None:
    with pytest.raises(Unauthenticated, match=r"^The username or password is incorrect\.$"):
        service.sign_in(username, password, HOME)
    assert [len(noted) for noted in service.attempts.noted.values()] == [1, 1]


PORTS = {
    "members": ("by_id", "by_username", "roster", "any", "add", "change", "remove"),
    "passwords": ("verify",),
    "attempts": ("note", "withdraw", "count"),
}


def calls_of(service: SignInService, username: str, password: str) -> list[str]:
    """Return the calls of an attempt in order, each as the names of the port and the method."""
    calls: list[str] = []

    def watched(port: str, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def watch(*arguments: Any) -> Any:
            calls.append(f"{port}.{name}")
            return call(*arguments)

        return watch

    for port, names in PORTS.items():
        for name in names:
            setattr(getattr(service, port), name, watched(port, name, getattr(getattr(service, port), name)))
    service.admits(username, password)
    return calls


@each_row("failures_before", [0, 9, 12])
def test_an_unknown_name_costs_the_same_work_as_a_wrong_password(failures_before: int) -> None:
    """The slow work goes through ports. The sequence of calls and the pauses are the same."""
    cases = {
        "wrong password": ("Anna", ANNA),
        "unknown name": ("Carl", ANNA),
        "disabled": ("Anna", replace(ANNA, disabled=True)),
        "without a password": ("Anna", replace(ANNA, password=None)),
        "program": ("Anna", replace(ANNA, password=None, email="", kind=MemberKind.PROGRAM)),
    }
    work: dict[str, object] = {}
    for name, (username, member) in cases.items():
        service = SignInService(InMemoryMembers(member))
        for number in range(failures_before):
            service.fail(1, username, f"198.51.100.{number}")
        work[name] = calls_of(service, username, "guess"), service.pauses
    calls = ["attempts.count", "attempts.note", "members.by_username", "passwords.verify", "attempts.note"]
    assert work == dict.fromkeys(cases, (calls, [[], [], [0.25, 0.5, 1.0]][failures_before // 6]))


def test_a_disabled_member_is_refused_like_wrong_credentials(service: SignInService) -> None:
    service.change(replace(ANNA, disabled=True))
    assert calls_of(service, "Anna", "right") == calls_of(SignInService(), "Carl", "right")


def test_a_successful_sign_in_makes_these_calls(service: SignInService) -> None:
    calls = ["attempts.count", "attempts.note", "members.by_username", "passwords.verify"]
    assert calls_of(service, "Anna", "right") == [*calls, "attempts.withdraw"]


def test_remembered_credentials_make_no_calls(service: SignInService) -> None:
    assert service.admits("Anna", "right")
    assert calls_of(service, "Anna", "right") == []


def test_an_unknown_name_is_verified_against_no_password(service: SignInService) -> None:
    service.admits("Carl", "guess")
    service.admits("Anna", "guess")
    assert service.passwords.verified == [(None, "guess"), ("hash of right", "guess")]


def test_a_member_without_a_password_cannot_sign_in(service: SignInService) -> None:
    service.change(replace(ANNA, password=None))
    assert not service.admits("Anna", "")
    assert service.passwords.verified == [(None, "")]


def test_a_too_long_password_is_not_hashed(service: SignInService) -> None:
    assert not service.admits("Anna", "x" * 129)
    assert service.passwords.verified == []
    service.admits("Anna", "x" * 128)
    assert len(service.passwords.verified) == 1


def test_a_password_is_verified_after_normalization(service: SignInService) -> None:
    service.change(replace(ANNA, password="hash of " + "\u1fa7" * 128))
    assert service.admits("Anna", "\u03c9\u0314\u0342\u0345" * 128)


def test_good_credentials_are_verified_once_while_they_are_remembered(service: SignInService) -> None:
    for _ in range(CREDENTIALS_FRESHNESS // 1000):
        assert service.admits("Anna", "right")
        service.clock.instant += 1000
    assert len(service.passwords.verified) == 1
    assert service.admits("Anna", "right")
    assert len(service.passwords.verified) == 2


def test_remembered_credentials_are_valid_in_every_spelling_of_the_name(service: SignInService) -> None:
    assert service.admits("Anna", "right")
    assert service.admits("aNNA", "right")
    assert len(service.passwords.verified) == 1


def test_remembered_credentials_are_valid_only_from_their_own_network(service: SignInService) -> None:
    """Otherwise a blocked address could go on guessing the password of a member who signs in elsewhere."""
    assert service.admits("Anna", "right", HOME)
    assert service.admits("Anna", "right", ELSEWHERE)
    assert len(service.passwords.verified) == 2
    assert service.admits("Anna", "right", "2001:db8:1:2::1")
    assert service.admits("Anna", "right", "2001:db8:1:2::2")
    assert len(service.passwords.verified) == 3


def test_the_member_is_read_again_only_if_it_is_stale(service: SignInService) -> None:
    for _ in range(3):
        service.sign_in("Anna", "right", HOME)
    assert service.members.reads == 1
    service.clock.instant += MEMBER_FRESHNESS
    service.sign_in("Anna", "right", HOME)
    assert service.members.reads == 2


def test_wrong_credentials_are_never_remembered(service: SignInService) -> None:
    for _ in range(3):
        assert not service.admits("Anna", "wrong")
    assert len(service.passwords.verified) == 3


def test_a_remembered_password_allows_no_other(service: SignInService) -> None:
    assert service.admits("Anna", "right")
    assert not service.admits("Anna", "wrong")
    assert not service.admits("Bert", "right")


def test_name_and_password_are_separated_unambiguously() -> None:
    service = SignInService(InMemoryMembers(replace(ANNA, username="ab", password="hash of c")))
    assert service.admits("ab", "c")
    assert not service.admits("a", "bc")


@pytest.mark.parametrize(
    "changed",
    [
        replace(ANNA, disabled=True),
        replace(ANNA, password="hash of new"),
        replace(ANNA, password=None),
        replace(ANNA, id="another member of that name", password="hash of new"),
    ],
)
def test_a_change_of_a_member_ends_remembered_credentials(changed: Member, service: SignInService) -> None:
    assert service.admits("Anna", "right")
    service.change(changed)
    service.clock.instant += MEMBER_FRESHNESS
    assert not service.admits("Anna", "right")


def test_a_renamed_member_signs_in_only_under_the_new_name(service: SignInService) -> None:
    assert service.admits("Anna", "right")
    service.members.change(service.members.members["anna"], replace(ANNA, username="Anne"))
    service.clock.instant += MEMBER_FRESHNESS
    assert not service.admits("Anna", "right")
    assert service.admits("Anne", "right")


def test_a_deleted_member_cannot_sign_in(service: SignInService) -> None:
    assert service.admits("Anna", "right")
    del service.members.members["anna"]
    service.clock.instant += MEMBER_FRESHNESS
    assert not service.admits("Anna", "right")


def test_a_changed_profile_applies_when_the_member_is_read_again(service: SignInService) -> None:
    assert service.sign_in("Anna", "right", HOME).administrator
    service.change(replace(ANNA, profile="Clerk"))
    service.clock.instant += MEMBER_FRESHNESS
    assert not service.sign_in("Anna", "right", HOME).administrator
    assert len(service.passwords.verified) == 1


def test_a_clock_set_back_prolongs_no_remembered_credentials(service: SignInService) -> None:
    assert service.admits("Anna", "right")
    service.change(replace(ANNA, disabled=True))
    service.clock.instant -= 3_600_000
    assert not service.admits("Anna", "right")


def test_an_unknown_profile_is_reported_and_is_not_a_failure(service: SignInService) -> None:
    service.change(replace(ANNA, profile="Chief"))
    with pytest.raises(
        Forbidden,
        match=r"\"Chief\", which does not exist in the model. Profiles of the model: Boss and Clerk",
    ):
        service.sign_in("Anna", "right", HOME)
    assert not any(service.attempts.noted.values())


def test_memory_is_bounded_and_the_oldest_goes_first() -> None:
    members = [
        replace(ANNA, id=str(number), username=f"m{number}") for number in range(MAX_VERIFIED_CREDENTIALS + 1)
    ]
    service = SignInService(InMemoryMembers(*members))
    for member in members:
        service.sign_in(member.username, "right", HOME)
    service.sign_in(members[-1].username, "right", HOME)
    assert len(service.passwords.verified) == MAX_VERIFIED_CREDENTIALS + 1
    service.sign_in(members[0].username, "right", HOME)
    assert len(service.passwords.verified) == MAX_VERIFIED_CREDENTIALS + 2


def test_remembered_credentials_contain_no_password(service: SignInService) -> None:
    service.sign_in("Anna", "right", HOME)
    (cached,) = service.sign_in._credentials._verified._values.values()
    other = SignInService()
    other.sign_in("Anna", "right", HOME)
    (same,) = other.sign_in._credentials._verified._values.values()
    assert cached.fingerprint != same.fingerprint


@pytest.mark.parametrize("call", ["count", "note"])
@pytest.mark.parametrize("password", ["right", "wrong"])
def test_no_password_is_verified_if_attempts_cannot_be_counted(
    call: str, password: str, service: SignInService
) -> None:
    service.attempts.fails = {call}
    with pytest.raises(Unavailable):
        service.sign_in("Anna", password, HOME)
    assert service.passwords.verified == []


def test_a_failure_not_recordable_for_the_name_counts_for_the_address(service: SignInService) -> None:
    def verify_and_lose_the_store(*_: object) -> bool:
        service.attempts.fails = {"note"}
        return False

    service.passwords.verify = verify_and_lose_the_store  # type: ignore[method-assign, assignment]
    with pytest.raises(Unavailable):
        service.sign_in("Anna", "wrong", HOME)
    assert [len(noted) for noted in service.attempts.noted.values()] == [1]


def test_a_sign_in_succeeds_even_if_its_attempt_cannot_be_withdrawn(service: SignInService) -> None:
    service.attempts.fails = {"withdraw"}
    assert service.admits("Anna", "right")


def test_an_unavailable_member_store_counts_no_failure(service: SignInService) -> None:
    """Otherwise members with the right password would be refused after the failure."""

    def unreachable(_: str) -> Member:
        raise Unavailable(verbatim("not now"))

    service.members.by_username = unreachable  # type: ignore[method-assign, assignment]
    for _ in range(20):
        with pytest.raises(Unavailable, match="not now"):
            service.sign_in("Anna", "right", HOME)
    assert not any(service.attempts.noted.values())


def test_a_refusal_is_counted_for_the_member_who_has_the_name(service: SignInService) -> None:
    disabled = replace(BERT, disabled=True)
    service.members.members["bert"] = disabled
    for username, password in (("Anna", "wrong"), ("ANNA", "wrong"), ("bert", "other"), ("Carl", "right")):
        assert not service.admits(username, password)
    assert service.admits("Anna", "right")
    found = {each.member: each.count for each in service.members.trail.entries.values()}
    assert found == {"1": 2, "2": 1, "": 1}
    assert set(service.members.trail.kinds()) == {AuditKind.SIGN_IN_REFUSED}


def test_a_flood_of_unknown_names_has_one_entry_an_hour(service: SignInService) -> None:
    for number in range(500):
        assert not service.admits(f"name {number}", "wrong", f"192.0.2.{number % 250}")
    assert sum(each.count for each in service.members.trail.entries.values()) == 500
    # The clock of this service moves while attempts wait.
    assert len(service.members.trail.entries) <= service.clock.instant // HOUR - NOON // HOUR + 1


def test_a_refusal_makes_the_same_calls_for_known_and_unknown_names(service: SignInService) -> None:
    def calls(username: str) -> tuple[int, list[str], list[str], int]:
        trail, attempts = service.members.trail.calls, service.attempts.calls
        before = len(trail), len(attempts), service.members.reads, len(service.passwords.verified)
        assert not service.admits(username, "wrong")
        reads = service.members.reads - before[2]
        return reads, trail[before[0] :], attempts[before[1] :], len(service.passwords.verified) - before[3]

    assert calls("Anna") == calls("Carl") == calls("Bert") == calls("Dora")
    assert calls("Emil")[1] == ["count"]


def test_a_refusal_is_the_same_if_it_can_not_be_counted(service: SignInService) -> None:
    service.members.trail.is_down = True
    for username in ("Anna", "Carl"):
        with pytest.raises(Unauthenticated, match=r"^The username or password is incorrect\.$"):
            service.sign_in(username, "wrong", HOME)
    assert service.admits("Anna", "right")
