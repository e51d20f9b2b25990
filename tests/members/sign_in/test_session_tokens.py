"""Sessions: a sign-in begins one, its tokens renew it, and its end ends its tokens."""

import threading
from dataclasses import replace

import jwt
import pytest

from stratabase.core.domain.caller import Proof, RanCommand, SentKey, SentPassword, SentToken
from stratabase.core.domain.issues.refusals import Forbidden, Unauthenticated, Unavailable
from stratabase.members.credentials import Session
from stratabase.members.member import Member, MemberKind
from stratabase.members.sessions import MAX_SESSIONS, without_sessions
from stratabase.members.sign_in.callers import MEMBER_FRESHNESS
from stratabase.members.sign_in.json_web_tokens import LEEWAY
from stratabase.members.sign_in.tokens import TokenTerms
from stratabase.values.messages import verbatim
from tests.fakes import NOON, FrozenClock
from tests.forged_tokens import HEADER, claims, forged
from tests.in_memory_keyring import InMemoryKeyring
from tests.token_process import ANNA, BERT, TokenProcess

MINUTE, HOUR = 60, 3600


@pytest.fixture
def stepping() -> TokenProcess:
    return TokenProcess()


def session_of(token: str) -> str:
    """Return the session that a token names, without verifying it."""
    return str(jwt.decode(token, options={"verify_signature": False})["sid"])


def sessions(process: TokenProcess) -> list[str]:
    return [each.id for each in process.stored().sessions]


def end(process: TokenProcess, *ids: str) -> None:
    """End sessions of Anna, as another process does."""
    before = process.stored()
    process.members.change(before, without_sessions(before, ids))


def test_each_sign_in_begins_a_session_of_its_own(stepping: TokenProcess) -> None:
    first, second = stepping.token(), stepping.token()
    assert sessions(stepping) == [session_of(first), session_of(second)]
    assert stepping.stored().sessions[0] == Session(session_of(first), NOON, NOON, "password")
    assert stepping.stored(BERT.id).sessions == ()


def test_a_new_token_costs_no_read_in_the_process_that_issued_it(stepping: TokenProcess) -> None:
    token = stepping.token()
    stepping.members.reads = 0
    assert stepping.admits(token)
    assert stepping.members.reads == 0


def test_a_process_that_knows_the_member_reads_it_once_for_a_new_session(stepping: TokenProcess) -> None:
    other = stepping.another()
    first = stepping.token()
    assert other.admits(first)
    second = stepping.token()
    stepping.members.reads = 0
    assert [other.admits(token) for token in (second, first, second)] == [True] * 3
    assert stepping.members.reads == 1


def test_the_session_of_a_program_is_renewed_although_nobody_has_signed_in(stepping: TokenProcess) -> None:
    program = replace(BERT, id="3", username="robot", email="", kind=MemberKind.PROGRAM)
    stepping.members.add(program)
    first = stepping.token(program)
    stepping.wait(MINUTE)
    second = stepping.renewed(first)
    assert session_of(first) == session_of(second)
    assert stepping.caller(second).proof == SentToken(None, session_of(second))


def test_a_session_that_ended_is_refused_within_seconds(stepping: TokenProcess) -> None:
    other = stepping.another()
    kept, ended = stepping.token(), stepping.token()
    assert stepping.admits(ended)
    assert other.admits(ended)
    end(stepping, session_of(ended))
    stepping.wait(MEMBER_FRESHNESS / 1000)
    for process in (stepping, other, stepping.another()):
        assert not process.admits(ended)
        assert process.admits(kept)


def test_the_token_of_an_ended_session_causes_no_reads_for_long(stepping: TokenProcess) -> None:
    token = stepping.token()
    end(stepping, session_of(token))
    stepping.wait(LEEWAY + 2)
    for _ in range(20):
        assert not stepping.admits(token)
    stepping.members.reads = 0
    for _ in range(100):
        assert not stepping.admits(token)
    assert stepping.members.reads == 0


def test_a_refreshed_token_keeps_its_session_and_its_sign_in_time(stepping: TokenProcess) -> None:
    token = stepping.token()
    stepping.wait(20 * MINUTE)
    second = stepping.renewed(token)
    stepping.wait(20 * MINUTE)
    assert not stepping.admits(token)
    assert stepping.caller(second).proof == SentToken(NOON, session_of(token))
    assert session_of(second) == session_of(token)
    (session,) = stepping.stored().sessions
    assert (session.since, session.renewed) == (NOON, NOON + 20 * MINUTE * 1000)


def test_refreshing_ends_some_hours_after_the_sign_in(stepping: TokenProcess) -> None:
    token = stepping.token()
    while stepping.clock.instant < NOON + 12 * HOUR * 1000 - 1200_000:
        stepping.wait(20 * MINUTE)
        token = stepping.renewed(token)
    stepping.wait(20 * MINUTE)
    with pytest.raises(Unauthenticated, match="The session has expired"):
        stepping.renewed(token)
    assert stepping.admits(token), "the last token lives its time"
    stepping.token()
    assert stepping.another().admits(token), "even if there is another sign-in"


def test_an_ended_session_cannot_be_renewed_even_within_the_first_seconds(stepping: TokenProcess) -> None:
    token = stepping.token()
    caller = stepping.caller(token)
    end(stepping, session_of(token))
    assert stepping.admits(token), "the process has still cached the member"
    with pytest.raises(Unauthenticated, match="The session has ended"):
        stepping.session_tokens.renew(caller)
    assert sessions(stepping) == []


@pytest.mark.parametrize("changed", [replace(ANNA, disabled=True), replace(ANNA, generation=5), None])
def test_a_member_who_was_disabled_or_changed_cannot_renew(
    changed: Member | None, stepping: TokenProcess
) -> None:
    caller = stepping.caller(stepping.token())
    if changed is None:
        stepping.members.remove(stepping.stored())
    else:
        stepping.change(changed)
    with pytest.raises(Unauthenticated, match="The session has ended"):
        stepping.session_tokens.renew(caller)


@pytest.mark.parametrize("proof", [SentPassword(), RanCommand()])
def test_only_a_token_can_be_refreshed(proof: Proof | None, stepping: TokenProcess) -> None:
    with pytest.raises(Unauthenticated, match="To refresh a token"):
        stepping.session_tokens.renew(stepping.callers(ANNA, proof))


@pytest.mark.parametrize("proof", [SentToken(), SentKey("k"), None])
def test_neither_keys_nor_tokens_of_other_services_can_be_refreshed(
    proof: Proof | None, stepping: TokenProcess
) -> None:
    with pytest.raises(Forbidden, match="Sign in to this service"):
        stepping.session_tokens.renew(stepping.callers(ANNA, proof))
    assert sessions(stepping) == []


@pytest.mark.parametrize("changed", [replace(ANNA, generation=5), replace(ANNA, disabled=True), None])
def test_a_verified_password_that_was_replaced_begins_no_session(
    changed: Member | None, stepping: TokenProcess
) -> None:
    """Between the verification and the session, another request may set another password."""
    verified = stepping.callers(ANNA)
    if changed is None:
        stepping.members.remove(stepping.stored())
    else:
        stepping.change(changed)
    with pytest.raises(Unauthenticated):
        stepping.session_tokens.begin(verified)
    stored = stepping.members.by_id(ANNA.id)
    assert stored is None or stored.sessions == ()


def test_a_token_from_before_sessions_lives_until_it_expires(stepping: TokenProcess) -> None:
    token = forged(HEADER, claims(stepping))
    assert stepping.caller(token).proof == SentToken(NOON, "")
    stepping.wait(30 * MINUTE)
    assert not stepping.admits(token)


def test_renewing_a_token_from_before_sessions_begins_one_since_the_sign_in(stepping: TokenProcess) -> None:
    token = forged(HEADER, claims(stepping))
    stepping.wait(10 * MINUTE)
    second = stepping.renewed(token)
    (session,) = stepping.stored().sessions
    assert session.id == session_of(second)
    assert (session.since, session.renewed) == (NOON, NOON + 10 * MINUTE * 1000)
    assert stepping.caller(second).proof == SentToken(NOON, session.id)
    stepping.wait(HOUR * 12 - 20 * MINUTE)
    old = forged(HEADER, claims(stepping, auth_time=NOON // 1000 - 2 * HOUR))
    with pytest.raises(Unauthenticated, match="The session has expired"):
        stepping.renewed(old)


def test_a_session_without_a_name_is_no_claim(stepping: TokenProcess) -> None:
    for sid in ("", 7, ["s"], True):
        assert not stepping.admits(forged(HEADER, claims(stepping, sid=sid)))
    assert not stepping.admits(forged(HEADER, claims(stepping, sid="of nobody")))


def test_a_session_of_another_member_admits_nobody(stepping: TokenProcess) -> None:
    stepping.token(BERT)
    (other,) = stepping.stored(BERT.id).sessions
    assert not stepping.admits(forged(HEADER, claims(stepping, sid=other.id)))


def test_a_member_without_a_profile_of_the_model_gets_no_session(stepping: TokenProcess) -> None:
    verified = stepping.callers(ANNA)
    stepping.change(replace(ANNA, profile="Chief"))
    with pytest.raises(Forbidden):
        stepping.session_tokens.begin(verified)
    assert sessions(stepping) == []


def test_without_keys_no_session_is_stored() -> None:
    keyring = InMemoryKeyring()
    keyring.refuse = Unavailable(verbatim("busy"))
    process = TokenProcess(keyring=keyring)
    with pytest.raises(Unavailable):
        process.session_tokens.begin(process.callers(ANNA))
    assert sessions(process) == []


def test_the_fifty_first_sign_in_ends_the_session_that_was_renewed_longest_ago(
    stepping: TokenProcess,
) -> None:
    tokens = [stepping.token() for _ in range(MAX_SESSIONS)]
    stepping.wait(1)
    tokens[0] = stepping.renewed(tokens[0])
    last = stepping.token()
    stepping.wait(MEMBER_FRESHNESS / 1000)
    assert not stepping.admits(tokens[1])
    assert all(stepping.admits(token) for token in (tokens[0], *tokens[2:], last))


def test_two_tabs_use_their_callers_again(stepping: TokenProcess) -> None:
    tokens = [stepping.token()]
    stepping.wait(1)
    tokens.append(stepping.token())
    first = [stepping.caller(token) for token in tokens]
    again = [stepping.caller(token) for token in tokens * 2]
    assert [after is before for after, before in zip(again, first * 2, strict=True)] == [True] * 4
    assert first[0].proof != first[1].proof


def test_a_member_that_is_read_again_has_another_caller(stepping: TokenProcess) -> None:
    token = stepping.token()
    before = stepping.caller(token)
    stepping.change(replace(ANNA, notes="new"))
    stepping.wait(MEMBER_FRESHNESS / 1000)
    assert (before.notes, stepping.caller(token).notes) == (None, "new")


def test_a_process_whose_clock_is_late_accepts_a_new_session(stepping: TokenProcess) -> None:
    """It has read the member before the session began, by a clock that says it was after."""
    late = replace(stepping, clock=FrozenClock())
    first = stepping.token()
    late.clock.instant += 1000 * (LEEWAY - 1)
    assert late.admits(first)
    assert late.admits(stepping.token())


def test_concurrent_sign_ins_and_renewals_lose_no_session() -> None:
    process = TokenProcess(terms=TokenTerms("Hr"))
    first = process.caller(process.token())
    failures: list[Exception] = []
    tokens: list[str] = []

    def come() -> None:
        try:
            for _ in range(6):
                tokens.append(process.token())
                process.session_tokens.renew(first)
        except Exception as error:  # noqa: BLE001 - it is the result
            failures.append(error)

    threads = [threading.Thread(target=come) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(set(sessions(process))) == len(tokens) + 1 == 49
    assert all(process.admits(token) for token in tokens)
