"""A mailed link works once, even if it is used concurrently."""

import threading
from dataclasses import replace
from functools import partial

import pytest

from stratabase.members.mailed_link import UnusableLink
from stratabase.members.member import LINK_USED, Member
from stratabase.members.operations.password_reset import PasswordReset
from stratabase.members.password import PasswordPolicy
from stratabase.members.ports import Members
from tests.contract.engine.engine_calls import run_concurrently
from tests.fakes import FrozenClock
from tests.in_memory_members import PlainPasswords
from tests.recording_mailer import RecordingMailer
from tests.soak import count

ROUNDS = count(1, 50)
RIVALS = 8
DEADLINE = 60
ANNA = Member("m1", "anna", "anna@example.com", "Clerk", password="hash of her old one")


class SimultaneousPasswords(PlainPasswords):
    """A password hasher that waits until all callers have found the link valid."""

    def __init__(self) -> None:
        super().__init__()
        self.barrier = threading.Barrier(RIVALS)

    def hash(self, password: str) -> str:
        self.barrier.wait(DEADLINE)
        return super().hash(password)


def password_reset_of(members: Members, mails: RecordingMailer) -> PasswordReset:
    passwords = SimultaneousPasswords()
    return PasswordReset(
        members, passwords, mails, FrozenClock(), policy=PasswordPolicy(passwords.is_common), application="Hr"
    )


def uses(password_reset: PasswordReset, token: str, number: int) -> Member | None:
    """Use a link. Return the member, or None if the link is no longer valid."""
    try:
        return password_reset.finish(token, f"correct horse battery {number}")
    except UnusableLink:
        return None


@pytest.mark.soak
def test_one_of_many_concurrent_uses_of_a_link_succeeds(concurrent: Members) -> None:
    concurrent.add(ANNA)
    mails = RecordingMailer()
    password_reset = password_reset_of(concurrent, mails)
    for generation in range(1, ROUNDS + 1):
        password_reset.invite("m1", "https://api.example.com")
        outcomes = run_concurrently(
            *(partial(uses, password_reset, mails.token, number) for number in range(RIVALS))
        )
        (winner,) = [outcome for outcome in outcomes if outcome]
        stored = concurrent.by_id("m1")
        assert stored is not None
        assert stored.reset is not None
        assert (stored.password, stored.reset.until, stored.generation) == (
            winner.password,
            LINK_USED,
            generation,
        )


def test_a_link_is_stored_and_used_up(concurrent: Members) -> None:
    concurrent.add(replace(ANNA, password=None))
    mails, passwords = RecordingMailer(), PlainPasswords()
    password_reset = PasswordReset(
        concurrent,
        passwords,
        mails,
        FrozenClock(),
        policy=PasswordPolicy(passwords.is_common),
        application="Hr",
    )
    password_reset.invite("m1", "https://api.example.com")
    finished = password_reset.finish(mails.token, "correct horse battery")
    assert concurrent.by_id("m1") == finished
    with pytest.raises(UnusableLink):
        password_reset.inspect(mails.token)
