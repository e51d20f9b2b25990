"""The caller of a member follows every change of the member."""

from dataclasses import replace

import pytest

from stratabase.core.domain.caller import SentPassword, SentToken
from stratabase.core.domain.issues.refusals import Forbidden
from stratabase.core.model.model import Profile
from stratabase.members.member import Member
from stratabase.members.sign_in.callers import CallerFactory

ANNA = Member("1", "anna", "anna@example.com", "Clerk", generation=1)


@pytest.fixture
def callers() -> CallerFactory:
    return CallerFactory({"Clerk": Profile("Clerk"), "Boss": Profile("Boss", administrator=True)})


def test_a_member_that_is_not_read_again_has_the_same_caller(callers: CallerFactory) -> None:
    assert callers(ANNA) is callers(ANNA)


def test_a_member_that_has_changed_has_another_caller(callers: CallerFactory) -> None:
    assert not callers(ANNA).administrator
    changed = callers(replace(ANNA, profile="Boss", generation=2))
    assert (changed.profile, changed.administrator, changed.generation) == ("Boss", True, 2)
    with pytest.raises(Forbidden):
        callers(replace(ANNA, profile="Gone"))


def test_a_caller_by_token_is_not_taken_for_one_by_password(callers: CallerFactory) -> None:
    proofs = [None, SentToken(5), SentPassword(), SentToken(6), SentToken(), None]
    assert [callers(ANNA, proof).proof for proof in proofs] == proofs
