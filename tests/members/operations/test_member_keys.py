"""The API keys of members: who makes, lists and ends them, and what a key can be."""

from dataclasses import replace
from typing import Any

import pytest

from stratabase.core.domain.caller import CONSOLE, Caller, Proof, SentKey, SentPassword, SentToken
from stratabase.core.domain.issues.refusals import Forbidden, Unauthenticated
from stratabase.core.model.model import Profile
from stratabase.members.api_keys import MAX_KEYS
from stratabase.members.credentials import ApiKey
from stratabase.members.key_text import key_hash, member_of_key
from stratabase.members.member import Member, MemberKind
from stratabase.members.operations.fresh_sign_in import FRESHNESS, StaleSignIn
from stratabase.members.operations.member_keys import CreateKey, EndKey, ListedKey, ListKeys, NewKey
from stratabase.members.refusals import BadMember, KeyRefused, NoSuchKey, NoSuchMember
from tests.fakes import NOON, CountedIds, FrozenClock
from tests.in_memory_audit import InMemoryAuditTrail
from tests.in_memory_members import InMemoryMembers, PlainPasswords, PlainSignIn
from tests.rows import each_row

PROFILES = {
    "Boss": Profile("Boss", administrator=True),
    "Clerk": Profile("Clerk"),
    "Reader": Profile("Reader", within=("Clerk",)),
    "Other": Profile("Other"),
}
DAY = 86_400_000
BEA = Caller("b", "Bea", "Boss", administrator=True, proof=SentPassword())
ANNA = Caller("a", "Anna", "Clerk", proof=SentPassword())
CARL = Caller("c", "Carl", "Clerk", proof=SentPassword())
NAMED = {"name": "nightly"}


class Keys:
    """The operations on keys over in-memory members: Bea administrates, Anna is a person, Robot a program."""

    def __init__(self) -> None:
        self.members = InMemoryMembers(
            Member("b", "Bea", "bea@example.com", "Boss", password="hash of old"),
            Member("a", "Anna", "anna@example.com", "Clerk", password="hash of old"),
            Member("r", "Robot", "", "Clerk", kind=MemberKind.PROGRAM),
        )
        self.clock = FrozenClock()
        self.trail = InMemoryAuditTrail()
        sign_in = PlainSignIn(self.members, PlainPasswords())
        self.list = ListKeys(self.members, self.trail)
        self.create = CreateKey(self.members, CountedIds(), PROFILES, self.clock, sign_in)
        self.end = EndKey(self.members, self.clock)

    def keys(self, id_: str) -> tuple[ApiKey, ...]:
        member = self.members.by_id(id_)
        assert member is not None
        return member.keys


@pytest.fixture
def keys() -> Keys:
    return Keys()


def test_an_administrator_makes_a_key_for_a_program(keys: Keys) -> None:
    made = keys.create(BEA, "r", NAMED)
    assert member_of_key(made.text) == "r"
    assert made.key == ApiKey("id1", "nightly", key_hash(made.text), NOON)
    assert keys.keys("r") == (made.key,)


def test_the_text_of_a_key_is_stored_nowhere(keys: Keys) -> None:
    made = keys.create(BEA, "r", NAMED)
    assert made.text not in repr(keys.members.by_id("r"))
    assert made.key.hash not in repr(keys.members.by_id("r"))


def test_a_person_makes_and_ends_own_keys(keys: Keys) -> None:
    made = keys.create(ANNA, "a", NAMED | {"profile": "Reader", "networks": "203.0.113.0/24", "days": 1})
    assert made.key == ApiKey(
        "id1", "nightly", key_hash(made.text), NOON, NOON + DAY, "Reader", ("203.0.113.0/24",)
    )
    assert keys.list(ANNA, "a") == (ListedKey(made.key, None),)
    assert keys.end(ANNA, "a", made.key.id) == made.key
    assert keys.list(ANNA, "a") == ()


def test_an_administrator_lists_and_ends_the_keys_of_a_person_but_makes_none(keys: Keys) -> None:
    made = keys.create(ANNA, "a", NAMED)
    assert [each.key for each in keys.list(BEA, "a")] == [made.key]
    with pytest.raises(Forbidden, match=r'^"Anna" is a person, who makes their own API keys'):
        keys.create(BEA, "a", {"name": "another"})
    keys.end(BEA, "a", made.key.id)
    assert keys.keys("a") == ()


def test_a_program_makes_no_keys_for_itself(keys: Keys) -> None:
    """It can have a token of this service, for one of an identity provider."""
    made = keys.create(BEA, "r", NAMED)
    for administrator in (False, True):
        itself = replace(ANNA, id="r", username="Robot", administrator=administrator, proof=SentToken(NOON))
        with pytest.raises(Forbidden, match=r'^"Robot" is a program\. Administrators make the API keys of p'):
            keys.create(itself, "r", {"name": "another"})
        assert len(keys.list(itself, "r")) == 1
    assert keys.keys("r") == (made.key,)


def test_nobody_else_sees_makes_or_ends_keys(keys: Keys) -> None:
    made = keys.create(ANNA, "a", NAMED)
    for work in (
        lambda: keys.list(CARL, "a"),
        lambda: keys.create(CARL, "a", {"name": "another"}),
        lambda: keys.create(CARL, "r", {"name": "another"}),
        lambda: keys.end(CARL, "a", made.key.id),
        lambda: keys.list(CARL, "nobody"),
    ):
        with pytest.raises(Forbidden, match="Only administrators can see and end the API keys"):
            work()
    assert keys.keys("a") == (made.key,)


def test_the_console_makes_keys_for_programs(keys: Keys) -> None:
    made = keys.create(CONSOLE, "r", NAMED)
    assert keys.end(CONSOLE, "r", made.key.id) == made.key
    with pytest.raises(Forbidden, match="is a person"):
        keys.create(CONSOLE, "a", NAMED)


@pytest.mark.parametrize("proof", [SentKey("k"), SentToken(), None])
@pytest.mark.parametrize("sent", [NAMED, NAMED | {"currentPassword": "old"}])
def test_keys_and_tokens_of_other_services_reach_no_keys(proof: Proof | None, sent: Any, keys: Keys) -> None:
    made = keys.create(BEA, "r", {"name": "first"})
    for who, id_ in ((BEA, "r"), (ANNA, "a"), (replace(ANNA, id="r"), "r")):
        caller = replace(who, proof=proof)
        for work in (
            lambda caller=caller, id_=id_: keys.list(caller, id_),
            lambda caller=caller, id_=id_: keys.create(caller, id_, sent),
            lambda caller=caller, id_=id_: keys.end(caller, id_, made.key.id),
        ):
            with pytest.raises(Forbidden, match="API keys and tokens of other services"):
                work()
    assert keys.keys("r") == (made.key,)
    assert keys.keys("a") == ()


def test_a_sign_in_must_be_fresh(keys: Keys) -> None:
    made = keys.create(replace(BEA, proof=SentToken(NOON)), "r", NAMED)
    keys.clock.instant += FRESHNESS
    fresh, stale = replace(BEA, proof=SentToken(NOON)), replace(BEA, proof=SentToken(NOON - 1))
    keys.create(fresh, "r", {"name": "another"})
    with pytest.raises(StaleSignIn):
        keys.create(stale, "r", {"name": "third"})
    with pytest.raises(StaleSignIn):
        keys.end(stale, "r", made.key.id)
    assert len(keys.list(stale, "r")) == 2
    assert len(keys.keys("r")) == 2


def test_the_current_password_stands_for_a_fresh_sign_in(keys: Keys) -> None:
    stale = replace(BEA, proof=SentToken(NOON - 2 * FRESHNESS))
    keys.create(stale, "r", NAMED | {"currentPassword": "old"})
    for wrong in ("wrong", "x" * 200):
        with pytest.raises(Unauthenticated, match=r"^The current password is incorrect\.$"):
            keys.create(stale, "r", {"name": "another", "currentPassword": wrong})
    with pytest.raises(StaleSignIn):
        keys.create(stale, "r", {"name": "another", "currentPassword": ""})
    assert [each.name for each in keys.keys("r")] == ["nightly"]


def test_there_is_no_such_member_or_key(keys: Keys) -> None:
    with pytest.raises(NoSuchMember):
        keys.create(BEA, "x", NAMED)
    with pytest.raises(NoSuchMember):
        keys.list(BEA, "x")
    with pytest.raises(NoSuchMember):
        keys.end(BEA, "x", "k")
    with pytest.raises(NoSuchKey):
        keys.end(BEA, "r", "k")
    made = keys.create(BEA, "r", NAMED)
    with pytest.raises(NoSuchKey):
        keys.end(BEA, "b", made.key.id)
    keys.end(BEA, "r", made.key.id)
    with pytest.raises(NoSuchKey):
        keys.end(BEA, "r", made.key.id)


def test_names_are_unique_for_a_member(keys: Keys) -> None:
    keys.create(BEA, "r", NAMED)
    with pytest.raises(KeyRefused, match='already has an API key with the name "NIGHTLY"'):
        keys.create(BEA, "r", {"name": "NIGHTLY"})
    keys.create(BEA, "b", NAMED)
    keys.end(BEA, "r", "id1")
    keys.create(BEA, "r", NAMED)


def test_a_member_has_at_most_fifty_keys(keys: Keys) -> None:
    for number in range(MAX_KEYS):
        keys.create(BEA, "r", {"name": f"key {number}", "days": 1})
    keys.clock.instant += 2 * DAY
    with pytest.raises(KeyRefused, match=r"has 50 API keys, which is the maximum\. End one first"):
        keys.create(BEA, "r", NAMED)
    keys.end(BEA, "r", keys.keys("r")[0].id)
    keys.create(BEA, "r", NAMED)


def test_the_list_says_when_a_key_was_used(keys: Keys) -> None:
    first, second = keys.create(BEA, "r", NAMED), keys.create(BEA, "r", {"name": "second"})
    keys.trail.note_use("r", second.key.id, NOON)
    assert keys.list(BEA, "r") == (ListedKey(first.key, None), ListedKey(second.key, NOON))


@each_row(
    ("values", "until"),
    [
        ({}, None),
        ({"expires": None, "days": None, "profile": None, "networks": None}, None),
        ({"expires": "", "profile": "", "networks": ""}, None),
        ({"days": 1}, NOON + DAY),
        ({"days": 3_650}, NOON + 3_650 * DAY),
        ({"expires": "2020-01-01T12:00:00.001Z"}, NOON + 1),
        ({"expires": "2020-01-01T14:00:01+02:00"}, NOON + 1_000),
        ({"expires": "2020-01-02"}, NOON + DAY // 2),
        ({"expires": "9999-12-31T23:59:59Z"}, 253_402_300_799_000),
    ],
)
def test_a_key_ends_when_the_client_wants(values: dict[str, Any], until: int | None) -> None:
    assert Keys().create(BEA, "r", NAMED | values).key.until == until


@each_row(
    ("written", "networks"),
    [
        ("203.0.113.7", ("203.0.113.7/32",)),
        (" 203.0.113.0/24,2001:DB8::/32 203.0.113.0/24\n", ("203.0.113.0/24", "2001:db8::/32")),
        (" ".join(f"10.0.{n}.0/24" for n in range(20)), tuple(f"10.0.{n}.0/24" for n in range(20))),
    ],
)
def test_networks_are_kept_in_one_form(written: str, networks: tuple[str, ...]) -> None:
    assert Keys().create(BEA, "r", NAMED | {"networks": written}).key.networks == networks


@each_row("profile", ["Clerk", "Reader"])
def test_a_key_has_the_profile_of_the_member_or_a_narrower_one(profile: str) -> None:
    assert Keys().create(BEA, "r", NAMED | {"profile": profile}).key.profile == profile


NOT_A_DATE = '"expires" must be a date or an instant with a time zone in ISO 8601'
NOT_A_NETWORK = '"networks" must have IP networks in CIDR notation'


@each_row(
    ("values", "field", "message"),
    [
        ({"name": ""}, "name", '"name" must be 1 to 64 characters'),
        ({"name": " x"}, "name", "without spaces around them"),
        ({"name": "x" * 65}, "name", '"name" must have at most 64 characters, not 65.'),
        ({"name": "a\u200bb"}, "name", "unsupported character U+200B"),
        ({"name": "a\x00b"}, "name", "unsupported character U+0000"),
        ({"name": "a\ud800"}, "name", "unsupported character U+D800"),
        (
            {"expires": "2020-01-01T12:00:00Z"},
            "expires",
            "It is 2020-01-01T12:00:00.000Z now",
        ),
        ({"expires": "2020-01-01"}, "expires", "must be in the future"),
        ({"expires": "0001-01-01T00:00:00+14:00"}, "expires", "must be in the future"),
        ({"expires": "2030-01-01T12:00:00"}, "expires", NOT_A_DATE),
        ({"expires": "tomorrow"}, "expires", NOT_A_DATE),
        ({"expires": "x" * 10_000}, "expires", NOT_A_DATE),
        ({"expires": "90"}, "expires", NOT_A_DATE),
        ({"expires": "10000-01-01T00:00:00Z"}, "expires", NOT_A_DATE),
        ({"expires": "2030-01-01", "days": 3}, "expires", 'Use either "expires" or "days".'),
        ({"days": 0}, "days", '"days" must be from 1 to 3,650.'),
        ({"days": -1}, "days", '"days" must be from 1 to'),
        ({"days": 3_651}, "days", '"days" must be from 1 to'),
        ({"days": 10**30}, "days", '"days" must be from 1 to'),
        ({"profile": "Boss"}, "profile", 'that lies within "Clerk": Reader; not "Boss".'),
        ({"profile": "Other"}, "profile", 'that lies within "Clerk"'),
        ({"profile": "Nobody"}, "profile", 'that lies within "Clerk"'),
        ({"networks": "203.0.113.7/24"}, "networks", NOT_A_NETWORK),
        ({"networks": "203.0.113.0/33"}, "networks", NOT_A_NETWORK),
        ({"networks": "::ffff:203.0.113.0/120"}, "networks", NOT_A_NETWORK),
        ({"networks": "example.com"}, "networks", NOT_A_NETWORK),
        ({"networks": "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21"}, "networks", "at most 20"),
    ],
)
def test_what_a_key_can_not_be(values: dict[str, Any], field: str, message: str) -> None:
    keys = Keys()
    with pytest.raises(BadMember) as caught:
        keys.create(BEA, "r", NAMED | values)
    assert [each.field for each in caught.value.mistakes] == [field]
    assert message in str(caught.value)
    assert keys.keys("r") == ()


def test_all_mistakes_are_reported_together(keys: Keys) -> None:
    wrong = {"name": "", "expires": "x", "profile": "x", "networks": "x"}
    with pytest.raises(BadMember) as caught:
        keys.create(BEA, "r", wrong)
    assert [each.field for each in caught.value.mistakes] == list(wrong)


def test_a_model_without_narrower_profiles_says_how_to_have_some(keys: Keys) -> None:
    with pytest.raises(BadMember, match=r'@profile\(name: …, within: \["Boss"\]\) in the model'):
        keys.create(BEA, "b", NAMED | {"profile": "Clerk"})


def test_a_key_of_a_disabled_program_can_be_made_and_ended(keys: Keys) -> None:
    """It is refused until somebody enables the program."""
    before = keys.members.by_id("r")
    assert before is not None
    keys.members.change(before, replace(before, disabled=True))
    made: NewKey = keys.create(BEA, "r", NAMED)
    keys.end(BEA, "r", made.key.id)
