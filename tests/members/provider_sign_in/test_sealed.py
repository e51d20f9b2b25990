"""Sealed contents: who can read and make them, and which changes are noticed."""

import base64

import pytest

from stratabase.members.provider_sign_in.sealed import MAX_SEALED, Seal
from stratabase.members.sign_in.signing_keys import RotateKeys, SigningKeyCache
from tests.fakes import CountedIds, FrozenClock
from tests.in_memory_keyring import InMemoryKeyring, key

CONTENT = {"subject": "ä-1", "until": 7}
HOUR = 3_600_000


def keys(*ids: str, clock: FrozenClock | None = None) -> SigningKeyCache:
    keyring = InMemoryKeyring(*map(key, ids))
    return SigningKeyCache(keyring, clock or FrozenClock(), CountedIds(), HOUR)


def test_a_content_opens_at_its_place() -> None:
    seal = Seal(keys("one"), "test")
    closed = seal.close(CONTENT, "here")
    assert seal.open(closed, "here") == CONTENT
    assert Seal(keys("one"), "test").open(closed, "here") == CONTENT, "another process has the same keys"


def test_a_content_opens_nowhere_else() -> None:
    closed = Seal(keys("one"), "test").close(CONTENT, "here")
    assert Seal(keys("one"), "test").open(closed, "there") is None
    assert Seal(keys("one"), "another").open(closed, "here") is None
    assert Seal(keys("two"), "test").open(closed, "here") is None


def test_nobody_can_read_it_or_see_that_two_are_equal() -> None:
    seal = Seal(keys("one"), "test")
    first, second = seal.close(CONTENT, "here"), seal.close(CONTENT, "here")
    assert first != second
    assert b"until" not in base64.urlsafe_b64decode(first + "=" * (-len(first) % 4))
    assert set(first) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


def test_each_change_is_noticed() -> None:
    seal = Seal(keys("one"), "test")
    closed = seal.close(CONTENT, "here")
    raw = base64.urlsafe_b64decode(closed + "=" * (-len(closed) % 4))
    for bit in range(len(raw) * 8):
        changed = bytearray(raw)
        changed[bit // 8] ^= 1 << bit % 8
        text = base64.urlsafe_b64encode(bytes(changed)).rstrip(b"=").decode()
        assert seal.open(text, "here") is None
    for length in range(len(closed)):
        assert seal.open(closed[:length], "here") is None
    for last in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_":
        assert (seal.open(closed[:-1] + last, "here") is None) == (last != closed[-1])


@pytest.mark.parametrize(
    "text", ["", "=", "ä", "\x00", "A" * (MAX_SEALED + 1), "AAAA", "____", "a b", "A==="]
)
def test_other_texts_do_not_open(text: str) -> None:
    assert Seal(keys("one"), "test").open(text, "here") is None


def test_a_content_outlives_a_rotation_and_ends_with_its_key() -> None:
    clock, keyring = FrozenClock(), InMemoryKeyring(key("one"))
    cache = SigningKeyCache(keyring, clock, CountedIds(), HOUR)
    closed = Seal(cache, "test").close(CONTENT, "here")
    rotate = RotateKeys(keyring, clock, CountedIds(), HOUR)
    rotate()
    clock.instant += 600_000
    assert Seal(cache, "test").open(closed, "here") == CONTENT
    assert Seal(cache, "test").close(CONTENT, "here")[:8] != closed[:8], "a new key seals"
    rotate(at_once=True)
    clock.instant += 600_000
    assert Seal(cache, "test").open(closed, "here") is None
