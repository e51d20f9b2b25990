"""Password links: valid once, for an hour, stored as a hash; the old password stays valid until then."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from hashlib import sha256

import pytest

from stratabase.core.domain.caller import Caller, SentPassword
from stratabase.core.domain.issues.refusals import Forbidden, Unavailable
from stratabase.members.credentials import ProviderLink
from stratabase.members.mailed_link import LINK_LIFETIME, UnusableLink
from stratabase.members.member import LINK_USED, MAX_RESET_LINKS, MailedLink, Member, MemberKind, reset_links
from stratabase.members.operations.password_reset import PasswordReset
from stratabase.members.operations.rules import MAX_ROUNDS
from stratabase.members.password import PasswordPolicy
from stratabase.members.refusals import BadMember, RecipientRefused, WeakPassword
from tests.fakes import NOON, FrozenClock
from tests.in_memory_members import InMemoryMembers, PlainPasswords
from tests.recording_mailer import RecordingMailer
from tests.rows import each_row

BASE = "https://api.example.com/hr"
NEW = "correct horse battery"
ADMINISTRATOR = Caller("m9", "ada", "Administrator", administrator=True, proof=SentPassword())
ANNA = Member("m1", "anna", "anna@example.com", "Clerk", password="hash of her old one")


@dataclass
class PasswordResetFixture:
    """The password reset with its fakes and one member."""

    members: InMemoryMembers = field(default_factory=lambda: InMemoryMembers(ANNA))
    mails: RecordingMailer = field(default_factory=RecordingMailer)
    clock: FrozenClock = field(default_factory=FrozenClock)
    passwords: PlainPasswords = field(default_factory=PlainPasswords)

    @property
    def password_reset(self) -> PasswordReset:
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
        self.password_reset.start(ADMINISTRATOR, "m1", BASE)
        return self.mails.token


@pytest.fixture
def fixture() -> PasswordResetFixture:
    return PasswordResetFixture()


def test_a_member_of_a_provider_is_led_to_the_page_for_signing_in(fixture: PasswordResetFixture) -> None:
    """And gets no link to set a password. With a password, it is as for all others."""
    link = ProviderLink("https://id.example.com", "1", "id", 0)
    fixture.edit(password=None, links=(link,))
    fixture.password_reset.start(ADMINISTRATOR, "m1", BASE)
    (mail,) = fixture.mails.mails
    assert mail.to == "anna@example.com"
    assert f"\n{BASE}/public/signIn\n" in mail.text
    assert "token=" not in mail.text
    assert fixture.anna().reset is None
    assert "token=" in fixture.password_reset.make_link(ADMINISTRATOR, "m1", BASE), "an administrator can"
    fixture.edit(password="hash of another one")
    assert fixture.token()


def test_a_disabled_member_of_a_provider_gets_no_mail(fixture: PasswordResetFixture) -> None:
    link = ProviderLink("https://id.example.com", "1", "id", 0)
    fixture.edit(password=None, links=(link,), disabled=True)
    with pytest.raises(Forbidden):
        fixture.password_reset.start(ADMINISTRATOR, "m1", BASE)
    assert fixture.mails.mails == []


def test_only_a_hash_and_an_expiry_are_stored(fixture: PasswordResetFixture) -> None:
    token = fixture.token()
    secret = token.rpartition(".")[2]
    stored = fixture.anna()
    assert stored.reset == MailedLink(sha256(secret.encode()).hexdigest(), NOON + LINK_LIFETIME)
    assert secret not in repr(stored)
    assert len(secret) == 43


def test_each_link_is_unique(fixture: PasswordResetFixture) -> None:
    assert len({fixture.token() for _ in range(20)}) == 20


def test_a_link_sets_the_password_and_invalidates_tokens(fixture: PasswordResetFixture) -> None:
    token, before = fixture.token(), fixture.anna()
    member = fixture.password_reset.finish(token, NEW)
    expected = replace(
        before,
        password=f"hash of {NEW}",
        generation=before.generation + 1,
        reset=replace(before.reset, until=LINK_USED),  # type: ignore[type-var] # there is one
    )
    assert (member, fixture.anna()) == (expected, expected)


def test_earlier_links_stay_valid_until_one_is_used(fixture: PasswordResetFixture) -> None:
    tokens = [fixture.token() for _ in range(3)]
    assert {fixture.password_reset.inspect(token).id for token in tokens} == {"m1"}
    fixture.password_reset.finish(tokens[1], NEW)
    for token in tokens:
        with pytest.raises(UnusableLink) as caught:
            fixture.password_reset.inspect(token)
        assert caught.value.member == fixture.anna()


def test_each_link_expires_by_itself(fixture: PasswordResetFixture) -> None:
    old = fixture.token()
    fixture.clock.instant += LINK_LIFETIME - 1
    new = fixture.token()
    fixture.clock.instant += 1
    with pytest.raises(UnusableLink):
        fixture.password_reset.inspect(old)
    assert fixture.password_reset.inspect(new).id == "m1"
    fixture.token()
    assert [link.until for link in reset_links(fixture.anna())] == [
        fixture.clock.instant - 1 + LINK_LIFETIME,
        fixture.clock.instant + LINK_LIFETIME,
    ], "expired links go"


def test_a_member_has_a_limited_number_of_links(fixture: PasswordResetFixture) -> None:
    tokens = [fixture.token() for _ in range(MAX_RESET_LINKS + 1)]
    assert len(reset_links(fixture.anna())) == MAX_RESET_LINKS
    assert fixture.password_reset.inspect(tokens[1]).id == "m1"
    with pytest.raises(UnusableLink):
        fixture.password_reset.inspect(tokens[0])


def test_a_link_that_nobody_got_ends(fixture: PasswordResetFixture) -> None:
    """Otherwise links that were never mailed could displace those that were."""
    mailed = fixture.token()
    fixture.mails.unknown = fixture.anna().email
    for number in range(MAX_RESET_LINKS):
        fixture.mails.refuse = number % 2 == 0
        with pytest.raises((RecipientRefused, Unavailable)):
            fixture.password_reset.start(ADMINISTRATOR, "m1", BASE)
    assert len(reset_links(fixture.anna())) == 1
    assert fixture.password_reset.inspect(mailed).id == "m1"


@each_row(("age", "good"), [(0, True), (LINK_LIFETIME - 1, True), (LINK_LIFETIME, False)])
def test_a_link_is_valid_for_an_hour(age: int, good: bool, fixture: PasswordResetFixture) -> None:
    token = fixture.token()
    fixture.clock.instant += age
    if good:
        assert fixture.password_reset.inspect(token).id == "m1"
        return
    with pytest.raises(UnusableLink) as caught:
        fixture.password_reset.finish(token, NEW)
    assert (caught.value.expired, caught.value.member) == (True, fixture.anna())
    assert fixture.anna().password == ANNA.password


def test_only_the_right_token_of_an_expired_link_is_reported_as_expired(
    fixture: PasswordResetFixture,
) -> None:
    token = fixture.token()
    fixture.clock.instant += LINK_LIFETIME
    with pytest.raises(UnusableLink) as caught:
        fixture.password_reset.inspect(token[:-1] + ("A" if token[-1] != "A" else "B"))
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


@each_row("strange", STRANGE)
def test_a_wrong_token_is_refused(strange: Callable[[str], str], fixture: PasswordResetFixture) -> None:
    token = fixture.token()
    with pytest.raises(UnusableLink):
        fixture.password_reset.finish(strange(token), NEW)
    assert fixture.anna().password == ANNA.password
    assert fixture.password_reset.inspect(token).id == "m1"


def test_the_link_of_a_deleted_member_is_refused_as_unknown(fixture: PasswordResetFixture) -> None:
    token = fixture.token()
    fixture.members.remove(fixture.anna())
    with pytest.raises(UnusableLink):
        fixture.password_reset.finish(token, NEW)


def test_a_member_without_a_password_gets_a_welcome_mail(fixture: PasswordResetFixture) -> None:
    fixture.edit(password=None)
    fixture.password_reset.invite("m1", BASE)
    token = fixture.mails.token
    assert fixture.mails.mails[-1].subject == "Hr: choose your password"
    assert fixture.password_reset.finish(token, NEW).password == f"hash of {NEW}"


def test_a_program_gets_no_link(fixture: PasswordResetFixture) -> None:
    fixture.members.add(Member("m3", "robot", "", "Clerk", kind=MemberKind.PROGRAM))
    for ask in (fixture.password_reset.start, fixture.password_reset.make_link):
        with pytest.raises(BadMember, match=r'^"robot" is a program and has no password'):
            ask(ADMINISTRATOR, "m3", BASE)
    assert fixture.mails.mails == []
    robot = fixture.members.by_id("m3")
    assert robot is not None
    assert reset_links(robot) == ()


def test_a_concurrent_change_is_not_lost(fixture: PasswordResetFixture) -> None:
    token = fixture.token()

    class Meddled(PlainPasswords):
        def hash(self, password: str) -> str:
            fixture.edit(notes="written while the password was hashed")
            return super().hash(password)

    fixture.passwords = Meddled()
    fixture.password_reset.finish(token, NEW)
    after = fixture.anna()
    assert (after.notes, after.password) == ("written while the password was hashed", f"hash of {NEW}")


def test_a_password_is_checked_against_the_name_after_a_concurrent_rename(
    fixture: PasswordResetFixture,
) -> None:
    token = fixture.token()

    class Meddled(PlainPasswords):
        def hash(self, password: str) -> str:
            fixture.edit(username=NEW)
            return super().hash(password)

    fixture.passwords = Meddled()
    with pytest.raises(WeakPassword):
        fixture.password_reset.finish(token, NEW)


def test_a_reset_gives_up_after_repeated_conflicts(fixture: PasswordResetFixture) -> None:
    class Restless(InMemoryMembers):
        rounds = 0

        def by_id(self, id_: str) -> Member | None:
            member = super().by_id(id_)
            assert member is not None
            self.rounds += 1
            super().change(member, replace(member, notes=str(self.rounds)))
            return member

    fixture.members = restless = Restless(ANNA)
    with pytest.raises(Unavailable):
        fixture.password_reset.start(ADMINISTRATOR, "m1", BASE)
    assert restless.rounds == MAX_ROUNDS
