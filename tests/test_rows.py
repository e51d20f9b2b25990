"""One test of many rows fails with each row that fails, and with no other."""

import pytest

from tests.rows import each_row


@pytest.fixture
def limit() -> int:
    return 3


@each_row(("number", "text"), [(1, "a"), pytest.param(2, "b")])
@each_row("sign", "+-")
def test_a_test_has_its_fixtures_and_all_combinations_of_rows(
    limit: int, number: int, text: str, sign: str
) -> None:
    assert number < limit
    assert (text, sign) in {(text, sign) for text in "ab" for sign in "+-"}


def test_each_row_that_fails_is_reported() -> None:
    seen = list[int]()

    @each_row("number", range(4))
    def check(number: int) -> None:
        seen.append(number)
        if number != 3:
            with pytest.raises(ZeroDivisionError):
                assert number / (number % 2) != 1
        assert number

    with pytest.raises(BaseExceptionGroup, match="2 of 4 rows") as failed:
        check()

    assert seen == [0, 1, 2, 3]
    assert [error.__notes__ for error in failed.value.exceptions] == [
        ["row: {'number': 0}"],
        ["row: {'number': 1}"],
    ]


def test_no_rows_are_a_mistake() -> None:
    with pytest.raises(AssertionError, match="there are no rows"):
        each_row("number", [])
