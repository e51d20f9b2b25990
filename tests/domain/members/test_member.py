"""Folding of member names."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from stratabase.domain.members.member import MAX_NAME_LENGTH, fold_name


@given(st.text())
def test_folding_is_idempotent(name: str) -> None:
    assert fold_name(fold_name(name)) == fold_name(name)


@given(st.text())
def test_all_spellings_of_a_name_fold_to_the_same_text(name: str) -> None:
    assert fold_name(unicodedata.normalize("NFD", name)) == fold_name(name)


def test_a_text_longer_than_any_name_is_not_folded() -> None:
    """To bring this one into one spelling would take the rest of the day."""
    endless = "A" + "\u0301\u0323" * 1_000_000
    assert fold_name(endless) == endless
    assert fold_name("A" * MAX_NAME_LENGTH) == "a" * MAX_NAME_LENGTH
