"""Who may come in, and for how long that is remembered."""

from dataclasses import dataclass, field, replace

import pytest

from stratabase.domain.member import Caller, Member
from stratabase.domain.refusal import Forbidden, Unauthenticated
from stratabase.model.formats import Formats
from stratabase.model.model import Profile
from stratabase.operations.sign_in import MEMBER_FRESHNESS, MOST_REMEMBERED, REMEMBERED_FOR, SignIn
from tests.members import DictMembers, PlainPasswords
from tests.worlds import FrozenClock

GERMAN = Formats("dd.MM.yyyy", "HH:mm", "Europe/Berlin", "de")
ANNA = Member("1", "Anna", "anna@example.com", "Boss", formats=GERMAN, password="hash of right")
BERT = Member("2", "Bert", "bert@example.com", "Clerk", password="hash of other")
PROFILES = {"Boss": Profile("Boss", administrator=True), "Clerk": Profile("Clerk")}


@dataclass
class Desk:
    """Where one signs in, with what is behind it."""

    members: DictMembers = field(default_factory=lambda: DictMembers(ANNA, BERT))
    passwords: PlainPasswords = field(default_factory=PlainPasswords)
    clock: FrozenClock = field(default_factory=FrozenClock)

    def __post_init__(self) -> None:
        self.sign_in = SignIn(self.members, self.passwords, PROFILES, self.clock)

    def admits(self, username: str, password: str) -> bool:
        try:
            self.sign_in(username, password)
        except Unauthenticated:
            return False
        return True

    def change(self, member: Member) -> None:
        self.members.members["anna"] = member


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_a_caller_has_what_the_member_and_its_profile_have(desk: Desk) -> None:
    assert desk.sign_in("Anna", "right") == Caller("1", "Anna", "Boss", administrator=True, formats=GERMAN)
    assert desk.sign_in("Bert", "other").administrator is False


def test_the_username_is_taken_in_any_case(desk: Desk) -> None:
    assert desk.sign_in("aNNA", "right").username == "Anna"


@pytest.mark.parametrize(
    ("username", "password"),
    [("Anna", "wrong"), ("Anna", ""), ("Anna", "Right"), ("Carl", "right"), ("", ""), ("Anna", "other")],
)
def test_all_wrong_credentials_get_the_same_words(username: str, password: str, desk: Desk) -> None:
    with pytest.raises(Unauthenticated, match=r"^The username or the password is wrong\.$"):
        desk.sign_in(username, password)


def test_an_unknown_name_costs_a_verification_as_a_known_one_does(desk: Desk) -> None:
    desk.admits("Carl", "guess")
    desk.admits("Anna", "guess")
    assert desk.passwords.verified == [(None, "guess"), ("hash of right", "guess")]


def test_a_disabled_member_costs_a_verification_too(desk: Desk) -> None:
    desk.change(replace(ANNA, disabled=True))
    assert not desk.admits("Anna", "right")
    assert len(desk.passwords.verified) == 1


def test_a_member_without_a_password_comes_in_with_none(desk: Desk) -> None:
    desk.change(replace(ANNA, password=None))
    assert not desk.admits("Anna", "")
    assert desk.passwords.verified == [(None, "")]


def test_a_password_of_endless_length_is_not_hashed(desk: Desk) -> None:
    assert not desk.admits("Anna", "x" * 129)
    assert desk.passwords.verified == []
    desk.admits("Anna", "x" * 128)
    assert len(desk.passwords.verified) == 1


def test_a_password_is_the_same_in_every_spelling_of_its_characters(desk: Desk) -> None:
    desk.change(replace(ANNA, password="hash of \u00e9" + "\u00e9" * 100))
    assert desk.admits("Anna", "e\u0301" * 101)


def test_good_credentials_are_verified_once_while_they_are_remembered(desk: Desk) -> None:
    for _ in range(REMEMBERED_FOR // 1000):
        assert desk.admits("Anna", "right")
        desk.clock.instant += 1000
    assert len(desk.passwords.verified) == 1
    assert desk.admits("Anna", "right")
    assert len(desk.passwords.verified) == 2


def test_the_member_is_read_again_only_when_it_is_not_fresh(desk: Desk) -> None:
    for _ in range(3):
        desk.sign_in("Anna", "right")
    assert desk.members.reads == 1
    desk.clock.instant += MEMBER_FRESHNESS
    desk.sign_in("Anna", "right")
    assert desk.members.reads == 2


def test_wrong_credentials_are_never_remembered(desk: Desk) -> None:
    for _ in range(3):
        assert not desk.admits("Anna", "wrong")
    assert len(desk.passwords.verified) == 3


def test_remembering_one_password_admits_no_other(desk: Desk) -> None:
    assert desk.admits("Anna", "right")
    assert not desk.admits("Anna", "wrong")
    assert not desk.admits("Bert", "right")


def test_where_the_name_ends_matters() -> None:
    desk = Desk(DictMembers(replace(ANNA, username="ab", password="hash of c")))
    assert desk.admits("ab", "c")
    assert not desk.admits("a", "bc")


@pytest.mark.parametrize(
    "changed",
    [
        replace(ANNA, disabled=True),
        replace(ANNA, password="hash of new"),
        replace(ANNA, password=None),
        replace(ANNA, id="another member of that name", password="hash of new"),
    ],
)
def test_a_change_ends_what_was_remembered(changed: Member, desk: Desk) -> None:
    assert desk.admits("Anna", "right")
    desk.change(changed)
    desk.clock.instant += MEMBER_FRESHNESS
    assert not desk.admits("Anna", "right")


def test_a_deleted_member_is_out(desk: Desk) -> None:
    assert desk.admits("Anna", "right")
    del desk.members.members["anna"]
    desk.clock.instant += MEMBER_FRESHNESS
    assert not desk.admits("Anna", "right")


def test_a_changed_profile_holds_as_soon_as_the_member_is_read(desk: Desk) -> None:
    assert desk.sign_in("Anna", "right").administrator
    desk.change(replace(ANNA, profile="Clerk"))
    desk.clock.instant += MEMBER_FRESHNESS
    assert not desk.sign_in("Anna", "right").administrator
    assert len(desk.passwords.verified) == 1


def test_a_clock_that_is_put_back_lets_nobody_stay_longer(desk: Desk) -> None:
    assert desk.admits("Anna", "right")
    desk.change(replace(ANNA, disabled=True))
    desk.clock.instant -= 3_600_000
    assert not desk.admits("Anna", "right")


def test_a_profile_that_the_model_does_not_have_is_told(desk: Desk) -> None:
    desk.change(replace(ANNA, profile="Chief"))
    with pytest.raises(
        Forbidden, match=r"\"Chief\", which the model does not have; its profiles are Boss, Clerk"
    ):
        desk.sign_in("Anna", "right")


def test_memory_is_bounded_and_the_oldest_goes_first() -> None:
    members = [replace(ANNA, username=f"m{number}") for number in range(MOST_REMEMBERED + 1)]
    desk = Desk(DictMembers(*members))
    for member in members:
        desk.sign_in(member.username, "right")
    desk.sign_in(members[-1].username, "right")
    assert len(desk.passwords.verified) == MOST_REMEMBERED + 1
    desk.sign_in(members[0].username, "right")
    assert len(desk.passwords.verified) == MOST_REMEMBERED + 2


def test_what_is_remembered_is_no_password(desk: Desk) -> None:
    desk.sign_in("Anna", "right")
    (fingerprint,) = desk.sign_in._known
    other = Desk()
    other.sign_in("Anna", "right")
    assert fingerprint not in other.sign_in._known
