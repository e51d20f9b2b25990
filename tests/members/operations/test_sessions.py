"""Sessions are listed and ended by the member, or by an administrator who has just signed in."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from stratabase.core.domain.caller import CONSOLE, Caller, Proof, SentKey, SentPassword, SentToken
from stratabase.core.domain.issues.refusals import Forbidden, Unavailable
from stratabase.members.credentials import Session
from stratabase.members.member import Member
from stratabase.members.operations.fresh_sign_in import FRESHNESS, StaleSignIn
from stratabase.members.operations.rules import MAX_ROUNDS
from stratabase.members.operations.sessions import EndSessions, ListSessions
from stratabase.members.refusals import NoSuchMember, NoSuchSession
from stratabase.members.sessions import SessionTerms
from tests.fakes import NOON, FrozenClock
from tests.members.operations.member_operations import ANNA, BOSS, ContendedMembers

TERMS = SessionTerms(lifetime=10_000, validity=1_000)
FIRST = Session("1", NOON - 900, NOON - 100, "password", "Firefox on Linux", "192.0.2.7")
SECOND = Session("2", NOON - 800, NOON - 200, "entra")
DEAD = Session("3", NOON - 2_000, NOON - 1_000, "password")
SIGNED_IN = replace(ANNA, sessions=(SECOND, FIRST, DEAD), generation=3)
HERSELF = Caller("a", "Anna", "Clerk", proof=SentToken(1, "1"))
BOSS_CALLER = Caller("b", "Bea", "Boss", administrator=True, proof=SentToken(NOON - FRESHNESS))
STALE_BOSS = replace(BOSS_CALLER, proof=SentToken(NOON - FRESHNESS - 1))


class Sessions:
    """The operations on the sessions of Anna."""

    def __init__(self) -> None:
        self.members = ContendedMembers(BOSS, SIGNED_IN)
        self.list = ListSessions(self.members, FrozenClock(), TERMS)
        self.end = EndSessions(self.members, FrozenClock(), TERMS)

    @property
    def anna(self) -> Member:
        member = self.members.by_id("a")
        assert member is not None
        return member


@pytest.fixture
def sessions() -> Sessions:
    return Sessions()


CALLS: dict[str, Callable[[Sessions, Caller, str], object]] = {
    "list": lambda sessions, caller, id_: sessions.list(caller, id_),
    "end one": lambda sessions, caller, id_: sessions.end.one(caller, id_, "1"),
    "end all": lambda sessions, caller, id_: sessions.end.all(caller, id_),
}
each_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


@pytest.mark.parametrize("caller", [HERSELF, BOSS_CALLER, STALE_BOSS, CONSOLE])
def test_sessions_that_live_are_listed_by_their_last_renewal(caller: Caller, sessions: Sessions) -> None:
    assert sessions.list(caller, "a") == [FIRST, SECOND]
    assert sessions.list(BOSS_CALLER, "b") == []


@pytest.mark.parametrize(
    "caller", [HERSELF, replace(HERSELF, proof=SentPassword()), BOSS_CALLER, CONSOLE], ids=str
)
def test_one_session_is_ended_and_dead_ones_go(caller: Caller, sessions: Sessions) -> None:
    sessions.end.one(caller, "a", "1")
    assert sessions.anna == replace(SIGNED_IN, sessions=(SECOND,))
    with pytest.raises(NoSuchSession):
        sessions.end.one(caller, "a", "1")


@pytest.mark.parametrize("caller", [HERSELF, BOSS_CALLER, CONSOLE], ids=str)
def test_all_sessions_are_ended_with_the_tokens_from_before_sessions(
    caller: Caller, sessions: Sessions
) -> None:
    sessions.end.all(caller, "a")
    assert sessions.anna == replace(SIGNED_IN, sessions=(), generation=4)


@pytest.mark.parametrize("id_", ["3", "4", "", "a", "\ud800", "x" * 5000])
def test_other_ids_are_no_sessions(id_: str, sessions: Sessions) -> None:
    with pytest.raises(NoSuchSession):
        sessions.end.one(HERSELF, "a", id_)
    assert sessions.anna == SIGNED_IN


@each_call
def test_members_neither_see_nor_end_sessions_of_others(
    call: Callable[[Sessions, Caller, str], object], sessions: Sessions
) -> None:
    bert = Caller("c", "bert", "Clerk", proof=SentPassword())
    for id_ in ("a", "b", "nobody"):
        with pytest.raises(Forbidden, match="Only administrators"):
            call(sessions, bert, id_)
    assert sessions.anna == SIGNED_IN


@each_call
@pytest.mark.parametrize("proof", [SentToken(), SentKey("k"), None])
@pytest.mark.parametrize("caller", [HERSELF, BOSS_CALLER], ids=["own", "administrator"])
def test_neither_keys_nor_tokens_of_other_services_reach_sessions(
    caller: Caller,
    proof: Proof | None,
    call: Callable[[Sessions, Caller, str], object],
    sessions: Sessions,
) -> None:
    with pytest.raises(Forbidden, match="Sign in to this service"):
        call(sessions, replace(caller, proof=proof), "a")
    assert sessions.anna == SIGNED_IN


@each_call
def test_an_unknown_member_is_reported(
    call: Callable[[Sessions, Caller, str], object], sessions: Sessions
) -> None:
    with pytest.raises(NoSuchMember):
        call(sessions, BOSS_CALLER, "nobody")


def test_an_administrator_must_have_signed_in_lately_to_end_sessions_of_others(sessions: Sessions) -> None:
    for call in (CALLS["end one"], CALLS["end all"]):
        with pytest.raises(StaleSignIn):
            call(sessions, STALE_BOSS, "a")
    assert sessions.anna == SIGNED_IN
    sessions.end.all(STALE_BOSS, "b")


def test_a_concurrent_change_is_not_lost(sessions: Sessions) -> None:
    def renew() -> None:
        sessions.members.before_write = lambda: None
        before = sessions.anna
        sessions.members.change(before, replace(before, notes="new"))

    sessions.members.before_write = renew
    sessions.end.one(HERSELF, "a", "2")
    assert (sessions.anna.notes, sessions.anna.sessions) == ("new", (FIRST,))


def test_it_gives_up_after_repeated_conflicts(sessions: Sessions) -> None:
    def edit() -> None:
        before = sessions.anna
        super(ContendedMembers, sessions.members).change(before, replace(before, notes="new"))

    sessions.members.before_write = edit
    with pytest.raises(Unavailable):
        sessions.end.one(HERSELF, "a", "2")
    assert sessions.members.writes == MAX_ROUNDS
