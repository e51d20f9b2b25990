"""Which passwords may be chosen."""

import pytest

from stratabase.domain.members.password import LONGEST_PASSWORD, PasswordPolicy, Weakness, normalize_password

POLICY = PasswordPolicy(lambda password: password == "everybody has it")
NAMES = ("Anna Berghain", "anna.berghain@example.com")


@pytest.mark.parametrize(
    "password",
    ["twelve chars", "x" * 128, "   spaces   ", "\u00e9" * 12, "e\u0301" * 128, "🙂" * 12, "日本語" * 4],
)
def test_anything_of_good_length_may_be_chosen(password: str) -> None:
    assert POLICY.weaknesses(password, NAMES) == ()


@pytest.mark.parametrize(
    ("password", "weaknesses"),
    [
        ("", [Weakness.SHORT]),
        ("eleven char", [Weakness.SHORT]),
        ("e\u0301" * 11, [Weakness.SHORT]),
        ("x" * (LONGEST_PASSWORD + 1), [Weakness.LONG]),
        ("everybody has it", [Weakness.COMMON]),
        ("ANNA berghain", [Weakness.NAME]),
        ("anna.berghain@EXAMPLE.com", [Weakness.NAME]),
        ("with a tab\tin it", [Weakness.UNWRITABLE]),
        ("half a pair \ud800", [Weakness.UNWRITABLE]),
        ("nothing\x00", [Weakness.SHORT, Weakness.UNWRITABLE]),
    ],
)
def test_all_weaknesses_are_found(password: str, weaknesses: list[Weakness]) -> None:
    assert POLICY.weaknesses(password, NAMES) == tuple(weaknesses)


def test_a_name_is_the_same_in_every_spelling() -> None:
    assert POLICY.weaknesses("STRASSENCAFE\u0301", ["stra\u00dfencaf\u00e9"]) == (Weakness.NAME,)


def test_the_least_length_is_a_setting() -> None:
    assert PasswordPolicy(POLICY.is_common, 8).weaknesses("8 chars!", NAMES) == ()
    assert "at least 8 characters" in PasswordPolicy(POLICY.is_common, 8).advice(Weakness.SHORT)


def test_every_weakness_has_advice_of_its_own() -> None:
    told = {weakness: POLICY.advice(weakness) for weakness in Weakness}
    assert len({*told.values()}) == len(Weakness)
    assert told[Weakness.SHORT].startswith("The password is too short. Use at least 12 characters")
    assert told[Weakness.LONG] == "The password is too long. Use at most 128 characters."


def test_a_password_of_megabytes_is_not_looked_up() -> None:
    def refuse(_: str) -> bool:
        raise AssertionError("it was looked up")

    assert PasswordPolicy(refuse).weaknesses("x" * 1_000_000, NAMES) == (Weakness.LONG,)


def test_one_password_has_one_spelling_however_it_is_typed() -> None:
    assert normalize_password("cafe\u0301") == normalize_password("caf\u00e9") == "caf\u00e9"
