"""Keys are rotated, and no live token ends."""

from random import Random

import pytest

from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.members.key_rotation import GRACE, PREPARATION, SigningKey
from stratabase.messages import verbatim
from stratabase.operations.auth.signing_keys import (
    KEY_FRESHNESS,
    MAX_STALENESS,
    MIN_REREAD_INTERVAL,
    KeyRotation,
    RotateKeys,
)
from tests.fakes import CountedIds, FrozenClock
from tests.gate import FIRST, TERMS, Gate
from tests.keys import ListKeyring
from tests.soak import count, seed

VALIDITY = TERMS.validity


class Ring:
    """A keyring that is rotated, and processes that use it."""

    def __init__(self, *keys: SigningKey) -> None:
        self.keyring = ListKeyring(*keys)
        self.clock = FrozenClock()
        self.ids = CountedIds()
        self._rotate = RotateKeys(self.keyring, self.clock, self.ids, VALIDITY)

    def rotate(self, *, at_once: bool = False) -> KeyRotation:
        return self._rotate(at_once=at_once)

    def process(self) -> Gate:
        return Gate(keyring=self.keyring, clock=self.clock)


@pytest.fixture
def ring() -> Ring:
    return Ring(FIRST)


def key_of(token: str, ring: Ring) -> str:
    return next(
        key.id
        for key in ring.keyring.stored
        if Gate(keyring=ListKeyring(key), clock=ring.clock).admits(token)
    )


def test_a_new_key_signs_only_after_every_process_has_read_it(ring: Ring) -> None:
    new = ring.rotate().key
    assert new.since == ring.clock.instant + PREPARATION
    assert PREPARATION >= 2 * KEY_FRESHNESS
    process = ring.process()
    assert key_of(process.token(), ring) == FIRST.id
    ring.clock.instant = new.since
    assert key_of(process.token(), ring) == new.id


def test_new_keys_are_random(ring: Ring) -> None:
    secrets = {Ring(FIRST).rotate().key.secret for _ in range(10)}
    assert (len(secrets), {len(secret) for secret in secrets}) == (10, {32})


def test_the_first_key_signs_immediately() -> None:
    ring = Ring()
    assert ring.rotate().key.since == ring.clock.instant


def test_a_repeated_rotation_creates_one_key(ring: Ring) -> None:
    """A schedule may fire twice."""
    first = ring.rotate()
    ring.clock.instant += PREPARATION - 1
    second = ring.rotate()
    assert (first.made, second.made, second.key) == (True, False, first.key)
    ring.clock.instant += 1
    assert ring.rotate().made


def test_concurrent_rotations_create_one_key(ring: Ring) -> None:
    others: list[KeyRotation] = []

    def come_between() -> None:
        ring.keyring.before_change = lambda: None
        others.append(ring.rotate())

    ring.keyring.before_change = come_between
    assert ring.rotate().key == others[0].key
    assert len(ring.keyring.stored) == 2


def test_an_old_key_is_removed_when_its_last_token_has_expired(ring: Ring) -> None:
    second = ring.rotate().key
    ring.clock.instant = second.since + VALIDITY + GRACE - 1
    third = ring.rotate()
    assert third.dropped == ()
    ring.clock.instant = third.key.since + VALIDITY + GRACE
    fourth = ring.rotate()
    assert fourth.dropped == (FIRST.id, second.id)
    assert ring.keyring.stored == (third.key, fourth.key)


def test_an_immediate_rotation_invalidates_every_token_within_a_minute(ring: Ring) -> None:
    processes = [ring.process() for _ in range(2)]
    tokens = [process.token() for process in processes]
    ring.rotate()
    stolen = ring.rotate(at_once=True)
    assert (ring.keyring.stored, len(stolen.dropped)) == ((stolen.key,), 2)
    ring.clock.instant += KEY_FRESHNESS
    assert not any(process.admits(token) for process in processes for token in tokens)


def test_a_token_of_an_immediately_rotated_key_is_valid_in_every_process(ring: Ring) -> None:
    old = ring.process()
    assert old.admits(old.token())
    ring.clock.instant += MIN_REREAD_INTERVAL
    ring.rotate(at_once=True)
    assert old.admits(ring.process().token())


@pytest.mark.soak
def test_rotations_invalidate_no_live_token() -> None:
    """Two processes, one with its clock a little ahead, through many rotations at random moments."""
    ring, random = Ring(FIRST), Random(seed())
    ahead = FrozenClock()
    gates = [ring.process(), Gate(keyring=ring.keyring, clock=ahead)]
    live: list[tuple[int, str]] = []
    for _ in range(count(300, 5_000)):
        ring.clock.instant += random.randrange(5_000, 60_000)
        ahead.instant = ring.clock.instant + 5_000
        if random.random() < 0.05:
            ring.rotate()
        issued = random.choice(gates).token()
        live = [(end, token) for end, token in live if end > ahead.instant]
        # Tokens count in whole seconds.
        live.append((ring.clock.instant // 1000 * 1000 + VALIDITY, issued))
        for end, token in live:
            for gate in gates:
                assert gate.admits(token), f"{end - ring.clock.instant} ms before its end"
    assert len(ring.keyring.stored) < 40


def test_a_token_signed_with_stale_keys_has_the_full_lifetime(ring: Ring) -> None:
    cut_off, other = Gate(keyring=ListKeyring(FIRST), clock=ring.clock), ring.process()
    assert cut_off.admits(cut_off.token())
    new = ring.rotate().key
    assert isinstance(cut_off.keyring, ListKeyring)
    cut_off.keyring.refuse = Unavailable(verbatim("busy"))
    ring.clock.instant += MAX_STALENESS - 1
    assert ring.clock.instant > new.since
    token = cut_off.token()
    ring.clock.instant += VALIDITY - 1_000
    ring.rotate()
    assert other.admits(token)
