"""Concurrent clients of a provider: a code begins one session, and an account belongs to one member."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from stratabase.core.domain.caller import Caller, SentToken
from stratabase.core.domain.issues.refusals import Refusal
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.members.credentials import ProviderLink, Session
from stratabase.members.exchange_codes import with_code
from stratabase.members.member import Member
from stratabase.members.ports import Members
from stratabase.members.provider_sign_in.admission import Admission, AdmissionReason, NotAdmitted
from stratabase.members.provider_sign_in.attempt import s256
from stratabase.members.provider_sign_in.codes import LinkCodes, UnusableCode, new_code
from stratabase.members.provider_sign_in.exchange import TokenExchange
from stratabase.members.provider_sign_in.links import LinkTaken, MemberLinks
from stratabase.members.provider_sign_in.sealed import Seal
from stratabase.members.providers.provider import Identity
from stratabase.members.sessions import SessionTerms
from stratabase.members.sign_in.sign_in_limits import FailureLimit
from stratabase.members.sign_in.tokens import IssuedToken
from stratabase.members.stores.sqlite_members import SqliteMembers
from tests.contract.engine.engine_calls import run_concurrently
from tests.fakes import NOON, FrozenClock
from tests.in_memory_attempts import InMemoryAttempts
from tests.in_memory_members import InMemoryMembers
from tests.members.operations.member_operations import PROFILES
from tests.members.provider_sign_in.fake_client import CLAIMS, ISSUER, PROVIDER
from tests.members.provider_sign_in.test_sealed import keys
from tests.soak import count

pytestmark = pytest.mark.soak

VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
TERMS = SessionTerms(43_200_000, 1_800_000)
CLOCK = FrozenClock()
IDS = TimeOrderedIds()


def rounds(members: Members) -> int:
    """Return how many races a store has: fewer over HTTP."""
    is_here = isinstance(members, SqliteMembers | InMemoryMembers)
    return count(10, 1000) if is_here else count(3, 100)


def issue(_member: Member, session: Session) -> IssuedToken:
    return IssuedToken(session.id, 1800)


def outcome(work: Callable[[], object]) -> object:
    """Return what a call returns, or the kind of its refusal."""
    try:
        return work()
    except Refusal as refusal:
        return type(refusal)


def test_of_two_uses_of_one_code_one_wins(concurrent: Members) -> None:
    admission, refused = Admission(concurrent, PROFILES, CLOCK, IDS), list[str]()
    for turn in range(rounds(concurrent)):
        # Another limit for each turn: in all others, a use has failed.
        limit = FailureLimit(InMemoryAttempts(), CLOCK, None)
        exchange = TokenExchange(
            concurrent, admission, lambda _issuer: None, issue, TERMS, limit, CLOCK, IDS, refused.append
        )
        code = new_code(str(turn), s256(VERIFIER), "id", NOON, NOON)
        member = Member(str(turn), f"m{turn}", f"m{turn}@example.com", "Clerk")
        concurrent.add(with_code(member, code.stored, NOON))
        use = partial(outcome, partial(exchange.by_code, code.text, VERIFIER))
        results = run_concurrently(*[use] * (2 if turn % 3 else 4))
        tokens = [each for each in results if isinstance(each, IssuedToken)]
        stored = concurrent.by_id(str(turn))
        assert stored is not None
        assert (len(tokens), set(results) - set(tokens)) == (1, {UnusableCode})
        # The others came second, which ends the session.
        assert (stored.sessions, stored.codes) == ((), ())


def test_a_second_use_of_a_code_ends_the_session_of_the_first(concurrent: Members) -> None:
    """Only of that one, and only with the verifier (RFC 6749 section 4.1.2)."""
    admission, refused = Admission(concurrent, PROFILES, CLOCK, IDS), list[str]()
    limit = FailureLimit(InMemoryAttempts(), CLOCK, None)
    exchange = TokenExchange(
        concurrent, admission, lambda _issuer: None, issue, TERMS, limit, CLOCK, IDS, refused.append
    )
    first, second = (new_code("1", s256(VERIFIER), "id", NOON, NOON) for _ in range(2))
    member = Member("1", "anna", "anna@example.com", "Clerk")
    concurrent.add(with_code(with_code(member, first.stored, NOON), second.stored, NOON))
    tokens = [exchange.by_code(code.text, VERIFIER).access_token for code in (first, second)]
    assert sessions_of(concurrent, "1") == tokens
    for verifier, left in ("x" * 43, tokens), (VERIFIER, tokens[1:]), (VERIFIER, tokens[1:]):
        assert outcome(partial(exchange.by_code, first.text, verifier)) is UnusableCode
        assert sessions_of(concurrent, "1") == left


def sessions_of(members: Members, id_: str) -> list[str]:
    """Return the IDs of the sessions of a member, which here are their tokens."""
    member = members.by_id(id_)
    assert member is not None
    return [each.id for each in member.sessions]


def test_of_two_members_who_link_one_account_one_wins(concurrent: Members) -> None:
    codes = LinkCodes(Seal(keys("one"), "link code"))
    links = MemberLinks(concurrent, codes, {}, CLOCK)
    for turn in range(rounds(concurrent) // 5 or 1):
        code = codes.make(ProviderLink(ISSUER, f"{turn}", "id", NOON), s256(VERIFIER))
        adding = []
        for number in range(3):
            id_ = f"{turn}-{number}"
            concurrent.add(Member(id_, id_, f"{id_}@example.com", "Clerk"))
            caller = Caller(id_, id_, "Clerk", proof=SentToken(CLOCK.now(), "s"))
            adding.append(partial(outcome, partial(links.add, caller, id_, code, VERIFIER)))
        results = run_concurrently(*adding)
        assert results.count(LinkTaken) == 2
        owner = concurrent.by_link(ISSUER, str(turn))
        assert owner is not None
        assert isinstance(results[int(owner.id.partition("-")[2])], ProviderLink)


def test_two_first_sign_ins_of_a_person_make_one_member(concurrent: Members) -> None:
    admission = Admission(concurrent, PROFILES, CLOCK, IDS)
    for turn in range(rounds(concurrent) // 5 or 1):
        claims = {**CLAIMS, "preferred_username": f"m{turn}", "email": f"m{turn}@example.com"}
        enter = partial(admission.sign_in, PROVIDER, Identity(ISSUER, f"{turn}", claims), _unchanged)
        first, *others = run_concurrently(*[enter] * 4)
        assert {each.id for each in others} == {first.id}


def test_two_people_who_want_one_name_do_not_both_get_it(concurrent: Members) -> None:
    admission = Admission(concurrent, PROFILES, CLOCK, IDS)
    for turn in range(rounds(concurrent) // 5 or 1):
        claims = {**CLAIMS, "preferred_username": f"m{turn}", "email": f"m{turn}@example.com"}
        people = [Identity(ISSUER, f"{turn}-{number}", claims) for number in range(3)]
        entering = [partial(admission.sign_in, PROVIDER, each, _unchanged) for each in people]
        results = run_concurrently(*[partial(_reason, enter) for enter in entering])
        assert sorted(map(str, results)) == sorted([str(None), *["taken"] * 2])


def _unchanged(member: Member) -> Member:
    return replace(member, notes="was here")


def _reason(enter: Callable[[], object]) -> AdmissionReason | None:
    try:
        enter()
    except NotAdmitted as refusal:
        return refusal.reason
    return None
