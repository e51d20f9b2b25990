"""Names of members."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from stratabase.domain.members.member import LONGEST_NAME, fold_name


@given(st.text())
def test_folding_twice_changes_nothing_more(name: str) -> None:
    assert fold_name(fold_name(name)) == fold_name(name)


@given(st.text())
def test_every_spelling_folds_to_the_same(name: str) -> None:
    assert fold_name(unicodedata.normalize("NFD", name)) == fold_name(name)


def test_a_text_that_is_longer_than_any_name_stays_as_it_is() -> None:
    """To bring this one into one spelling would take the rest of the day."""
    endless = "A" + "\u0301\u0323" * 1_000_000
    assert fold_name(endless) == endless
    assert fold_name("A" * LONGEST_NAME) == "a" * LONGEST_NAME
