"""Folding of member names."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from stratabase.members.attempts import recipient_key
from stratabase.members.member import MAX_FOLDED_LENGTH, email_spellings, fold_name
from tests.rows import each_row


@given(st.text())
def test_folding_is_idempotent(name: str) -> None:
    assert fold_name(fold_name(name)) == fold_name(name)


@given(st.text())
def test_all_spellings_of_a_name_fold_to_the_same_text(name: str) -> None:
    assert fold_name(unicodedata.normalize("NFD", name)) == fold_name(name)


@each_row(
    ("email", "spellings"),
    [
        ("Anna@Example.com", ("anna@example.com",)),
        ("anna@BÜCHER.example", ("anna@bücher.example", "anna@xn--bcher-kva.example")),
        ("Anna@XN--bcher-kva.example", ("anna@xn--bcher-kva.example", "anna@bücher.example")),
        ("anna@xn--strae-oqa.example", ("anna@xn--strae-oqa.example",)),
        ("anna@straße.example", ("anna@strasse.example",)),
        ("anna@xn--a.example", ("anna@xn--a.example",)),
        ("no address", ("no address",)),
        ("", ("",)),
    ],
)
def test_an_address_has_a_spelling_for_each_form_of_its_domain(
    email: str, spellings: tuple[str, ...]
) -> None:
    assert email_spellings(email) == spellings
    assert recipient_key(email) == recipient_key(spellings[-1])


@given(st.text())
def test_the_own_spelling_of_an_address_comes_first(text: str) -> None:
    assert email_spellings(text)[0] == fold_name(text)


def test_a_text_longer_than_any_name_is_not_folded() -> None:
    """To bring this one into one spelling would take the rest of the day."""
    endless = "A" + "\u0301\u0323" * 1_000_000
    assert fold_name(endless) == endless
    assert fold_name("A" * MAX_FOLDED_LENGTH) == "a" * MAX_FOLDED_LENGTH
