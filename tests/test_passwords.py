"""Hashing passwords."""

import subprocess
import sys

import argon2
import pytest

from stratabase import passwords
from stratabase.passwords import LANES, MEMORY, PASSES, Argon2Passwords


@pytest.fixture(scope="module")
def argon() -> Argon2Passwords:
    return Argon2Passwords()


@pytest.mark.parametrize("password", ["correct horse", "pässwörd 🙂", ""])
def test_a_hash_knows_its_own_password_only(password: str, argon: Argon2Passwords) -> None:
    hashed = argon.hash(password)
    assert argon.verify(hashed, password) is True
    assert argon.verify(hashed, password + "x") is False


def test_one_password_has_many_hashes(argon: Argon2Passwords) -> None:
    assert argon.hash("same") != argon.hash("same")


def test_the_hash_is_argon2id_at_the_price_that_was_chosen(argon: Argon2Passwords) -> None:
    found = argon2.extract_parameters(argon.hash("x"))
    assert (found.type, found.memory_cost, found.time_cost, found.parallelism) == (
        argon2.Type.ID,
        MEMORY,
        PASSES,
        LANES,
    )


def test_nobody_at_all_costs_as_much_and_has_no_password(argon: Argon2Passwords) -> None:
    nobodys = argon2.extract_parameters(passwords._DUMMY_HASH)
    assert nobodys == argon2.extract_parameters(argon.hash("x"))
    assert argon.verify(None, "x") is False


def test_what_is_no_hash_is_not_taken_for_a_wrong_password(argon: Argon2Passwords) -> None:
    with pytest.raises(argon2.exceptions.InvalidHashError):
        argon.verify("plain text", "plain text")


@pytest.mark.parametrize(
    "password",
    ["password1234", "PassWord1234", "christopher1", "counterstrike", "administrator", "contortionist"],
)
def test_listed_passwords_are_common_in_any_case(password: str, argon: Argon2Passwords) -> None:
    assert argon.is_common(password)


@pytest.mark.parametrize(
    "password",
    [
        "passwordpassword",
        "aaaaaaaaaaaa",
        "abababababab",
        "\u00e9e\u0301" * 8,
        "123456789012",
        "210987654321",
        "abcdefghijklm",
        "xyzabcdefghi",
        "QwertyuiopAsdf",
        "1qaz2wsx3edc4rfv",
    ],
)
def test_repetitions_and_runs_are_common(password: str, argon: Argon2Passwords) -> None:
    assert argon.is_common(password)


@pytest.mark.parametrize(
    "password",
    ["correct horse battery", "Tr0ub4dor&3-and-more", "abcdefghijkm", "a1b2c3d4e5f6g7", "p\u00e4ssword1234"],
)
def test_others_are_not_common(password: str, argon: Argon2Passwords) -> None:
    assert not argon.is_common(password)


def test_the_lists_are_loaded_only_when_a_password_is_chosen() -> None:
    script = (
        "import sys; from stratabase.passwords import Argon2Passwords; "
        "Argon2Passwords().verify(None, 'x'); assert 'zxcvbn' not in sys.modules; "
        "Argon2Passwords().is_common('right horse'); assert 'zxcvbn.frequency_lists' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
