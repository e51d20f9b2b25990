"""Tokens: issue, verification and expiry."""

import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace

import jwt
import pytest

from stratabase.core.domain.caller import Caller, SentToken
from stratabase.core.domain.issues.refusals import Forbidden, Unauthenticated, Unavailable
from stratabase.members.keys.key_rotation import SigningKey
from stratabase.members.member import Member
from stratabase.members.sign_in import json_web_tokens
from stratabase.members.sign_in.callers import MEMBER_FRESHNESS
from stratabase.members.sign_in.json_web_tokens import LEEWAY
from stratabase.members.sign_in.signing_keys import KEY_FRESHNESS, MAX_STALENESS, MIN_REREAD_INTERVAL
from stratabase.members.sign_in.tokens import MAX_VERIFIED_TOKENS, TokenTerms
from stratabase.values.messages import verbatim
from tests import forged_tokens
from tests.fakes import NOON
from tests.in_memory_keyring import InMemoryKeyring, key
from tests.token_process import ANNA, BERT, FIRST, TokenProcess

MINUTE, HOUR = 60, 3600


@pytest.fixture
def stepping() -> TokenProcess:
    return TokenProcess()


def claims_of(token: str) -> dict[str, object]:
    """Return the claims of a token, without verifying it."""
    said: dict[str, object] = jwt.decode(token, options={"verify_signature": False})
    return said


def test_a_token_identifies_its_member(stepping: TokenProcess) -> None:
    token = stepping.token()
    (session,) = stepping.stored().sessions
    expected = Caller(
        "1",
        "Anna",
        "Boss",
        administrator=True,
        proof=SentToken(NOON, session.id),
        generation=4,
        email="anna@example.com",
    )
    assert stepping.caller(token) == expected
    assert stepping.caller(stepping.token(BERT)).administrator is False


def test_a_token_has_the_required_claims(stepping: TokenProcess) -> None:
    token = stepping.token()
    (session,) = stepping.stored().sessions
    assert claims_of(token) == forged_tokens.claims(stepping, jti=claims_of(token)["jti"], sid=session.id)
    assert jwt.get_unverified_header(token) == {"alg": "HS256", "typ": "JWT", "kid": "first"}


def test_every_token_has_an_id_of_its_own(stepping: TokenProcess) -> None:
    assert len({claims_of(stepping.token())["jti"] for _ in range(10)}) == 10


def test_another_jwt_library_accepts_a_token() -> None:
    stepping = TokenProcess()
    said = jwt.decode(
        stepping.token(),
        FIRST.secret,
        ["HS256"],
        audience="Hr",
        issuer="stratabase",
        options={"verify_exp": False, "require": ["exp", "iat", "nbf", "jti", "sub"]},
    )
    assert said["sub"] == "Anna"


def test_a_token_is_valid_exactly_until_it_expires(stepping: TokenProcess) -> None:
    token = stepping.token()
    stepping.wait(30 * MINUTE - 1)
    assert stepping.admits(token)
    assert stepping.another().admits(token)
    stepping.wait(1)
    for process in (stepping, stepping.another()):
        with pytest.raises(Unauthenticated, match=r"^The token has expired\.$"):
            process.caller(token)


def test_the_validity_is_a_setting() -> None:
    stepping = TokenProcess(terms=TokenTerms("Hr", minutes=1))
    issued = stepping.session_tokens.begin(stepping.callers(ANNA))
    assert issued.expires_in == MINUTE
    stepping.wait(MINUTE)
    assert not stepping.admits(issued.access_token)


def test_a_process_with_a_slightly_slow_clock_accepts_a_new_token(stepping: TokenProcess) -> None:
    token = stepping.token()
    stepping.wait(-LEEWAY)
    assert stepping.admits(token)
    stepping.wait(-1)
    assert not stepping.admits(token)


def test_a_token_of_another_application_is_refused(stepping: TokenProcess) -> None:
    assert not replace(stepping, terms=TokenTerms("Crm")).admits(stepping.token())


@pytest.mark.parametrize(
    "changed",
    [replace(ANNA, disabled=True, generation=5), replace(ANNA, disabled=True), replace(ANNA, generation=5)],
    ids=["disabled", "disabled by another hand", "a new password"],
)
def test_a_token_of_a_disabled_or_changed_member_is_refused_within_seconds(
    changed: Member, stepping: TokenProcess
) -> None:
    token = stepping.token()
    assert stepping.admits(token)
    stepping.change(changed)
    stepping.wait(MEMBER_FRESHNESS / 1000)
    assert not stepping.admits(token)
    assert not stepping.another().admits(token)


def test_a_token_of_a_deleted_member_is_refused_within_seconds(stepping: TokenProcess) -> None:
    token = stepping.token()
    assert stepping.admits(token)
    stepping.members.remove(stepping.members.members["anna"])
    stepping.wait(MEMBER_FRESHNESS / 1000)
    assert not stepping.admits(token)


def test_another_member_of_that_name_does_not_inherit_the_token(stepping: TokenProcess) -> None:
    token = stepping.token()
    stepping.members.remove(stepping.members.members["anna"])
    stepping.members.add(replace(ANNA, id="3"))
    assert not stepping.another().admits(token)


def test_a_token_newer_than_the_cached_member_is_valid_immediately(stepping: TokenProcess) -> None:
    assert stepping.admits(stepping.token())
    changed = replace(ANNA, generation=5)
    stepping.change(changed)
    assert stepping.admits(stepping.token(changed))


def test_a_renamed_member_keeps_their_token(stepping: TokenProcess) -> None:
    token = stepping.token()
    stepping.change(replace(ANNA, username="Anne"))
    assert stepping.another().caller(token).username == "Anne"


def test_a_changed_profile_applies_when_the_member_is_read_again(stepping: TokenProcess) -> None:
    token = stepping.token()
    assert stepping.caller(token).administrator
    stepping.change(replace(ANNA, profile="Clerk"))
    stepping.wait(MEMBER_FRESHNESS / 1000)
    assert not stepping.caller(token).administrator


def test_an_unknown_profile_is_reported(stepping: TokenProcess) -> None:
    stepping.change(replace(ANNA, profile="Chief"))
    with pytest.raises(
        Forbidden, match=r"\"Chief\", which does not exist in the model. Profiles of the model: Boss"
    ):
        stepping.caller(stepping.token())


def test_a_repeated_token_is_not_verified_again(
    stepping: TokenProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def counted(token: str, find: Callable[[str], SigningKey | None]) -> tuple[object, SigningKey]:
        opened.append(token)
        return json_web_tokens.open_token(token, find)

    monkeypatch.setattr("stratabase.members.sign_in.tokens.open_token", counted)
    token = stepping.token()
    for _ in range(5):
        assert stepping.admits(token)
    stepping.wait(30 * MINUTE)
    assert not stepping.admits(token)
    assert opened == [token]
    assert not stepping.admits(token)
    assert opened == [token, token], "what has expired is forgotten"


def test_a_remembered_token_ends_with_its_key(stepping: TokenProcess) -> None:
    keyring = InMemoryKeyring(FIRST)
    stepping = TokenProcess(keyring=keyring)
    token = stepping.token()
    assert stepping.admits(token)
    keyring.stored = (key("second"),)
    stepping.wait(KEY_FRESHNESS / 1000)
    assert not stepping.admits(token)
    keyring.stored = (FIRST,)
    stepping.wait(MIN_REREAD_INTERVAL / 1000)
    assert stepping.admits(token)


def test_a_remembered_token_ends_when_its_key_is_replaced_under_the_same_id() -> None:
    keyring = InMemoryKeyring(FIRST)
    stepping = TokenProcess(keyring=keyring)
    token = stepping.token()
    assert stepping.admits(token)
    keyring.stored = (replace(FIRST, secret=b"another secret of the same id as before"),)
    stepping.wait(KEY_FRESHNESS / 1000)
    assert not stepping.admits(token)


def test_memory_is_bounded_and_holds_no_tokens(stepping: TokenProcess) -> None:
    first = stepping.token()
    assert stepping.admits(first)
    memory = stepping.tokens._verified_tokens
    seen = memory.find(first)
    assert seen is not None
    for number in range(MAX_VERIFIED_TOKENS):
        memory.remember(f"token {number}", seen)
    assert (memory.find(first), memory.find("token 0")) == (None, seen)
    assert len(memory._verified_tokens._values) == MAX_VERIFIED_TOKENS
    assert not any(b"token" in fingerprint for fingerprint in memory._verified_tokens._values)
    assert stepping.admits(first)


def test_the_repr_of_a_token_and_a_key_shows_no_secret(stepping: TokenProcess) -> None:
    issued = stepping.session_tokens.begin(stepping.callers(ANNA))
    assert issued.access_token not in repr(issued)
    assert "the secret of" not in repr(FIRST)


def test_a_token_is_not_refused_if_keys_cannot_be_read(stepping: TokenProcess) -> None:
    """A client must not throw its token away because the service has a bad minute."""
    keyring = InMemoryKeyring(FIRST)
    token = stepping.token()
    keyring.refuse = Unavailable(verbatim("busy"))
    with pytest.raises(Unavailable):
        TokenProcess(keyring=keyring).caller(token)


def test_a_process_uses_its_cached_keys_for_a_while(stepping: TokenProcess) -> None:
    keyring = InMemoryKeyring(FIRST)
    stepping = TokenProcess(keyring=keyring, terms=TokenTerms("Hr", minutes=60))
    token = stepping.token()
    keyring.refuse = Unavailable(verbatim("busy"))
    stepping.wait(MAX_STALENESS / 1000 - 1)
    assert stepping.admits(token)
    assert stepping.admits(stepping.token())
    stepping.wait(KEY_FRESHNESS / 1000)
    with pytest.raises(Unavailable):
        stepping.caller(token)


def test_tokens_are_issued_and_used_concurrently(stepping: TokenProcess) -> None:
    outcomes: list[bool] = []

    def come() -> None:
        for _ in range(20):
            token = stepping.token()
            outcomes.extend((stepping.admits(token), stepping.admits(token), not stepping.admits(token[:-1])))

    threads = [threading.Thread(target=come) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == [True] * 240


def test_the_token_library_is_loaded_only_when_used() -> None:
    loading = "import sys; from stratabase.members.sign_in import tokens; print('jwt' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", loading], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
