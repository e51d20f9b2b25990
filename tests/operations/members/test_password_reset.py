"""Password links: valid once, for an hour, stored as a hash; the old password stays valid until then."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from hashlib import sha256

import pytest

from stratabase.domain.issues.refusals import Forbidden, Unavailable
from stratabase.domain.members.mailed_link import LINK_LIFETIME, UnusableLink
from stratabase.domain.members.member import LINK_USED, Caller, MailedLink, Member
from stratabase.domain.members.password import PasswordPolicy, Weakness
from stratabase.domain.members.refusals import NoSuchMember, WeakPassword
from stratabase.formats.preferences import Formats
from stratabase.operations.members.password_reset import PasswordReset
from stratabase.operations.members.rules import MAX_ROUNDS
from tests.fakes import NOON, FrozenClock
from tests.in_memory_members import COMMON, InMemoryMembers, PlainPasswords
from tests.recording_mailer import RecordingMailer

BASE = "https://api.example.com/hr"
NEW = "correct horse battery"
ADMINISTRATOR = Caller("m9", "ada", "Administrator", administrator=True)
ANNA = Member("m1", "anna", "anna@example.com", "Clerk", password="hash of her old one")


@dataclass
class RecoveryFixture:
    """The password recovery with its fakes and one member."""

    members: InMemoryMembers = field(default_factory=lambda: InMemoryMembers(ANNA))
    mails: RecordingMailer = field(default_factory=RecordingMailer)
    clock: FrozenClock = field(default_factory=FrozenClock)
    passwords: PlainPasswords = field(default_factory=PlainPasswords)

    @property
    def recovery(self) -> PasswordReset:
        policy = PasswordPolicy(self.passwords.is_common, 12)
        return PasswordReset(
            self.members, self.passwords, self.mails, self.clock, policy=policy, application="Hr"
        )

    def anna(self) -> Member:
        member = self.members.by_id("m1")
        assert member is not None
        return member

    def edit(self, **fields: object) -> None:
        before = self.anna()
        self.members.change(before, replace(before, **fields))  # type: ignore[arg-type]

    def token(self) -> str:
        """Return the token of a new link."""
        self.recovery.start(ADMINISTRATOR, "m1", BASE)
        return self.mails.token


@pytest.fixture
def recovery_fixture() -> RecoveryFixture:
    return RecoveryFixture()


def test_a_link_is_mailed_to_the_member(recovery_fixture: RecoveryFixture) -> None:
    recovery_fixture.recovery.start(ADMINISTRATOR, "m1", BASE)
    (mail,) = recovery_fixture.mails.mails
    assert (mail.to, mail.subject) == ("anna@example.com", "Hr: choose a new password")
    assert (
        recovery_fixture.mails.link
        == f"{BASE}/public/administration/setPassword?token={recovery_fixture.mails.token}"
    )
    assert "anna" in mail.text


def test_only_a_hash_and_an_expiry_are_stored(recovery_fixture: RecoveryFixture) -> None:
    token = recovery_fixture.token()
    secret = token.rpartition(".")[2]
    stored = recovery_fixture.anna()
    assert stored.reset == MailedLink(sha256(secret.encode()).hexdigest(), NOON + LINK_LIFETIME)
    assert secret not in repr(stored)
    assert len(secret) == 43


def test_each_link_is_unique(recovery_fixture: RecoveryFixture) -> None:
    assert len({recovery_fixture.token() for _ in range(20)}) == 20


def test_the_old_password_is_valid_until_the_new_one_is_set(recovery_fixture: RecoveryFixture) -> None:
    before = recovery_fixture.anna()
    recovery_fixture.token()
    assert replace(recovery_fixture.anna(), reset=None) == before


def test_a_link_sets_the_password_and_invalidates_tokens(recovery_fixture: RecoveryFixture) -> None:
    token, before = recovery_fixture.token(), recovery_fixture.anna()
    member = recovery_fixture.recovery.finish(token, NEW)
    expected = replace(
        before,
        password=f"hash of {NEW}",
        generation=before.generation + 1,
        reset=replace(before.reset, until=LINK_USED),  # type: ignore[type-var] # there is one
    )
    assert (member, recovery_fixture.anna()) == (expected, expected)


def test_the_password_is_normalized_before_hashing(recovery_fixture: RecoveryFixture) -> None:
    recovery_fixture.recovery.finish(recovery_fixture.token(), "e\u0301" * 12)
    assert recovery_fixture.anna().password == "hash of " + "\u00e9" * 12


def test_a_link_works_once(recovery_fixture: RecoveryFixture) -> None:
    token = recovery_fixture.token()
    recovery_fixture.recovery.finish(token, NEW)
    with pytest.raises(UnusableLink) as caught:
        recovery_fixture.recovery.finish(token, "another good password")
    assert (caught.value.expired, caught.value.member) == (False, recovery_fixture.anna())
    assert recovery_fixture.anna().password == f"hash of {NEW}"


def test_only_the_newest_link_works(recovery_fixture: RecoveryFixture) -> None:
    old, new = recovery_fixture.token(), recovery_fixture.token()
    with pytest.raises(UnusableLink):
        recovery_fixture.recovery.inspect(old)
    assert recovery_fixture.recovery.inspect(new).id == "m1"


@pytest.mark.parametrize(("age", "good"), [(0, True), (LINK_LIFETIME - 1, True), (LINK_LIFETIME, False)])
def test_a_link_is_valid_for_an_hour(age: int, good: bool, recovery_fixture: RecoveryFixture) -> None:
    token = recovery_fixture.token()
    recovery_fixture.clock.instant += age
    if good:
        assert recovery_fixture.recovery.inspect(token).id == "m1"
        return
    with pytest.raises(UnusableLink) as caught:
        recovery_fixture.recovery.finish(token, NEW)
    assert (caught.value.expired, caught.value.member) == (True, recovery_fixture.anna())
    assert recovery_fixture.anna().password == ANNA.password


def test_only_the_right_token_of_an_expired_link_is_reported_as_expired(
    recovery_fixture: RecoveryFixture,
) -> None:
    token = recovery_fixture.token()
    recovery_fixture.clock.instant += LINK_LIFETIME
    with pytest.raises(UnusableLink) as caught:
        recovery_fixture.recovery.inspect(token[:-1] + ("A" if token[-1] != "A" else "B"))
    assert (caught.value.expired, caught.value.member) == (False, None)


STRANGE: list[Callable[[str], str]] = [
    lambda _: "",
    lambda _: ".",
    lambda token: token[:-1],
    lambda token: token + "A",
    lambda token: token + "\n",
    lambda token: "m2" + token[2:],
    lambda token: "M1" + token[2:],
    lambda token: token.replace(".", ".."),
    lambda token: token[:3] + "A" * 43,
    lambda token: token[:3] + "é" * 43,
    lambda token: token[3:],
    lambda token: "x" * 1_000_000 + token,
    lambda token: token[:3] + sha256(token[3:].encode()).hexdigest(),
    lambda token: "\ud800" + token,
]


@pytest.mark.parametrize("strange", STRANGE)
def test_a_wrong_token_is_refused(strange: Callable[[str], str], recovery_fixture: RecoveryFixture) -> None:
    token = recovery_fixture.token()
    with pytest.raises(UnusableLink):
        recovery_fixture.recovery.finish(strange(token), NEW)
    assert recovery_fixture.anna().password == ANNA.password
    assert recovery_fixture.recovery.inspect(token).id == "m1"


def test_no_token_is_valid_for_a_member_without_a_link(recovery_fixture: RecoveryFixture) -> None:
    with pytest.raises(UnusableLink):
        recovery_fixture.recovery.inspect("m1." + "A" * 43)


@pytest.mark.parametrize(
    ("password", "weaknesses"),
    [
        ("", {Weakness.SHORT}),
        ("12 letters?", {Weakness.SHORT}),
        ("x y" * 43, {Weakness.LONG}),
        (COMMON, {Weakness.COMMON}),
        (COMMON.upper(), {Weakness.COMMON}),
        ("ANNA@example.com", {Weakness.NAME}),
        ("a good one, but\x07", {Weakness.UNWRITABLE}),
        ("half a pair: \ud800", {Weakness.UNWRITABLE}),
    ],
)
def test_a_weak_password_changes_nothing(
    password: str, weaknesses: set[Weakness], recovery_fixture: RecoveryFixture
) -> None:
    token = recovery_fixture.token()
    before = recovery_fixture.anna()
    with pytest.raises(WeakPassword) as caught:
        recovery_fixture.recovery.finish(token, password)
    assert set(caught.value.weaknesses) == weaknesses
    assert "password" in str(caught.value)
    assert recovery_fixture.anna() == before
    recovery_fixture.recovery.finish(token, NEW)


def test_a_wrong_token_is_refused_before_the_password_is_checked(recovery_fixture: RecoveryFixture) -> None:
    recovery_fixture.token()
    with pytest.raises(UnusableLink):
        recovery_fixture.recovery.finish("m1." + "A" * 43, "short")


def test_an_unknown_member_is_reported(recovery_fixture: RecoveryFixture) -> None:
    with pytest.raises(NoSuchMember):
        recovery_fixture.recovery.start(ADMINISTRATOR, "m2", BASE)
    assert recovery_fixture.mails.mails == []


@pytest.mark.parametrize(("id_", "allowed"), [("m1", True), ("m2", False), ("m3", False)])
def test_members_get_links_only_for_themselves(
    id_: str, allowed: bool, recovery_fixture: RecoveryFixture
) -> None:
    recovery_fixture.members.add(Member("m2", "bert", "bert@example.com", "Clerk"))
    caller = Caller("m1", "anna", "Clerk")
    if allowed:
        recovery_fixture.recovery.start(caller, id_, BASE)
    else:
        with pytest.raises(Forbidden, match="Only administrators can"):
            recovery_fixture.recovery.start(caller, id_, BASE)
    assert len(recovery_fixture.mails.mails) == allowed


def test_a_disabled_member_gets_no_mail(recovery_fixture: RecoveryFixture) -> None:
    recovery_fixture.edit(disabled=True)
    with pytest.raises(Forbidden, match="anna"):
        recovery_fixture.recovery.start(ADMINISTRATOR, "m1", BASE)
    assert (recovery_fixture.mails.mails, recovery_fixture.anna().reset) == ([], None)


def test_the_link_of_a_disabled_member_is_refused_as_unknown(recovery_fixture: RecoveryFixture) -> None:
    token = recovery_fixture.token()
    recovery_fixture.edit(disabled=True)
    with pytest.raises(UnusableLink) as caught:
        recovery_fixture.recovery.finish(token, NEW)
    assert not caught.value.expired


def test_the_link_of_a_deleted_member_is_refused_as_unknown(recovery_fixture: RecoveryFixture) -> None:
    token = recovery_fixture.token()
    recovery_fixture.members.remove(recovery_fixture.anna())
    with pytest.raises(UnusableLink):
        recovery_fixture.recovery.finish(token, NEW)


def test_a_failed_mail_is_reported_and_changes_no_password(recovery_fixture: RecoveryFixture) -> None:
    recovery_fixture.mails.refuse = True
    before = recovery_fixture.anna()
    with pytest.raises(Unavailable):
        recovery_fixture.recovery.start(ADMINISTRATOR, "m1", BASE)
    assert replace(recovery_fixture.anna(), reset=None) == before


def test_a_member_without_a_password_gets_a_welcome_mail(recovery_fixture: RecoveryFixture) -> None:
    recovery_fixture.edit(password=None)
    recovery_fixture.recovery.invite("m1", BASE)
    token = recovery_fixture.mails.token
    assert recovery_fixture.mails.mails[-1].subject == "Hr: choose your password"
    assert recovery_fixture.recovery.finish(token, NEW).password == f"hash of {NEW}"


@pytest.mark.parametrize(
    ("language", "word"),
    [("en", "Hello"), ("it", "Ciao"), ("it-CH", "Ciao"), ("IT", "Ciao"), ("de", "Hello"), ("", "Hello")],
)
def test_mails_are_in_the_language_of_the_member(
    language: str, word: str, recovery_fixture: RecoveryFixture
) -> None:
    recovery_fixture.edit(formats=Formats(language=language))
    recovery_fixture.token()
    assert recovery_fixture.mails.mails[-1].text.startswith(word)


def test_braces_in_a_name_are_not_interpreted(recovery_fixture: RecoveryFixture) -> None:
    recovery_fixture.edit(username="{link} {0.__class__}")
    recovery_fixture.token()
    assert recovery_fixture.mails.mails[-1].text.startswith("Hello {link} {0.__class__},")


def test_a_concurrent_change_is_not_lost(recovery_fixture: RecoveryFixture) -> None:
    token = recovery_fixture.token()

    class Meddled(PlainPasswords):
        def hash(self, password: str) -> str:
            recovery_fixture.edit(notes="written while the password was hashed")
            return super().hash(password)

    recovery_fixture.passwords = Meddled()
    recovery_fixture.recovery.finish(token, NEW)
    after = recovery_fixture.anna()
    assert (after.notes, after.password) == ("written while the password was hashed", f"hash of {NEW}")


def test_a_password_is_checked_against_the_name_after_a_concurrent_rename(
    recovery_fixture: RecoveryFixture,
) -> None:
    token = recovery_fixture.token()

    class Meddled(PlainPasswords):
        def hash(self, password: str) -> str:
            recovery_fixture.edit(username=NEW)
            return super().hash(password)

    recovery_fixture.passwords = Meddled()
    with pytest.raises(WeakPassword):
        recovery_fixture.recovery.finish(token, NEW)


def test_a_reset_gives_up_after_repeated_conflicts(recovery_fixture: RecoveryFixture) -> None:
    class Restless(InMemoryMembers):
        rounds = 0

        def by_id(self, id_: str) -> Member | None:
            member = super().by_id(id_)
            assert member is not None
            self.rounds += 1
            super().change(member, replace(member, notes=str(self.rounds)))
            return member

    recovery_fixture.members = restless = Restless(ANNA)
    with pytest.raises(Unavailable):
        recovery_fixture.recovery.start(ADMINISTRATOR, "m1", BASE)
    assert restless.rounds == MAX_ROUNDS
