"""The key cache: how soon a process sees new keys, and how rarely it reads them."""

import threading

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.members.keys.key_rotation import GRACE
from stratabase.members.sign_in.signing_keys import (
    KEY_FRESHNESS,
    MAX_STALENESS,
    MIN_REREAD_INTERVAL,
    SigningKeyCache,
)
from stratabase.values.messages import verbatim
from tests.fakes import CountedIds, FrozenClock
from tests.in_memory_keyring import InMemoryKeyring, key

VALIDITY = 1_800_000
OLD, NEW = key("old"), key("new", 1)


class Process:
    """A process with its own keyring and clock."""

    def __init__(self, keyring: InMemoryKeyring | None = None) -> None:
        self.keyring = keyring or InMemoryKeyring(OLD)
        self.clock = FrozenClock()
        self.keys = SigningKeyCache(self.keyring, self.clock, CountedIds(), VALIDITY)


@pytest.fixture
def process() -> Process:
    return Process()


def test_keys_are_neither_read_nor_created_before_use() -> None:
    assert (Process().keyring.reads, Process(InMemoryKeyring()).keyring.stored) == (0, ())


def test_keys_are_read_once_a_minute(process: Process) -> None:
    for _ in range(3):
        assert process.keys.find("old") == process.keys.signing_key() == OLD
    assert process.keyring.reads == 1
    process.clock.instant += KEY_FRESHNESS
    assert process.keys.find("old") == OLD
    assert process.keyring.reads == 2


def test_a_clock_set_back_does_not_prolong_cached_keys(process: Process) -> None:
    assert process.keys.find("old")
    process.keyring.stored = (NEW,)
    process.clock.instant -= 3_600_000
    assert process.keys.find("old") is None


def test_an_unknown_key_is_looked_up_immediately_and_then_every_few_seconds(process: Process) -> None:
    assert process.keys.find("old")
    process.clock.instant += MIN_REREAD_INTERVAL
    process.keyring.stored = (OLD, NEW)
    assert process.keys.find("new") == NEW
    assert process.keyring.reads == 2
    for _ in range(50):
        assert process.keys.find("unknown") is None
    assert process.keyring.reads == 2
    process.clock.instant += MIN_REREAD_INTERVAL
    assert process.keys.find("unknown") is None
    assert process.keyring.reads == 3


def test_an_expired_key_is_unknown_even_while_it_is_stored(process: Process) -> None:
    """A stolen old key cannot sign anything."""
    retired = process.clock.instant
    process.keyring.stored = (OLD, key("new", retired))
    assert process.keys.find("old") == OLD
    process.clock.instant += VALIDITY + GRACE
    assert process.keys.find("old") is None


def test_the_first_key_is_created_for_the_first_token() -> None:
    process = Process(InMemoryKeyring())
    assert process.keys.find("any") is None
    first = process.keys.signing_key()
    assert process.keyring.stored == (first,)
    assert process.keys.find(first.id) == first
    assert len(first.secret) == 32


def test_first_keys_are_random() -> None:
    assert (
        Process(InMemoryKeyring()).keys.signing_key().secret
        != Process(InMemoryKeyring()).keys.signing_key().secret
    )


def test_all_processes_use_one_of_several_first_keys() -> None:
    keyring = InMemoryKeyring()
    one, other = Process(keyring), Process(keyring)
    created = []

    def come_between() -> None:
        keyring.before_change = lambda: None
        created.append(other.keys.signing_key())

    keyring.before_change = come_between
    assert one.keys.signing_key() == created[0] == other.keys.signing_key()
    assert keyring.stored == (created[0],)


def test_a_first_key_that_cannot_be_stored_signs_nothing() -> None:
    keyring = InMemoryKeyring()
    process = Process(keyring)
    assert process.keys.find("any") is None
    keyring.refuse = Unavailable(verbatim("busy"))
    with pytest.raises(Unavailable):
        process.keys.signing_key()
    keyring.refuse = None
    keyring.before_change = lambda: setattr(keyring, "refuse", Unavailable(verbatim("busy")))
    with pytest.raises(Unavailable):
        process.keys.signing_key()


def test_cached_keys_stay_valid_for_a_while_if_keys_cannot_be_read(process: Process) -> None:
    assert process.keys.signing_key() == OLD
    process.keyring.refuse = Unavailable(verbatim("busy"))
    process.clock.instant += KEY_FRESHNESS
    for _ in range(10):
        assert process.keys.signing_key() == OLD
    assert process.keyring.reads == 2, "it is not asked again by every request"
    process.clock.instant += MAX_STALENESS - KEY_FRESHNESS
    with pytest.raises(Unavailable):
        process.keys.signing_key()
    process.keyring.refuse = None
    assert process.keys.signing_key() == OLD


def test_concurrent_callers_read_the_keys_once(process: Process) -> None:
    """A key does not count as unknown while another caller reads the keys."""
    entered, go_on = threading.Event(), threading.Event()
    read = process.keyring.keys

    def slowly() -> object:
        entered.set()
        assert go_on.wait(30)
        return read()

    process.keyring.keys = slowly  # type: ignore[method-assign, assignment]
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(process.keys.find("old"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert entered.wait(30)
    go_on.set()
    for thread in threads:
        thread.join()
    assert found == [OLD] * 4
