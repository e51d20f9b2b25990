"""Signing in with a password on the sign-in page, while the member changes at the same time."""

from dataclasses import replace

import pytest

from stratabase.core.domain.caller import Caller, SentPassword
from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.members.member import Member, with_disabled, with_password
from stratabase.members.provider_sign_in.attempt import s256
from stratabase.members.provider_sign_in.codes import CODE_LIFETIME, find_code
from stratabase.members.provider_sign_in.password import PasswordSignIn
from tests.fakes import FrozenClock
from tests.in_memory_members import InMemoryMembers

ANNA = Member("m1", "anna", "anna@example.com", "Clerk", password="hash of it")
VERIFIER = "v" * 43
PAGE = "https://app.example.com/"


class Signing:
    """Signs anna in. `meanwhile` is how she changes after her password was verified."""

    def __init__(self) -> None:
        self.members = InMemoryMembers(ANNA)
        self.clock = FrozenClock()
        self.meanwhile = self.anna
        self._sign_in = PasswordSignIn(self.verify, self.members, self.clock)

    def verify(self, *_credentials: str) -> Caller:
        caller = Caller("m1", "anna", "Clerk", generation=self.anna().generation, proof=SentPassword())
        before, after = self.anna(), self.meanwhile()
        if after != before:
            self.members.change(before, after)
        return caller

    def anna(self) -> Member:
        member = self.members.by_id("m1")
        assert member is not None
        return member

    def code(self) -> str:
        return self._sign_in("anna", "it", "192.0.2.1", PAGE, s256(VERIFIER)).partition("?code=")[2]


def test_the_code_is_valid_for_a_minute() -> None:
    signing = Signing()
    code, now = signing.code(), signing.clock.now()
    assert find_code(signing.anna(), code, VERIFIER, now + CODE_LIFETIME - 1) is not None
    assert find_code(signing.anna(), code, VERIFIER, now + CODE_LIFETIME) is None


def test_another_change_of_the_member_does_no_harm() -> None:
    signing = Signing()
    signing.meanwhile = lambda: replace(signing.anna(), notes="changed")
    assert find_code(signing.anna(), signing.code(), VERIFIER, signing.clock.now()) is None, "read before"
    assert len(signing.anna().codes) == 1


@pytest.mark.parametrize("how", ["password", "disabled"])
def test_a_password_or_member_that_ended_meanwhile_gets_no_code(how: str) -> None:
    signing = Signing()
    anna = signing.anna()
    after = with_password(anna, "hash of another") if how == "password" else with_disabled(anna, True)
    signing.meanwhile = lambda: after
    with pytest.raises(Unauthenticated, match="username or password"):
        signing.code()
    assert signing.anna().codes == ()


def test_a_member_who_was_deleted_meanwhile_gets_no_code() -> None:
    signing = Signing()

    def gone() -> Member:
        signing.members.remove(signing.anna())
        return ANNA

    signing.meanwhile = gone
    signing.verify = lambda *_: Caller("m1", "anna", "Clerk", proof=SentPassword())  # type: ignore[method-assign]
    signing.members.remove(signing.anna())
    sign_in = PasswordSignIn(signing.verify, signing.members, signing.clock)
    with pytest.raises(Unauthenticated):
        sign_in("anna", "it", "192.0.2.1", PAGE, s256(VERIFIER))
