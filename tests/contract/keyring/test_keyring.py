"""The contract of every keyring."""

import threading
from collections.abc import Callable, Sequence

import pytest

from stratabase.members.keys.key_rotation import SigningKey
from stratabase.members.ports import Keyring
from tests.contract.keyring.keyrings import CONCURRENT, KeyringImplementation, Open
from tests.in_memory_keyring import key


def added(new: SigningKey) -> Callable[[Sequence[SigningKey]], Sequence[SigningKey]]:
    """Return a change that adds a key to the existing ones."""
    return lambda keys: (*keys, new)


def ids(keyring: Keyring) -> list[str]:
    keys = keyring.keys()
    return [key.id for key in keys]


def test_a_new_keyring_has_the_keys_of_its_storage(kind: KeyringImplementation, keyring: Keyring) -> None:
    assert ids(keyring) == ([] if kind.starts_empty else ["first"])
    keys = keyring.keys()
    assert all(len(key.secret) >= 32 for key in keys)


def test_a_key_comes_back_as_it_was_added(keyring: Keyring) -> None:
    new = SigningKey("any id / é \" '", bytes(range(256)), 1_577_880_000_123)
    keyring.change(added(new))
    assert keyring.keys()[-1] == new


def test_a_change_is_visible_to_others_and_survives_reopening(open_: Open) -> None:
    one, other = open_(), open_()
    before = list(other.keys())
    one.change(added(key("a")))
    assert list(other.keys()) == list(open_().keys()) == [*before, key("a")]


def test_a_change_removes_the_keys_that_it_omits(keyring: Keyring) -> None:
    keyring.change(added(key("a")))
    keyring.change(added(key("b")))
    keyring.change(lambda keys: [key for key in keys if key.id == "b"])
    assert ids(keyring) == ["b"]


def test_the_order_of_keys_is_kept(keyring: Keyring) -> None:
    for name in "cab":
        keyring.change(added(key(name)))
    assert ids(keyring)[-3:] == ["c", "a", "b"]


def test_an_empty_change_writes_nothing(keyring: Keyring) -> None:
    keyring.change(added(key("a")))
    before = keyring.keys()
    keyring.change(list)
    assert keyring.keys() == before


def test_a_failed_change_leaves_everything_unchanged(keyring: Keyring) -> None:
    before = keyring.keys()

    def fail(keys: Sequence[SigningKey]) -> Sequence[SigningKey]:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        keyring.change(fail)
    assert keyring.keys() == before
    keyring.change(added(key("a")))
    assert ids(keyring)[-1] == "a"


@pytest.mark.parametrize("kind", CONCURRENT, ids=lambda kind: kind.name)
def test_concurrent_changes_are_all_kept(kind: KeyringImplementation, open_: Open) -> None:
    rounds = 2
    failures: list[BaseException] = []

    def change(number: int) -> None:
        keyring = open_()
        try:
            for round_ in range(rounds):
                keyring.change(added(key(f"{number}-{round_}")))
        except BaseException as error:  # noqa: BLE001 - the test tells it
            failures.append(error)

    threads = [threading.Thread(target=change, args=(number,)) for number in range(kind.threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = {f"{number}-{round_}" for number in range(kind.threads) for round_ in range(rounds)}
    assert failures == []
    assert set(ids(open_())) - {"first"} == expected
