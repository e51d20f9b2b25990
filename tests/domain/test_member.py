"""Names of members."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from stratabase.domain.member import LONGEST_NAME, folded


@given(st.text())
def test_folding_twice_changes_nothing_more(name: str) -> None:
    assert folded(folded(name)) == folded(name)


@given(st.text())
def test_every_spelling_folds_to_the_same(name: str) -> None:
    assert folded(unicodedata.normalize("NFD", name)) == folded(name)


def test_a_text_that_is_longer_than_any_name_stays_as_it_is() -> None:
    """To bring this one into one spelling would take the rest of the day."""
    endless = "A" + "\u0301\u0323" * 1_000_000
    assert folded(endless) == endless
    assert folded("A" * LONGEST_NAME) == "a" * LONGEST_NAME
