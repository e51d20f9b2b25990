"""The password policy."""

from stratabase.members.password import (
    MAX_PASSWORD_LENGTH,
    PasswordPolicy,
    Weakness,
    normalize_password,
)
from tests.rows import each_row

POLICY = PasswordPolicy(lambda password: password == "everybody has it")
NAMES = ("Anna Berghain", "anna.berghain@example.com")


@each_row(
    "password",
    ["twelve chars", "x" * 128, "   spaces   ", "\u00e9" * 12, "e\u0301" * 128, "🙂" * 12, "日本語" * 4],
)
def test_any_password_of_sufficient_length_is_accepted(password: str) -> None:
    assert POLICY.weaknesses(password, NAMES) == ()


@each_row(
    ("password", "weaknesses"),
    [
        ("", [Weakness.SHORT]),
        ("eleven char", [Weakness.SHORT]),
        ("e\u0301" * 11, [Weakness.SHORT]),
        ("x" * (MAX_PASSWORD_LENGTH + 1), [Weakness.LONG]),
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


def test_a_password_is_compared_with_names_in_every_spelling() -> None:
    assert POLICY.weaknesses("STRASSENCAFE\u0301", ["stra\u00dfencaf\u00e9"]) == (Weakness.NAME,)


def test_the_minimum_length_is_a_setting() -> None:
    assert PasswordPolicy(POLICY.is_common, 8).weaknesses("8 chars!", NAMES) == ()
    assert "at least 8 characters" in PasswordPolicy(POLICY.is_common, 8).advice(Weakness.SHORT)


def test_every_weakness_has_its_own_advice() -> None:
    result = {weakness: POLICY.advice(weakness) for weakness in Weakness}
    assert len({*result.values()}) == len(Weakness)
    assert result[Weakness.SHORT].startswith("The password is too short. Use at least 12 characters")
    assert result[Weakness.LONG] == "The password is too long. Use at most 128 characters."


def test_a_huge_password_is_not_looked_up() -> None:
    def refuse(_: str) -> bool:
        raise AssertionError("it was looked up")

    assert PasswordPolicy(refuse).weaknesses("x" * 1_000_000, NAMES) == (Weakness.LONG,)


def test_a_password_has_one_normalized_spelling() -> None:
    assert normalize_password("cafe\u0301") == normalize_password("caf\u00e9") == "caf\u00e9"
