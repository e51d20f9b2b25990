"""API keys: whom they stand for, what they are refused for, and what that costs."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from stratabase.core.domain.caller import Caller, SentKey
from stratabase.core.domain.issues.refusals import Forbidden, Refusal, Unauthenticated
from stratabase.core.model.model import Profile
from stratabase.members.audit_entry import HOUR
from stratabase.members.credentials import ApiKey
from stratabase.members.key_text import key_hash, new_key_text
from stratabase.members.member import Member
from stratabase.members.sign_in.callers import MEMBER_FRESHNESS, CallerFactory, MemberCache
from stratabase.members.sign_in.key_verifier import KeyVerifier
from tests.fakes import NOON, FrozenClock
from tests.in_memory_members import InMemoryMembers
from tests.rows import each_row

PROFILES = {
    "Boss": Profile("Boss", administrator=True),
    "Manager": Profile("Manager"),
    "Reporter": Profile("Reporter", within=("Manager",)),
    "Trainee": Profile("Trainee", within=("Reporter",)),
    "Other": Profile("Other"),
}
ANNA, BERT = "06h0591rh9cjbrhjuu6ae1f0ok", "06h0593dq73cnpjf43obui653c"
NOBODY = "06h0593dq73cnpjf43obui653g"
TEXT = new_key_text(ANNA)
KEY = ApiKey("k1", "nightly", key_hash(TEXT), NOON)
ADDRESS = "203.0.113.7"


def anna(*keys: ApiKey) -> Member:
    return Member(ANNA, "anna", "anna@example.com", "Manager", keys=keys)


def _members() -> InMemoryMembers:
    return InMemoryMembers(anna(KEY), Member(BERT, "bert", "bert@example.com", "Manager"))


@dataclass
class KeyProcess:
    """A process that verifies keys."""

    members: InMemoryMembers = field(default_factory=_members)
    clock: FrozenClock = field(default_factory=FrozenClock)
    used: list[tuple[str, str, int]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cache = MemberCache(self.members, self.clock)
        self._keys = KeyVerifier(
            self.cache,
            CallerFactory(PROFILES),
            PROFILES,
            self.clock,
            lambda member, key, hour: self.used.append((member, key, hour)),
            self.refused.append,
        )

    def caller(self, text: str = TEXT, address: str = ADDRESS) -> Caller:
        return self._keys.caller(text, address)

    def refusal(self, text: str = TEXT, address: str = ADDRESS) -> Refusal:
        with pytest.raises(Refusal) as caught:
            self.caller(text, address)
        return caught.value

    def reads(self, text: str) -> int:
        """Return how many reads a refused key costs."""
        before = self.members.reads
        assert self.refusal(text).message == REFUSED
        return self.members.reads - before

    def change(self, change: Callable[[Member], Member]) -> None:
        stored = self.members.by_id(ANNA)
        assert stored is not None
        self.members.change(stored, change(stored))


REFUSED = KeyProcess().refusal("stratabase_x").message


@pytest.fixture
def process() -> KeyProcess:
    return KeyProcess()


def test_a_key_stands_for_its_member(process: KeyProcess) -> None:
    caller = process.caller()
    assert (caller.id, caller.username, caller.profile, caller.administrator) == (
        ANNA,
        "anna",
        "Manager",
        False,
    )
    assert caller.proof == SentKey("k1")


def test_a_warm_key_costs_no_read_and_no_new_caller(process: KeyProcess) -> None:
    first = process.caller()
    reads = process.members.reads
    assert all(process.caller() is first for _ in range(10))
    assert process.members.reads == reads
    process.clock.instant += MEMBER_FRESHNESS
    assert process.caller() == first
    assert process.members.reads == reads + 1


def test_a_key_shares_the_cached_member_with_other_credentials(process: KeyProcess) -> None:
    process.cache(ANNA)
    reads = process.members.reads
    assert process.caller().id == ANNA
    assert process.members.reads == reads


@each_row(
    "text",
    [
        "stratabase_",
        TEXT[:-1],
        TEXT + "0",
        TEXT[:-1] + ("0" if TEXT[-1] != "0" else "1"),
        TEXT.replace(ANNA, BERT),
        TEXT.swapcase(),
        f"stratabase_{'0' * 100_000}",
        "stratabase_é",
        "stratabase_\ud800",
    ],
)
def test_a_text_that_can_be_no_key_is_refused_before_anything_is_read(text: str) -> None:
    assert KeyProcess().reads(text) == 0


def test_a_wrong_key_costs_one_read_whoever_it_names(process: KeyProcess) -> None:
    """Nobody learns whether a member exists, has keys, is disabled, or has just sent a request."""
    process.change(lambda member: replace(member, keys=(KEY, replace(KEY, id="k2", hash="0" * 64))))
    for each in (NOBODY, BERT, ANNA, ANNA, BERT, NOBODY):
        assert process.reads(new_key_text(each)) == 1
    process.caller()
    assert process.reads(new_key_text(ANNA)) == 1
    process.change(lambda member: replace(member, disabled=True))
    assert process.reads(new_key_text(ANNA)) == 1


def test_a_new_key_works_at_once_in_a_process_that_knows_the_member(process: KeyProcess) -> None:
    process.caller()
    text = new_key_text(ANNA)
    process.change(lambda member: replace(member, keys=(KEY, ApiKey("k2", "new", key_hash(text), NOON))))
    assert process.caller(text).proof == SentKey("k2")
    assert process.caller().proof == SentKey("k1")


ENDS = {
    "ended": lambda member: replace(member, keys=()),
    "disabled": lambda member: replace(member, disabled=True),
}


@each_row("end", ENDS.values())
def test_a_key_ends_within_three_seconds(end: Callable[[Member], Member]) -> None:
    process = KeyProcess()
    process.caller()
    process.change(end)
    process.clock.instant += MEMBER_FRESHNESS - 1
    assert process.caller().id == ANNA
    process.clock.instant += 1
    refusal = process.refusal()
    assert isinstance(refusal, Unauthenticated)
    assert refusal.message == REFUSED


def test_a_deleted_member_has_no_keys(process: KeyProcess) -> None:
    process.caller()
    stored = process.members.by_id(ANNA)
    assert stored is not None
    process.members.remove(stored)
    process.clock.instant += MEMBER_FRESHNESS
    assert process.refusal().message == REFUSED


def test_a_disabled_member_keeps_the_keys(process: KeyProcess) -> None:
    process.change(lambda member: replace(member, disabled=True))
    assert process.refusal().message == REFUSED
    process.change(lambda member: replace(member, disabled=False))
    process.clock.instant += MEMBER_FRESHNESS
    assert process.caller().id == ANNA


def test_a_key_expires_at_its_instant(process: KeyProcess) -> None:
    process.change(lambda member: replace(member, keys=(replace(KEY, until=process.clock.instant + 1_000),)))
    assert process.caller().id == ANNA
    process.clock.instant += 999
    assert process.caller().id == ANNA
    process.clock.instant += 1
    assert str(process.refusal().message) == "The API key has expired."
    assert process.used == [(ANNA, "k1", NOON)]


@each_row(
    ("networks", "address", "is_in"),
    [
        ((), "anything", True),
        (("203.0.113.0/24",), "203.0.113.7", True),
        (("203.0.113.0/24",), "203.0.114.7", False),
        (("203.0.113.0/24",), "::ffff:203.0.113.7", True),
        (("198.51.100.1/32", "203.0.113.0/24"), "203.0.113.7", True),
        (("2001:db8::/32",), "2001:db8::1", True),
        (("2001:db8::/32",), "2001:db9::1", False),
        (("2001:db8::/32",), "203.0.113.7", False),
        (("0.0.0.0/0",), "2001:db8::1", False),
        (("203.0.113.0/24",), "", False),
        (("203.0.113.0/24",), "unix", False),
    ],
)
def test_a_key_can_be_sent_from_its_networks_only(
    networks: tuple[str, ...], address: str, is_in: bool
) -> None:
    process = KeyProcess()
    process.change(lambda member: replace(member, keys=(replace(KEY, networks=networks),)))
    if is_in:
        assert process.caller(address=address).id == ANNA
        return
    refusal = process.refusal(address=address)
    assert isinstance(refusal, Forbidden)
    assert f"can't be sent from the address {address}" in str(refusal.message)
    assert process.used == []


@each_row(
    ("profile", "found"),
    [(None, "Manager"), ("Manager", "Manager"), ("Reporter", "Reporter"), ("Trainee", "Trainee")],
)
def test_a_key_can_have_a_narrower_profile(profile: str | None, found: str) -> None:
    process = KeyProcess()
    process.change(lambda member: replace(member, keys=(replace(KEY, profile=profile),)))
    assert process.caller().profile == found


@each_row("profile", ["Other", "Boss", "Gone"])
def test_a_key_whose_profile_is_no_longer_narrower_is_refused(profile: str) -> None:
    """Another model, or another profile of the member, can make it so."""
    process = KeyProcess()
    process.change(lambda member: replace(member, keys=(replace(KEY, profile=profile),)))
    refusal = process.refusal()
    assert isinstance(refusal, Forbidden)
    assert f'has the profile "{profile}", which does not lie within the profile "Manager"' in str(
        refusal.message
    )


def test_a_key_of_an_administrator_with_a_narrower_profile_administrates_nothing() -> None:
    profiles = {**PROFILES, "Reporter": Profile("Reporter", within=("Boss",))}
    boss = replace(anna(replace(KEY, profile="Reporter")), profile="Boss")
    clock, members = FrozenClock(), InMemoryMembers(boss)
    verifier = KeyVerifier(
        MemberCache(members, clock), CallerFactory(profiles), profiles, clock, lambda *_: None, lambda _: None
    )
    caller = verifier.caller(TEXT, ADDRESS)
    assert (caller.profile, caller.administrator) == ("Reporter", False)


def test_the_use_of_a_key_is_noted_once_an_hour(process: KeyProcess) -> None:
    hour = NOON - NOON % HOUR
    for _ in range(3):
        process.caller()
    process.clock.instant += HOUR
    process.caller()
    assert process.used == [(ANNA, "k1", hour), (ANNA, "k1", hour + HOUR)]


def test_keys_that_are_refused_are_counted_and_not_noted(process: KeyProcess) -> None:
    process.refusal(new_key_text(ANNA))
    process.refusal(new_key_text(NOBODY))
    process.refusal("stratabase_x")
    process.change(lambda member: replace(member, keys=(replace(KEY, networks=("192.0.2.0/24",)),)))
    process.clock.instant += MEMBER_FRESHNESS
    process.refusal()
    process.change(lambda member: replace(member, keys=(replace(KEY, until=1),)))
    process.clock.instant += MEMBER_FRESHNESS
    process.refusal()
    process.change(lambda member: replace(member, keys=(replace(KEY, profile="Other"),)))
    process.clock.instant += MEMBER_FRESHNESS
    process.refusal()
    assert process.used == []
    assert process.refused == [ANNA, "", ANNA, ANNA, ANNA]
