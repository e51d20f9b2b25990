"""Sessions, API keys, links to providers, and codes in a member's record."""

from dataclasses import replace

import pytest

from stratabase.core.model.model import Profile
from stratabase.members.api_keys import MAX_KEYS, TooManyKeys, find_key, with_key, without_key
from stratabase.members.credentials import ApiKey, ExchangeCode, ProviderLink, Session
from stratabase.members.exchange_codes import MAX_CODES, with_code, with_used_code, without_code
from stratabase.members.member import (
    Member,
    MemberKind,
    Roster,
    administrates,
    describe_shared_addresses,
    has_other_administrator,
    with_disabled,
    with_email,
    with_password,
)
from stratabase.members.provider_links import (
    MAX_LINKS,
    TooManyLinks,
    is_linked,
    with_link,
    without_links,
)
from stratabase.members.sessions import (
    MAX_SESSIONS,
    SessionTerms,
    can_renew,
    find_session,
    living_sessions,
    with_renewed_session,
    with_session,
    without_sessions,
)
from tests.rows import each_row

NOW = 1_000_000
TERMS = SessionTerms(lifetime=500, validity=100)
ANNA = Member("1", "anna", "anna@example.com", "Boss")


def session(name: str, since: int = NOW, renewed: int | None = None) -> Session:
    return Session(name, since, since if renewed is None else renewed, "password")


def names(member: Member) -> list[str]:
    return [each.id for each in member.sessions]


@each_row(
    ("since", "renewed", "lives", "renewable"),
    [
        (0, 0, True, True),
        (-99, -99, True, True),
        (-100, -100, False, True),
        (-499, -1, True, True),
        (-500, -1, True, False),
        (-599, -99, True, False),
        (-600, -100, False, False),
    ],
)
def test_a_session_lives_as_long_as_its_newest_token(
    since: int, renewed: int, lives: bool, renewable: bool
) -> None:
    own = session("a", NOW + since, NOW + renewed)
    assert living_sessions(replace(ANNA, sessions=(own,)), NOW, TERMS) == ((own,) if lives else ())
    assert can_renew(own, NOW, TERMS) == renewable


def test_a_sign_in_adds_a_session_and_drops_dead_ones() -> None:
    member = replace(ANNA, sessions=(session("dead", NOW - 100), session("old", NOW - 99)))
    assert names(with_session(member, session("new"), NOW, TERMS)) == ["old", "new"]


def test_the_session_that_was_renewed_longest_ago_gives_way_to_another_one() -> None:
    sessions = [session(f"{number}", NOW - 90, NOW - 60 + number) for number in range(MAX_SESSIONS)]
    sessions[7] = replace(sessions[7], renewed=NOW - 80)
    after = with_session(replace(ANNA, sessions=tuple(sessions)), session("new"), NOW, TERMS)
    assert names(after) == [*(each.id for each in sessions if each.id != "7"), "new"]


def test_sessions_of_one_instant_give_way_one_by_one() -> None:
    member = ANNA
    for number in range(2 * MAX_SESSIONS):
        member = with_session(member, session(f"{number}"), NOW, TERMS)
    assert names(member) == [f"{number}" for number in range(MAX_SESSIONS, 2 * MAX_SESSIONS)]


def test_a_renewal_changes_one_session_and_drops_dead_ones() -> None:
    member = replace(ANNA, sessions=(session("dead", NOW - 100), session("a", NOW - 50), session("b")))
    after = with_renewed_session(member, "a", NOW, TERMS)
    assert after.sessions == (session("a", NOW - 50, NOW), session("b"))
    assert with_renewed_session(after, "a", NOW - 5, TERMS) == after  # by a clock that is late
    assert with_renewed_session(member, "unknown", NOW, TERMS).sessions == member.sessions[1:]


def test_sessions_end_one_by_one_or_all() -> None:
    member = replace(ANNA, sessions=(session("a"), session("b"), session("c")))
    assert find_session(member, "b") == session("b")
    assert find_session(member, "d") is None
    assert names(without_sessions(member, ["b", "d"])) == ["a", "c"]
    assert names(without_sessions(member)) == []


KEY = ApiKey("k", "Nightly", "ab" * 32, NOW)
CODE = ExchangeCode("cd" * 32, "challenge", NOW + 60, "entra")
LINK = ProviderLink("https://id.example", "7", "entra", NOW)
FULL = replace(ANNA, sessions=(session("a"),), keys=(KEY,), links=(LINK,), codes=(CODE,), password="old")


def test_a_new_password_ends_sessions_and_codes_but_no_keys_and_links() -> None:
    after = with_password(FULL, "new")
    assert (after.sessions, after.codes, after.generation) == ((), (), FULL.generation + 1)
    assert (after.keys, after.links) == ((KEY,), (LINK,))


def test_a_disabled_member_has_no_sessions_and_codes() -> None:
    after = with_disabled(FULL, True)
    assert (after.sessions, after.codes, after.generation) == ((), (), FULL.generation + 1)
    assert (after.keys, after.links) == ((KEY,), (LINK,))
    assert with_disabled(after, False).sessions == ()


def test_another_address_ends_nothing_of_it() -> None:
    assert with_email(FULL, "anne@example.com") == replace(FULL, email="anne@example.com")


def test_keys_are_added_up_to_a_limit_and_ended_one_by_one() -> None:
    member = ANNA
    for number in range(MAX_KEYS):
        member = with_key(member, replace(KEY, id=f"{number}"))
    with pytest.raises(TooManyKeys):
        with_key(member, KEY)
    after = without_key(member, "7")
    assert (find_key(member, "7"), find_key(after, "7")) == (replace(KEY, id="7"), None)
    assert len(with_key(after, KEY).keys) == MAX_KEYS


def test_links_are_added_up_to_a_limit_and_ended_by_provider() -> None:
    member = ANNA
    for number in range(MAX_LINKS):
        member = with_link(member, replace(LINK, subject=f"{number}", provider=f"p{number % 2}"))
    with pytest.raises(TooManyLinks):
        with_link(member, replace(LINK, subject="new"))
    again = with_link(member, replace(LINK, since=NOW + 1))  # the same account once more
    assert len(again.links) == MAX_LINKS
    assert again.links[-1].since == NOW + 1
    assert is_linked(member, LINK.issuer, "7")
    assert not is_linked(without_links(member, "p1"), LINK.issuer, "7")
    assert is_linked(without_links(member, "p1"), LINK.issuer, "8")


def test_codes_are_added_up_to_a_limit_and_used_once() -> None:
    member = replace(ANNA, codes=(replace(CODE, hash="expired", until=NOW),))
    for number in range(MAX_CODES + 2):
        member = with_code(member, replace(CODE, hash=f"{number}"), NOW)
    assert [each.hash for each in member.codes] == [f"{number}" for number in range(2, MAX_CODES + 2)]
    used = with_used_code(member, member.codes[-1], "s", NOW)
    assert [each.session for each in used.codes] == [""] * (MAX_CODES - 1) + ["s"]
    # Those that were used go first, because nobody waits for them.
    pushed = with_code(used, replace(CODE, hash="new"), NOW)
    assert [each.hash for each in pushed.codes] == [*(each.hash for each in member.codes[:-1]), "new"]
    after = without_code(member, member.codes[3], NOW)
    assert after.codes == member.codes[:3] + member.codes[4:]
    assert without_code(after, after.codes[0], NOW + 60).codes == ()


def test_hashes_are_not_shown() -> None:
    assert not any(text in repr(FULL) for text in (KEY.hash, CODE.hash, "old"))


def test_a_program_does_not_count_as_an_administrator() -> None:
    profiles = {"Boss": Profile("Boss", administrator=True)}
    program = Member("2", "nightly", "", "Boss", kind=MemberKind.PROGRAM)
    assert administrates(ANNA, profiles)
    assert not administrates(program, profiles)
    assert not has_other_administrator(Roster((ANNA, program), 1), ANNA, profiles)


def test_programs_do_not_share_an_address() -> None:
    programs = [Member(f"{n}", f"program{n}", "", "Boss", kind=MemberKind.PROGRAM) for n in range(2)]
    assert [*describe_shared_addresses(programs)] == []
