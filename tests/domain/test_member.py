"""Names of members."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from stratabase.domain.member import folded


@given(st.text())
def test_folding_twice_changes_nothing_more(name: str) -> None:
    assert folded(folded(name)) == folded(name)


@given(st.text())
def test_every_spelling_folds_to_the_same(name: str) -> None:
    assert folded(unicodedata.normalize("NFD", name)) == folded(name)
