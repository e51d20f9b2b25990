"""Hashing passwords."""

import subprocess
import sys

import argon2
import pytest

from stratabase.members.sign_in import password_hashes as passwords
from stratabase.members.sign_in.password_hashes import LANES, MEMORY, PASSES, Argon2Passwords
from tests.rows import each_row


@pytest.fixture(scope="module")
def argon() -> Argon2Passwords:
    return Argon2Passwords()


@pytest.mark.parametrize("password", ["correct horse", "pässwörd 🙂", ""])
def test_a_hash_verifies_only_its_own_password(password: str, argon: Argon2Passwords) -> None:
    hashed = argon.hash(password)
    assert argon.verify(hashed, password) is True
    assert argon.verify(hashed, password + "x") is False


def test_hashes_of_one_password_differ(argon: Argon2Passwords) -> None:
    assert argon.hash("same") != argon.hash("same")


def test_the_hash_is_argon2id_with_the_configured_cost(argon: Argon2Passwords) -> None:
    found = argon2.extract_parameters(argon.hash("x"))
    assert (found.type, found.memory_cost, found.time_cost, found.parallelism) == (
        argon2.Type.ID,
        MEMORY,
        PASSES,
        LANES,
    )


def test_verifying_an_unknown_member_costs_as_much_and_fails(argon: Argon2Passwords) -> None:
    nobodys = argon2.extract_parameters(passwords._DUMMY_HASH)
    assert nobodys == argon2.extract_parameters(argon.hash("x"))
    assert argon.verify(None, "x") is False


def test_an_invalid_hash_is_not_reported_as_a_wrong_password(argon: Argon2Passwords) -> None:
    with pytest.raises(argon2.exceptions.InvalidHashError):
        argon.verify("plain text", "plain text")


@each_row(
    "password",
    ["password1234", "PassWord1234", "christopher1", "counterstrike", "administrator", "contortionist"],
)
def test_listed_passwords_are_common_in_any_case(password: str, argon: Argon2Passwords) -> None:
    assert argon.is_common(password)


@each_row(
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
def test_repetitions_and_sequences_are_common(password: str, argon: Argon2Passwords) -> None:
    assert argon.is_common(password)


@each_row(
    "password",
    ["correct horse battery", "Tr0ub4dor&3-and-more", "abcdefghijkm", "a1b2c3d4e5f6g7", "p\u00e4ssword1234"],
)
def test_other_passwords_are_not_common(password: str, argon: Argon2Passwords) -> None:
    assert not argon.is_common(password)


def test_the_lists_are_loaded_lazily() -> None:
    script = (
        "import sys; from stratabase.members.sign_in.password_hashes import Argon2Passwords; "
        "Argon2Passwords().verify(None, 'x'); assert 'zxcvbn' not in sys.modules; "
        "Argon2Passwords().is_common('right horse'); assert 'zxcvbn.frequency_lists' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
