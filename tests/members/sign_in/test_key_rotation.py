"""Key rotation invalidates no live token."""

from random import Random

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.members.keys.key_rotation import GRACE, PREPARATION, SigningKey
from stratabase.members.sign_in.signing_keys import (
    KEY_FRESHNESS,
    MAX_STALENESS,
    MIN_REREAD_INTERVAL,
    KeyRotation,
    RotateKeys,
)
from stratabase.values.messages import verbatim
from tests.fakes import CountedIds, FrozenClock
from tests.in_memory_keyring import InMemoryKeyring
from tests.in_memory_members import InMemoryMembers
from tests.soak import count, seed
from tests.token_process import ANNA, BERT, FIRST, TERMS, TokenProcess

VALIDITY = TERMS.validity


class RotatedKeyring:
    """A keyring that is rotated, and processes that use it."""

    def __init__(self, *keys: SigningKey) -> None:
        self.keyring = InMemoryKeyring(*keys)
        self.clock = FrozenClock()
        self.ids = CountedIds()
        self.members = InMemoryMembers(ANNA, BERT)
        self._rotate = RotateKeys(self.keyring, self.clock, self.ids, VALIDITY)

    def rotate(self, *, at_once: bool = False) -> KeyRotation:
        return self._rotate(at_once=at_once)

    def process(self) -> TokenProcess:
        return self.process_with(self.keyring)

    def process_with(self, keyring: InMemoryKeyring, clock: FrozenClock | None = None) -> TokenProcess:
        """Return a process with another keyring or clock, and the same members."""
        return TokenProcess(self.members, keyring, clock or self.clock, self.ids)


@pytest.fixture
def rotated() -> RotatedKeyring:
    return RotatedKeyring(FIRST)


def key_of(token: str, rotated: RotatedKeyring) -> str:
    return next(
        key.id for key in rotated.keyring.stored if rotated.process_with(InMemoryKeyring(key)).admits(token)
    )


def test_a_new_key_signs_only_after_every_process_has_read_it(rotated: RotatedKeyring) -> None:
    new = rotated.rotate().key
    assert new.since == rotated.clock.instant + PREPARATION
    assert PREPARATION >= 2 * KEY_FRESHNESS
    process = rotated.process()
    assert key_of(process.token(), rotated) == FIRST.id
    rotated.clock.instant = new.since
    assert key_of(process.token(), rotated) == new.id


def test_new_keys_are_random(rotated: RotatedKeyring) -> None:
    secrets = {RotatedKeyring(FIRST).rotate().key.secret for _ in range(10)}
    assert (len(secrets), {len(secret) for secret in secrets}) == (10, {32})


def test_the_first_key_signs_immediately() -> None:
    rotated = RotatedKeyring()
    assert rotated.rotate().key.since == rotated.clock.instant


def test_a_repeated_rotation_creates_one_key(rotated: RotatedKeyring) -> None:
    """A schedule may fire twice."""
    first = rotated.rotate()
    rotated.clock.instant += PREPARATION - 1
    second = rotated.rotate()
    assert (first.created, second.created, second.key) == (True, False, first.key)
    rotated.clock.instant += 1
    assert rotated.rotate().created


def test_concurrent_rotations_create_one_key(rotated: RotatedKeyring) -> None:
    others: list[KeyRotation] = []

    def come_between() -> None:
        rotated.keyring.before_change = lambda: None
        others.append(rotated.rotate())

    rotated.keyring.before_change = come_between
    assert rotated.rotate().key == others[0].key
    assert len(rotated.keyring.stored) == 2


def test_an_old_key_is_removed_when_its_last_token_has_expired(rotated: RotatedKeyring) -> None:
    second = rotated.rotate().key
    rotated.clock.instant = second.since + VALIDITY + GRACE - 1
    third = rotated.rotate()
    assert third.dropped == ()
    rotated.clock.instant = third.key.since + VALIDITY + GRACE
    fourth = rotated.rotate()
    assert fourth.dropped == (FIRST.id, second.id)
    assert rotated.keyring.stored == (third.key, fourth.key)


def test_an_immediate_rotation_invalidates_every_token_within_a_minute(rotated: RotatedKeyring) -> None:
    processes = [rotated.process() for _ in range(2)]
    tokens = [process.token() for process in processes]
    rotated.rotate()
    stolen = rotated.rotate(at_once=True)
    assert (rotated.keyring.stored, len(stolen.dropped)) == ((stolen.key,), 2)
    rotated.clock.instant += KEY_FRESHNESS
    assert not any(process.admits(token) for process in processes for token in tokens)


def test_a_token_of_an_immediately_rotated_key_is_valid_in_every_process(rotated: RotatedKeyring) -> None:
    old = rotated.process()
    assert old.admits(old.token())
    rotated.clock.instant += MIN_REREAD_INTERVAL
    rotated.rotate(at_once=True)
    assert old.admits(rotated.process().token())


@pytest.mark.soak
def test_rotations_invalidate_no_live_token() -> None:
    """Two processes, one with its clock a little ahead, through many rotations at random moments."""
    rotated, random = RotatedKeyring(FIRST), Random(seed())
    ahead = FrozenClock()
    gates = [rotated.process(), rotated.process_with(rotated.keyring, ahead)]
    live: list[tuple[int, str]] = []
    for _ in range(count(300, 5_000)):
        rotated.clock.instant += random.randrange(5_000, 60_000)
        ahead.instant = rotated.clock.instant + 5_000
        if random.random() < 0.05:
            rotated.rotate()
        # Of the more than 50 sessions that live at a time, nobody may have all.
        issued = random.choice(gates).token(random.choice((ANNA, BERT)))
        live = [(end, token) for end, token in live if end > ahead.instant]
        # Tokens count in whole seconds.
        live.append((rotated.clock.instant // 1000 * 1000 + VALIDITY, issued))
        for end, token in live:
            for stepping in gates:
                assert stepping.admits(token), f"{end - rotated.clock.instant} ms before its end"
    assert len(rotated.keyring.stored) < 40


def test_a_token_signed_with_stale_keys_has_the_full_lifetime(rotated: RotatedKeyring) -> None:
    cut_off, other = rotated.process_with(InMemoryKeyring(FIRST)), rotated.process()
    assert cut_off.admits(cut_off.token())
    new = rotated.rotate().key
    assert isinstance(cut_off.keyring, InMemoryKeyring)
    cut_off.keyring.refuse = Unavailable(verbatim("busy"))
    rotated.clock.instant += MAX_STALENESS - 1
    assert rotated.clock.instant > new.since
    token = cut_off.token()
    rotated.clock.instant += VALIDITY - 1_000
    rotated.rotate()
    assert other.admits(token)
